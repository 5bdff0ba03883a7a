import { existsSync } from 'node:fs';
import { RecurveError } from '../error.ts';
import type { Arguments } from './argument.ts';

const benchMain = new URL('../../bench/main.ts', import.meta.url);

/** `recurve bench`: hands its arguments to the benchmarks, which only a checkout of the source has. */
export async function bench(args: Arguments, main: URL = benchMain): Promise<number> {
  if (!existsSync(main)) {
    throw new RecurveError('NOT_FOUND', 'the benchmarks are not part of the installed package', {
      hint: 'run ./recurve bench in a checkout of the source',
      exitCode: 2,
    });
  }
  const { run } = (await import(main.href)) as { run(args: readonly string[]): Promise<number> };
  return run(args.operands);
}
