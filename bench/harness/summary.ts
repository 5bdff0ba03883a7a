import { deriveSeed, Random } from './random.ts';
import { bootstrapMedian, type Interval, type Spread, spread } from './statistics.ts';
import type { Measurement } from './suite.ts';

export interface ArmSummary extends Spread {
  /** Of every figure but `n`. */
  readonly unit: 'ms';
  /** It only touches bytes and so has no digest. */
  readonly floor: boolean;
}

/** Of the paired ratios by round: spread, and the bootstrap interval (95 %) of their median. */
export type RatioSummary = Spread & Interval;

export interface CellSummary {
  readonly suite: string;
  readonly cell: string;
  readonly arms: ReadonlyMap<string, ArmSummary>;
  /** By `REFERENCE/ARM`, below 1 where the reference is faster. Empty when digests differ: such times do not count. */
  readonly ratios: ReadonlyMap<string, RatioSummary>;
  /** Whether all processes of all arms that have a digest gave the same. */
  readonly digestsEqual: boolean;
}

/** The arm that others are compared with, where a cell has it; else the cell's first. */
const REFERENCE = 'recurve';

/**
 * The figures of every cell. The result follows from the measurements and the seed alone, so that anyone can compute it
 * again from what a run wrote.
 */
export function summarize(measurements: readonly Measurement[], seed: number): CellSummary[] {
  const cells = groupBy(measurements, ({ suite, cell }) => `${suite}/${cell}`);
  return [...cells.values()].map((rows) => summarizeCell(rows, seed));
}

function summarizeCell(rows: readonly Measurement[], seed: number): CellSummary {
  const [first] = rows;
  if (first === undefined) throw new RangeError('a cell without measurements');
  const { suite, cell } = first;
  // Rounds are shuffled; names in order make the summary independent of it.
  const byArm = new Map([...groupBy(rows, ({ arm }) => arm)].sort(([a], [b]) => compareArms(a, b)));
  const digests = new Set(rows.map(({ digest }) => digest).filter((digest) => digest !== ''));
  const digestsEqual = digests.size <= 1;
  const arms = new Map<string, ArmSummary>();
  for (const [arm, list] of byArm) {
    const floor = list.every(({ digest }) => digest === '');
    arms.set(arm, { ...roundAll(spread(list.map(({ ms }) => ms))), unit: 'ms', floor });
  }
  const ratios = new Map<string, RatioSummary>();
  const [[reference, base] = ['', []], ...others] = byArm;
  for (const [arm, list] of digestsEqual ? others : []) {
    const name = `${reference}/${arm}`;
    const values = pairRatios(base, list);
    const interval = bootstrapMedian(values, new Random(deriveSeed(seed, `${suite}/${cell}/${name}`)));
    ratios.set(name, roundAll({ ...spread(values), ...interval }));
  }
  return { suite, cell, arms, ratios, digestsEqual };
}

function groupBy(rows: readonly Measurement[], keyOf: (row: Measurement) => string): Map<string, Measurement[]> {
  const groups = new Map<string, Measurement[]>();
  for (const row of rows) {
    const key = keyOf(row);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [row]);
    else group.push(row);
  }
  return groups;
}

function compareArms(a: string, b: string): number {
  if (a === REFERENCE || b === REFERENCE) return a === b ? 0 : a === REFERENCE ? -1 : 1;
  return a < b ? -1 : a > b ? 1 : 0;
}

/** The ratio of the two times of each round that has both. */
function pairRatios(above: readonly Measurement[], below: readonly Measurement[]): number[] {
  const byRound = new Map(below.map(({ round, ms }) => [round, ms]));
  return above.flatMap(({ round, ms }) => {
    const other = byRound.get(round);
    return other === undefined ? [] : [ms / other];
  });
}

/** Six digits: more than any clock here can tell. */
function roundAll<T extends object>(figures: T): T {
  return Object.fromEntries(Object.entries(figures).map(([key, value]) => [key, Number(value.toPrecision(6))])) as T;
}
