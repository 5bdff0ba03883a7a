// The shapes of the integration format ("Integration testing", JSON test data format), as far as they are relied on.

/** Whole numbers: text where they may be large. */
export type JsonInteger = number | string;

export type JsonMetadata = ReadonlyArray<{ readonly key: string; readonly value: string }> | null | undefined;

export type JsonType = Readonly<Record<string, unknown>> & { readonly name: string };

export interface JsonDictionary {
  readonly id: JsonInteger;
  readonly indexType: JsonType;
  readonly isOrdered?: boolean;
}

export interface JsonField {
  readonly name: string;
  readonly nullable: boolean;
  /** Of a dictionary field: the type of its values. */
  readonly type: JsonType;
  readonly children?: readonly JsonField[];
  readonly dictionary?: JsonDictionary;
  readonly metadata?: JsonMetadata;
}

export interface JsonView {
  readonly SIZE: number;
  readonly INLINED?: string;
  readonly PREFIX_HEX?: string;
  readonly BUFFER_INDEX?: number;
  readonly OFFSET?: number;
}

export interface JsonColumn {
  readonly name: string;
  readonly count: number;
  readonly VALIDITY?: readonly number[];
  readonly OFFSET?: readonly JsonInteger[];
  readonly SIZE?: readonly JsonInteger[];
  readonly TYPE_ID?: readonly number[];
  readonly DATA?: readonly unknown[];
  readonly VIEWS?: readonly JsonView[];
  /** Upper-case hexadecimal. */
  readonly VARIADIC_DATA_BUFFERS?: readonly string[];
  readonly children?: readonly JsonColumn[];
}

export interface JsonBatch {
  readonly count: number;
  readonly columns: readonly JsonColumn[];
}

export interface JsonFile {
  readonly schema: { readonly fields: readonly JsonField[]; readonly metadata?: JsonMetadata };
  readonly dictionaries?: ReadonlyArray<{ readonly id: JsonInteger; readonly data: JsonBatch }>;
  readonly batches: readonly JsonBatch[];
}
