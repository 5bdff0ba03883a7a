import { isUtf8 } from 'node:buffer';
import { getBit } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Binding } from '../binding.ts';
import type { NativeVector } from '../read/native.ts';
import { valueError } from './failure.ts';
import type { WriteTarget } from './target.ts';

/** Strings up to this many bytes stand in the vector's own 16 bytes a row, behind their length. */
const inlineByteLength = 12;

/** DuckDB counts the bytes of a string in 32 bits. */
const maxByteLength = 2 ** 32 - 1;

/**
 * Writes text, binary and fixed-size binary. Short values go in one copy for the vector, long ones point into a second.
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
  const entries = takeEntries(length);
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
  if (long >= minPooled && pointIntoPool(binding, vector, { data, offsets, validity, entries })) return;
  binding.copy_data_to_vector(vector, 0, entries.buffer, 0, entries.length);
  if (long === 0) return;
  for (let i = 0; i < length; i++) {
    const start = offsets[i] ?? 0;
    const end = offsets[i + 1] ?? 0;
    if (end - start <= inlineByteLength || (validity !== null && !getBit(validity, i))) continue;
    binding.vector_assign_string_element_len(vector, i, data.subarray(start, end));
  }
}

const scratch = new Uint8Array(2048 * 16);

/** 16 zeros a row. One buffer for all columns of a vector's rows: it is copied before this is called again. */
function takeEntries(length: number): Uint8Array<ArrayBuffer> {
  if (length * 16 > scratch.length) return new Uint8Array(length * 16);
  return new Uint8Array(scratch.buffer, 0, length * 16).fill(0);
}

/** Long values from which one copy of all bytes is cheaper than a call each. */
const minPooled = 4;
/** Bytes of values that are copied at once. */
const maxPoolByteLength = 1 << 24;

/** What {@link writeStrings} has found out about a column. */
interface Strings {
  readonly data: Uint8Array;
  readonly offsets: Int32Array | Float64Array;
  readonly validity: Uint8Array | null;
  /** 16 bytes a row, those of short values done. */
  readonly entries: Uint8Array<ArrayBuffer>;
}

/**
 * Has the vector keep all bytes of the column as one string, which it copies to memory of its own, and makes the long values
 * point into that. A call each would cost as much as everything else. The pointer lives as long as the vector's chunk
 * is not reset, and leaves this function in the entries only. False, with nothing written, where it cannot be done.
 */
function pointIntoPool(binding: Binding, vector: NativeVector, { data, offsets, validity, entries }: Strings): boolean {
  const start = offsets[0] ?? 0;
  const pool = data.subarray(start, offsets[offsets.length - 1] ?? 0);
  if (pool.length <= inlineByteLength || pool.length > maxPoolByteLength) return false;
  try {
    binding.vector_assign_string_element_len(vector, 0, pool);
  } catch {
    // The bytes under a null may be no text, which DuckDB refuses.
    return false;
  }
  const entry = binding.vector_get_data(vector, 16);
  const view = new DataView(entry.buffer, entry.byteOffset, 16);
  if (view.getUint32(0, true) !== pool.length) return false;
  const low = view.getUint32(8, true);
  const high = view.getUint32(12, true);
  const words = new Uint32Array(entries.buffer);
  for (let i = 0; i + 1 < offsets.length; i++) {
    const from = (offsets[i] ?? 0) - start;
    const byteLength = (offsets[i + 1] ?? 0) - start - from;
    if (byteLength <= inlineByteLength || (validity !== null && !getBit(validity, i))) continue;
    words[i * 4] = byteLength;
    words[i * 4 + 1] =
      (pool[from] ?? 0) | ((pool[from + 1] ?? 0) << 8) | ((pool[from + 2] ?? 0) << 16) | ((pool[from + 3] ?? 0) << 24);
    const address = low + from;
    words[i * 4 + 2] = address;
    words[i * 4 + 3] = high + (address > 0xffff_ffff ? 1 : 0);
  }
  binding.copy_data_to_vector(vector, 0, entries.buffer, 0, entries.length);
  return true;
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
      throw valueError(path, 'the value', `is in bytes ${start} to ${end} of ${byteLength}`);
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
