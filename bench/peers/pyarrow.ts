/** pyarrow's arms of the suite `ipc`: a Python process that works when it is told to and takes the time itself. */
import { fileURLToPath } from 'node:url';
import { digestValues } from '../harness/digest.ts';
import type { Arm } from '../harness/suite.ts';
import { OutsideProcess } from './outside-process.ts';

/** What was read last. */
interface Answer {
  readonly rows: number;
  /** Of the column `value`, not timed. */
  readonly sum: number;
}

/** `cell` is one of `decode-none` and `decode-full`, which read the stream of the file at `path` from memory. */
export function openArm(cell: string, path: string): Arm {
  const python = process.env.RECURVE_PYTHON;
  if (python === undefined) throw new RangeError('RECURVE_PYTHON names no interpreter with pyarrow');
  const script = fileURLToPath(new URL('pyarrow_ipc.py', import.meta.url));
  const child = new OutsideProcess(python, ['-B', script, cell, path], { name: 'pyarrow' });
  return { ...child.arm<Answer>(), digest: ({ rows, sum }) => digestValues([rows, sum]) } satisfies Arm<Answer>;
}
