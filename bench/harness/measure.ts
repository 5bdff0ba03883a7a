import { setImmediate } from 'node:timers/promises';
import type { Arm } from './suite.ts';

/** Shortest time of a measurement: below it, the clock and the call of the arm would count. */
const MIN_MS = 30;

/** An arm is warm after this many runs and this time, or after the limit, which only arms reach whose runs are long. */
const WARM_RUNS = 12;
const WARM_MS = 200;
const WARM_LIMIT_MS = 1500;

/** Runs after a collection and before a measurement last this long; at least one. */
const REWARM_MS = 40;

/** One measurement of an arm. */
export interface Timing {
  readonly iterations: number;
  /** Of one iteration, rounded to the nanosecond. */
  readonly ms: number;
}

/** Runs an arm: to warm it up, to take its time, and to get the digest of a result that was timed. */
export class Stopwatch {
  readonly #arm: Arm;
  #result: unknown;

  constructor(arm: Arm) {
    this.#arm = arm;
  }

  /** Runs the arm until the compiler and the heap have settled. */
  async warmUp(): Promise<void> {
    const start = performance.now();
    for (let runs = 0, elapsed = 0; elapsed < WARM_LIMIT_MS && (runs < WARM_RUNS || elapsed < WARM_MS); ) {
      runs += (await this.measure()).iterations;
      elapsed = performance.now() - start;
    }
  }

  /** Times the arm, warm: as many iterations as `MIN_MS` needs, in a heap without the garbage of earlier measurements. */
  async measure(): Promise<Timing> {
    const arm = this.#arm;
    // A turn of the event loop, in which the process of a parent that has gone ends.
    await setImmediate();
    await arm.prepare?.();
    await this.#release();
    globalThis.gc?.();
    // The collection drops code that was compiled for objects of which none is alive: it is made again before time is taken.
    const rewarmed = performance.now() + REWARM_MS;
    do {
      await this.#release();
      this.#result = await arm.run();
    } while (performance.now() < rewarmed);
    let iterations = 0;
    let elapsed = 0;
    do {
      await this.#release();
      const start = performance.now();
      const result = arm.run();
      this.#result = result instanceof Promise ? await result : result;
      elapsed += performance.now() - start;
      iterations++;
    } while (elapsed < MIN_MS);
    return { iterations, ms: Number((elapsed / iterations).toFixed(6)) };
  }

  async #release(): Promise<void> {
    const { release } = this.#arm;
    if (release !== undefined && this.#result !== undefined) {
      release(this.#result);
      await setImmediate();
    }
    this.#result = undefined;
  }

  /** The digest of the last result that was timed; empty for a floor. */
  async digest(): Promise<string> {
    return this.#arm.digest === undefined ? '' : this.#arm.digest(this.#result);
  }
}
