/** One form of a value for the digest, whatever a client makes of it. */
import type { ColumnKind } from '../input/postgres.ts';

/**
 * The values of a column as the digest takes them: integers as numbers or bigints, decimals as text without trailing
 * zeros, dates as days and instants as milliseconds since 1970. Throws TypeError for what no client gives.
 */
export function toCanonical(kind: ColumnKind, values: ArrayLike<unknown>): unknown[] {
  return Array.from(values, (value) => (value === null ? null : canonical(kind, value)));
}

function canonical(kind: ColumnKind, value: unknown): unknown {
  switch (kind) {
    case 'integer':
      // Sums come as text or as a decimal.
      return typeof value === 'string' ? BigInt(value) : value;
    case 'decimal':
      return withoutTrailingZeros(String(value));
    case 'double':
      return Number(value);
    case 'float':
      return Math.fround(Number(value));
    case 'date':
      return value instanceof Date ? value.getTime() / 86_400_000 : Number(value);
    case 'timestamp':
      return value instanceof Date ? value.getTime() : toMilliseconds(BigInt(value as bigint));
    case 'boolean':
      return typeof value === 'string' ? value === 'true' : value;
    case 'text':
      return value;
  }
}

/** Of microseconds, as Arrow has them. Throws RangeError for a part of a millisecond: that would be lost. */
function toMilliseconds(micros: bigint): bigint {
  if (micros % 1000n !== 0n) throw new RangeError(`${micros} us are no whole milliseconds`);
  return micros / 1000n;
}

function withoutTrailingZeros(decimal: string): string {
  return decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
}
