import type { Column } from './column.ts';
import { type BlockReader, blockReader, fillRows, rowsPerBlock } from './row-maker.ts';
import type { Field } from './schema.ts';
import { convertColumn, type ValueOptions } from './value.ts';

/** A row as a plain object, a property a column; see {@link rowNames} for names that repeat. */
export type Row = Record<string, unknown>;

/**
 * Readers of a batch's columns as `options` want their values, for {@link fillRows}. `firstRow` is the row of the batch's
 * first values, for messages.
 */
export function rowReaders(
  fields: readonly Field[],
  columns: readonly Column[],
  options?: ValueOptions,
  firstRow = 0,
): BlockReader[] {
  return columns.map((column, c) => {
    const field = fields[c];
    const convert = options && field ? convertColumn(field, column, options, firstRow) : null;
    if (convert === null) return blockReader(column);
    const scratch: unknown[] = [];
    return (start, end) => {
      for (let i = start; i < end; i++) scratch[i - start] = convert(i);
      return scratch;
    };
  });
}

/** The rows of `length` that `readers` read, made block by block. */
export function* makeRows(fields: readonly Field[], readers: readonly BlockReader[], length: number): Generator<Row> {
  for (let start = 0; start < length; start += rowsPerBlock) {
    const rows: Row[] = [];
    fillRows(rows, 0, fields, readers, start, Math.min(length, start + rowsPerBlock));
    yield* rows;
  }
}
