import { isUtf8 } from 'node:buffer';
import { getBit } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import type { NativeVector } from '../read/native.ts';
import { valueError } from './failure.ts';
import type { WriteTarget } from './target.ts';

/** Strings up to this many bytes stand in the vector's own 16 bytes a row, behind their length. */
const inlineByteLength = 12;

/** DuckDB counts the bytes of a string in 32 bits. */
const maxByteLength = 2 ** 32 - 1;

/**
 * Writes text, binary and fixed-size binary. Short values go in one copy for the vector, the others by a call each.
 * Throws INVALID_DATA for text that is not UTF-8, which DuckDB would take without a look, and for offsets that fall or
 * point outside of the data.
 */
export function writeStrings(
  { binding, path }: WriteTarget,
  vector: NativeVector,
  column: Column,
  validity: Uint8Array | null,
): void {
  const { length, type } = column;
  const data = (type.kind === 'fixed-size-binary' ? column.layout.values : column.layout.data) as Uint8Array;
  const offsets = numberOffsets(column);
  checkOffsets(offsets, data.length, path);
  if (type.kind === 'utf8') checkUtf8(data, offsets, validity, path);
  const entries = new Uint8Array(length * 16);
  const lengths = new Int32Array(entries.buffer);
  let long = 0;
  for (let i = 0; i < length; i++) {
    if (validity !== null && !getBit(validity, i)) continue;
    const start = offsets[i] ?? 0;
    const byteLength = (offsets[i + 1] ?? 0) - start;
    if (byteLength > inlineByteLength) {
      long++;
      continue;
    }
    lengths[i * 4] = byteLength;
    for (let k = 0; k < byteLength; k++) entries[i * 16 + 4 + k] = data[start + k] ?? 0;
  }
  binding.copy_data_to_vector(vector, 0, entries.buffer, 0, entries.length);
  if (long === 0) return;
  for (let i = 0; i < length; i++) {
    const start = offsets[i] ?? 0;
    const end = offsets[i + 1] ?? 0;
    if (end - start <= inlineByteLength || (validity !== null && !getBit(validity, i))) continue;
    binding.vector_assign_string_element_len(vector, i, data.subarray(start, end));
  }
}

/** Offsets as numbers; those of fixed-size binary are made up. */
function numberOffsets({ layout, length, type }: Column): Int32Array | Float64Array {
  if (layout.offsets instanceof Int32Array) return layout.offsets;
  const width = type.kind === 'fixed-size-binary' ? type.byteWidth : 0;
  const offsets = new Float64Array(length + 1);
  for (let i = 0; i <= length; i++) offsets[i] = layout.offsets === undefined ? i * width : Number(layout.offsets[i]);
  return offsets;
}

/** The offsets of nulls too, as the format has it ("Variable-size Binary Layout"). */
function checkOffsets(offsets: Int32Array | Float64Array, byteLength: number, path: string): void {
  let start = offsets[0] ?? 0;
  for (let i = 1; i < offsets.length; i++) {
    const end = offsets[i] ?? 0;
    if (start < 0 || end < start || end > byteLength || end - start > maxByteLength) {
      throw valueError(path, `value ${i}`, `is in bytes ${start} to ${end} of ${byteLength}`);
    }
    start = end;
  }
}

function checkUtf8(
  data: Uint8Array,
  offsets: Int32Array | Float64Array,
  validity: Uint8Array | null,
  path: string,
): void {
  const end = offsets[offsets.length - 1] ?? 0;
  let whole = isUtf8(data.subarray(offsets[0] ?? 0, end));
  // Where all is text, each value is when none starts inside of a character.
  for (let i = 0; whole && i < offsets.length; i++) {
    const start = offsets[i] ?? 0;
    whole = start >= end || ((data[start] ?? 0) & 0xc0) !== 0x80;
  }
  if (whole) return;
  for (let i = 0; i + 1 < offsets.length; i++) {
    const value = data.subarray(offsets[i] ?? 0, offsets[i + 1] ?? 0);
    if ((validity === null || getBit(validity, i)) && !isUtf8(value))
      throw valueError(path, 'the text', 'is not UTF-8');
  }
}
