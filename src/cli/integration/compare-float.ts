import { fromFloat16 } from '../../arrow/column/float16.ts';
import type { Column } from '../../arrow/column.ts';

/** Reads a float column, validity left aside. */
export function floatReader(column: Column): (index: number) => number {
  const values = column.layout.values as Float32Array | Float64Array | Uint16Array;
  if (!(values instanceof Uint16Array)) return (index) => values[index] ?? Number.NaN;
  return (index) => fromFloat16(values[index] ?? 0);
}

/** Half a unit of the third decimal: what the format's generator rounded away. */
const roundingError = 0.0005;

/** The relative distance of neighbours, by the width of the type. */
const epsilon = { 16: 2 ** -10, 32: 2 ** -23, 64: 2 ** -52 } as const;

/**
 * The first place where floats differ, counted from the start of the range, or −1. Integration files give floats rounded
 * to 3 decimals: a value equals a number of at most 3 decimals when it rounds to it, and any other when it is the same.
 */
export function findFloatDifference(
  bitWidth: 16 | 32 | 64,
  expected: Column,
  e: number,
  actual: Column,
  a: number,
  count: number,
): number {
  const [wanted, found] = [floatReader(expected), floatReader(actual)];
  for (let i = 0; i < count; i++) {
    const [one, other] = [wanted(e + i), found(a + i)];
    if (one === other || (Number.isNaN(one) && Number.isNaN(other))) continue;
    const margin = Math.abs(one) * epsilon[bitWidth];
    const isRounded = Math.abs(Math.round(one * 1000) / 1000 - one) <= margin;
    if (!isRounded || !(Math.abs(one - other) <= roundingError + margin)) return i;
  }
  return -1;
}
