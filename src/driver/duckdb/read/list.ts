import { bitmapByteLength, setBits } from '../../../arrow/bitmap.ts';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { NativeVector } from './native.ts';
import { ValidityReader, zeroNulls } from './validity.ts';
import { type ReaderContext, readData, unrepresentable, type VectorReader } from './vector-reader.ts';

/** Bytes of a `duckdb_list_entry`: offset and length, 64 bits each. */
const entryByteLength = 16;
const maxChildLength = 2 ** 31 - 1;

/**
 * Lists and maps. DuckDB gives each row a place and a length in the child vector, in any order, with gaps and overlaps;
 * Arrow wants the children of all rows one after the other. Neighbours in order are moved together.
 */
export class ListReader implements VectorReader {
  readonly #context: ReaderContext;
  readonly #child: VectorReader;
  readonly #validity: ValidityReader = new ValidityReader();
  readonly #offsets: ByteBuffer = new ByteBuffer();
  /** The loaded entries, four words each; zero for nulls. */
  #entries: Uint32Array = new Uint32Array(0);
  /** Children appended so far. */
  #childLength = 0;

  constructor(context: ReaderContext, child: VectorReader) {
    this.#context = context;
    this.#child = child;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    const { binding } = this.#context;
    this.#validity.load(binding, vector, rowCount, parents);
    if (rowCount === 0) return;
    const raw = readData(this.#context, vector, rowCount * entryByteLength);
    if (this.#validity.valid !== null) zeroNulls(raw, entryByteLength, this.#validity.valid, rowCount);
    this.#entries = new Uint32Array(raw.buffer, raw.byteOffset, rowCount * 4);
    const size = binding.list_vector_get_size(vector);
    this.#child.load(binding.list_vector_get_child(vector), size, this.#referenced(rowCount, size));
  }

  /** The children that any list has, where not all are: what no list has may be anything, so it counts as null. */
  #referenced(rowCount: number, size: number): Uint8Array | null {
    const first = this.#run(0, rowCount);
    if (first.nextRow === rowCount && first.start === 0 && first.end === size) return null;
    const bitmap = new Uint8Array(bitmapByteLength(size));
    for (let row = 0; row < rowCount; ) {
      const run = this.#run(row, rowCount);
      setBits(bitmap, run.start, run.end - run.start);
      row = run.nextRow;
    }
    return bitmap;
  }

  measure(start: number, end: number): number {
    let byteLength = (end - start) * (4 + (this.#validity.valid === null ? 0 : 1 / 8));
    for (let row = start; row < end; ) {
      const run = this.#run(row, end);
      if (run.end > run.start) byteLength += this.#child.measure(run.start, run.end);
      row = run.nextRow;
    }
    return byteLength;
  }

  append(start: number, end: number): void {
    this.#appendOffsets(start, end);
    for (let row = start; row < end; ) {
      const run = this.#run(row, end);
      if (run.end > run.start) this.#child.append(run.start, run.end);
      row = run.nextRow;
    }
    this.#validity.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    if (this.#offsets.length === 0) this.#startOffsets();
    const offsets = this.#offsets.take(growth);
    this.#childLength = 0;
    return makeColumn(field, {
      type: field.type,
      ...this.#validity.finish(growth),
      offsets: new Int32Array(offsets.buffer, offsets.byteOffset, offsets.length >>> 2),
      children: [this.#child.finish(growth)],
    });
  }

  #startOffsets(): void {
    this.#offsets.reserve(4);
    this.#offsets.length = 4;
  }

  #appendOffsets(start: number, end: number): void {
    const entries = this.#entries;
    const offsets = this.#offsets;
    if (offsets.length === 0) this.#startOffsets();
    offsets.reserve((end - start) * 4);
    let at = offsets.length >>> 2;
    let childLength = this.#childLength;
    for (let row = start; row < end; row++) {
      childLength += wide(entries, 4 * row + 2);
      if (childLength > maxChildLength) {
        const value = `${childLength} list elements`;
        throw unrepresentable(
          this.#context.path,
          value,
          'in one batch exceed the 2^31 - 1 that its offsets reach',
          'shorter lists',
        );
      }
      offsets.words[at++] = childLength;
    }
    offsets.length += (end - start) * 4;
    this.#childLength = childLength;
  }

  /** The children of `row` and of the rows after it that follow on in the child vector; empty lists are in every run. */
  #run(row: number, end: number): { start: number; end: number; nextRow: number } {
    const entries = this.#entries;
    let runStart = 0;
    let runEnd = 0;
    let next = row;
    for (; next < end; next++) {
      const length = wide(entries, 4 * next + 2);
      if (length === 0) continue;
      const offset = wide(entries, 4 * next);
      if (runEnd > 0 && offset !== runEnd) break;
      if (runEnd === 0) runStart = offset;
      runEnd = offset + length;
    }
    return { start: runStart, end: runEnd, nextRow: next };
  }
}

function wide(words: Uint32Array, at: number): number {
  return (words[at] ?? 0) + (words[at + 1] ?? 0) * 2 ** 32;
}
