import { bitmapByteLength, copyBits } from '../../../arrow/bitmap.ts';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { NativeVector } from './native.ts';
import { ValidityReader, zeroNulls } from './validity.ts';
import { type ReaderContext, readData, type VectorReader } from './vector-reader.ts';

/** Booleans: a byte a value in DuckDB, a bit in Arrow. */
export class BoolReader implements VectorReader {
  readonly #context: ReaderContext;
  readonly #validity: ValidityReader = new ValidityReader();
  readonly #bits: ByteBuffer = new ByteBuffer();
  /** The loaded vector, packed. */
  #packed: Uint8Array = new Uint8Array(0);

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    this.#validity.load(this.#context.binding, vector, rowCount, parents);
    if (rowCount === 0) return;
    const raw = readData(this.#context, vector, rowCount);
    if (this.#validity.valid !== null) zeroNulls(raw, 1, this.#validity.valid, rowCount);
    this.#packed = packBools(raw, rowCount);
  }

  measure(start: number, end: number): number {
    return ((end - start) * (this.#validity.valid === null ? 1 : 2)) / 8;
  }

  append(start: number, end: number): void {
    const bits = this.#bits;
    const length = this.#validity.length;
    const byteLength = bitmapByteLength(length + end - start);
    bits.reserve(byteLength - bits.length);
    copyBits(bits.bytes, length, this.#packed, start, end - start);
    bits.length = byteLength;
    this.#validity.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    return makeColumn(field, { type: field.type, ...this.#validity.finish(growth), values: this.#bits.take(growth) });
  }
}

function packBools(raw: Uint8Array, rowCount: number): Uint8Array {
  const packed = new Uint8Array(bitmapByteLength(rowCount));
  for (let i = 0; i < rowCount; i++) {
    if (raw[i] !== 0) packed[i >>> 3] = (packed[i >>> 3] ?? 0) | (1 << (i & 7));
  }
  return packed;
}
