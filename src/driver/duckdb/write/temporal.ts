import { getBit } from '../../../arrow/bitmap.ts';
import type { TimeType, TimeUnit } from '../../../arrow/type.ts';
import { valueError } from './failure.ts';

// Values of 64 bits are taken as two 32-bit words, low before high, whose products and remainders are exact in a double.

const maxInt32 = 0x7fffffff;
const minInt32 = -0x80000000;
const range = 2 ** 32;
const perSecond: { readonly [U in TimeUnit]: number } = { s: 1, ms: 1e3, us: 1e6, ns: 1e9 };

function isValid(validity: Uint8Array | null, row: number): boolean {
  return validity === null || getBit(validity, row);
}

/** The value that two words make, for an error. */
function big(low: number, high: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low >>> 0);
}

/** Throws for days that mean infinity in DuckDB. */
export function checkDays(days: Int32Array, validity: Uint8Array | null, path: string): void {
  for (let i = 0; i < days.length; i++) {
    const day = days[i] ?? 0;
    if ((day === maxInt32 || day <= -maxInt32) && isValid(validity, i)) {
      throw valueError(path, `${day} days`, 'means infinity in a DATE of DuckDB');
    }
  }
}

/** Throws for counts that mean infinity in DuckDB: the greatest and the least two of 64 bits. */
export function checkTimestamps(words: Int32Array, validity: Uint8Array | null, path: string): void {
  for (let i = 0; i * 2 < words.length; i++) {
    const low = words[i * 2] ?? 0;
    const high = words[i * 2 + 1] ?? 0;
    const special = high === maxInt32 ? low === -1 : high === minInt32 && (low === 0 || low === 1);
    if (special && isValid(validity, i)) {
      throw valueError(path, `${big(low, high)}`, 'means infinity in a TIMESTAMP of DuckDB');
    }
  }
}

/** How words are scaled: by a factor, or by a divisor that must leave no rest. */
interface Scale {
  readonly factor: number;
  readonly divisor: number;
  readonly target: string;
}

function scaleToMicros(unit: TimeUnit, target: string): Scale {
  const ratio = perSecond.us / perSecond[unit];
  return ratio >= 1 ? { factor: ratio, divisor: 1, target } : { factor: 1, divisor: 1 / ratio, target };
}

/** Writes value `row` of `words`, scaled, to words `at` and `at + 1` of `out`. */
function scaleInto(
  out: Int32Array,
  at: number,
  words: Int32Array,
  row: number,
  scale: Scale,
): 'done' | 'rest' | 'range' {
  const low = (words[row * 2] ?? 0) >>> 0;
  const high = words[row * 2 + 1] ?? 0;
  if (scale.divisor > 1) {
    const quotient = Math.floor(high / scale.divisor);
    const carried = (high - quotient * scale.divisor) * range + low;
    const scaledLow = Math.floor(carried / scale.divisor);
    out[at] = scaledLow | 0;
    out[at + 1] = quotient;
    return carried === scaledLow * scale.divisor ? 'done' : 'rest';
  }
  const scaledLow = low * scale.factor;
  const carry = Math.floor(scaledLow / range);
  const scaledHigh = high * scale.factor + carry;
  // The remainder, since a product above 2^53 shifts out of a double's integer conversion.
  out[at] = (scaledLow - carry * range) | 0;
  out[at + 1] = scaledHigh;
  return scaledHigh === (scaledHigh | 0) ? 'done' : 'range';
}

function scaleError(path: string, row: number, words: Int32Array, unit: TimeUnit, fault: string, scale: Scale): Error {
  const value = `${big(words[row * 2] ?? 0, words[row * 2 + 1] ?? 0)} ${unit}`;
  if (fault === 'rest') return valueError(path, value, `is finer than the microseconds of a ${scale.target}`);
  return valueError(path, value, `is outside of the range of a ${scale.target}`);
}

/** Timestamps with zone, which are microseconds in DuckDB. */
export function scaleZonedTimestamps(
  words: Int32Array,
  unit: TimeUnit,
  validity: Uint8Array | null,
  path: string,
): Uint8Array {
  const out = unit === 'us' ? words : new Int32Array(words.length);
  if (unit !== 'us') {
    const scale = scaleToMicros(unit, 'TIMESTAMP WITH TIME ZONE');
    for (let i = 0; i * 2 < words.length; i++) {
      const fault = scaleInto(out, i * 2, words, i, scale);
      if (fault !== 'done' && isValid(validity, i)) throw scaleError(path, i, words, unit, fault, scale);
    }
  }
  checkTimestamps(out, validity, path);
  return toBytes(out);
}

/** Milliseconds of whole days to days. */
export function scaleDates(words: Int32Array, validity: Uint8Array | null, path: string): Uint8Array {
  const out = new Int32Array(words.length / 2);
  const msPerDay = 86_400_000;
  for (let i = 0; i < out.length; i++) {
    const ms = (words[i * 2 + 1] ?? 0) * range + ((words[i * 2] ?? 0) >>> 0);
    const days = ms / msPerDay;
    out[i] = days;
    if ((days !== (days | 0) || Math.abs(days) >= maxInt32) && isValid(validity, i)) {
      throw valueError(
        path,
        `${big(words[i * 2] ?? 0, words[i * 2 + 1] ?? 0)} ms`,
        'is no DATE: no number of whole days, or too many',
      );
    }
  }
  return toBytes(out);
}

/** Times of day: microseconds for all but those in nanoseconds. Throws outside of 00:00 to 24:00. */
export function scaleTimes(
  words: Int32Array,
  { unit }: TimeType,
  validity: Uint8Array | null,
  path: string,
): Uint8Array {
  const narrow = unit === 's' || unit === 'ms';
  const length = narrow ? words.length : words.length / 2;
  const ticksPerDay = 86_400 * perSecond[unit];
  const out = narrow ? new Int32Array(length * 2) : words;
  const factor = narrow ? perSecond.us / perSecond[unit] : 1;
  for (let i = 0; i < length; i++) {
    const value = narrow ? (words[i] ?? 0) : (words[i * 2 + 1] ?? 0) * range + ((words[i * 2] ?? 0) >>> 0);
    if (!(value >= 0 && value <= ticksPerDay) && isValid(validity, i)) {
      throw valueError(path, `${value} ${unit}`, 'is no time of day');
    }
    if (!narrow) continue;
    const micros = value * factor;
    const high = Math.floor(micros / range);
    out[i * 2] = (micros - high * range) | 0;
    out[i * 2 + 1] = high;
  }
  return toBytes(out);
}

/** Durations as intervals without months and days. */
export function durationIntervals(
  words: Int32Array,
  unit: TimeUnit,
  validity: Uint8Array | null,
  path: string,
): Uint8Array {
  const out = new Int32Array(words.length * 2);
  const scale = scaleToMicros(unit, 'INTERVAL');
  for (let i = 0; i * 2 < words.length; i++) {
    const fault = scaleInto(out, i * 4 + 2, words, i, scale);
    if (fault !== 'done' && isValid(validity, i)) throw scaleError(path, i, words, unit, fault, scale);
  }
  return toBytes(out);
}

/** Months. */
export function yearMonthIntervals(words: Int32Array): Uint8Array {
  const out = new Int32Array(words.length * 4);
  for (let i = 0; i < words.length; i++) out[i * 4] = words[i] ?? 0;
  return toBytes(out);
}

/** Days and milliseconds. */
export function dayTimeIntervals(words: Int32Array): Uint8Array {
  const out = new Int32Array(words.length * 2);
  for (let i = 0; i * 2 < words.length; i++) {
    const micros = (words[i * 2 + 1] ?? 0) * 1000;
    const high = Math.floor(micros / range);
    out[i * 4 + 1] = words[i * 2] ?? 0;
    out[i * 4 + 2] = (micros - high * range) | 0;
    out[i * 4 + 3] = high;
  }
  return toBytes(out);
}

/** Months, days and nanoseconds, which must be whole microseconds. */
export function monthDayNanoIntervals(words: Int32Array, validity: Uint8Array | null, path: string): Uint8Array {
  const out = words.slice();
  const scale = scaleToMicros('ns', 'INTERVAL');
  for (let i = 0; i * 4 < words.length; i++) {
    const fault = scaleInto(out, i * 4 + 2, words.subarray(i * 4 + 2, i * 4 + 4), 0, scale);
    if (fault !== 'done' && isValid(validity, i)) {
      throw valueError(
        path,
        `${big(words[i * 4 + 2] ?? 0, words[i * 4 + 3] ?? 0)} ns`,
        'is finer than the microseconds of an INTERVAL',
      );
    }
  }
  return toBytes(out);
}

function toBytes(words: Int32Array): Uint8Array {
  return new Uint8Array(words.buffer, words.byteOffset, words.byteLength);
}
