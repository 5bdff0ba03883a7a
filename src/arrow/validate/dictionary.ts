import type { Column } from '../column.ts';
import type { DictionaryType } from '../type.ts';
import { type Place, refuse } from './place.ts';

/** Every index that is not null is one of the dictionary's. */
export function checkIndices({ index }: DictionaryType, column: Column, place: Place): void {
  const { values, dictionary } = column.layout;
  if (values === undefined || dictionary === undefined) return;
  const size = dictionary.length;
  // Negative ones are large when they are read without a sign.
  const limit = index.signed ? Math.min(size, 2 ** (index.bitWidth - 1)) : size;
  const { buffer, byteOffset } = values;
  const wide = index.bitWidth === 64;
  const plain =
    index.bitWidth === 8
      ? new Uint8Array(buffer, byteOffset, column.length)
      : index.bitWidth === 16
        ? new Uint16Array(buffer, byteOffset, column.length)
        : new Uint32Array(buffer, byteOffset, column.length * (wide ? 2 : 1));
  for (let i = 0; i < column.length; i++) {
    const isInside = wide ? (plain[2 * i] ?? 0) < limit && plain[2 * i + 1] === 0 : (plain[i] ?? 0) < limit;
    if (!isInside && column.isValid(i)) {
      refuse(place, `index ${values[i]} is outside of the dictionary of ${size} values`, i, values, i);
    }
  }
}
