import { decodeUtf8 } from '#platform';
import { RecurveError } from '../../error.ts';
import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';
import { Offsets } from './offset.ts';

/**
 * Bytes decoded in one piece. A substring keeps the text it was cut from alive, so a larger block would let one short
 * string hold megabytes (`docs/decision/004`).
 */
export const blockBytes = 16384;

/** UTF-8 text. Bytes that are not UTF-8 come out as U+FFFD; offsets that decrease are INVALID_DATA. */
export class TextColumn extends Column<string> {
  declare readonly offsets: Int32Array | BigInt64Array;
  declare readonly data: Uint8Array;
  readonly #offsets: Offsets;
  #block: Block | null = null;
  #last = -2;

  constructor(layout: ColumnLayout) {
    super(layout);
    this.offsets = layout.offsets as Int32Array | BigInt64Array;
    this.data = layout.data as Uint8Array;
    this.#offsets = new Offsets(this.offsets);
  }

  at(index: number): string | null {
    if (!(index >= 0 && index < this.length)) return null;
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) {
      if (index === this.#last + 1) this.#last = index;
      return null;
    }
    // Reading on in order decodes a block ahead; jumping about decodes single values.
    let block = this.#block;
    if (block === null || index < block.first || index >= block.end) {
      if (index !== this.#last + 1) {
        this.#last = index;
        return decode(this.data, this.#offsets.at(index), this.#offsets.at(index + 1));
      }
      block = decodeBlock(this.#offsets, this.data, index, this.length);
      this.#block = block;
    }
    this.#last = index;
    return block.text.substring(this.#mark(block, index), this.#mark(block, index + 1));
  }

  #mark({ first, start, marks }: Block, index: number): number {
    return marks === null ? this.#offsets.at(index) - start : (marks[index - first] ?? 0);
  }

  override copyTo(out: unknown[], place = 0, start = 0, end: number = this.length): void {
    const { validity, bitOffset, data } = this;
    const offsets = this.#offsets;
    const shift = place - start;
    for (let first = start; first < end; ) {
      const block = decodeBlock(offsets, data, first, end);
      const { text, marks } = block;
      for (let i = first, from = 0; i < block.end; i++) {
        const to = marks === null ? offsets.at(i + 1) - block.start : (marks[i - first + 1] ?? 0);
        const valid = validity === null || getBit(validity, bitOffset + i);
        out[i + shift] = valid ? text.substring(from, to) : null;
        from = to;
      }
      first = block.end;
    }
  }
}

/**
 * The text of values `first` up to `end`, from byte `start` on. Value `i` runs from `marks[i - first]` to
 * `marks[i - first + 1]`; without marks every byte is one unit of the text.
 */
export interface Block {
  readonly first: number;
  readonly end: number;
  readonly start: number;
  readonly text: string;
  readonly marks: Int32Array | null;
}

function decode(data: Uint8Array, from: number, to: number): string {
  if (from < 0 || from > to || to > data.length) throw badOffsets(from, to, data);
  return decodeUtf8(data, from, to);
}

function badOffsets(from: number, to: number, data: Uint8Array): RecurveError {
  return new RecurveError('INVALID_DATA', `a text from byte ${from} to byte ${to} of ${data.length} bytes of data`);
}

/** Decodes from value `first` on, up to value `limit`, as many as make up a block and at least one. */
export function decodeBlock(offsets: Offsets, data: Uint8Array, first: number, limit: number): Block {
  const start = offsets.at(first);
  let end = first + 1;
  let stop = offsets.at(end);
  if (stop < start) throw badOffsets(start, stop, data);
  while (end < limit) {
    const next = offsets.at(end + 1);
    if (next - start > blockBytes) break;
    if (next < stop) throw badOffsets(stop, next, data);
    stop = next;
    end++;
  }
  const text = decode(data, start, stop);
  // As many units as bytes: every byte is one, also where it is not UTF-8.
  if (text.length === stop - start) return { first, end, start, text, marks: null };
  const marks = new Int32Array(end - first + 1);
  if (!text.includes('\ufffd') && markUnits(offsets, data, first, marks)) return { first, end, start, text, marks };
  // Bytes that are not UTF-8, or a replacement character that somebody stored: one by one.
  let joined = '';
  for (let i = first; i < end; i++) {
    joined += decodeUtf8(data, offsets.at(i), offsets.at(i + 1));
    marks[i - first + 1] = joined.length;
  }
  return { first, end, start, text: joined, marks };
}

/**
 * Sets marks by counting UTF-16 units in valid UTF-8: one for each byte that starts a character, two for those of four
 * bytes. False when a value starts inside a character, which no valid column has.
 */
function markUnits(offsets: Offsets, data: Uint8Array, first: number, marks: Int32Array): boolean {
  let units = 0;
  let byte = offsets.at(first);
  for (let i = 1; i < marks.length; i++) {
    const stop = offsets.at(first + i);
    if (byte < stop && ((data[byte] ?? 0) & 0xc0) === 0x80) return false;
    for (; byte < stop; byte++) {
      const value = data[byte] ?? 0;
      if ((value & 0xc0) !== 0x80) units += value >= 0xf0 ? 2 : 1;
    }
    marks[i] = units;
  }
  return true;
}
