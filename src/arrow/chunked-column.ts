import { arrayOf, type Column, type ValueView } from './column.ts';
import type { Field } from './schema.ts';

/** Stands for the chunk of a column that has none. */
const noChunk: unknown = { length: 0, at: () => null, isValid: () => false };

/** One column of a table: the same field's columns in each of its batches, in order. */
export class ChunkedColumn<V = unknown> implements Iterable<V | null> {
  declare readonly field: Field;
  declare readonly chunks: ReadonlyArray<Column<V>>;
  // Begins as a number, as do the fields below: one that is undefined at first is slower to read ever after.
  readonly length: number = 0;
  /**
   * `starts[k]` is the table's row at which chunk `k` begins; one more for the end. Plain numbers and not a
   * Float64Array: its elements would make every position that is reckoned from them a double, and slower.
   */
  declare readonly starts: readonly number[];
  // The chunk of the last read, which holds rows #start up to #end.
  #chunk: Column<V>;
  #start = 0;
  #end = 0;

  constructor(field: Field, chunks: ReadonlyArray<Column<V>>) {
    this.field = field;
    this.chunks = chunks;
    const starts = [0];
    let length = 0;
    for (const chunk of chunks) {
      length += chunk.length;
      starts.push(length);
    }
    this.starts = starts;
    this.length = length;
    this.#chunk = chunks[0] ?? (noChunk as Column<V>);
  }

  get type(): Field['type'] {
    return this.field.type;
  }

  get nullCount(): number {
    return this.chunks.reduce((sum, chunk) => sum + chunk.nullCount, 0);
  }

  /** The value at a row of the table; null outside of it. The chunk of the last read is tried first. */
  at(index: number): V | null {
    if (index < this.#start || index >= this.#end) this.#seek(index);
    return this.#chunk.at(index - this.#start);
  }

  /** The same as `at`, under the name that other Arrow libraries use. */
  get(index: number): V | null {
    return this.at(index);
  }

  isValid(index: number): boolean {
    if (index < this.#start || index >= this.#end) this.#seek(index);
    return this.#chunk.isValid(index - this.#start);
  }

  #seek(index: number): void {
    const k = findChunk(this.starts, index);
    // Outside of the column: a place before a chunk's first value, where every column has null. The next read seeks again.
    this.#start = k < 0 ? index + 1 : (this.starts[k] ?? 0);
    this.#end = k < 0 ? index + 1 : (this.starts[k + 1] ?? 0);
    if (k >= 0) this.#chunk = this.chunks[k] ?? this.#chunk;
  }

  /**
   * All values: of one chunk as the chunk gives them (maybe a view), of several joined: a typed array where every chunk
   * gives one, else an array.
   */
  toArray(): ArrayLike<V | null> & Iterable<V | null> {
    const { chunks, length, starts } = this;
    const [first] = chunks;
    if (first !== undefined && chunks.length === 1) return first.toArray();
    const views = chunks.map((chunk) => chunk.view).filter((view) => view !== null);
    if (views[0] !== undefined && views.length === chunks.length) return joinViews(views[0], views, length);
    const out = arrayOf<V | null>(length);
    chunks.forEach((chunk, k) => {
      chunk.copyTo(out, starts[k]);
    });
    return out;
  }

  /** All values in an array, never a typed one: what `JSON.stringify` and Observable Plot ask for. */
  toJSON(): Array<V | null> {
    return [...this];
  }

  *[Symbol.iterator](): Iterator<V | null> {
    for (const chunk of this.chunks) for (let i = 0; i < chunk.length; i++) yield chunk.at(i);
  }
}

/** The bisection of a column's starts: the chunk that holds the row, or −1 outside of the column. */
export function findChunk(starts: readonly number[], row: number): number {
  let low = 0;
  let high = starts.length - 1;
  if (!(row >= 0 && row < (starts[high] ?? 0))) return -1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle + 1] ?? 0) <= row) low = middle + 1;
    else high = middle;
  }
  return low;
}

function joinViews<V>(first: ValueView<V>, views: ReadonlyArray<ValueView<V>>, length: number): ValueView<V> {
  // All of one class, as they come from one field; Float64Array stands for any.
  const out = new (first.constructor as Float64ArrayConstructor)(length);
  let place = 0;
  for (const view of views) {
    out.set(view as unknown as Float64Array, place);
    place += view.length;
  }
  return out as unknown as ValueView<V>;
}
