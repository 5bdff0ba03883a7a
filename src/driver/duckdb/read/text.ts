import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { NativeVector } from './native.ts';
import { ValidityReader, zeroNulls } from './validity.ts';
import { type ReaderContext, readData, unrepresentable, type VectorReader } from './vector-reader.ts';

/** Strings of up to this many bytes stand in the vector itself. */
const inlineByteLength = 12;
/** Bytes of a `duckdb_string_t`: length, then the bytes inline, or their first four and a pointer. */
const entryByteLength = 16;
/** A run is fetched in pieces of about this size, so that a piece is still in the processor's cache when it is moved on. */
const maxRunByteLength = 1 << 18;
/** Up to here words are moved one by one; from here on a call of `set` costs less. Measured. */
const maxWordCopyByteLength = 64;
const maxDataByteLength = 2 ** 31 - 1;

/**
 * Text and bytes. A chunk's long strings lie in an arena, mostly back to back: a run of rows whose pointers each equal
 * the end of the one before is fetched by one native call. Over a gap nothing is fetched: what lies there may be
 * unmapped.
 */
export class TextReader implements VectorReader {
  readonly #context: ReaderContext;
  readonly #validity: ValidityReader = new ValidityReader();
  readonly #offsets: ByteBuffer = new ByteBuffer({ zeroed: false });
  readonly #data: ByteBuffer = new ByteBuffer({ zeroed: false });
  /** The loaded entries, four words each; zero for nulls. Its pointers are good until the chunk is let go. */
  #entries: Int32Array = new Int32Array(0);
  /** Sum of the lengths of the loaded rows before each row: more than 32 bits hold. */
  #starts: Float64Array = new Float64Array(1);
  /** Whether any loaded string is inline and not empty, and whether any is not inline. */
  #hasInline = false;
  #hasLong = false;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    const validity = this.#validity;
    validity.load(this.#context.binding, vector, rowCount, parents);
    if (rowCount === 0) return;
    const raw = readData(this.#context, vector, rowCount * entryByteLength);
    if (validity.valid !== null) zeroNulls(raw, entryByteLength, validity.valid, rowCount);
    const entries = new Int32Array(raw.buffer, raw.byteOffset, rowCount * 4);
    if (this.#starts.length <= rowCount) this.#starts = new Float64Array(rowCount + 1);
    this.#entries = entries;
    this.#sumLengths(entries, this.#starts, rowCount);
  }

  measure(start: number, end: number): number {
    const data = (this.#starts[end] ?? 0) - (this.#starts[start] ?? 0);
    return data + (end - start) * (4 + (this.#validity.valid === null ? 0 : 1 / 8));
  }

  append(start: number, end: number): void {
    const starts = this.#starts;
    const data = this.#data;
    const byteLength = (starts[end] ?? 0) - (starts[start] ?? 0);
    if (data.length + byteLength > maxDataByteLength) {
      const value = `${data.length + byteLength} bytes of text or binary`;
      throw unrepresentable(
        this.#context.path,
        value,
        'in one batch exceed the 2^31 - 1 that its offsets reach',
        'shorter pieces',
      );
    }
    // Inline strings are moved 12 bytes at a time, past the end of the last.
    data.reserve(byteLength + inlineByteLength);
    this.#appendOffsets(start, end);
    if (this.#hasInline) moveInline(data.view, data.length, this.#entries, start, end);
    if (this.#hasLong) this.#appendLong(start, end);
    data.length += byteLength;
    this.#validity.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    if (this.#offsets.length === 0) this.#startOffsets();
    const offsets = this.#offsets.take(growth);
    // Behind the last string may stand the rest of an inline one.
    this.#data.bytes.fill(0, this.#data.length, this.#data.length + inlineByteLength);
    const data = this.#data.take(growth);
    return makeColumn(field, {
      type: field.type,
      ...this.#validity.finish(growth),
      offsets: new Int32Array(offsets.buffer, offsets.byteOffset, offsets.length >>> 2),
      data,
    });
  }

  #sumLengths(entries: Int32Array, starts: Float64Array, rowCount: number): void {
    let total = 0;
    let inline = 0;
    let longest = 0;
    starts[0] = 0;
    for (let i = 0; i < rowCount; i++) {
      const length = (entries[4 * i] ?? 0) >>> 0;
      if (length <= inlineByteLength) inline |= length;
      if (length > longest) longest = length;
      total += length;
      starts[i + 1] = total;
    }
    this.#hasInline = inline !== 0;
    this.#hasLong = longest > inlineByteLength;
  }

  #startOffsets(): void {
    this.#offsets.reserve(4);
    this.#offsets.words[0] = 0;
    this.#offsets.length = 4;
  }

  #appendOffsets(start: number, end: number): void {
    const offsets = this.#offsets;
    if (offsets.length === 0) {
      offsets.reserve((end - start + 1) * 4);
      offsets.words[0] = 0;
      offsets.length = 4;
    } else {
      offsets.reserve((end - start) * 4);
    }
    const words = offsets.words;
    const starts = this.#starts;
    const base = this.#data.length - (starts[start] ?? 0);
    let at = offsets.length >>> 2;
    for (let i = start + 1; i <= end; i++) words[at++] = base + (starts[i] ?? 0);
    offsets.length += (end - start) * 4;
  }

  #appendLong(start: number, end: number): void {
    const entries = this.#entries;
    let row = start;
    while (row < end) {
      const first = (entries[4 * row] ?? 0) >>> 0;
      if (first <= inlineByteLength) {
        row++;
        continue;
      }
      // The end of the run as two halves of a pointer, wrapping as an unsigned 64-bit sum does.
      let low = entries[4 * row + 2] ?? 0;
      let high = entries[4 * row + 3] ?? 0;
      let runByteLength = 0;
      let last = row;
      let length = first;
      let next = row;
      for (;;) {
        const sum = (low + length) | 0;
        if (sum >>> 0 < low >>> 0) high = (high + 1) | 0;
        low = sum;
        runByteLength += length;
        last = next;
        do next++;
        while (next < end && (entries[4 * next] ?? 0) >>> 0 <= inlineByteLength);
        if (next >= end || entries[4 * next + 2] !== low || entries[4 * next + 3] !== high) break;
        length = (entries[4 * next] ?? 0) >>> 0;
        if (runByteLength + length > maxRunByteLength) break;
      }
      this.#moveRun(row, last, start, runByteLength);
      row = next;
    }
  }

  /** Fetches the strings of the rows `first` to `last`, which lie back to back, and puts each in its place. */
  #moveRun(first: number, last: number, start: number, runByteLength: number): void {
    const { binding, runScrap } = this.#context;
    const entries = this.#entries;
    const starts = this.#starts;
    const pointerAt = entries.byteOffset + first * entryByteLength + 8;
    const run = binding.get_data_from_pointer(entries.buffer as ArrayBuffer, pointerAt, runByteLength);
    runScrap.add(run);
    const target = this.#data;
    const base = target.length - (starts[start] ?? 0);
    const firstStart = starts[first] ?? 0;
    if ((starts[last + 1] ?? 0) - firstStart === runByteLength) {
      target.bytes.set(run, base + firstStart);
    } else {
      spread(target, base, run, entries, starts, first, last);
    }
  }
}

/** Moves the inline strings among rows `start` to `end`, in order: what one writes too much the next overwrites. */
function moveInline(target: DataView, at: number, entries: Int32Array, start: number, end: number): void {
  let to = at;
  for (let i = 4 * start; i < 4 * end; i += 4) {
    const length = (entries[i] ?? 0) >>> 0;
    if (length <= inlineByteLength) {
      target.setInt32(to, entries[i + 1] ?? 0, true);
      target.setInt32(to + 4, entries[i + 2] ?? 0, true);
      target.setInt32(to + 8, entries[i + 3] ?? 0, true);
    }
    to += length;
  }
}

/** Puts each string of a run in its place, between inline strings that already are in theirs: not a byte too much. */
function spread(
  target: ByteBuffer,
  base: number,
  run: Uint8Array,
  entries: Int32Array,
  starts: Float64Array,
  first: number,
  last: number,
): void {
  const source = new DataView(run.buffer, run.byteOffset, run.byteLength);
  const { bytes, view } = target;
  let from = 0;
  for (let row = first; row <= last; row++) {
    const length = (entries[4 * row] ?? 0) >>> 0;
    if (length <= inlineByteLength) continue;
    const to = base + (starts[row] ?? 0);
    if (length > maxWordCopyByteLength) {
      bytes.set(run.subarray(from, from + length), to);
    } else {
      // At least 13 bytes: the last word may overlap the one before.
      const tail = length - 4;
      for (let i = 0; i < tail; i += 4) view.setInt32(to + i, source.getInt32(from + i, true), true);
      view.setInt32(to + tail, source.getInt32(from + tail, true), true);
    }
    from += length;
  }
}
