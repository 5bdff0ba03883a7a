import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RecurveError } from 'recurve/arrow';
import { ArmProcess } from './arm-process.ts';
import { deriveSeed, Random } from './random.ts';
import type { Cell, Input, Measurement, Suite } from './suite.ts';

export interface RunOptions {
  /** Cells with the arms to run, in order. */
  readonly cells: readonly Cell[];
  /** Rounds of every cell; default the suite's or cell's own. */
  readonly rounds?: number | undefined;
  /** Of the shuffles. */
  readonly seed: number;
  readonly quick: boolean;
  /** Told before each round, and when a cell is done. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

export interface Progress {
  readonly suite: string;
  readonly cell: string;
  /** From 1. */
  readonly cellNumber: number;
  readonly cellCount: number;
  /** From 1; 0 while arms are opened and warmed up, `rounds` + 1 when the cell is done. */
  readonly round: number;
  readonly rounds: number;
}

/** Rounds of a quick run. */
const QUICK_ROUNDS = 2;

function roundsOf(suite: Suite, cell: Cell, options: Pick<RunOptions, 'rounds' | 'quick'>): number {
  return options.rounds ?? (options.quick ? QUICK_ROUNDS : (cell.rounds ?? suite.rounds));
}

/** Runs cells of a suite and returns every measurement. Throws what an arm throws. */
export async function runSuite(suite: Suite, options: RunOptions): Promise<Measurement[]> {
  const folder = await mkdtemp(join(tmpdir(), 'recurve-bench-'));
  const input: Input = { folder, quick: options.quick };
  try {
    const names = options.cells.map(({ name }) => name);
    await suite.prepare(input, names);
    const measurements: Measurement[] = [];
    for (const [index, cell] of options.cells.entries()) {
      const rounds = roundsOf(suite, cell, options);
      const tell = (round: number): void =>
        options.onProgress?.({
          suite: suite.name,
          cell: cell.name,
          cellNumber: index + 1,
          cellCount: options.cells.length,
          round,
          rounds,
        });
      const random = new Random(deriveSeed(options.seed, cell.name));
      measurements.push(...(await runCell(suite, cell, input, rounds, random, tell)));
      tell(rounds + 1);
    }
    return measurements;
  } finally {
    try {
      await suite.cleanUp?.(input);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
}

async function runCell(
  suite: Suite,
  cell: Cell,
  input: Input,
  rounds: number,
  random: Random,
  tell: (round: number) => void,
): Promise<Measurement[]> {
  const measurements: Measurement[] = [];
  const sets = input.quick ? 1 : Math.min(suite.processSets, rounds);
  for (let set = 1, first = 1; set <= sets; set++) {
    const end = 1 + Math.round((rounds * set) / sets);
    tell(0);
    measurements.push(...(await runSet({ suite, cell, input, process: set, first, end, random, tell })));
    first = end;
  }
  return measurements;
}

interface SetPlan {
  readonly suite: Suite;
  readonly cell: Cell;
  readonly input: Input;
  /** Number of the set. */
  readonly process: number;
  /** The rounds from `first` up to but not including `end`. */
  readonly first: number;
  readonly end: number;
  readonly random: Random;
  tell(round: number): void;
}

/** Opening, warming up and digesting are not timed, so the arms do them side by side; a measurement has the machine alone. */
async function runSet({ suite, cell, input, process, first, end, random, tell }: SetPlan): Promise<Measurement[]> {
  const arms: { name: string; worker: ArmProcess }[] = [];
  try {
    const opened = await Promise.allSettled(
      cell.arms.map(async (name) => {
        const worker = await ArmProcess.start(suite, cell, name, input);
        arms.push({ name, worker });
        await worker.warmUp();
      }),
    );
    for (const result of opened) if (result.status === 'rejected') throw result.reason;
    arms.sort((a, b) => cell.arms.indexOf(a.name) - cell.arms.indexOf(b.name));

    const timings: Omit<Measurement, 'digest'>[] = [];
    for (let round = first; round < end; round++) {
      tell(round);
      for (const { name: arm, worker } of random.shuffle(arms)) {
        const { iterations, ms, cpuMs } = await worker.measure();
        const timing = { suite: suite.name, cell: cell.name, arm, round, process, iterations, ms };
        timings.push(timing);
        if (cell.cpu === true) timings.push({ ...timing, cell: `${cell.name}-cpu`, ms: cpuMs });
      }
    }
    const digests = new Map<string, string>();
    await Promise.all(
      arms.map(async ({ name, worker }) => {
        const digest = await worker.digest();
        if ((digest === '') !== (cell.floors?.includes(name) === true)) {
          throw new RecurveError(
            'INTERNAL',
            `arm ${name} of ${suite.name}/${cell.name} must have a digest or be a floor, not both`,
          );
        }
        digests.set(name, digest);
      }),
    );
    await Promise.all(arms.map(({ worker }) => worker.close()));
    return timings.map((timing) => ({ ...timing, digest: digests.get(timing.arm) ?? '' }));
  } finally {
    await Promise.all(arms.map(({ worker }) => worker.stop()));
  }
}
