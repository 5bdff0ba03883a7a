import { getBit } from '../../../arrow/bitmap.ts';
import type { Column, Values } from '../../../arrow/column.ts';
import type { DecimalType } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import { valueError } from './failure.ts';
import {
  checkDays,
  checkTimestamps,
  dayTimeIntervals,
  durationIntervals,
  monthDayNanoIntervals,
  scaleDates,
  scaleTimes,
  scaleZonedTimestamps,
  yearMonthIntervals,
} from './temporal.ts';

/** A column's values as 32-bit words, low before high. */
function wordsOf(column: Column): Int32Array {
  const bytes = bytesOf(column);
  if (bytes.byteOffset % 4 === 0) return new Int32Array(bytes.buffer, bytes.byteOffset, bytes.byteLength >>> 2);
  return new Int32Array(bytes.slice().buffer);
}

function bytesOf(column: Column): Uint8Array {
  const values = column.layout.values as Values;
  return new Uint8Array(values.buffer, values.byteOffset, values.byteLength);
}

/** The values of a fixed-width column as a DuckDB vector holds them; in place where both formats are the same. */
export function fixedBytes(column: Column, validity: Uint8Array | null, path: string): Uint8Array {
  const { type } = column;
  switch (type.kind) {
    case 'int':
      return bytesOf(column);
    case 'float':
      return type.bitWidth === 16 ? halfFloats(column) : bytesOf(column);
    case 'decimal':
      return decimals(column, type, validity, path);
    case 'date':
      if (type.unit === 'ms') return scaleDates(wordsOf(column), validity, path);
      checkDays(wordsOf(column), validity, path);
      return bytesOf(column);
    case 'time':
      return scaleTimes(wordsOf(column), type, validity, path);
    case 'timestamp':
      if (type.timezone !== null) return scaleZonedTimestamps(wordsOf(column), type.unit, validity, path);
      checkTimestamps(wordsOf(column), validity, path);
      return bytesOf(column);
    case 'duration':
      return durationIntervals(wordsOf(column), type.unit, validity, path);
    case 'interval':
      if (type.unit === 'year-month') return yearMonthIntervals(wordsOf(column));
      if (type.unit === 'day-time') return dayTimeIntervals(wordsOf(column));
      return monthDayNanoIntervals(wordsOf(column), validity, path);
    default:
      throw new RecurveError('INTERNAL', `column ${path}: ${type.kind} has no fixed width`);
  }
}

/** A byte a value. */
export function boolBytes(column: Column): Uint8Array {
  const bits = column.layout.values as Uint8Array;
  const bytes = new Uint8Array(column.length);
  for (let i = 0; i < bytes.length; i++) bytes[i] = getBit(bits, column.bitOffset + i) ? 1 : 0;
  return bytes;
}

/** From 16 bytes in network order to DuckDB's little-endian integer, whose top bit is flipped. */
export function uuidBytes(column: Column): Uint8Array {
  const source = column.layout.values as Uint8Array;
  const bytes = new Uint8Array(column.length * 16);
  for (let row = 0; row < bytes.length; row += 16) {
    for (let i = 0; i < 16; i++) bytes[row + i] = source[row + 15 - i] ?? 0;
    bytes[row + 15] = (bytes[row + 15] ?? 0) ^ 0x80;
  }
  return bytes;
}

function halfFloats(column: Column): Uint8Array {
  const values = new Float32Array(column.length);
  for (let i = 0; i < values.length; i++) values[i] = (column.at(i) as number | null) ?? 0;
  return new Uint8Array(values.buffer);
}

/**
 * DuckDB holds up to 4 digits in 16 bits, 9 in 32, 18 in 64 and 38 in 128. Throws for a value with more digits than its
 * type has, where the narrower integer would cut it.
 */
function decimals(column: Column, type: DecimalType, validity: Uint8Array | null, path: string): Uint8Array {
  const words = wordsOf(column);
  const sourceWords = type.bitWidth / 32;
  const targetWords = type.precision <= 9 ? 1 : type.precision <= 18 ? 2 : 4;
  if (targetWords === sourceWords && type.precision > 4) return bytesOf(column);
  const out = new Int32Array(column.length * targetWords);
  for (let i = 0; i < column.length; i++) {
    const from = i * sourceWords;
    let sign = 0;
    for (let word = 0; word < targetWords; word++) {
      const value = word < sourceWords ? (words[from + word] ?? 0) : sign;
      out[i * targetWords + word] = value;
      sign = value >> 31;
    }
    let fits = true;
    for (let word = targetWords; word < sourceWords; word++) fits &&= words[from + word] === sign;
    if (type.precision <= 4) fits &&= Math.abs(out[i] ?? 0) < 10 ** type.precision;
    if (!fits && (validity === null || getBit(validity, i))) {
      throw valueError(path, String(column.at(i)), `has more than ${type.precision} digits`);
    }
  }
  return type.precision <= 4 ? new Uint8Array(Int16Array.from(out).buffer) : new Uint8Array(out.buffer);
}
