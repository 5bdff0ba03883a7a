import { gridText } from './grid.ts';
import { Table as PlainTable } from './plain-table.ts';
import type { Row } from './row.ts';

/**
 * A schema and batches of it, held in memory. `R` is what the compiler knows of its rows: see {@link RowOf}. A table that was
 * read is checked and known by `new Table(schema, read.batches)`, with a schema of {@link schemaOf}.
 */
export class Table<R extends Row = Row> extends PlainTable<R> {
  /** These columns, by name or position, in this order, over the same buffers. Throws NOT_FOUND. */
  override select(keys: ReadonlyArray<number | string>): Table {
    return super.select(keys) as Table;
  }

  /** Size, names and types and the first ten rows, for a person to read; see `tableToText` for more of it. */
  override toString(): string {
    return gridText(this);
  }
}
