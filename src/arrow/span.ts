import { RecurveError } from '../error.ts';
import type { DayTime, MonthDayNano } from './column/interval.ts';
import type { Column } from './column.ts';
import { fractionText, timeText, unitsPerSecond } from './temporal.ts';
import type { DataType } from './type.ts';

/**
 * Reads an interval or duration column as text; null for nulls. `iso` gives ISO 8601 (`P14M2DT1.5S`, a sign a part where
 * signs differ), otherwise DuckDB's wording: `1 year 2 months 2 days 00:00:01.5`.
 */
export function spanReader(type: DataType, column: Column, iso: boolean): (index: number) => string | null {
  const write = iso ? isoText : sqlText;
  const read = partReader(type);
  return (index) => {
    const value = column.at(index);
    return value === null ? null : write(...read(value));
  };
}

type Parts = readonly [months: number, days: number, count: bigint, perSecond: number];

function partReader(type: DataType): (value: unknown) => Parts {
  if (type.kind === 'duration') {
    const perSecond = unitsPerSecond[type.unit];
    return (value) => [0, 0, value as bigint, perSecond];
  }
  switch (type.kind === 'interval' ? type.unit : undefined) {
    case 'year-month':
      return (value) => [value as number, 0, 0n, 1];
    case 'day-time':
      return (value) => [0, (value as DayTime).days, BigInt((value as DayTime).milliseconds), 1e3];
    case 'month-day-nano':
      return (value) => {
        const { months, days, nanoseconds } = value as MonthDayNano;
        return [months, days, nanoseconds, 1e9];
      };
    default:
      throw new RecurveError('INTERNAL', `a column of ${type.kind} is no span of time`);
  }
}

function sqlText(months: number, days: number, count: bigint, perSecond: number): string {
  const parts: string[] = [];
  const add = (value: number, unit: string): void => {
    if (value !== 0) parts.push(`${value} ${unit}${Math.abs(value) === 1 ? '' : 's'}`);
  };
  add(Math.trunc(months / 12), 'year');
  add(months % 12, 'month');
  add(days, 'day');
  if (count !== 0n || parts.length === 0) {
    const [sign, seconds, rest] = split(count, perSecond);
    const hours = `${seconds / 3600n}`.padStart(2, '0');
    parts.push(sign + hours + timeText(Number(seconds % 3600n), rest, perSecond).substring(2));
  }
  return parts.join(' ');
}

function isoText(months: number, days: number, count: bigint, perSecond: number): string {
  const [sign, seconds, rest] = split(count, perSecond);
  const date = `${months === 0 ? '' : `${months}M`}${days === 0 ? '' : `${days}D`}`;
  const time = count === 0n && date !== '' ? '' : `T${sign}${seconds}${fractionText(rest, perSecond)}S`;
  return `P${date}${time}`;
}

function split(count: bigint, perSecond: number): readonly [sign: string, seconds: bigint, rest: number] {
  const magnitude = count < 0n ? -count : count;
  const per = BigInt(perSecond);
  return [count < 0n ? '-' : '', magnitude / per, Number(magnitude % per)];
}
