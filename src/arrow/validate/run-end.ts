import type { Column } from '../column.ts';
import { type Place, placeInside, refuse } from './place.ts';

/** There is a value a run and no null among the ends, and the last end reaches the last row ("Run-End Encoded Layout"). */
export function checkRuns({ layout, length }: Column, place: Place): void {
  const [ends, values] = layout.children ?? [];
  const reach = length + (layout.runOffset ?? 0);
  if (ends === undefined || values === undefined) return;
  if (ends.nullCount > 0) refuse(place, 'a run end is null');
  if (values.length < ends.length) refuse(place, `${ends.length} runs have ${values.length} values`);
  const last = ends.length === 0 ? 0 : Number(ends.layout.values?.[ends.length - 1]);
  if (last < reach) refuse(place, `runs end at ${last}, ${reach} rows are needed`);
}

/** Run ends rise from 1 on. */
export function checkRunOrder({ layout }: Column, place: Place): void {
  const { values, length } = layout.children?.[0]?.layout ?? {};
  if (values === undefined || length === undefined) return;
  let last = 0;
  for (let i = 0; i < length; i++) {
    const end = Number(values[i]);
    if (end <= last) refuse(placeInside(place, 'run_ends'), `run end ${end} follows ${last}`, i, values, i);
    last = end;
  }
}
