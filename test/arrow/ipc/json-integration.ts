import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { type DataType, Field, type IntType, Schema, type TimeUnit } from 'recurve/arrow';

// Reads the integration test format of Arrow ("Integration testing", JSON) into values as `column-value.ts` gives them.

interface JsonField {
  readonly name: string;
  readonly nullable: boolean;
  readonly type: JsonType;
  readonly children?: readonly JsonField[];
  readonly dictionary?: { readonly id: number; readonly indexType: JsonType; readonly isOrdered: boolean };
  readonly metadata?: ReadonlyArray<{ readonly key: string; readonly value: string }> | null;
}

type JsonType = Readonly<Record<string, unknown>> & { readonly name: string };

interface JsonColumn {
  readonly name: string;
  readonly count: number;
  readonly VALIDITY?: readonly number[];
  readonly OFFSET?: ReadonlyArray<number | string>;
  readonly SIZE?: ReadonlyArray<number | string>;
  readonly VIEWS?: readonly JsonView[];
  readonly VARIADIC_DATA_BUFFERS?: readonly string[];
  readonly TYPE_ID?: readonly number[];
  readonly DATA?: readonly unknown[];
  readonly children?: readonly JsonColumn[];
}

interface JsonView {
  readonly SIZE: number;
  readonly INLINED?: string;
  readonly BUFFER_INDEX?: number;
  readonly OFFSET?: number;
}

interface JsonFile {
  readonly schema: { readonly fields: readonly JsonField[]; readonly metadata?: JsonField['metadata'] };
  readonly dictionaries?: ReadonlyArray<{
    readonly id: number;
    readonly data: { readonly columns: readonly JsonColumn[] };
  }>;
  readonly batches: ReadonlyArray<{ readonly count: number; readonly columns: readonly JsonColumn[] }>;
}

/** What a gold file must read as. */
export interface JsonTruth {
  readonly schema: Schema;
  readonly batches: ReadonlyArray<{ readonly numRows: number; readonly columns: readonly unknown[][] }>;
}

/** Reads a `.json.gz` of the corpus. */
export function readJsonTruth(path: string): JsonTruth {
  // Nanoseconds stand as bare numbers that exceed what a JavaScript number holds.
  const text = gunzipSync(readFileSync(path))
    .toString()
    .replace(/("nanoseconds":\s*)(-?\d+)/g, '$1"$2"');
  const file = JSON.parse(text) as JsonFile;
  const reader = new ValueReader(file);
  return {
    schema: new Schema(file.schema.fields.map(readField), readMetadata(file.schema.metadata)),
    batches: file.batches.map(({ count, columns }) => ({
      numRows: count,
      columns: file.schema.fields.map((field, i) => reader.read(field, columns[i])),
    })),
  };
}

function readMetadata(entries: JsonField['metadata']): ReadonlyArray<readonly [string, string]> {
  return (entries ?? []).map(({ key, value }) => [key, value]);
}

function readField(json: JsonField): Field {
  const value = readType(json.type, (json.children ?? []).map(readField));
  const { dictionary } = json;
  const type: DataType =
    dictionary === undefined
      ? value
      : {
          kind: 'dictionary',
          id: BigInt(dictionary.id),
          index: readType(dictionary.indexType, []) as IntType,
          value,
          ordered: dictionary.isOrdered,
        };
  return new Field(json.name, type, { nullable: json.nullable, metadata: readMetadata(json.metadata) });
}

const units: Readonly<Record<string, TimeUnit>> = {
  SECOND: 's',
  MILLISECOND: 'ms',
  MICROSECOND: 'us',
  NANOSECOND: 'ns',
};

function readType(json: JsonType, children: readonly Field[]): DataType {
  const unit = units[String(json.unit)] as TimeUnit;
  const child = children[0] as Field;
  switch (json.name) {
    case 'null':
    case 'bool':
      return { kind: json.name };
    case 'int':
      return { kind: 'int', bitWidth: json.bitWidth as 8, signed: json.isSigned as boolean };
    case 'floatingpoint':
      return { kind: 'float', bitWidth: ({ HALF: 16, SINGLE: 32, DOUBLE: 64 } as const)[json.precision as 'HALF'] };
    case 'decimal': {
      const {
        precision,
        scale,
        bitWidth = 128,
      } = json as unknown as { precision: number; scale: number; bitWidth?: 128 };
      return { kind: 'decimal', precision, scale, bitWidth };
    }
    case 'utf8':
    case 'largeutf8':
      return { kind: 'utf8', large: json.name === 'largeutf8' };
    case 'binary':
    case 'largebinary':
      return { kind: 'binary', large: json.name === 'largebinary' };
    case 'utf8view':
      return { kind: 'utf8-view' };
    case 'binaryview':
      return { kind: 'binary-view' };
    case 'listview':
    case 'largelistview':
      return { kind: 'list-view', child, large: json.name === 'largelistview' };
    case 'runendencoded':
      return { kind: 'run-end-encoded', runEnds: child, values: children[1] as Field };
    case 'fixedsizebinary':
      return { kind: 'fixed-size-binary', byteWidth: json.byteWidth as number };
    case 'date':
      return { kind: 'date', unit: json.unit === 'DAY' ? 'day' : 'ms' };
    case 'time':
    case 'duration':
      return { kind: json.name, unit };
    case 'timestamp':
      return { kind: 'timestamp', unit, timezone: (json.timezone as string | undefined) ?? null };
    case 'interval': {
      const names = { YEAR_MONTH: 'year-month', DAY_TIME: 'day-time', MONTH_DAY_NANO: 'month-day-nano' } as const;
      return { kind: 'interval', unit: names[json.unit as 'YEAR_MONTH'] };
    }
    case 'list':
    case 'largelist':
      return { kind: 'list', child, large: json.name === 'largelist' };
    case 'fixedsizelist':
      return { kind: 'fixed-size-list', child, listSize: json.listSize as number };
    case 'struct':
      return { kind: 'struct', children };
    case 'map':
      return { kind: 'map', child, keysSorted: json.keysSorted as boolean };
    case 'union':
      return {
        kind: 'union',
        mode: json.mode === 'DENSE' ? 'dense' : 'sparse',
        typeIds: json.typeIds as number[],
        children,
      };
    default:
      throw new Error(`no type ${json.name}`);
  }
}

class ValueReader {
  readonly #dictionaries = new Map<number, unknown[]>();

  constructor(file: JsonFile) {
    const visit = (field: JsonField): void => {
      for (const child of field.children ?? []) visit(child);
      if (field.dictionary === undefined || this.#dictionaries.has(field.dictionary.id)) return;
      const { dictionary: _, ...valueField } = field;
      const stored = file.dictionaries?.find(({ id }) => id === field.dictionary?.id);
      this.#dictionaries.set(field.dictionary.id, this.read(valueField, stored?.data.columns[0]));
    };
    file.schema.fields.forEach(visit);
  }

  read(field: JsonField, column: JsonColumn | undefined): unknown[] {
    if (column === undefined) throw new Error(`no column ${field.name}`);
    const values = this.#readAll(field, column);
    // Unions have no validity, null columns nothing else.
    return field.type.name === 'null' ? values : values.map((value, i) => (column.VALIDITY?.[i] === 0 ? null : value));
  }

  #readAll(field: JsonField, column: JsonColumn): unknown[] {
    const { count, DATA: data = [], OFFSET: offsets = [], SIZE: sizes = [], TYPE_ID: typeIds = [] } = column;
    const rows = Array.from({ length: count }, (_, i) => i);
    if (field.dictionary !== undefined) {
      const dictionary = this.#dictionaries.get(field.dictionary.id);
      return data.map((index) => dictionary?.[Number(index)]);
    }
    const children = (field.children ?? []).map((child, i) => this.read(child, column.children?.[i]));
    switch (field.type.name) {
      case 'null':
        return rows.map(() => null);
      case 'struct':
        return rows.map((i) => children.map((child) => child[i]));
      case 'list':
      case 'largelist':
      case 'map':
        return rows.map((i) => children[0]?.slice(Number(offsets[i]), Number(offsets[i + 1])));
      case 'listview':
      case 'largelistview':
        return rows.map((i) => {
          const start = Number(offsets[i]);
          return children[0]?.slice(start, start + Number(sizes[i]));
        });
      case 'runendencoded': {
        const [ends = [], values = []] = children;
        return rows.map((i) => values[ends.findIndex((end) => Number(end) > i)]);
      }
      case 'utf8view':
      case 'binaryview':
        return (column.VIEWS ?? []).map((view) => {
          if (view.SIZE <= 12) return field.type.name === 'utf8view' ? view.INLINED : view.INLINED?.toLowerCase();
          const start = 2 * Number(view.OFFSET);
          const hex = column.VARIADIC_DATA_BUFFERS?.[view.BUFFER_INDEX ?? -1]?.slice(start, start + 2 * view.SIZE);
          return field.type.name === 'utf8view' ? Buffer.from(hex ?? '', 'hex').toString() : hex?.toLowerCase();
        });
      case 'fixedsizelist': {
        const size = field.type.listSize as number;
        return rows.map((i) => children[0]?.slice(i * size, (i + 1) * size));
      }
      case 'union': {
        const ids = field.type.typeIds as number[];
        return rows.map(
          (i) => children[ids.indexOf(typeIds[i] ?? -1)]?.[field.type.mode === 'DENSE' ? Number(offsets[i]) : i],
        );
      }
      default: {
        const isUuid = field.metadata?.some(
          ({ key, value }) => key === 'ARROW:extension:name' && value === 'arrow.uuid',
        );
        return data.map((value) => readValue(field.type, value, isUuid === true));
      }
    }
  }
}

function readValue(type: JsonType, value: unknown, isUuid: boolean): unknown {
  switch (type.name) {
    case 'bool':
      return Boolean(value);
    case 'int':
      return type.bitWidth === 64 ? BigInt(value as string) : Number(value);
    case 'decimal':
      return decimalText(value as string, type.scale as number);
    case 'binary':
    case 'largebinary':
      return (value as string).toLowerCase();
    case 'fixedsizebinary': {
      const hex = (value as string).toLowerCase();
      return isUuid ? hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5') : hex;
    }
    case 'date':
      return type.unit === 'DAY' ? value : BigInt(value as string);
    case 'time':
      return type.bitWidth === 32 ? value : BigInt(value as string);
    case 'timestamp':
    case 'duration':
      return BigInt(value as string);
    case 'interval':
      if (type.unit !== 'MONTH_DAY_NANO') return value;
      return { ...(value as object), nanoseconds: BigInt((value as { nanoseconds: string }).nanoseconds) };
    default:
      return value;
  }
}

function decimalText(unscaled: string, scale: number): string {
  const negative = unscaled.startsWith('-') ? '-' : '';
  const digits = unscaled.replace('-', '').padStart(scale + 1, '0');
  if (scale <= 0) return digits === '0' ? '0' : `${negative}${digits}${'0'.repeat(-scale)}`;
  return `${negative}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
}
