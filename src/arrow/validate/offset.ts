import { Offsets } from '../column/offset.ts';
import type { Column } from '../column.ts';
import { type Place, refuse } from './place.ts';

/** First and last offset lie inside of what they count. */
export function checkOffsetEnds({ layout, length }: Column, limit: number, place: Place): void {
  const { offsets } = layout;
  if (offsets === undefined || offsets.length === 0) return;
  const [first, last] = [Number(offsets[0]), Number(offsets[length])];
  if (first < 0 || last < first || last > limit) {
    refuse(place, `offsets go from ${first} to ${last}, of ${limit}`, undefined, offsets, first < 0 ? 0 : length);
  }
}

/** No offset is lower than the one before it, those of nulls included; the ends have been checked. */
export function checkOffsetOrder(column: Column, place: Place): void {
  const { offsets } = column.layout;
  if (offsets === undefined || (offsets instanceof Int32Array && isRising(offsets, column.length))) return;
  const wide = new Offsets(offsets);
  let last = wide.at(0);
  for (let i = 1; i <= column.length; i++) {
    const next = wide.at(i);
    if (next < last) refuse(place, `offset ${next} follows ${last}`, i - 1, offsets, i);
    last = next;
  }
}

/** Without a branch a value: the sign of all differences at once, which cannot overflow while no offset is negative. */
function isRising(offsets: Int32Array, length: number): boolean {
  let last = offsets[0] ?? 0;
  let signs = last;
  for (let i = 1; i <= length; i++) {
    const next = offsets[i] ?? 0;
    signs |= next | (next - last);
    last = next;
  }
  return signs >= 0;
}
