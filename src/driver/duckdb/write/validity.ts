import { bitmapByteLength, copyBits, setBits } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Binding } from '../binding.ts';
import type { NativeVector } from '../read/native.ts';

/** The validity of a column from bit 0 on, without those rows that `mask` has no bit for; null when all are valid. */
export function readValidity(column: Column, mask: Uint8Array | null): Uint8Array | null {
  const { length } = column;
  if (column.type.kind === 'null') return new Uint8Array(bitmapByteLength(length));
  if (column.validity === null) return mask;
  const bits = new Uint8Array(bitmapByteLength(length));
  copyBits(bits, 0, column.validity, column.bitOffset, length);
  if (mask !== null) for (let i = 0; i < bits.length; i++) bits[i] = (bits[i] ?? 0) & (mask[i] ?? 0);
  return bits;
}

/** Writes a validity, 64-bit words in DuckDB. All rows are valid when the chunk was reset, also in nested vectors. */
export function writeValidity(
  binding: Binding,
  vector: NativeVector,
  validity: Uint8Array | null,
  length: number,
): void {
  if (validity === null) return;
  const words = new Uint8Array(Math.ceil(length / 64) * 8);
  words.set(validity.subarray(0, bitmapByteLength(length)));
  binding.vector_ensure_validity_writable(vector);
  binding.copy_data_to_vector_validity(vector, 0, words.buffer, 0, words.length);
}

/** A validity with each bit `times` times. */
export function repeatBits(bits: Uint8Array, length: number, times: number): Uint8Array {
  const repeated = new Uint8Array(bitmapByteLength(length * times));
  for (let i = 0; i < length; i++) {
    if ((((bits[i >>> 3] ?? 0) >>> (i & 7)) & 1) === 1) setBits(repeated, i * times, times);
  }
  return repeated;
}
