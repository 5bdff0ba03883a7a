import type { JsonColumn, JsonField, JsonFile, JsonMetadata } from '../../src/cli/integration/json-format.ts';
import { column } from './truth.ts';

/** Metadata entries: text, or bytes in hexadecimal. */
export type ExtraMetadata = ReadonlyArray<{
  readonly key?: string;
  readonly value?: string;
  readonly keyHex?: string;
  readonly valueHex?: string;
}>;

/** What the integration format has no place for; it stands beside `schema` and `batches` in NAME.json, as `extra`. */
export interface Extra {
  /** `custom_metadata` of the batches' messages, in turn. */
  readonly batchMetadata?: readonly ExtraMetadata[];
  /** Of every dictionary batch's message. */
  readonly dictionaryMetadata?: ExtraMetadata;
  /** Of the schema's message, in the stream. */
  readonly schemaMessageMetadata?: ExtraMetadata;
  /** Of the footer, in the file. */
  readonly footerMetadata?: ExtraMetadata;
  /** The messages there are, such as `dictionary 0 delta`. */
  readonly messages?: readonly string[];
  /** Dictionaries change between batches: those of the JSON hold the values of all of them. */
  readonly dictionariesChange?: boolean;
  /** Floats are given to the bit, NaN, infinities and -0 as text. */
  readonly exactFloats?: boolean;
  /** Where buffers begin, in the file too. */
  readonly alignment?: number;
  /** Unions have nulls of their own, as metadata V4 has them. */
  readonly unionNulls?: boolean;
}

/** How a case is written. */
export interface Written {
  /** Default: both. */
  readonly formats?: ReadonlyArray<'stream' | 'file'>;
  /** Default 8, which keeps files small. */
  readonly alignment?: 8 | 64;
  readonly compression?: 'lz4' | 'zstd';
  /** For each dictionary, by id, and each batch the part of the JSON's values that the batch's dictionary has. */
  readonly windows?: Readonly<Record<number, ReadonlyArray<readonly [start: number, end: number]>>>;
  /** By the tests' own writer, which takes buffers as they are. */
  readonly byHand?: {
    readonly bigEndian?: boolean;
    readonly version?: 4 | 5;
    /** The framing of before 0.15. */
    readonly legacy?: boolean;
    /** Rows that stand before those that count: offsets then begin above 0. A multiple of 8. */
    readonly lead?: number;
  };
}

/** A gold case of batches as data. */
export interface GoldDefinition {
  readonly name: string;
  readonly json: JsonFile & { readonly extra?: Extra };
  /** As `json`, with the rows of `lead` before those of each batch. */
  readonly longer?: JsonFile;
  readonly written: Written;
}

interface Parts {
  readonly metadata?: JsonMetadata;
  /** The values of each dictionary, by id, with their field. */
  readonly dictionaries?: Readonly<Record<number, readonly [JsonField, readonly unknown[]]>>;
  readonly extra?: Extra;
  readonly written?: Written;
  /** Rows of each batch, where no column says it. */
  readonly counts?: readonly number[];
  /** Puts the validity of a column to each batch, by position. */
  readonly validity?: Readonly<Record<number, readonly number[]>>;
}

/** `batches` has for each batch the values of each column. */
export function gold(
  name: string,
  fields: readonly JsonField[],
  batches: ReadonlyArray<ReadonlyArray<readonly unknown[]>>,
  { metadata, dictionaries = {}, extra, written = {}, counts, validity = {} }: Parts = {},
): GoldDefinition {
  const columnsOf = (values: ReadonlyArray<readonly unknown[]>): JsonColumn[] =>
    fields.map((of, i) => {
      const made = column(of, values[i] ?? []);
      return validity[i] === undefined ? made : { ...made, VALIDITY: validity[i] };
    });
  const json = {
    schema: { fields, ...(metadata != null && { metadata }) },
    dictionaries: Object.entries(dictionaries).map(([id, [of, values]]) => ({
      id: Number(id),
      data: { count: values.length, columns: [column({ ...of, name: `DICT${id}` }, values)] },
    })),
    batches: batches.map((values, i) => ({ count: counts?.[i] ?? values[0]?.length ?? 0, columns: columnsOf(values) })),
    ...(extra && { extra }),
  };
  const lead = written.byHand?.lead ?? 0;
  if (lead === 0) return { name, json, written };
  const longer = batches.map((values) =>
    values.map((of) => [...Array.from({ length: lead }, (_, i) => of[i % of.length]), ...of]),
  );
  const long = longer.map((values) => ({ count: values[0]?.length ?? 0, columns: columnsOf(values) }));
  return { name, json, longer: { ...json, batches: long }, written };
}

/** The case in one form only, where the other would show nothing new. */
export function only(format: 'stream' | 'file', one: GoldDefinition): GoldDefinition {
  return { ...one, written: { ...one.written, formats: [format] } };
}
