import { grow } from './builder.ts';

/** The largest 32-bit offset. */
export const maxOffset32: number = 2 ** 31 - 1;

/** Grows the offsets of a column of variable length: one more than values, the first 0. */
export class OffsetBuilder {
  readonly #large: boolean;
  // Doubles hold every offset that can be met; they become 64-bit integers in the end.
  #ends: Int32Array | Float64Array;

  constructor(large: boolean) {
    this.#large = large;
    this.#ends = this.#make();
  }

  #make(): Int32Array | Float64Array {
    return this.#large ? new Float64Array(1) : new Int32Array(1);
  }

  get bytesPerOffset(): number {
    return this.#large ? 8 : 4;
  }

  /** The end of the value before `index`. */
  start(index: number): number {
    return this.#ends[index] ?? 0;
  }

  /** Sets where the value at `index` ends. */
  setEnd(index: number, end: number): void {
    if (index + 1 >= this.#ends.length) this.#ends = grow(this.#ends, index + 2);
    this.#ends[index + 1] = end;
  }

  take(length: number): Int32Array | BigInt64Array {
    const ends = this.#ends.slice(0, length + 1);
    this.#ends = this.#make();
    return ends instanceof Int32Array ? ends : BigInt64Array.from(ends, BigInt);
  }
}
