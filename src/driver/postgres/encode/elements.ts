import type { FixedSizeListColumn, ListColumn, ListViewColumn, MapColumn } from '../../../arrow/column/list.ts';
import type { Column } from '../../../arrow/column.ts';
import { translateFault, ValueFault } from './fault.ts';
import { type FieldWriter, grownLength, RowMask } from './field-writer.ts';
import type { Output } from './output.ts';

/** Columns whose values are runs of a child's. */
export type AnyListColumn = ListColumn | ListViewColumn | FixedSizeListColumn | MapColumn;

/** The most values that the lists of one block of rows may have. */
const maxElements = 2 ** 28;

/** The elements of a block of lists, flat: where they stand in the child, and how many each list has. */
export class Elements {
  readonly #mask = new RowMask();
  #column: AnyListColumn | null = null;
  /** Lists that are measured; −1 for a null one. */
  rows: Int32Array = new Int32Array(0);
  /** Up to where the elements of each list reach. */
  ends: Int32Array = new Int32Array(0);
  /** Positions of the elements in the child. */
  at: Int32Array = new Int32Array(0);

  get child(): Column | undefined {
    return this.#column?.child;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#column = column as AnyListColumn;
  }

  /** Expands the lists at `rows`; gives the number of their elements. Throws a fault for offsets outside of the child. */
  expand(rows: Int32Array, count: number): number {
    this.rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    if (this.ends.length < count) this.ends = new Int32Array(grownLength(count));
    const column = this.#column;
    if (column === null) return 0;
    const limit = column.child.length;
    let total = 0;
    for (let i = 0; i < count; i++) {
      const row = this.rows[i] ?? -1;
      if (row >= 0) {
        const start = column.start(row);
        const end = column.end(row);
        if (start < 0 || end < start || end > limit) {
          throw new ValueFault(i, `the list is in values ${start} to ${end} of ${limit}`);
        }
        total += end - start;
      }
      if (total > maxElements) throw new ValueFault(i, `lists of ${total} values are more than ${maxElements} at once`);
      this.ends[i] = total;
    }
    if (this.at.length < total) this.at = new Int32Array(grownLength(total));
    for (let i = 0, to = 0; i < count; i++) {
      const row = this.rows[i] ?? -1;
      const end = this.ends[i] ?? 0;
      for (let from = row < 0 ? 0 : column.start(row); to < end; to++, from++) this.at[to] = from;
    }
    return total;
  }

  /** Where the elements of a list start; of the number of lists, where all end. */
  start(list: number): number {
    return list === 0 ? 0 : (this.ends[list - 1] ?? 0);
  }

  /** The list that the element at `index` belongs to. */
  listOf(index: number): number {
    let list = 0;
    while ((this.ends[list] ?? Number.POSITIVE_INFINITY) <= index) list++;
    return list;
  }
}

/** Writes the elements of lists, each a field of its own behind a header of its list. */
export class ElementFields {
  readonly #writer: FieldWriter;
  #sizes = new Float64Array(0);
  #positions = new Int32Array(0);

  constructor(writer: FieldWriter) {
    this.#writer = writer;
  }

  bind(child: Column | undefined): void {
    if (child !== undefined) this.#writer.bind(child);
  }

  /** Bytes of each of the elements. A fault of one is its list's. */
  measure(elements: Elements, total: number): Float64Array {
    if (this.#sizes.length < total) this.#sizes = new Float64Array(grownLength(total));
    this.#sizes.fill(0, 0, total);
    translateFault(
      () => this.#writer.measure(elements.at, total, this.#sizes),
      (index) => elements.listOf(index),
    );
    return this.#sizes;
  }

  /** Bytes of the elements from `start` to `end`, as they were measured. */
  byteLength(start: number, end: number): number {
    let byteLength = 0;
    for (let k = start; k < end; k++) byteLength += this.#sizes[k] ?? 0;
    return byteLength;
  }

  /** Places elements `start` to `end` from `at` on; gives where they end. */
  place(start: number, end: number, at: number): number {
    if (this.#positions.length < end) {
      const grown = new Int32Array(grownLength(end));
      grown.set(this.#positions);
      this.#positions = grown;
    }
    let position = at;
    for (let k = start; k < end; k++) {
      this.#positions[k] = position;
      position += this.#sizes[k] ?? 0;
    }
    return position;
  }

  /** Writes the first `total` elements where they were placed. */
  write(out: Output, total: number): void {
    this.#writer.write(out, this.#positions, total);
  }
}
