import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import type { Utf8Type } from '../type.ts';
import { Builder, grow } from './builder.ts';
import { maxOffset32, OffsetBuilder } from './offset.ts';

const encoder = new TextEncoder();

/** From this many UTF-16 units on, the platform's encoder is faster than a loop, in spite of what a call costs. */
const nativeLength = 64;

/** UTF-8 text, from string. Half a surrogate pair is refused: UTF-8 has no form for it. */
export class TextBuilder extends Builder {
  readonly #large: boolean;
  readonly #offsets: OffsetBuilder;
  #data: Uint8Array = new Uint8Array(0);

  constructor(field: Field, type: Utf8Type, parent?: Builder) {
    super(field, parent);
    this.#large = type.large;
    this.#offsets = new OffsetBuilder(type.large);
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    if (typeof value !== 'string') this.refuse(value);
    const start = this.#offsets.start(index);
    const needed = start + value.length * 3;
    if (needed > this.#data.length) this.#reserve(value, start);
    const end = value.length < nativeLength ? this.#writeShort(value, start) : this.#writeLong(value, start);
    if (end < 0) this.refuse(value, 'has half a surrogate pair, which UTF-8 cannot hold');
    if (!this.#large && end > maxOffset32)
      this.refuse(value, 'makes more than 2 GiB of text; use largeUtf8() or more batches');
    this.#offsets.setEnd(index, end);
  }

  /** Room for a value's bytes at most, or exactly where that much is no small part of the whole. */
  #reserve(value: string, start: number): void {
    const most = value.length * 3;
    const bytes = most > 4096 ? encodedLength(value) : most;
    if (start + bytes > this.#data.length) this.#data = grow(this.#data, start + bytes);
  }

  #writeLong(value: string, start: number): number {
    const { written } = encoder.encodeInto(value, this.#data.subarray(start));
    // The encoder puts U+FFFD in the place of half a pair.
    return written !== value.length && /\p{Surrogate}/u.test(value) ? -1 : start + written;
  }

  #writeShort(value: string, start: number): number {
    const data = this.#data;
    let at = start;
    for (let i = 0; i < value.length; i++) {
      let unit = value.charCodeAt(i);
      if (unit < 0x80) {
        data[at++] = unit;
        continue;
      }
      if (unit < 0x800) {
        data[at++] = 0xc0 | (unit >> 6);
      } else {
        if ((unit & 0xf800) === 0xd800) {
          const low = value.charCodeAt(i + 1);
          if (unit >= 0xdc00 || (low & 0xfc00) !== 0xdc00) return -1;
          unit = 0x10000 + ((unit & 0x3ff) << 10) + (low & 0x3ff);
          i++;
          data[at++] = 0xf0 | (unit >> 18);
          data[at++] = 0x80 | ((unit >> 12) & 0x3f);
        } else {
          data[at++] = 0xe0 | (unit >> 12);
        }
        data[at++] = 0x80 | ((unit >> 6) & 0x3f);
      }
      data[at++] = 0x80 | (unit & 0x3f);
    }
    return at;
  }

  protected writeNull(index: number): void {
    this.#offsets.setEnd(index, this.#offsets.start(index));
  }

  protected take(length: number): Partial<ColumnLayout> {
    const data = this.#data.slice(0, this.#offsets.start(length));
    this.#data = new Uint8Array(0);
    return { data, offsets: this.#offsets.take(length) };
  }

  protected bytesOf(length: number): number {
    return (length + 1) * this.#offsets.bytesPerOffset + this.#offsets.start(length);
  }
}

function encodedLength(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    // A pair's two halves take four bytes together.
    if (unit >= 0x80) bytes += unit < 0x800 || (unit & 0xf800) === 0xd800 ? 1 : 2;
  }
  return bytes;
}
