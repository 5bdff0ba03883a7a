/** The sums of the suite `ipc` over one plain `Float64Array`: what the machine can do. */
import { type Float64, tableFromIPC } from 'apache-arrow';
import { digestValues } from '../harness/digest.ts';
import type { Arm } from '../harness/suite.ts';

export function openArm(bytes: Uint8Array): Arm {
  const column = tableFromIPC<{ value: Float64 }>(bytes).getChild('value');
  const values = Float64Array.from(column?.toArray() ?? []);
  return { run: () => sum(values), digest: (total) => digestValues([total]) } satisfies Arm<number>;
}

function sum(values: Float64Array): number {
  let total = 0;
  const { length } = values;
  for (let i = 0; i < length; i++) total += values[i] ?? 0;
  return total;
}
