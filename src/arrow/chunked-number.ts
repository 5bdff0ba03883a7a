import { ChunkedColumn, findChunk } from './chunked-column.ts';
import { Float64Column, Int32Column } from './column/number.ts';
import type { Column } from './column.ts';
import type { Field } from './schema.ts';

/**
 * The columns of one field in several batches as one. Plain int32 and float64 get a class of their own: reading a number
 * through the chunk's column takes twice the time, and ten times once many kinds of column have been read that way.
 */
export function makeChunkedColumn(field: Field, chunks: readonly Column[]): ChunkedColumn {
  if (chunks.length > 0 && chunks.every((chunk) => chunk instanceof Float64Column && chunk.view !== null)) {
    return new ChunkedFloat64(field, chunks as Float64Column[]);
  }
  if (chunks.length > 0 && chunks.every((chunk) => chunk instanceof Int32Column && chunk.view !== null)) {
    return new ChunkedInt32(field, chunks as Int32Column[]);
  }
  return new ChunkedColumn(field, chunks);
}

// What follows is written for the engine. The chunk of the last read holds rows #start up to #end; a row outside of the
// column has its place at −1, where a typed array has nothing: a second way out that gives null would have every number
// boxed. #end is a number of its own, as a typed array's `length` costs a check of its buffer once any buffer of the
// process has been transferred.

/** Plain float64 in several chunks. */
class ChunkedFloat64 extends ChunkedColumn<number> {
  #values: Float64Array = new Float64Array(0);
  #start = 0;
  #end = 0;

  override at(index: number): number | null {
    if (index < this.#start || index >= this.#end) this.#seek(index);
    return this.#values[index - this.#start] ?? null;
  }

  #seek(index: number): void {
    const k = findChunk(this.starts, index);
    this.#start = k < 0 ? index + 1 : (this.starts[k] ?? 0);
    this.#end = k < 0 ? index + 1 : (this.starts[k + 1] ?? 0);
    if (k >= 0) this.#values = (this.chunks[k] as Float64Column).values;
  }
}

/** Plain int32 in several chunks. */
class ChunkedInt32 extends ChunkedColumn<number> {
  #values: Int32Array = new Int32Array(0);
  #start = 0;
  #end = 0;

  override at(index: number): number | null {
    if (index < this.#start || index >= this.#end) this.#seek(index);
    return this.#values[index - this.#start] ?? null;
  }

  #seek(index: number): void {
    const k = findChunk(this.starts, index);
    this.#start = k < 0 ? index + 1 : (this.starts[k] ?? 0);
    this.#end = k < 0 ? index + 1 : (this.starts[k + 1] ?? 0);
    if (k >= 0) this.#values = (this.chunks[k] as Int32Column).values;
  }
}
