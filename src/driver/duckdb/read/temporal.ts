import type { Prepare } from './fixed.ts';
import { unrepresentable } from './vector-reader.ts';

const maxInt32 = 0x7fffffff;

/** Dates: ±infinity is the greatest and the least but one 32-bit integer, which no Arrow reader knows. */
export const checkDates: Prepare = (words, rowCount, path) => {
  for (let i = 0; i < rowCount; i++) {
    const days = words[i] ?? 0;
    if (days === maxInt32 || days === -maxInt32) throw infinite(path, 'DATE', days > 0);
  }
};

/** Timestamps of any unit: ±infinity is the greatest and the least but one 64-bit integer. */
export const checkTimestamps: Prepare = (words, rowCount, path) => {
  for (let i = 0; i < rowCount; i++) {
    const high = words[2 * i + 1] ?? 0;
    if (high === maxInt32 && words[2 * i] === -1) throw infinite(path, 'TIMESTAMP', true);
    if (high === -maxInt32 - 1 && words[2 * i] === 1) throw infinite(path, 'TIMESTAMP', false);
  }
};

/** Times in microseconds: 24:00:00 is a time in DuckDB and outside of Arrow's day (Schema.fbs, `Time`). */
export const checkTimes: Prepare = (words, rowCount, path) =>
  refuseMidnightAfter(words, rowCount, path, 86_400_000_000);

/** Times in nanoseconds, as {@link checkTimes}. */
export const checkNanosecondTimes: Prepare = (words, rowCount, path) =>
  refuseMidnightAfter(words, rowCount, path, 86_400_000_000_000);

function refuseMidnightAfter(words: Int32Array, rowCount: number, path: string, day: number): void {
  const high = Math.floor(day / 2 ** 32);
  const low = day | 0;
  for (let i = 0; i < rowCount; i++) {
    if (words[2 * i + 1] === high && words[2 * i] === low) {
      throw unrepresentable(path, 'TIME 24:00:00', "is outside of Arrow's time of day, which ends before 24:00");
    }
  }
}

function infinite(path: string, type: string, positive: boolean): Error {
  return unrepresentable(path, `${type} ${positive ? '' : '-'}infinity`, 'has no place in the Arrow type');
}

/** Intervals: months, days and microseconds become months, days and nanoseconds. */
export const scaleIntervals: Prepare = (words, rowCount, path) => {
  for (let i = 0; i < rowCount; i++) {
    const at = 4 * i + 2;
    const low = words[at] ?? 0;
    const high = words[at + 1] ?? 0;
    // Two 32-bit halves times 1000, each exact in a double.
    const scaledLow = (low >>> 0) * 1000;
    const scaledHigh = high * 1000 + Math.floor(scaledLow / 2 ** 32);
    if (scaledHigh !== (scaledHigh | 0)) {
      const micros = (BigInt(high) << 32n) | BigInt(low >>> 0);
      throw unrepresentable(path, `INTERVAL of ${micros} microseconds`, 'does not fit 64 bits of nanoseconds');
    }
    words[at] = scaledLow | 0;
    words[at + 1] = scaledHigh;
  }
};
