import { bitmapByteLength, copyBits, countOnes, getBit, setBits } from '../../../arrow/bitmap.ts';
import type { Binding } from '../binding.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { NativeVector } from './native.ts';

/** The validity of a column: DuckDB's masks of 64-bit words, whose bit order is Arrow's, joined at any bit. */
export class ValidityReader {
  /** Of the loaded vector, parents' nulls included; null when all its rows are valid. */
  valid: Uint8Array | null = null;
  /** Rows appended to the column so far. */
  length = 0;
  #nullCount = 0;
  /** In use once a null was appended. */
  readonly #bitmap: ByteBuffer = new ByteBuffer();

  load(binding: Binding, vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    this.valid = rowCount === 0 ? null : readValidity(binding, vector, rowCount, parents);
  }

  append(start: number, end: number): void {
    const count = end - start;
    const { valid } = this;
    if (valid !== null || this.#nullCount > 0) {
      const bitmap = this.#bitmap;
      if (this.#nullCount === 0) this.#extend(0, this.length);
      bitmap.reserve(bitmapByteLength(this.length + count) - bitmap.length);
      if (valid === null) {
        setBits(bitmap.bytes, this.length, count);
      } else {
        copyBits(bitmap.bytes, this.length, valid, start, count);
        this.#nullCount += count - countOnes(valid, start, count);
      }
      bitmap.length = bitmapByteLength(this.length + count);
    }
    this.length += count;
  }

  finish(growth: number): { length: number; nullCount: number; validity: Uint8Array | null } {
    const { length } = this;
    const nullCount = this.#nullCount;
    const bitmap = this.#bitmap.take(growth);
    this.length = 0;
    this.#nullCount = 0;
    return { length, nullCount, validity: nullCount === 0 ? null : bitmap };
  }

  #extend(from: number, count: number): void {
    this.#bitmap.length = 0;
    this.#bitmap.reserve(bitmapByteLength(from + count));
    setBits(this.#bitmap.bytes, from, count);
    this.#bitmap.length = bitmapByteLength(from + count);
  }
}

/** The valid rows of a vector that are valid in `parents` too; null when all are. */
export function readValidity(
  binding: Binding,
  vector: NativeVector,
  rowCount: number,
  parents: Uint8Array | null,
): Uint8Array | null {
  // Null, against its declared type, when the vector has no mask.
  const own: Uint8Array | null = binding.vector_get_validity(vector, ((rowCount + 63) >>> 6) * 8);
  if (own === null) return parents;
  if (parents !== null) {
    const byteLength = bitmapByteLength(rowCount);
    for (let i = 0; i < byteLength; i++) own[i] = (own[i] ?? 0) & (parents[i] ?? 0);
  }
  return countOnes(own, 0, rowCount) === rowCount ? null : own;
}

/** Sets null rows to zero: what DuckDB left in them is never published. `raw` holds `byteWidth` bytes a row. */
export function zeroNulls(raw: Uint8Array, byteWidth: number, valid: Uint8Array, rowCount: number): void {
  for (let i = 0; i < rowCount; i++) {
    if ((i & 7) === 0 && valid[i >>> 3] === 0xff) {
      i += 7;
    } else if (!getBit(valid, i)) {
      const end = (i + 1) * byteWidth;
      for (let at = i * byteWidth; at < end; at++) raw[at] = 0;
    }
  }
}
