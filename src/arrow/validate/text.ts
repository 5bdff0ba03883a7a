import { isAscii, isUtf8 } from '#platform';
import { Offsets } from '../column/offset.ts';
import type { Column } from '../column.ts';
import { type Place, refuse } from './place.ts';

/**
 * Every text that is not null is UTF-8 by itself, so no character is split between two. All bytes are looked at in one
 * piece first, and text by text only when that fails, since under a null anything may stand.
 */
export function checkText(column: Column, place: Place): void {
  const { offsets, data } = column.layout;
  if (offsets === undefined || data === undefined || column.length === 0) return;
  const { length } = column;
  const wide = new Offsets(offsets);
  const all = data.subarray(wide.at(0), wide.at(length));
  if (isAscii(all) || (isUtf8(all) && !splitsCharacter(wide, data, length))) return;
  for (let i = 0; i < length; i++) {
    const start = wide.at(i);
    if (column.isValid(i) && !isUtf8(data.subarray(start, wide.at(i + 1)))) {
      refuse(place, 'the text is not UTF-8', i, data, start);
    }
  }
}

/** Whether a value starts with a continuation byte (UTF-8, RFC 3629). */
function splitsCharacter(offsets: Offsets, data: Uint8Array, length: number): boolean {
  const end = offsets.at(length);
  for (let i = 0; i < length; i++) {
    const start = offsets.at(i);
    if (start < end && ((data[start] ?? 0) & 0xc0) === 0x80) return true;
  }
  return false;
}
