import { type GridOptions, gridText } from './grid.ts';
import type { Table } from './table.ts';
import { textReader } from './text.ts';

/**
 * A table as a person reads it: its size, names and types, the first rows with their values as {@link textReader} writes
 * them, and how much was left out. `table.toString()` has the same form with plain values, such as counts for timestamps.
 */
export function tableToText(table: Table, options: GridOptions = {}): string {
  const readers = table.schema.fields.map((field, c) =>
    table.column(c).chunks.map((chunk) => textReader(field, chunk)),
  );
  return gridText(table, options, (c, row) => {
    const { starts } = table.column(c);
    const k = starts.findLastIndex((start) => start <= row);
    return readers[c]?.[k]?.(row - (starts[k] ?? 0)) ?? null;
  });
}
