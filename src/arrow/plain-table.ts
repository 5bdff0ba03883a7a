import { RecurveError } from '../error.ts';
import { hasTag } from './brand.ts';
import type { ChunkedColumn } from './chunked-column.ts';
import { makeChunkedColumn } from './chunked-number.ts';
import { arrayOf, clamp } from './column.ts';
import type { RecordBatch } from './plain-batch.ts';
import { makeRows, type Row } from './row.ts';
import { fillRows } from './row-maker.ts';
import type { Typed } from './row-type.ts';
import type { Field, Schema } from './schema.ts';
import type { ValueOptions } from './value.ts';

/** A schema and batches of it, held in memory, whose text is its schema. */
export class Table<R extends Row = Row> implements Iterable<R> {
  declare readonly schema: Schema;
  declare readonly batches: readonly RecordBatch[];
  declare readonly numRows: number;
  readonly #columns: (ChunkedColumn | undefined)[];

  /** `schema` is needed for a table without batches. Throws INVALID_ARGUMENT when a batch has another schema. */
  constructor(schema: Schema & Typed<R>, batches: readonly RecordBatch[]) {
    this.schema = schema;
    this.batches = batches;
    this.numRows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
    this.#columns = new Array(schema.fields.length);
    batches.forEach((batch, i) => {
      if (batch.schema !== schema && !batch.schema.equals(schema)) {
        throw new RecurveError(
          'INVALID_ARGUMENT',
          `batch ${i} has another schema than the table: ${batch.schema} against ${schema}`,
        );
      }
    });
  }

  get [Symbol.toStringTag](): string {
    return 'recurve.Table';
  }

  /** Also true for one of a second copy of this library. */
  static [Symbol.hasInstance](value: unknown): boolean {
    return hasTag(value, 'recurve.Table');
  }

  get numCols(): number {
    return this.schema.fields.length;
  }

  /** The column at a position or, the first, under a name. Throws NOT_FOUND. */
  column(key: number | string): ChunkedColumn {
    const index = this.schema.position(key);
    this.#columns[index] ??= makeChunkedColumn(
      this.schema.fields[index] as Field,
      this.batches.map((batch) => batch.column(index)),
    );
    return this.#columns[index];
  }

  /** The first column of this name, or null. */
  getChild(name: string): ChunkedColumn | null {
    return this.schema.indexOf(name) < 0 ? null : this.column(name);
  }

  getChildAt(index: number): ChunkedColumn | null {
    return this.schema.fields[index] === undefined ? null : this.column(index);
  }

  /** These columns, by name or position, in this order, over the same buffers. Throws NOT_FOUND. */
  select(keys: ReadonlyArray<number | string>): Table {
    const schema = this.schema.select(keys);
    const batches = this.batches.map((batch) => batch.select(keys, schema));
    return this.#with(schema, batches);
  }

  /** Rows `start` up to `end`, over the same buffers. */
  slice(start = 0, end: number = this.numRows): this {
    const from = clamp(start, this.numRows);
    const to = clamp(end, this.numRows);
    const batches: RecordBatch[] = [];
    let first = 0;
    for (const batch of this.batches) {
      const low = Math.max(from - first, 0);
      const high = Math.min(to - first, batch.numRows);
      if (low < high) batches.push(batch.slice(low, high));
      first += batch.numRows;
    }
    return this.#with(this.schema, batches);
  }

  /** A table of the same class. */
  #with(schema: Schema, batches: readonly RecordBatch[]): this {
    return new (this.constructor as typeof Table)(schema, batches) as unknown as this;
  }

  /** The row at an index as a plain object; null outside. Many are faster by `toArray` or `rows`. */
  get(index: number): R | null {
    return index >= 0 && index < this.numRows ? (this.slice(index, index + 1).toArray()[0] ?? null) : null;
  }

  /** Size, names and types. */
  toString(): string {
    return `${this.numRows} rows of ${this.numCols} columns\n${this.schema}`;
  }

  /** All rows as plain objects. See {@link ValueOptions} for how values come. */
  toArray(): R[];
  toArray(options: ValueOptions | undefined): Row[];
  toArray(options?: ValueOptions): Row[] {
    const out = arrayOf<Row>(this.numRows);
    const { fields } = this.schema;
    let place = 0;
    for (const batch of this.batches) {
      fillRows(out, place, fields, batch.blockReaders(options, place), 0, batch.numRows);
      place += batch.numRows;
    }
    return out;
  }

  /** The rows as plain objects, one after the other. */
  rows(): Iterable<R>;
  rows(options: ValueOptions | undefined): Iterable<Row>;
  *rows(options?: ValueOptions): Iterable<Row> {
    const { fields } = this.schema;
    let firstRow = 0;
    for (const batch of this.batches) {
      yield* makeRows(fields, batch.blockReaders(options, firstRow), batch.numRows);
      firstRow += batch.numRows;
    }
  }

  [Symbol.iterator](): Iterator<R> {
    return this.rows()[Symbol.iterator]();
  }
}
