import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import { Builder, grow } from './builder.ts';

/** What a {@link BigIntBuilder} takes besides any bigint of its 64 bits. */
export interface BigIntRange {
  readonly signed: boolean;
  /** Both default to the 64 bits' own. */
  readonly min?: bigint;
  readonly max?: bigint;
  /** Every value is a multiple of it. Default 1. */
  readonly step?: bigint;
  /** The count that a Date stands for; undefined when it stands for none. Absent where no Date is taken. */
  readonly fromDate?: (date: Date) => bigint | undefined;
}

/** Whole numbers of 64 bits, from bigint or a number that is a safe integer. */
export class BigIntBuilder extends Builder {
  readonly #range: BigIntRange;
  #values: BigInt64Array | BigUint64Array;
  /** The same bytes by halves, low half first: numbers get there without a BigInt. */
  #halves: Int32Array = new Int32Array(0);

  constructor(field: Field, range: BigIntRange, parent?: Builder) {
    super(field, parent);
    this.#range = range;
    this.#values = this.#make();
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    const { signed, min, max, step, fromDate } = this.#range;
    const plain = min === undefined && max === undefined && step === undefined;
    if (typeof value === 'number') {
      if (!Number.isSafeInteger(value) || (value < 0 && !signed)) this.refuse(value);
      if (plain) {
        this.#reserve(index);
        this.#halves[2 * index] = value;
        this.#halves[2 * index + 1] = Math.floor(value / 0x1_0000_0000);
        return;
      }
    }
    const count = this.#toCount(value, fromDate);
    if (count === undefined || (signed ? BigInt.asIntN(64, count) : BigInt.asUintN(64, count)) !== count)
      this.refuse(value);
    if ((min !== undefined && count < min) || (max !== undefined && count > max)) this.refuse(value);
    if (step !== undefined && count % step !== 0n) this.refuse(value);
    this.#reserve(index);
    this.#values[index] = count;
  }

  #toCount(value: unknown, fromDate: BigIntRange['fromDate']): bigint | undefined {
    if (typeof value === 'bigint') return value;
    if (typeof value === 'number') return BigInt(value);
    return fromDate !== undefined && value instanceof Date ? fromDate(value) : undefined;
  }

  protected writeNull(index: number): void {
    this.#reserve(index);
    this.#values[index] = 0n;
  }

  #reserve(index: number): void {
    if (index < this.#values.length) return;
    this.#values = grow(this.#values, index + 1);
    this.#halves = new Int32Array(this.#values.buffer);
  }

  #make(): BigInt64Array | BigUint64Array {
    return this.#range.signed ? new BigInt64Array(0) : new BigUint64Array(0);
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#values.slice(0, length);
    this.#values = this.#make();
    return { values };
  }

  protected bytesOf(length: number): number {
    return length * 8;
  }
}
