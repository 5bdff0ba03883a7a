import { decodeUtf8 } from '#platform';
import { RecurveError } from '../../error.ts';
import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';
import { Offsets } from './offset.ts';
import { type Block, blockBytes, decodeBlock } from './text.ts';

/** Bytes that a view holds itself. */
export const inlineBytes = 12;

/** Where the bytes of a value stand: in the view itself, or in one of the buffers. INVALID_DATA for what is in neither. */
export class Views {
  declare readonly words: Int32Array;
  declare readonly buffers: readonly Uint8Array[];
  readonly #bytes: Uint8Array;

  constructor({ values, buffers }: ColumnLayout) {
    this.words = values as Int32Array;
    this.buffers = buffers ?? [];
    this.#bytes = new Uint8Array(this.words.buffer, this.words.byteOffset, this.words.byteLength);
  }

  size(index: number): number {
    return this.words[4 * index] ?? 0;
  }

  /** The value's bytes, as a view of where they stand. */
  at(index: number): Uint8Array {
    const size = this.size(index);
    if (size >= 0 && size <= inlineBytes) return this.#bytes.subarray(16 * index + 4, 16 * index + 4 + size);
    const start = this.words[4 * index + 3] ?? 0;
    const buffer = this.buffers[this.words[4 * index + 2] ?? -1];
    if (size < 0 || buffer === undefined || start < 0 || start + size > buffer.length) {
      throw new RecurveError(
        'INVALID_DATA',
        `a view of ${size} bytes from byte ${start} of buffer ${this.words[4 * index + 2]}, which has ${buffer?.length ?? 0} bytes`,
      );
    }
    return buffer.subarray(start, start + size);
  }

  /** Copies a value of at most {@link inlineBytes} without an object. */
  copyInline(index: number, target: Uint8Array, at: number): void {
    const start = 16 * index + 4;
    for (let i = 0, size = this.size(index); i < size; i++) target[at + i] = this.#bytes[start + i] ?? 0;
  }
}

/** Byte strings behind views. `at` gives a view of the buffer, not a copy. */
export class BinaryViewColumn extends Column<Uint8Array> {
  declare readonly views: Views;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.views = new Views(layout);
  }
  at(index: number): Uint8Array | null {
    return this.isValid(index) ? this.views.at(index) : null;
  }
}

/** Values of a block at most, so that short ones do not make it hold many offsets. */
const blockValues = 4096;

interface Gathered {
  readonly first: number;
  readonly end: number;
  readonly offsets: Offsets;
  readonly block: Block;
}

/** UTF-8 text behind views: gathered into blocks, of which each is decoded at once, as {@link TextColumn} does. */
export class TextViewColumn extends Column<string> {
  declare readonly views: Views;
  #gathered: Gathered | null = null;
  #last = -2;

  constructor(layout: ColumnLayout) {
    super(layout);
    this.views = new Views(layout);
  }

  at(index: number): string | null {
    if (!this.isValid(index)) {
      if (index === this.#last + 1) this.#last = index;
      return null;
    }
    let gathered = this.#gathered;
    if (gathered === null || index < gathered.first || index >= gathered.end) {
      if (index !== this.#last + 1) {
        this.#last = index;
        const bytes = this.views.at(index);
        return decodeUtf8(bytes, 0, bytes.length);
      }
      gathered = this.#gather(index, this.length);
      this.#gathered = gathered;
    }
    this.#last = index;
    return textOf(gathered, index);
  }

  override copyTo(out: unknown[], place = 0, start = 0, end: number = this.length): void {
    const { validity, bitOffset } = this;
    for (let i = start; i < end; ) {
      const gathered = this.#gather(i, end);
      for (; i < gathered.end; i++) {
        const valid = validity === null || getBit(validity, bitOffset + i);
        out[place++] = valid ? textOf(gathered, i) : null;
      }
    }
  }

  /** A block of values from `first` on, those of nulls as empty ones. */
  #gather(first: number, limit: number): Gathered {
    const { views, validity, bitOffset } = this;
    const ends = new Int32Array(Math.min(limit - first, blockValues) + 1);
    let data: Uint8Array = scratch;
    let end = first;
    for (let at = 0; end - first < ends.length - 1; end++) {
      if (validity === null || getBit(validity, bitOffset + end)) {
        const size = views.size(end);
        if (at + size > blockBytes && end > first) break;
        if (size >= 0 && size <= inlineBytes) {
          views.copyInline(end, data, at);
        } else {
          const bytes = views.at(end);
          // A value that is longer than a block makes one of its own.
          if (size > blockBytes) data = bytes;
          else data.set(bytes, at);
        }
        at += size;
      }
      ends[end - first + 1] = at;
    }
    const offsets = new Offsets(ends);
    return { first, end, offsets, block: decodeBlock(offsets, data, 0, end - first) };
  }
}

const scratch = new Uint8Array(blockBytes);

function textOf({ first, offsets, block: { text, marks } }: Gathered, index: number): string {
  const at = index - first;
  return marks === null
    ? text.substring(offsets.at(at), offsets.at(at + 1))
    : text.substring(marks[at] ?? 0, marks[at + 1] ?? 0);
}
