import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { digestValues } from '../../bench/harness/digest.ts';
import type { Arm, Input, Repetition, Suite } from '../../bench/harness/suite.ts';

const VALUES = [3, 1, 2];

/** A suite that takes no time: cells of every outcome a run can have. */
export const suite: Suite = {
  name: 'fixture',
  question: 'does the harness work?',
  module: import.meta.url,
  rounds: 4,
  processSets: 3,
  env: { RECURVE_BENCH_FIXTURE: 'set' },
  cells: [
    { name: 'equal', about: 'same values', arms: ['recurve', 'reversed', 'touch'], floors: ['touch'] },
    { name: 'wrong', about: 'one arm loses a value', arms: ['recurve', 'lossy'] },
    { name: 'failing', about: 'one arm throws', arms: ['recurve', 'thrower'] },
    { name: 'dying', about: 'one process ends', arms: ['recurve', 'leaver'] },
    { name: 'busy', about: 'an arm that works and one that waits', arms: ['recurve', 'sleeper', 'clock'], cpu: true },
    { name: 'silent', about: 'an arm without a digest that is no floor', arms: ['recurve', 'touch'] },
  ],
  async versions() {
    return { peer: '1.2.3' };
  },
  absent: { unicorn: 'there are none' },
  async prepare({ folder }: Input, cells: readonly string[]) {
    writeFileSync(join(folder, 'prepared'), '');
    console.error(`prepared ${cells.join()}`);
  },
  async cleanUp({ folder }: Input) {
    console.error(`cleaned up, ${existsSync(join(folder, 'prepared')) ? 'the folder still there' : 'too late'}`);
  },
  async openArm(_cell: string, name: string): Promise<Arm> {
    if (process.env.RECURVE_BENCH_FIXTURE !== 'set') throw new Error("the suite's environment is missing");
    console.log(`${name} prints; process ${process.pid}`);
    if (name === 'sleeper') return { run: () => sleep(), digest: digestValues } as Arm;
    if (name === 'clock') return { ...clock, digest: digestValues } as Arm;
    return { run: () => runArm(name), ...(name === 'touch' ? {} : { digest: digestValues }) } as Arm;
  },
};

function runArm(name: string): number[] {
  switch (name) {
    case 'reversed':
      return VALUES.toReversed();
    case 'lossy':
      return VALUES.slice(1);
    case 'thrower':
      throw new TypeError('no such luck');
    case 'leaver':
      process.exit(7);
      break;
    default:
      return [...VALUES];
  }
}

/** Takes time and no processor. */
async function sleep(): Promise<number[]> {
  await setTimeout(50);
  return [...VALUES];
}

/** Another process's clocks. */
const clock = {
  run: () => VALUES,
  repeat: async (leastMs: number): Promise<Repetition<number[]>> => ({
    iterations: 4,
    elapsedMs: leastMs * 4,
    cpuMs: 8,
    result: VALUES,
  }),
};
