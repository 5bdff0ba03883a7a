import { Column, type ColumnLayout } from '../column.ts';

/** A calendar interval: its three parts stand apart, since a month has no fixed number of days nor a day of hours. */
export interface MonthDayNano {
  readonly months: number;
  readonly days: number;
  readonly nanoseconds: bigint;
}

/** Intervals of months, days and nanoseconds, 16 bytes each (int32, int32, int64). */
export class MonthDayNanoColumn extends Column<MonthDayNano> {
  declare readonly values: Uint8Array;
  readonly #view: DataView;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint8Array;
    this.#view = new DataView(this.values.buffer, this.values.byteOffset, this.values.byteLength);
  }
  at(index: number): MonthDayNano | null {
    if (!this.isValid(index)) return null;
    const at = index * 16;
    return {
      months: this.#view.getInt32(at, true),
      days: this.#view.getInt32(at + 4, true),
      nanoseconds: this.#view.getBigInt64(at + 8, true),
    };
  }
}

/** Days and milliseconds. */
export interface DayTime {
  readonly days: number;
  readonly milliseconds: number;
}

/** Intervals of days and milliseconds, 8 bytes each (int32, int32). */
export class DayTimeColumn extends Column<DayTime> {
  declare readonly values: Uint8Array;
  readonly #view: DataView;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint8Array;
    this.#view = new DataView(this.values.buffer, this.values.byteOffset, this.values.byteLength);
  }
  at(index: number): DayTime | null {
    if (!this.isValid(index)) return null;
    return {
      days: this.#view.getInt32(index * 8, true),
      milliseconds: this.#view.getInt32(index * 8 + 4, true),
    };
  }
}
