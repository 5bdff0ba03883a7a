import { bitmapByteLength, setBit } from '../bitmap.ts';
import type { ColumnLayout } from '../column.ts';
import { Builder, grow } from './builder.ts';

/** Truth values, from boolean. */
export class BoolBuilder extends Builder {
  #bits: Uint8Array = new Uint8Array(0);

  protected write(value: NonNullable<unknown>, index: number): void {
    if (typeof value !== 'boolean') this.refuse(value);
    this.writeNull(index);
    if (value) setBit(this.#bits, index);
  }

  protected writeNull(index: number): void {
    const byte = index >>> 3;
    if (byte >= this.#bits.length) this.#bits = grow(this.#bits, byte + 1);
    // Also clears what a value that was dropped has left behind, up to the end of its byte.
    this.#bits[byte] = (this.#bits[byte] ?? 0) & ((1 << (index & 7)) - 1);
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#bits.slice(0, bitmapByteLength(length));
    this.#bits = new Uint8Array(0);
    return { values };
  }

  protected bytesOf(length: number): number {
    return bitmapByteLength(length);
  }
}

/** Nothing but nulls. */
export class NullBuilder extends Builder {
  protected write(value: NonNullable<unknown>): void {
    this.refuse(value);
  }

  protected writeNull(): void {}

  protected take(length: number): Partial<ColumnLayout> {
    return { validity: null, nullCount: length };
  }

  protected bytesOf(): number {
    return 0;
  }
}
