import { parseDecimal } from '../column/decimal.ts';
import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import type { DecimalType } from '../type.ts';
import { Builder, grow } from './builder.ts';

/**
 * Decimals, from text (`-12.50`, `1e3`), bigint (the whole number 12n is 12.00) or number (by its shortest text). What has
 * more digits than the type is refused, never rounded; zeros behind the point may be dropped or added.
 */
export class DecimalBuilder extends Builder {
  readonly #scale: number;
  readonly #limit: bigint;
  readonly #wordsPerValue: number;
  readonly #wordBits: 32 | 64;
  #values: Int32Array | BigInt64Array;

  constructor(field: Field, type: DecimalType, parent?: Builder) {
    super(field, parent);
    this.#scale = type.scale;
    this.#limit = 10n ** BigInt(type.precision);
    this.#wordBits = type.bitWidth === 32 ? 32 : 64;
    this.#wordsPerValue = type.bitWidth / this.#wordBits;
    this.#values = this.#make();
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    const isText = typeof value === 'string';
    const text = isText || typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
    let rest = parseDecimal(text, this.#scale);
    if (rest === undefined || rest >= this.#limit || rest <= -this.#limit) this.refuse(value);
    this.#reserve(index);
    const first = index * this.#wordsPerValue;
    if (this.#values instanceof Int32Array) {
      this.#values[first] = Number(rest);
      return;
    }
    for (let word = 0; word < this.#wordsPerValue; word++) {
      this.#values[first + word] = rest;
      rest >>= 64n;
    }
  }

  protected writeNull(index: number): void {
    this.#reserve(index);
    const first = index * this.#wordsPerValue;
    if (this.#values instanceof Int32Array) this.#values[first] = 0;
    else this.#values.fill(0n, first, first + this.#wordsPerValue);
  }

  #reserve(index: number): void {
    const end = (index + 1) * this.#wordsPerValue;
    if (end > this.#values.length) this.#values = grow(this.#values, end);
  }

  #make(): Int32Array | BigInt64Array {
    return this.#wordBits === 32 ? new Int32Array(0) : new BigInt64Array(0);
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#values.slice(0, length * this.#wordsPerValue);
    this.#values = this.#make();
    return { values };
  }

  protected bytesOf(length: number): number {
    return (length * this.#wordsPerValue * this.#wordBits) / 8;
  }
}
