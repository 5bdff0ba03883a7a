import { gridText } from './grid.ts';
import { Table as PlainTable } from './plain-table.ts';

/** A schema and batches of it, held in memory. */
export class Table extends PlainTable {
  /** Size, names and types and the first ten rows, for a person to read; see `tableToText` for more of it. */
  override toString(): string {
    return gridText(this);
  }
}
