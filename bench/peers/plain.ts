/** The suite `ipc` without a library: sums over one plain `Float64Array`, a bare copy. What the machine can do. */
import { type Float64, tableFromIPC } from 'apache-arrow';
import { digestValues } from '../harness/digest.ts';
import { freeBuffer } from '../harness/free-buffer.ts';
import type { Arm } from '../harness/suite.ts';

export function openArm(bytes: Uint8Array): Arm {
  const column = tableFromIPC<{ value: Float64 }>(bytes).getChild('value');
  const values = Float64Array.from(column?.toArray() ?? []);
  return { run: () => sum(values), digest: (total) => digestValues([total]) } satisfies Arm<number>;
}

/** The stream's bytes in one new buffer, whose memory is not cleared first. */
export function openCopyArm(bytes: Uint8Array): Arm {
  const copy = (): Uint8Array => {
    const target = new Uint8Array(Buffer.allocUnsafeSlow(bytes.length).buffer);
    target.set(bytes);
    return target;
  };
  return { run: copy, release: freeBuffer } satisfies Arm<Uint8Array>;
}

function sum(values: Float64Array): number {
  let total = 0;
  const { length } = values;
  for (let i = 0; i < length; i++) total += values[i] ?? 0;
  return total;
}
