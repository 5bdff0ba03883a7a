import { type ChildProcess, spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { RecurveError } from 'recurve/arrow';
import type { Arm, Repetition } from '../harness/suite.ts';

/** What an outside process answers to `run`. */
interface Answer {
  readonly iterations: number;
  readonly elapsedMs: number;
  readonly cpuMs: number;
}

/**
 * An arm in another language: a process that takes one request a line and answers each with one line of JSON. `run MS`
 * does the work again and again for at least that time and gives `{iterations, elapsedMs, cpuMs}` by its own clocks, and
 * whatever the digest is made of; other requests are the arm's own.
 */
export class OutsideProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  readonly #lines: AsyncIterator<string>;
  readonly #ask: (line: string) => void;

  constructor(command: string, args: readonly string[], { name }: { readonly name: string }) {
    const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });
    child.on('error', () => {});
    child.stdin.on('error', () => {});
    this.#name = name;
    this.#child = child;
    this.#lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    this.#ask = (line) => child.stdin.write(`${line}\n`);
  }

  /** Throws INTERNAL when the process has ended: it said why on standard error. */
  async ask(line: string): Promise<unknown> {
    this.#ask(line);
    const { done, value } = await this.#lines.next();
    if (done === true) throw new RecurveError('INTERNAL', `the process of ${this.#name} ended`);
    return JSON.parse(value);
  }

  /** The parts of an arm that this process does. `A` is what it answers to `run`. */
  arm<A>(): Required<Pick<Arm<A>, 'run' | 'repeat' | 'close'>> {
    const run = async (leastMs: number): Promise<A & Answer> => (await this.ask(`run ${leastMs}`)) as A & Answer;
    return {
      run: () => run(0),
      repeat: async (leastMs): Promise<Repetition<A>> => {
        const result = await run(leastMs);
        const { iterations, elapsedMs, cpuMs } = result;
        return { iterations, elapsedMs, cpuMs, result };
      },
      close: () => {
        this.#child.stdin?.end();
      },
    };
  }
}
