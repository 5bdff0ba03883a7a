import { RecurveError } from '../error.ts';
import { hasTag } from './brand.ts';
import { arrayOf, type Column, clamp } from './column.ts';
import { Metadata, type MetadataInput } from './metadata.ts';
import { makeRows, type Row } from './row.ts';
import { type BlockReader, blockReader, fillRows } from './row-maker.ts';
import type { Schema } from './schema.ts';
import type { ValueOptions } from './value.ts';

/** A record batch: a schema and columns of the same length, whose values come as the columns give them. */
export class RecordBatch implements Iterable<Row> {
  declare readonly schema: Schema;
  declare readonly columns: readonly Column[];
  /** Also without columns: a batch of no columns may have rows. */
  readonly numRows: number = 0;
  /** The message's own `custom_metadata`. */
  declare readonly metadata: Metadata;

  /** Throws INVALID_ARGUMENT when the columns do not fit the schema or differ in length. */
  constructor(schema: Schema, columns: readonly Column[], numRows?: number, metadata?: MetadataInput) {
    this.schema = schema;
    this.columns = columns;
    this.numRows = numRows ?? columns[0]?.length ?? 0;
    this.metadata = Metadata.from(metadata);
    if (columns.length !== schema.fields.length) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `a batch of ${columns.length} columns does not fit a schema of ${schema.fields.length}`,
      );
    }
    columns.forEach((column, i) => {
      if (column.length !== this.numRows) {
        const name = JSON.stringify(schema.fields[i]?.name);
        throw new RecurveError(
          'INVALID_ARGUMENT',
          `column ${name} has ${column.length} values in a batch of ${this.numRows} rows`,
        );
      }
    });
  }

  /** The same columns with other metadata of the message. */
  withMetadata(metadata: MetadataInput): this {
    return this.#with(this.schema, this.columns, this.numRows, metadata);
  }

  get [Symbol.toStringTag](): string {
    return 'recurve.RecordBatch';
  }

  /** Also true for one of a second copy of this library. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return hasTag(value, 'recurve.RecordBatch');
  }

  get numCols(): number {
    return this.columns.length;
  }

  /** The column at a position or, the first, under a name. Throws NOT_FOUND. */
  column(key: number | string): Column {
    return this.columns[this.schema.position(key)] as Column;
  }

  /** These columns, by name or position, in this order, over the same buffers. `schema` is what they are, if it is known. */
  select(keys: ReadonlyArray<number | string>, schema: Schema = this.schema.select(keys)): this {
    const columns = keys.map((key) => this.column(key));
    return this.#with(schema, columns, this.numRows);
  }

  /** The first column of this name, or null. */
  getChild(name: string): Column | null {
    return this.columns[this.schema.indexOf(name)] ?? null;
  }

  /** Rows `start` up to `end`, over the same buffers. Limits as `Array.prototype.slice`. */
  slice(start = 0, end: number = this.numRows): this {
    const from = clamp(start, this.numRows);
    const to = Math.max(from, clamp(end, this.numRows));
    const columns = this.columns.map((column) => column.slice(from, to));
    return this.#with(this.schema, columns, to - from);
  }

  /** A batch of the same class. */
  #with(schema: Schema, columns: readonly Column[], numRows: number, metadata: MetadataInput = this.metadata): this {
    return new (this.constructor as typeof RecordBatch)(schema, columns, numRows, metadata) as this;
  }

  /**
   * Reads the columns in blocks of rows. `firstRow` is the batch's place in its table, for errors. Throws NOT_IMPLEMENTED
   * for options, which are for the batches of `recurve/arrow`.
   */
  blockReaders(options?: ValueOptions, _firstRow = 0): BlockReader[] {
    const [key] = Object.keys(options ?? {});
    if (key === undefined) return this.columns.map(blockReader);
    throw new RecurveError('NOT_IMPLEMENTED', `the lean reader gives no values by ${key}`, {
      hint: "read with tableFromIPC and so on of 'recurve/arrow'",
    });
  }

  /** All rows as plain objects. See {@link ValueOptions} for how values come. */
  toArray(options?: ValueOptions): Row[] {
    const out = arrayOf<Row>(this.numRows);
    fillRows(out, 0, this.schema.fields, this.blockReaders(options), 0, this.numRows);
    return out;
  }

  /** The rows as plain objects, one after the other. */
  rows(options?: ValueOptions): Iterable<Row> {
    return makeRows(this.schema.fields, this.blockReaders(options), this.numRows);
  }

  [Symbol.iterator](): Iterator<Row> {
    return this.rows()[Symbol.iterator]();
  }
}
