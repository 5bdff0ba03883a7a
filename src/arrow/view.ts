import { type ChunkedColumn, findChunk } from './chunked-column.ts';
import { arrayOf, type Column } from './column.ts';
import type { Row } from './row.ts';
import { rowMaker } from './row-maker.ts';
import type { Field, Schema } from './schema.ts';
import type { Table } from './table.ts';
import type { DataType } from './type.ts';
import { convertColumn, type ValueOptions } from './value.ts';

/** Values that are made when they are read, one by one, and not kept: an array to look at that takes no memory. */
export class ArrayView<T> implements Iterable<T | null> {
  declare readonly length: number;
  readonly #read: (index: number) => T | null;

  /** `read` is asked for whole numbers from 0 to below `length` only. */
  constructor(length: number, read: (index: number) => T | null) {
    this.length = length;
    this.#read = read;
  }

  /** The value at an index; null outside, and for null. */
  at(index: number): T | null {
    return Number.isInteger(index) && index >= 0 && index < this.length ? this.#read(index) : null;
  }

  /** The same as `at`, under the name that other Arrow libraries use. */
  get(index: number): T | null {
    return this.at(index);
  }

  toArray(): Array<T | null> {
    const out = arrayOf<T | null>(this.length);
    for (let i = 0; i < this.length; i++) out[i] = this.#read(i);
    return out;
  }

  /** The same as `toArray`, under the name that `JSON.stringify` and Observable Plot ask for. */
  toJSON(): Array<T | null> {
    return this.toArray();
  }

  *[Symbol.iterator](): Iterator<T | null> {
    for (let i = 0; i < this.length; i++) yield this.#read(i);
  }
}

/** A column of a table with its values as options want them. */
export class ColumnView extends ArrayView<unknown> {
  declare readonly field: Field;
  readonly #column: ChunkedColumn;

  constructor(column: ChunkedColumn, options: ValueOptions) {
    const { field, chunks, starts } = column;
    super(
      column.length,
      chunkedReader(
        starts,
        chunks.map((chunk, k) => readerOf(field, chunk, options, starts[k])),
      ),
    );
    this.field = field;
    this.#column = column;
  }

  get type(): DataType {
    return this.field.type;
  }

  get nullCount(): number {
    return this.#column.nullCount;
  }

  isValid(index: number): boolean {
    return this.#column.isValid(index);
  }
}

/** A column with its values as `options` want them, made as they are read. */
export function viewColumn(column: ChunkedColumn, options: ValueOptions = {}): ColumnView {
  return new ColumnView(column, options);
}

/** A table's rows as objects, made as they are read. See {@link ValueOptions} for how values come. */
export function viewRows(table: Table, options: ValueOptions = {}): ArrayView<Row> {
  const { fields } = table.schema;
  const columns = fields.map((_, i) => new ColumnView(table.column(i), options));
  return new ArrayView(table.numRows, (index) => {
    const out: Row[] = [];
    rowMaker(fields)(
      out,
      0,
      1,
      columns.map((column) => [column.at(index)]),
    );
    return out[0] ?? null;
  });
}

/** What libraries read of an apache-arrow table that they know by its shape. */
export interface TableView extends Iterable<Row | null> {
  readonly schema: Schema;
  readonly numRows: number;
  readonly numCols: number;
  getChild(name: string): ColumnView | null;
  getChildAt(index: number): ColumnView | null;
  get(index: number): Row | null;
  toArray(): Array<Row | null>;
}

/**
 * A table whose values come as `options` want them, for libraries that take an apache-arrow table by its shape (Observable
 * Plot, Arquero). A {@link Table} is taken as it is too; this is for those of its columns whose plain values such a library
 * cannot use: `{ temporal: 'date', decimal: 'number', int64: 'number' }` gives dates and numbers to be drawn, or throws
 * INVALID_DATA for a value that would lose something.
 */
export function viewTable(table: Table, options: ValueOptions): TableView {
  const rows = viewRows(table, options);
  const { schema, numRows, numCols } = table;
  const view = (column: ChunkedColumn | null): ColumnView | null => column && new ColumnView(column, options);
  return {
    schema,
    numRows,
    numCols,
    getChild: (name) => view(table.getChild(name)),
    getChildAt: (index) => view(table.getChildAt(index)),
    get: (index) => rows.at(index),
    toArray: () => rows.toArray(),
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
}

type Reader = (index: number) => unknown;

function readerOf(field: Field, column: Column, options: ValueOptions, firstRow: number | undefined): Reader {
  return convertColumn(field, column, options, firstRow) ?? ((index) => column.at(index));
}

function chunkedReader(starts: readonly number[], readers: readonly Reader[]): Reader {
  const [first] = readers;
  if (first !== undefined && readers.length === 1) return first;
  return (index) => {
    const k = findChunk(starts, index);
    return readers[k]?.(index - (starts[k] ?? 0)) ?? null;
  };
}
