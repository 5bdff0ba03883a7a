import type { Column } from '../../../arrow/column.ts';
import type { DateType, DurationType, IntervalType, TimestampType, TimeType, TimeUnit } from '../../../arrow/type.ts';
import { ValueFault } from './fault.ts';
import { type FieldWriter, measureFixed, RowMask, wordsOf } from './field-writer.ts';
import type { Output } from './output.ts';

// Values of 64 bits are two 32-bit words, low before high, whose products and remainders are exact in a double.

const range = 2 ** 32;
const unitsPerSecond: Readonly<Record<TimeUnit, number>> = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 };
/** From 1970-01-01 to 2000-01-01, where PostgreSQL counts from. */
const epochDays = 10_957;
const epochMicros = 946_684_800_000_000;
const epochHigh = Math.floor(epochMicros / range);
const epochLow = epochMicros - epochHigh * range;
/** 4714-11-24 BC and 5874898-01-01, PostgreSQL's first date and the day after its last, in days from 1970-01-01. */
const firstDay = -2_440_588;
const endDay = 2_145_042_906;
/** 4714-11-24 BC and 294277-01-01, in microseconds from 2000-01-01. */
const firstMicros = -211_813_488_000_000_000;
const endMicros = 9_223_371_331_200_000_000;
const microsPerDay = 86_400_000_000;

/** `date`: days. Of date64 they must be whole. */
export class DateWriter implements FieldWriter {
  readonly #source: DateType;
  readonly #mask = new RowMask();
  #words = new Int32Array(0);
  #rows = new Int32Array(0);

  constructor(source: DateType) {
    this.#source = source;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#words = wordsOf(column) as Int32Array<ArrayBuffer>;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    measureFixed(this.#rows, count, sizes, 4);
    if (this.#source.unit === 'ms') {
      this.#checkMs(count);
      return;
    }
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      if (row < 0) continue;
      const day = this.#words[row] ?? 0;
      if (day < firstDay || day >= endDay)
        throw new ValueFault(i, `${day} days from 1970-01-01 are outside of the range of date`);
    }
  }

  write({ view }: Output, positions: Int32Array, count: number): void {
    const rows = this.#rows;
    const words = this.#words;
    const isMs = this.#source.unit === 'ms';
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      const at = positions[i] ?? 0;
      if (row < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const day = isMs ? msAt(words, row) / 86_400_000 : (words[row] ?? 0);
      view.setInt32(at, 4);
      view.setInt32(at + 4, day - epochDays);
      positions[i] = at + 8;
    }
  }

  #checkMs(count: number): void {
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      const day = row < 0 ? 0 : msAt(this.#words, row) / 86_400_000;
      if (day !== Math.floor(day) || day < firstDay || day >= endDay)
        throw new ValueFault(
          i,
          `${bigAt(this.#words, row)} ms are no date: no number of whole days, or out of its range`,
        );
    }
  }
}

function msAt(words: Int32Array, row: number): number {
  return (words[2 * row + 1] ?? 0) * range + ((words[2 * row] ?? 0) >>> 0);
}

function bigAt(words: Int32Array, row: number): bigint {
  return (BigInt(words[2 * row + 1] ?? 0) << 32n) | BigInt((words[2 * row] ?? 0) >>> 0);
}

/**
 * Microseconds of 64 bits, from timestamps, dates, times and durations of any unit. What is finer than a microsecond and what
 * is out of range is a fault; nothing is rounded.
 */
class Micros {
  /** Two words a value of the column: the high one first, as they are written. */
  high = 0;
  low = 0;
  readonly #factor: number;
  readonly #divisor: number;

  constructor(unit: TimeUnit) {
    const ratio = unitsPerSecond.us / unitsPerSecond[unit];
    this.#factor = Math.max(ratio, 1);
    this.#divisor = ratio >= 1 ? 1 : 1 / ratio;
  }

  /** Scales two words; false where something is left over or 64 bits are exceeded. */
  scale(low: number, high: number): boolean {
    const unsigned = low >>> 0;
    if (this.#divisor > 1) {
      const quotient = Math.floor(high / this.#divisor);
      const carried = (high - quotient * this.#divisor) * range + unsigned;
      const scaledLow = Math.floor(carried / this.#divisor);
      this.high = quotient;
      this.low = scaledLow;
      return carried === scaledLow * this.#divisor;
    }
    const scaledLow = unsigned * this.#factor;
    const carry = Math.floor(scaledLow / range);
    this.high = high * this.#factor + carry;
    this.low = scaledLow - carry * range;
    return this.high >= -0x8000_0000 && this.high <= 0x7fff_ffff;
  }
}

/** Microseconds from 2000-01-01: `timestamp` and `timestamptz`, also from dates. */
export class TimestampWriter implements FieldWriter {
  readonly #source: TimestampType | DateType;
  readonly #name: string;
  readonly #micros: Micros;
  readonly #mask = new RowMask();
  #words = new Int32Array(0);
  #rows = new Int32Array(0);
  /** Words of the block's values, high before low. */
  #out = new Int32Array(0);

  constructor(source: TimestampType | DateType, name: string) {
    this.#source = source;
    this.#name = name;
    this.#micros = new Micros(source.kind === 'date' ? 'ms' : source.unit);
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#words = wordsOf(column) as Int32Array<ArrayBuffer>;
    const { type } = column;
    if (type.kind === 'date' && type.unit === 'day') {
      const days = this.#words;
      const ms = new Int32Array(2 * days.length);
      for (let i = 0; i < days.length; i++) {
        const value = (days[i] ?? 0) * 86_400_000;
        const high = Math.floor(value / range);
        ms[2 * i] = value - high * range;
        ms[2 * i + 1] = high;
      }
      this.#words = ms;
    }
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    measureFixed(this.#rows, count, sizes, 8);
    if (this.#out.length < 2 * count) this.#out = new Int32Array(2 * count + 32);
    const { unit } = this.#source;
    if (unit === 'us') this.#shift(count);
    else this.#scale(count);
  }

  write({ view }: Output, positions: Int32Array, count: number): void {
    const rows = this.#rows;
    const words = this.#out;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      if ((rows[i] ?? -1) < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
      } else {
        view.setInt32(at, 8);
        view.setInt32(at + 4, words[2 * i] ?? 0);
        view.setInt32(at + 8, words[2 * i + 1] ?? 0);
        positions[i] = at + 12;
      }
    }
  }

  #shift(count: number): void {
    const rows = this.#rows;
    const words = this.#words;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      if (row >= 0) this.#put(i, (words[2 * row] ?? 0) >>> 0, words[2 * row + 1] ?? 0);
    }
  }

  #scale(count: number): void {
    const micros = this.#micros;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      if (row < 0) continue;
      if (!micros.scale(this.#words[2 * row] ?? 0, this.#words[2 * row + 1] ?? 0)) throw this.#fault(i);
      this.#put(i, micros.low, micros.high);
    }
  }

  #put(index: number, low: number, high: number): void {
    const shifted = low - epochLow;
    const newHigh = high - epochHigh - (shifted < 0 ? 1 : 0);
    const newLow = shifted < 0 ? shifted + range : shifted;
    const approximate = newHigh * range + newLow;
    if (approximate < firstMicros || approximate >= endMicros) throw this.#fault(index);
    this.#out[2 * index] = newHigh;
    this.#out[2 * index + 1] = newLow;
  }

  #fault(index: number): ValueFault {
    const row = this.#rows[index] ?? 0;
    const { unit } = this.#source;
    const shown = `${bigAt(this.#words, row)} ${unit === 'day' ? 'ms' : unit}`;
    const why =
      unit === 'ns' && bigAt(this.#words, row) % 1000n !== 0n
        ? `is finer than the microseconds of ${this.#name}`
        : `is outside of the range of ${this.#name}`;
    return new ValueFault(index, `${shown} ${why}`);
  }
}

/** Microseconds of 64 bits without a shift: `time`, and `interval` of a duration. */
export class SpanWriter implements FieldWriter {
  readonly #source: TimeType | DurationType;
  readonly #micros: Micros;
  readonly #mask = new RowMask();
  #words = new Int32Array(0);
  #rows = new Int32Array(0);
  #out = new Int32Array(0);

  constructor(source: TimeType | DurationType) {
    this.#source = source;
    this.#micros = new Micros(source.unit);
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#words = wordsOf(column) as Int32Array<ArrayBuffer>;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    const { kind, unit } = this.#source;
    measureFixed(this.#rows, count, sizes, kind === 'time' ? 8 : 16);
    if (this.#out.length < 2 * count) this.#out = new Int32Array(2 * count + 32);
    const micros = this.#micros;
    const narrow = kind === 'time' && (unit === 's' || unit === 'ms');
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      if (row < 0) continue;
      const low = this.#words[narrow ? row : 2 * row] ?? 0;
      const high = narrow ? low >> 31 : (this.#words[2 * row + 1] ?? 0);
      const whole = micros.scale(low, high);
      const inDay = kind !== 'time' || (micros.high >= 0 && micros.high * range + micros.low <= microsPerDay);
      if (!whole || !inDay) {
        const shown = narrow ? low : bigAt(this.#words, row);
        const target = kind === 'time' ? 'time' : 'interval';
        const why = whole || unit !== 'ns' ? `is outside of the range of ${target}` : `is finer than its microseconds`;
        throw new ValueFault(i, `${shown} ${unit} ${why}`);
      }
      this.#out[2 * i] = micros.high;
      this.#out[2 * i + 1] = micros.low;
    }
  }

  write({ view }: Output, positions: Int32Array, count: number): void {
    const width = this.#source.kind === 'time' ? 8 : 16;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      if ((this.#rows[i] ?? -1) < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      view.setInt32(at, width);
      view.setInt32(at + 4, this.#out[2 * i] ?? 0);
      view.setInt32(at + 8, this.#out[2 * i + 1] ?? 0);
      if (width === 16) {
        view.setInt32(at + 12, 0);
        view.setInt32(at + 16, 0);
      }
      positions[i] = at + 4 + width;
    }
  }
}

/** `interval`: microseconds, days, months. */
export class IntervalWriter implements FieldWriter {
  readonly #source: IntervalType;
  readonly #micros = new Micros('ns');
  readonly #mask = new RowMask();
  #words = new Int32Array(0);
  #rows = new Int32Array(0);

  constructor(source: IntervalType) {
    this.#source = source;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#words = wordsOf(column) as Int32Array<ArrayBuffer>;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    measureFixed(this.#rows, count, sizes, 16);
    if (this.#source.unit !== 'month-day-nano') return;
    for (let i = 0; i < count; i++) {
      const at = 4 * (this.#rows[i] ?? -1);
      if (at >= 0 && !this.#micros.scale(this.#words[at + 2] ?? 0, this.#words[at + 3] ?? 0))
        throw new ValueFault(i, `${bigAt(this.#words, at / 2 + 1)} ns are finer than the microseconds of interval`);
    }
  }

  write({ view }: Output, positions: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      const at = positions[i] ?? 0;
      if (row < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const { high, low } = this.#microsAt(row);
      view.setInt32(at, 16);
      view.setInt32(at + 4, high);
      view.setInt32(at + 8, low);
      view.setInt32(at + 12, this.#daysAt(row));
      view.setInt32(at + 16, this.#monthsAt(row));
      positions[i] = at + 20;
    }
  }

  #microsAt(row: number): Micros {
    const micros = this.#micros;
    const { unit } = this.#source;
    if (unit === 'month-day-nano') micros.scale(this.#words[4 * row + 2] ?? 0, this.#words[4 * row + 3] ?? 0);
    else {
      const value = unit === 'day-time' ? (this.#words[2 * row + 1] ?? 0) * 1000 : 0;
      micros.high = Math.floor(value / range);
      micros.low = value - micros.high * range;
    }
    return micros;
  }

  #daysAt(row: number): number {
    const { unit } = this.#source;
    if (unit === 'year-month') return 0;
    return this.#words[unit === 'day-time' ? 2 * row : 4 * row + 1] ?? 0;
  }

  #monthsAt(row: number): number {
    const { unit } = this.#source;
    if (unit === 'day-time') return 0;
    return this.#words[unit === 'year-month' ? row : 4 * row] ?? 0;
  }
}
