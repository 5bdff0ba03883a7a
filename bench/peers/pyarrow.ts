/** pyarrow's arms of the suite `ipc`: a Python process that works when it is told to and takes the time itself. */
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { RecurveError } from 'recurve/arrow';
import { digestValues } from '../harness/digest.ts';
import type { Arm } from '../harness/suite.ts';

/** What one run of the Python process answers. */
interface Answer {
  readonly ms: number;
  readonly rows: number;
  /** Of the column `value`, not timed. */
  readonly sum: number;
}

/** `cell` is one of `decode-none` and `decode-full`, which read the stream of the file at `path` from memory. */
export function openArm(cell: string, path: string): Arm {
  const python = process.env.RECURVE_PYTHON;
  if (python === undefined) throw new RangeError('RECURVE_PYTHON names no interpreter with pyarrow');
  const script = fileURLToPath(new URL('pyarrow_ipc.py', import.meta.url));
  const child = spawn(python, [script, cell, path], { stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async run() {
      child.stdin.write('run\n');
      const { done, value } = await lines.next();
      if (done === true) throw new RecurveError('INTERNAL', 'the Python process ended');
      return JSON.parse(value) as Answer;
    },
    elapsedMs: ({ ms }) => ms,
    digest: ({ rows, sum }) => digestValues([rows, sum]),
    close: () => {
      child.stdin.end();
    },
  } satisfies Arm<Answer>;
}
