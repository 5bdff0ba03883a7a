import { toFloat16 } from '../column/float16.ts';
import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import { Builder, grow } from './builder.ts';

type IntArray = Int8Array | Uint8Array | Int16Array | Uint16Array | Int32Array | Uint32Array;

/** What an {@link IntBuilder} takes. */
export interface IntRange {
  readonly make: new (length: number) => IntArray;
  readonly min: number;
  readonly max: number;
  /** The count that a Date stands for; NaN when it stands for none. Absent where no Date is taken. */
  readonly fromDate?: (date: Date) => number;
}

/** Whole numbers of up to 32 bits, from number or bigint: integers, dates in days, times in seconds or milliseconds, months. */
export class IntBuilder extends Builder {
  readonly #range: IntRange;
  #values: IntArray;

  constructor(field: Field, range: IntRange, parent?: Builder) {
    super(field, parent);
    this.#range = range;
    this.#values = new range.make(0);
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    const { min, max, fromDate } = this.#range;
    let count = value;
    if (fromDate !== undefined && value instanceof Date) count = fromDate(value);
    else if (typeof value === 'bigint') count = value >= min && value <= max ? Number(value) : Number.NaN;
    if (typeof count !== 'number' || !Number.isInteger(count) || count < min || count > max) this.refuse(value);
    this.#put(count as number, index);
  }

  protected writeNull(index: number): void {
    this.#put(0, index);
  }

  #put(value: number, index: number): void {
    if (index >= this.#values.length) this.#values = grow(this.#values, index + 1);
    this.#values[index] = value;
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#values.slice(0, length);
    this.#values = new this.#range.make(0);
    return { values };
  }

  protected bytesOf(length: number): number {
    return length * this.#values.BYTES_PER_ELEMENT;
  }
}

/** Floats, from number. What a narrow one rounds to infinity is refused; other rounding is the type's nature. */
export class FloatBuilder extends Builder {
  readonly #make: new (
    length: number,
  ) => Float64Array | Float32Array | Uint16Array;
  #values: Float64Array | Float32Array | Uint16Array;

  constructor(field: Field, bitWidth: 16 | 32 | 64, parent?: Builder) {
    super(field, parent);
    this.#make = bitWidth === 64 ? Float64Array : bitWidth === 32 ? Float32Array : Uint16Array;
    this.#values = new this.#make(0);
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    if (typeof value !== 'number') this.refuse(value);
    if (index >= this.#values.length) this.#values = grow(this.#values, index + 1);
    const values = this.#values;
    if (values instanceof Float64Array) {
      values[index] = value;
    } else if (values instanceof Float32Array) {
      if (Number.isFinite(value) && !Number.isFinite(Math.fround(value))) this.refuse(value);
      values[index] = value;
    } else {
      const bits = toFloat16(value);
      if (Number.isFinite(value) && (bits & 0x7c00) === 0x7c00) this.refuse(value);
      values[index] = bits;
    }
  }

  protected writeNull(index: number): void {
    if (index >= this.#values.length) this.#values = grow(this.#values, index + 1);
    this.#values[index] = 0;
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#values.slice(0, length);
    this.#values = new this.#make(0);
    return { values };
  }

  protected bytesOf(length: number): number {
    return length * this.#values.BYTES_PER_ELEMENT;
  }
}
