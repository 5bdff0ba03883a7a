import { type ChildProcess, fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { RecurveError } from 'recurve/arrow';
import type { Timing } from './measure.ts';
import type { Cell, Input, Suite } from './suite.ts';

/** What an arm's process opens. */
export interface ArmAddress {
  /** {@link Suite.module}. */
  readonly module: string;
  readonly cell: string;
  readonly arm: string;
  readonly input: Input;
}

export type Request = 'warm-up' | 'measure' | 'digest' | 'close';

export interface Reply {
  readonly value: Timing | string | null;
  /** Stack of what the arm threw. */
  readonly error?: string;
}

const worker = fileURLToPath(new URL('../worker.ts', import.meta.url));

/** Runs source as the command does, whatever started this process, and lets the arm empty its heap between measurements. */
const execArgv: string[] = ['--conditions=recurve-source', '--import', import.meta.resolve('tsx'), '--expose-gc'];

/**
 * A process with one arm: a heap and compiled code that no other arm has touched. The caller hands out the turns, so that
 * no two arms run at the same time while times are taken.
 */
export class ArmProcess {
  readonly #name: string;
  readonly #child: ChildProcess;
  #pending: { resolve(reply: Reply): void; reject(error: unknown): void } | undefined;
  #ended: Error | undefined;

  private constructor(name: string, child: ChildProcess) {
    this.#name = name;
    this.#child = child;
    child.on('message', (reply: Reply) => {
      const pending = this.#pending;
      this.#pending = undefined;
      if (reply.error === undefined) pending?.resolve(reply);
      else pending?.reject(failure(name, reply.error));
    });
    const end = (what: string): void => {
      this.#ended ??= new RecurveError('INTERNAL', `the process of ${name} ended early: ${what}`);
      this.#pending?.reject(this.#ended);
      this.#pending = undefined;
    };
    child.on('error', (error) => end(error.message));
    child.on('exit', (code, signal) => end(signal ?? `exit code ${code}`));
  }

  /** Starts the process and opens the arm in it. Throws INTERNAL with the arm's own message when that fails. */
  static async start(suite: Suite, cell: Cell, arm: string, input: Input): Promise<ArmProcess> {
    const address: ArmAddress = { module: suite.module, cell: cell.name, arm, input };
    const child = fork(worker, [JSON.stringify(address)], {
      execArgv: [...execArgv, ...(cell.nodeFlags ?? [])],
      env: { ...process.env, ...suite.env },
      // Standard output is the command's own, so what an arm prints goes to standard error.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    const started = new ArmProcess(`arm ${arm} of ${suite.name}/${cell.name}`, child);
    try {
      await started.#reply();
    } catch (error) {
      await started.stop();
      throw error;
    }
    return started;
  }

  async warmUp(): Promise<void> {
    await this.#ask('warm-up');
  }

  async measure(): Promise<Timing> {
    return (await this.#ask('measure')).value as Timing;
  }

  /** Empty for a floor. */
  async digest(): Promise<string> {
    return (await this.#ask('digest')).value as string;
  }

  /** Closes the arm and ends the process. */
  async close(): Promise<void> {
    await this.#ask('close');
    await this.stop();
  }

  /** Ends the process, whatever it is doing. Harmless when it has ended. */
  async stop(): Promise<void> {
    const { pid, exitCode, signalCode } = this.#child;
    if (pid === undefined || exitCode !== null || signalCode !== null) return;
    const exited = new Promise((resolve) => this.#child.once('exit', resolve));
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill('SIGKILL'), 2000);
    await exited;
    clearTimeout(timer);
  }

  async #ask(request: Request): Promise<Reply> {
    if (this.#ended !== undefined) throw this.#ended;
    const reply = this.#reply();
    this.#child.send(request);
    return reply;
  }

  #reply(): Promise<Reply> {
    if (this.#pending !== undefined) throw new RecurveError('INTERNAL', `${this.#name} is asked while it works`);
    return new Promise((resolve, reject) => {
      this.#pending = { resolve, reject };
    });
  }
}

function failure(name: string, stack: string): RecurveError {
  const cause = new Error(stack.split('\n', 1)[0]);
  cause.stack = stack;
  return new RecurveError('INTERNAL', `${name} failed: ${cause.message}`, { cause });
}
