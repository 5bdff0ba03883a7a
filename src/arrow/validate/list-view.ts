import { Offsets } from '../column/offset.ts';
import type { Column } from '../column.ts';
import { type Place, refuse } from './place.ts';

/** Every list lies inside of the child, those of nulls included ("ListView Layout"). */
export function checkListViews({ layout, length }: Column, place: Place): void {
  const { offsets, sizes, children } = layout;
  if (offsets === undefined || sizes === undefined) return;
  const limit = children?.[0]?.length ?? 0;
  const starts = new Offsets(offsets);
  const counts = new Offsets(sizes);
  for (let i = 0; i < length; i++) {
    const start = starts.at(i);
    const count = counts.at(i);
    if (start < 0 || start > limit) refuse(place, `offset ${start} is not in a child of ${limit}`, i, offsets, i);
    if (count < 0 || start + count > limit) {
      refuse(place, `${count} values from ${start} on are not in a child of ${limit}`, i, sizes, i);
    }
  }
}
