import type { Column } from './column.ts';
import type { DataType, TimeUnit } from './type.ts';

/** Counts of a unit in a second. */
export const unitsPerSecond: Readonly<Record<TimeUnit, number>> = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 };

/** How dates, times and timestamps are written. */
export interface TemporalStyle {
  /** Between a date and a time. */
  readonly separator: string;
  /** Behind a timestamp that has a zone: all such are written in UTC. */
  readonly zone: string;
  /** Years before 1 and after 9999: `-000043-03-15` by ISO 8601's expanded form, else `0044-03-15 (BC)` and `10000-01-01`. */
  readonly expandedYears: boolean;
}

/** ISO 8601: `2013-01-31T12:00:00.5Z`. */
export const isoStyle: TemporalStyle = { separator: 'T', zone: 'Z', expandedYears: true };
/** As SQL engines write them: `2013-01-31 12:00:00.5+00`. */
export const sqlStyle: TemporalStyle = { separator: ' ', zone: '+00', expandedYears: false };

/** Days from 1970-01-01 to the first and last of the calendar that dates are written by: those that 32 bits reach. */
const maxDays = 2 ** 31;

/**
 * Reads a date, time or timestamp column as text, digits of a second only as far as they are not zero; null for nulls.
 * What lies outside of the calendar (years beyond about 5.8 million) or of the day is written as its plain count.
 */
export function temporalReader(type: DataType, column: Column, style: TemporalStyle): (index: number) => string | null {
  const { timeOf, isTime, suffix } = partsOf(type, style);
  const read = secondReader(column, timeOf);
  let lastDay = Number.NaN;
  let lastDate = '';
  return (index) => {
    if (!column.isValid(index)) return null;
    read(index);
    if (isTime) {
      const inDay = clock.seconds >= 0 && (clock.seconds < 86400 || (clock.seconds === 86400 && clock.rest === 0));
      return inDay ? timeText(clock.seconds, clock.rest, timeOf) : String(column.at(index));
    }
    const days = Math.floor(clock.seconds / 86400);
    if (!(days >= -maxDays && days < maxDays)) return String(column.at(index));
    if (days !== lastDay) {
      lastDay = days;
      lastDate = dateText(days, style.expandedYears);
    }
    if (type.kind === 'date') return lastDate;
    return lastDate + style.separator + timeText(clock.seconds - days * 86400, clock.rest, timeOf) + suffix;
  };
}

/** Milliseconds since the epoch of a date or timestamp; NaN where a Date cannot hold it, finer digits included. */
export function millisecondReader(type: DataType, column: Column): (index: number) => number {
  const { timeOf } = partsOf(type, isoStyle);
  const read = secondReader(column, timeOf);
  return (index) => {
    read(index);
    const milliseconds = clock.seconds * 1000 + clock.rest / (timeOf / 1000);
    // Date's own limit, 100 million days from the epoch.
    return Number.isInteger(milliseconds) && Math.abs(milliseconds) <= 8.64e15 ? milliseconds : Number.NaN;
  };
}

function partsOf(type: DataType, style: TemporalStyle): { timeOf: number; isTime: boolean; suffix: string } {
  const suffix = type.kind === 'timestamp' && type.timezone !== null ? style.zone : '';
  const isTime = type.kind === 'time';
  if (type.kind === 'date') return { timeOf: type.unit === 'day' ? 1 / 86400 : 1e3, isTime, suffix };
  return { timeOf: isTime || type.kind === 'timestamp' ? unitsPerSecond[type.unit] : 1, isTime, suffix };
}

/** What the last read gave: whole seconds, rounded down, and the counts that are left. One for all, as no read overlaps. */
const clock = { seconds: 0, rest: 0 };

/** Sets {@link clock} from the count at an index. `timeOf` is how many counts a second has. */
function secondReader(column: Column, timeOf: number): (index: number) => void {
  const { values: counts } = column.layout;
  if (!(counts instanceof BigInt64Array)) {
    const values = counts as Int32Array;
    return (index) => {
      const count = values[index] ?? 0;
      clock.seconds = timeOf < 1 ? count * 86400 : Math.floor(count / timeOf);
      clock.rest = timeOf < 1 ? 0 : count - clock.seconds * timeOf;
    };
  }
  const { buffer, byteOffset, length } = counts;
  const words = new Int32Array(buffer, byteOffset, length * 2);
  return (index) => {
    const low = words[2 * index] ?? 0;
    const high = words[2 * index + 1] ?? 0;
    // Long division, 16 bits a step, so that every number is exact in a double and no BigInt is made.
    const top = Math.floor(high / timeOf);
    const middle = (high - top * timeOf) * 65536 + (low >>> 16);
    const second = Math.floor(middle / timeOf);
    const bottom = (middle - second * timeOf) * 65536 + (low & 0xffff);
    const third = Math.floor(bottom / timeOf);
    clock.seconds = (top * 65536 + second) * 65536 + third;
    clock.rest = bottom - third * timeOf;
  };
}

/** A day of the proleptic Gregorian calendar. `days` since 1970-01-01. */
export function dateText(days: number, expandedYears: boolean): string {
  // Years run from March here, so that the leap day ends one; 400 of them have 146097 days.
  const shifted = days + 719468;
  const era = Math.floor(shifted / 146097);
  const dayOfEra = shifted - era * 146097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36524) - Math.floor(dayOfEra / 146096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const marchMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * marchMonth + 2) / 5) + 1;
  const month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  return yearText(year, expandedYears, `-${pair(month)}-${pair(day)}`);
}

function yearText(year: number, expandedYears: boolean, monthAndDay: string): string {
  const padded = (value: number, digits: number): string => `${value}`.padStart(digits, '0');
  if (!expandedYears) return year > 0 ? padded(year, 4) + monthAndDay : `${padded(1 - year, 4)}${monthAndDay} (BC)`;
  if (year >= 0 && year <= 9999) return padded(year, 4) + monthAndDay;
  return `${year < 0 ? '-' : '+'}${padded(Math.abs(year), 6)}${monthAndDay}`;
}

const pairs: readonly string[] = Array.from({ length: 100 }, (_, n) => `${n}`.padStart(2, '0'));

function pair(value: number): string {
  return pairs[value] ?? `${value}`;
}

/** `12:00:00.5`: whole seconds (hours beyond 99 too) and counts of which a second has `timeOf`. */
export function timeText(seconds: number, rest: number, timeOf: number): string {
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  return `${pair(hours)}:${pair(minutes - hours * 60)}:${pair(seconds - minutes * 60)}${fractionText(rest, timeOf)}`;
}

/** `.5`, or nothing for 0. */
export function fractionText(rest: number, timeOf: number): string {
  if (rest === 0) return '';
  let digits = `${timeOf + rest}`.substring(1);
  while (digits.endsWith('0')) digits = digits.slice(0, -1);
  return `.${digits}`;
}
