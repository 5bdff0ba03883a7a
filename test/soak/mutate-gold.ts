/**
 * Reads random mutations of arrow-testing's gold files with full validation: each ends in a table whose values can all be
 * read, or in one of our errors; none crashes, hangs, takes over a second or 64 MB. Ten million take about six minutes on two cores.
 *
 *     ARROW_TEST_DATA=… node --conditions=recurve-source --import tsx test/soak/mutate-gold.ts [RESULT.json] [COUNT] [SECONDS]
 *
 * The result file (default `mutate-gold.json`) holds the commit, how many mutations are done (they are numbered, and each is
 * always the same), what they came to, and the faults. Run again after an interruption, it goes on; at another commit it
 * starts anew.
 */
import { type ChildProcess, execFileSync, fork } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { News, Work } from './gold-mutation-worker.ts';

const root = process.env.ARROW_TEST_DATA ?? '';
if (!existsSync(root)) throw new Error('ARROW_TEST_DATA names no arrow-testing data');
const [resultPath = 'mutate-gold.json', count = '10000000', seconds = 'Infinity'] = process.argv.slice(2);

/** Mutations that a process is given at a time, and the longest silence of one that is no hang. */
const share = 5000;
const maxSilenceMs = 20_000;

interface Record {
  readonly commit: string;
  readonly node: string;
  /** All mutations below this number are done. */
  done: number;
  readonly outcomes: { [outcome: string]: number };
  slowestMs: number;
  readonly faults: string[];
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const commit = `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--', 'src') === '' ? '' : ' (changed)'}`;

function readRecord(): Record {
  const empty = { commit, node: process.version, done: 0, outcomes: {}, slowestMs: 0, faults: [] };
  if (!existsSync(resultPath)) return empty;
  const record = JSON.parse(readFileSync(resultPath, 'utf8')) as Record;
  return record.commit === commit ? record : empty;
}

const record = readRecord();
const worker = fileURLToPath(new URL('./gold-mutation-worker.ts', import.meta.url));

function startWorker(): ChildProcess {
  return fork(worker, [root], {
    execArgv: ['--conditions=recurve-source', '--import', 'tsx', '--max-old-space-size=256'],
  });
}

/** Has a process do its share; where it hangs or dies, that is a fault, and the mutations it did not tell of are lost. */
function run(child: ChildProcess, work: Work): Promise<'ready' | 'gone'> {
  return new Promise((resolve) => {
    let at = work.from;
    let timer: NodeJS.Timeout | undefined;
    const end = (state: 'ready' | 'gone'): void => {
      clearTimeout(timer);
      child.removeAllListeners();
      resolve(state);
    };
    const lost = (what: string): void => {
      record.faults.push(`one of the mutations ${at} to ${at + 99}: ${what}`);
      end('gone');
    };
    const wait = (): void => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        child.removeAllListeners();
        child.kill('SIGKILL');
        lost('it hangs');
      }, maxSilenceMs);
    };
    child.on('exit', (code, signal) => lost(`the process ended with ${signal ?? code}`));
    child.on('message', (news: News) => {
      wait();
      if ('at' in news) at = news.at;
      else if ('fault' in news) record.faults.push(news.fault);
      else {
        for (const [outcome, n] of Object.entries(news.outcomes)) {
          record.outcomes[outcome] = (record.outcomes[outcome] ?? 0) + n;
        }
        record.slowestMs = Math.max(record.slowestMs, news.slowestMs);
        end('ready');
      }
    });
    wait();
    child.send(work);
  });
}

const end = performance.now() + Number(seconds) * 1000;
const children = Array.from({ length: availableParallelism() }, startWorker);
while (record.done < Number(count) && performance.now() < end && record.faults.length < 100) {
  const first = record.done;
  const shares = children.map((_, i) => ({
    from: Math.min(first + i * share, Number(count)),
    to: Math.min(first + (i + 1) * share, Number(count)),
  }));
  const states = await Promise.all(children.map((child, i) => run(child, shares[i] as Work)));
  states.forEach((state, i) => {
    if (state === 'gone') children[i] = startWorker();
  });
  record.done = shares.at(-1)?.to ?? first;
  writeFileSync(resultPath, `${JSON.stringify(record, null, 2)}\n`);
}
for (const child of children) child.disconnect();
console.log(`${record.done} mutations: ${JSON.stringify(record.outcomes)}, slowest ${record.slowestMs.toFixed(1)} ms`);
if (record.faults.length > 0) {
  console.error(record.faults.join('\n'));
  process.exitCode = 1;
}
