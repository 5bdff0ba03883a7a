import type { DayTime, MonthDayNano } from '../column/interval.ts';
import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import { Builder, grow } from './builder.ts';

/** Intervals of more than one part, from {@link MonthDayNano} (nanoseconds as bigint or safe integer) or {@link DayTime}. */
export class IntervalBuilder extends Builder {
  readonly #byteWidth: 8 | 16;
  #values: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  #view: DataView = new DataView(this.#values.buffer);

  constructor(field: Field, unit: 'day-time' | 'month-day-nano', parent?: Builder) {
    super(field, parent);
    this.#byteWidth = unit === 'day-time' ? 8 : 16;
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    const at = index * this.#byteWidth;
    if (this.#byteWidth === 8) {
      const { days, milliseconds } = value as Partial<DayTime>;
      if (!isInt32(days) || !isInt32(milliseconds)) this.refuse(value);
      this.#reserve(at);
      this.#view.setInt32(at, days, true);
      this.#view.setInt32(at + 4, milliseconds, true);
      return;
    }
    const { months, days, nanoseconds } = value as Partial<MonthDayNano>;
    const count =
      typeof nanoseconds === 'number' && Number.isSafeInteger(nanoseconds) ? BigInt(nanoseconds) : nanoseconds;
    if (!isInt32(months) || !isInt32(days) || typeof count !== 'bigint' || BigInt.asIntN(64, count) !== count)
      this.refuse(value);
    this.#reserve(at);
    this.#view.setInt32(at, months, true);
    this.#view.setInt32(at + 4, days, true);
    this.#view.setBigInt64(at + 8, count, true);
  }

  protected writeNull(index: number): void {
    const at = index * this.#byteWidth;
    this.#reserve(at);
    this.#values.fill(0, at, at + this.#byteWidth);
  }

  #reserve(at: number): void {
    if (at + this.#byteWidth <= this.#values.length) return;
    this.#values = grow(this.#values, at + this.#byteWidth);
    this.#view = new DataView(this.#values.buffer);
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#values.slice(0, length * this.#byteWidth);
    this.#values = new Uint8Array(0);
    this.#view = new DataView(this.#values.buffer);
    return { values };
  }

  protected bytesOf(length: number): number {
    return length * this.#byteWidth;
  }
}

function isInt32(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) === ((value as number) | 0);
}
