/** `recurve bench`: see `docs/bench.md`. */
import { randomInt } from 'node:crypto';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { RecurveError } from 'recurve/arrow';
import { readEnvironment } from './harness/environment.ts';
import { ProgressLine } from './harness/progress-line.ts';
import { writeRecord } from './harness/record.ts';
import { formatTable, makeReport } from './harness/report.ts';
import { runSuite } from './harness/run.ts';
import type { Cell, Suite } from './harness/suite.ts';
import { summarize } from './harness/summary.ts';
import { verifyRecord } from './harness/verify.ts';

const usage = `Usage: recurve bench SUITE [--cell CELL]... [--arm ARM]... [--rounds N] [--seed N] [--quick] [--out DIR] [--json]
       recurve bench list
       recurve bench verify DIR

Measures recurve against its peers and prints medians and paired ratios.

  --cell CELL   only this cell; may be repeated
  --arm ARM     only this arm; may be repeated
  --rounds N    measure every arm N times instead of as often as the suite says
  --seed N      of the shuffles and the resampling; default random, and recorded
  --quick       small data and two rounds: shows that all works, the figures mean nothing
  --out DIR     write raw.csv, summary.csv, env.json and SHA256SUMS there
  --json        print one JSON object instead of the table

Example: recurve bench ipc --cell strings --cell rows --out results
`;

const suites: Readonly<Record<string, () => Promise<{ suite: Suite }>>> = {
  ipc: () => import('./ipc.ts'),
  duckdb: () => import('./duckdb.ts'),
  ingest: () => import('./ingest.ts'),
  postgres: () => import('./postgres.ts'),
};

/**
 * Runs the command with the arguments after `bench` and returns its exit code: 0 when all went well, 1 when results
 * differ between arms or a record does not verify. Throws INVALID_ARGUMENT (exit code 2) for wrong usage, and what an arm
 * throws. Writes figures to standard output and nothing else there.
 */
export async function run(args: string[]): Promise<number> {
  const { values: flags, positionals } = parse(args);
  const [command, ...rest] = positionals;
  if (flags.help === true) {
    process.stdout.write(usage);
    return 0;
  }
  if (command === undefined) throw wrongUsage('bench needs the name of a suite');
  if (command === 'verify') return verify(rest);
  if (rest.length > 0) throw wrongUsage(`bench ${command} takes no ${JSON.stringify(rest[0])}`);
  if (command === 'list') return list();
  const load = Object.hasOwn(suites, command) ? suites[command] : undefined;
  if (load === undefined) {
    throw wrongUsage(`no suite ${JSON.stringify(command)} among ${Object.keys(suites).join(', ')}`);
  }
  const { suite } = await load();
  return benchSuite(suite, {
    cells: flags.cell ?? [],
    arms: flags.arm ?? [],
    rounds: parseCount('--rounds', flags.rounds, 1),
    seed: parseCount('--seed', flags.seed, 0),
    quick: flags.quick === true,
    out: flags.out,
    json: flags.json === true,
  });
}

function parse(args: string[]) {
  try {
    return parseArgs({
      args,
      allowPositionals: true,
      options: {
        cell: { type: 'string', multiple: true },
        arm: { type: 'string', multiple: true },
        rounds: { type: 'string' },
        seed: { type: 'string' },
        quick: { type: 'boolean' },
        out: { type: 'string' },
        json: { type: 'boolean' },
        help: { type: 'boolean', short: 'h' },
      },
    });
  } catch (error) {
    throw wrongUsage(error instanceof Error ? error.message : String(error));
  }
}

function wrongUsage(message: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', message, {
    exitCode: 2,
    hint: 'recurve bench --help shows what there is',
  });
}

function parseCount(flag: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < least || value > 2 ** 31) {
    throw wrongUsage(`${flag} is ${JSON.stringify(text)} instead of a whole number from ${least} to 2^31`);
  }
  return value;
}

async function verify(folders: readonly string[]): Promise<number> {
  const [folder, ...more] = folders;
  if (folder === undefined || more.length > 0) throw wrongUsage(`bench verify takes one folder, not ${folders.length}`);
  const problems = await verifyRecord(resolve(folder));
  for (const problem of problems) process.stderr.write(`${problem}\n`);
  process.stdout.write(problems.length === 0 ? `${folder}: verified\n` : `${folder}: ${problems.length} problems\n`);
  return problems.length === 0 ? 0 : 1;
}

async function list(): Promise<number> {
  for (const load of Object.values(suites)) {
    const { suite } = await load();
    process.stdout.write(`${suite.name}: ${suite.question}\n`);
    for (const line of absentArms(suite)) process.stdout.write(`    ${line}\n`);
    for (const cell of suite.cells) {
      const arms = cell.arms.map((arm) => (cell.floors?.includes(arm) === true ? `${arm} (floor)` : arm));
      const about = cell.cpu === true ? `${cell.about}; processor time as ${cell.name}-cpu` : cell.about;
      process.stdout.write(`  ${cell.name.padEnd(18)}${about}\n${' '.repeat(20)}${arms.join(', ')}\n`);
    }
  }
  return 0;
}

/** What {@link benchSuite} is asked for. */
export interface BenchOptions {
  /** Names; empty for all. */
  readonly cells: readonly string[];
  /** Names; empty for all. */
  readonly arms: readonly string[];
  readonly rounds?: number | undefined;
  readonly seed?: number | undefined;
  readonly quick: boolean;
  /** Folder for the record; none is written without. */
  readonly out?: string | undefined;
  readonly json: boolean;
}

/** Runs a suite and prints its figures. Returns 1 when results differ between the arms of a cell, else 0. */
export async function benchSuite(suite: Suite, options: BenchOptions): Promise<number> {
  const { quick, out } = options;
  const seed = options.seed ?? randomInt(2 ** 31);
  const selected = selectCells(suite, options);
  for (const line of absentArms(suite)) process.stderr.write(`bench ${suite.name}: ${line}\n`);
  const env = await readEnvironment(suite, seed, quick);
  const line = new ProgressLine(process.stderr);
  const { rounds } = options;
  const measurements = await runSuite(suite, {
    cells: selected,
    rounds,
    seed,
    quick,
    onProgress: (progress) => line.update(progress),
  }).finally(() => line.end());
  const cells = summarize(measurements, seed);
  if (out !== undefined) await writeRecord(resolve(out), measurements, cells, { ...env });
  process.stdout.write(
    options.json ? `${JSON.stringify(makeReport(suite.name, env, cells), null, 2)}\n` : formatTable(cells),
  );
  const differing = cells.filter(({ digestsEqual }) => !digestsEqual);
  for (const { cell } of differing) process.stderr.write(`error: ${suite.name} ${cell}: the arms' results differ\n`);
  return differing.length === 0 ? 0 : 1;
}

function absentArms({ absent = {} }: Suite): string[] {
  return Object.entries(absent).map(([arm, reason]) => `no arm ${arm}: ${reason}`);
}

function selectCells(suite: Suite, { cells, arms }: BenchOptions): Cell[] {
  const cellNames = suite.cells.map(({ name }) => name);
  const armNames = [...new Set(suite.cells.flatMap((cell) => cell.arms))];
  requireKnown('cell', cells, cellNames, suite);
  requireKnown('arm', arms, armNames, suite);
  const selected = suite.cells
    .filter(({ name }) => cells.length === 0 || cells.includes(name))
    .map((cell) => ({ ...cell, arms: cell.arms.filter((arm) => arms.length === 0 || arms.includes(arm)) }))
    .filter((cell) => cell.arms.length > 0);
  if (selected.length === 0)
    throw wrongUsage(`no cell of ${suite.name} has the arms ${arms.join(', ')} and these names`);
  return selected;
}

function requireKnown(kind: string, names: readonly string[], known: readonly string[], suite: Suite): void {
  for (const name of names) {
    const reason = suite.absent?.[name];
    if (kind === 'arm' && reason !== undefined) throw wrongUsage(`${suite.name} has no arm ${name} here: ${reason}`);
    if (!known.includes(name))
      throw wrongUsage(`${suite.name} has no ${kind} ${JSON.stringify(name)} among ${known.join(', ')}`);
  }
}
