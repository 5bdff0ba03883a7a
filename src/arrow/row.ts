import { type BlockReader, fillRows, rowsPerBlock } from './row-maker.ts';
import type { Field } from './schema.ts';

/** A row as a plain object, a property a column; see {@link rowNames} for names that repeat. */
export type Row = Record<string, unknown>;

/** The rows of `length` that `readers` read, made block by block. */
export function* makeRows(fields: readonly Field[], readers: readonly BlockReader[], length: number): Generator<Row> {
  for (let start = 0; start < length; start += rowsPerBlock) {
    const rows: Row[] = [];
    fillRows(rows, 0, fields, readers, start, Math.min(length, start + rowsPerBlock));
    yield* rows;
  }
}
