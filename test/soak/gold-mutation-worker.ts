/**
 * A process that reads mutations, `from` up to `to` as its parent says, and tells what they came to. Says which it is at
 * before each hundred, so that the parent knows where a hang or a crash was.
 */
import { mutate, readDamaged, readGold } from './gold-mutation.ts';

/** What the parent sends: numbers of mutations. */
export interface Work {
  readonly from: number;
  readonly to: number;
}

/** What the parent is sent. */
export type News =
  | { readonly at: number }
  | { readonly fault: string }
  | { readonly outcomes: Readonly<Record<string, number>>; readonly slowestMs: number };

const maxMs = 1000;
const maxGrowthBytes = 64e6;
const files = readGold(process.argv[2] ?? '');

function say(news: News): void {
  process.send?.(news);
}

function memoryBytes(): number {
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

function work({ from, to }: Work): void {
  const outcomes: Record<string, number> = {};
  let slowestMs = 0;
  for (let index = from; index < to; index++) {
    if ((index - from) % 100 === 0) say({ at: index });
    const bytes = mutate(files, index);
    const before = memoryBytes();
    const start = performance.now();
    try {
      const outcome = readDamaged(bytes);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    } catch (error) {
      say({ fault: `mutation ${index}: ${error instanceof Error ? error.stack : error}` });
    }
    const ms = performance.now() - start;
    slowestMs = Math.max(slowestMs, ms);
    if (ms > maxMs) say({ fault: `mutation ${index}: ${Math.round(ms)} ms` });
    const growth = memoryBytes() - before;
    if (growth > maxGrowthBytes) say({ fault: `mutation ${index}: ${Math.round(growth / 1e6)} MB` });
  }
  say({ outcomes, slowestMs });
}

process.once('disconnect', () => process.exit());
process.on('message', work);
