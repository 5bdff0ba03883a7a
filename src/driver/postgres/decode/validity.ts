import { bitmapByteLength, setBits } from '../../../arrow/bitmap.ts';
import { ColumnMemory } from './column-memory.ts';

/** Which values of a column are not null: no bitmap before the first null. */
export class Validity {
  /** Values so far. */
  length = 0;
  nullCount = 0;
  readonly #bits: ColumnMemory = new ColumnMemory();

  /** Of the bitmap, also before there is one: a null that comes later makes it for the values before. */
  get byteLength(): number {
    return bitmapByteLength(this.length);
  }

  /** Adds a value for each place; 0 is a null. `nullCount` says how many are. */
  append(places: Int32Array, first: number, count: number, nullCount: number): void {
    const from = this.length;
    this.length = from + count;
    if (nullCount === 0 && this.nullCount === 0) return;
    this.#extend(from);
    const { bytes } = this.#bits;
    if (nullCount === 0) setBits(bytes, from, count);
    else packPlaces(places, first, count, bytes, from);
    this.nullCount += nullCount;
  }

  /** Makes a value that was added a null. */
  unset(index: number): void {
    this.#extend(this.length);
    const { bytes } = this.#bits;
    const bit = 1 << (index & 7);
    if (((bytes[index >>> 3] ?? 0) & bit) === 0) return;
    bytes[index >>> 3] = (bytes[index >>> 3] ?? 0) & ~bit;
    this.nullCount++;
  }

  /** Adds a null. */
  appendNull(): void {
    const from = this.length++;
    this.#extend(from);
    this.nullCount++;
  }

  finish(): { length: number; nullCount: number; validity: Uint8Array | null } {
    const { length, nullCount } = this;
    const bits = this.#bits.take();
    this.length = 0;
    this.nullCount = 0;
    this.#bits.expect(bitmapByteLength(length));
    return { length, nullCount, validity: nullCount === 0 ? null : bits };
  }

  /** Covers all values: with ones up to `valid` where there was no bitmap. */
  #extend(valid: number): void {
    const bits = this.#bits;
    const isNew = bits.length === 0;
    const needed = bitmapByteLength(this.length) - bits.length;
    if (needed > 0) {
      const at = bits.extend(needed);
      bits.bytes.fill(0, at, at + needed);
    }
    if (isNew) setBits(bits.bytes, 0, valid);
  }
}

/** Sets the bits from `from` on to whether places are not 0; those behind were zero. */
function packPlaces(places: Int32Array, first: number, count: number, bits: Uint8Array, from: number): void {
  let at = from >>> 3;
  let shift = from & 7;
  let byte = bits[at] ?? 0;
  for (let i = 0; i < count; i++) {
    byte |= (-(places[first + i] ?? 0) >>> 31) << shift++;
    if (shift === 8) {
      bits[at++] = byte;
      byte = 0;
      shift = 0;
    }
  }
  if (shift !== 0) bits[at] = byte;
}
