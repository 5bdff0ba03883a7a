import type { Prepare } from './fixed.ts';
import { unrepresentable } from './vector-reader.ts';

/** What 38 digits hold: below 10^38. */
const limit = 10n ** 38n;
/** The highest 32 bits of `limit`: a value whose own are below is below. */
const limitTop = Number(limit >> 96n);

/** HUGEINT as decimal128(38, 0): the 128-bit integers are the same, but values of 39 digits are refused. */
export const checkHugeints: Prepare = (words, rowCount, path) => {
  for (let i = 0; i < rowCount; i++) {
    const top = words[4 * i + 3] ?? 0;
    if (top >= limitTop || top < -limitTop) refuseWide(toBigInt(words, i, true), path, 'HUGEINT');
  }
};

/** UHUGEINT, as {@link checkHugeints}. */
export const checkUhugeints: Prepare = (words, rowCount, path) => {
  for (let i = 0; i < rowCount; i++) {
    const top = (words[4 * i + 3] ?? 0) >>> 0;
    if (top >= limitTop) refuseWide(toBigInt(words, i, false), path, 'UHUGEINT');
  }
};

function refuseWide(value: bigint, path: string, type: string): void {
  if (value < limit && value > -limit) return;
  throw unrepresentable(path, `${type} ${value}`, 'has more than the 38 digits of decimal128', 'VARCHAR or DOUBLE');
}

function toBigInt(words: Int32Array, row: number, signed: boolean): bigint {
  let value = 0n;
  for (let i = 3; i >= 0; i--) value = (value << 32n) | BigInt((words[4 * row + i] ?? 0) >>> 0);
  return signed ? BigInt.asIntN(128, value) : value;
}

/**
 * UUIDs: DuckDB's little-endian 128-bit integers, whose top bit is flipped so that they sort, become 16 bytes in network
 * order (RFC 9562).
 */
export const swapUuids: Prepare = (words, rowCount) => {
  for (let i = 0; i < rowCount; i++) {
    const at = 4 * i;
    const a = words[at] ?? 0;
    const b = words[at + 1] ?? 0;
    const c = words[at + 2] ?? 0;
    const d = words[at + 3] ?? 0;
    words[at] = swapBytes(d ^ 0x80000000);
    words[at + 1] = swapBytes(c);
    words[at + 2] = swapBytes(b);
    words[at + 3] = swapBytes(a);
  }
};

function swapBytes(word: number): number {
  return (word << 24) | ((word & 0xff00) << 8) | ((word >>> 8) & 0xff00) | (word >>> 24);
}
