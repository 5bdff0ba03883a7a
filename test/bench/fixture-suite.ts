import { digestValues } from '../../bench/harness/digest.ts';
import type { Arm, Suite } from '../../bench/harness/suite.ts';

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
    { name: 'silent', about: 'an arm without a digest that is no floor', arms: ['recurve', 'touch'] },
  ],
  async versions() {
    return { peer: '1.2.3' };
  },
  async prepare() {},
  async openArm(_cell: string, name: string): Promise<Arm> {
    if (process.env.RECURVE_BENCH_FIXTURE !== 'set') throw new Error("the suite's environment is missing");
    console.log(`${name} prints; process ${process.pid}`);
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
