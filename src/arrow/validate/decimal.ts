import type { Column } from '../column.ts';
import type { DecimalType } from '../type.ts';
import { type Place, refuse } from './place.ts';

/** Every decimal that is not null has at most as many digits as its precision. */
export function checkPrecision(type: DecimalType, column: Column, place: Place): void {
  const { values } = column.layout;
  if (values === undefined) return;
  const perValue = type.bitWidth / 32;
  const words = new Uint32Array(values.buffer, values.byteOffset, column.length * perValue);
  const limit = 10n ** BigInt(type.precision);
  // The highest word of the limit that is not 0: what is below it there, and has only its sign above, fits.
  let top = 0;
  while (limit >> BigInt(32 * (top + 1)) > 0n && top < perValue - 1) top++;
  const topLimit = Number(limit >> BigInt(32 * top)) - (top === 0 ? 1 : 0);
  for (let i = 0; i < column.length; i++) {
    const at = i * perValue;
    const sign = (words[at + perValue - 1] ?? 0) >> 31;
    let isSmall = ((words[at + top] ?? 0) ^ sign) >>> 0 < topLimit;
    for (let w = top + 1; w < perValue; w++) isSmall = isSmall && ((words[at + w] ?? 0) ^ sign) === 0;
    if (isSmall || !column.isValid(i)) continue;
    let value = 0n;
    for (let w = perValue - 1; w >= 0; w--) value = (value << 32n) | BigInt(words[at + w] ?? 0);
    value = BigInt.asIntN(type.bitWidth, value);
    if (value >= limit || value <= -limit) {
      refuse(place, `${value} has more digits than the precision ${type.precision}`, i, words, at);
    }
  }
}
