import type { Column } from '../column.ts';
import type { UnionType } from '../type.ts';
import { type Place, refuse } from './place.ts';

/** Every type id is a member's; offsets of a dense union are inside of their member and never fall ("Dense Union"). */
export function checkUnion({ typeIds }: UnionType, { layout, length }: Column, place: Place): void {
  const { values, offsets, children = [] } = layout;
  if (values === undefined) return;
  const memberOf = new Int8Array(128).fill(-1);
  typeIds.forEach((id, member) => {
    memberOf[id] = member;
  });
  const sizes = children.map((child) => child.length);
  const last = new Int32Array(128);
  for (let i = 0; i < length; i++) {
    const id = Number(values[i]);
    const member = memberOf[id] ?? -1;
    if (member < 0) refuse(place, `type id ${id} is none of ${typeIds.join(', ')}`, i, values, i);
    if (offsets === undefined) continue;
    const offset = Number(offsets[i]);
    const size = sizes[member] ?? 0;
    if (offset < (last[member] ?? 0) || offset >= size) {
      refuse(place, `offset ${offset} follows ${last[member]}, of ${size} values of member ${id}`, i, offsets, i);
    }
    last[member] = offset;
  }
}
