import { setImmediate } from 'node:timers/promises';
import type { Arm, Repetition } from './suite.ts';

/** Shortest time of a measurement: below it, the clock and the call of the arm would count. */
const MIN_MS = 30;

/** An arm is warm after this many runs and this time, or after the limit, which only arms reach whose runs are long. */
const WARM_RUNS = 12;
const WARM_MS = 200;
const WARM_LIMIT_MS = 1500;

/** Short runs are made for this time between a collection and a measurement; long ones would only leave garbage. */
const REWARM_MS = 150;
const SHORT_MS = 10;

/** Runs from this time on are not preceded by one that is not timed: what an idle process lost is made good in a part of it. */
const LONG_MS = 1000;

/** One measurement of an arm. */
export interface Timing {
  readonly iterations: number;
  /** Of one iteration, rounded to the nanosecond. */
  readonly ms: number;
  /** Processor time of one iteration, likewise. */
  readonly cpuMs: number;
}

/** Runs an arm: to warm it up, to take its time, and to get the digest of a result that was timed. */
export class Stopwatch {
  readonly #arm: Arm;
  #result: unknown;
  /** Of one of the last measurement's runs. */
  #runMs: number | undefined;

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

  /**
   * Times the arm, warm: as many iterations as `MIN_MS` needs, in a heap without the garbage of earlier measurements. One
   * run that is not timed comes first, unless runs are long: while other arms were measured, this process was idle and its
   * memory went cold.
   */
  async measure(): Promise<Timing> {
    const arm = this.#arm;
    // A turn of the event loop, in which the process of a parent that has gone ends.
    await setImmediate();
    await arm.prepare?.();
    await this.#release();
    if (this.#runMs === undefined || this.#runMs < LONG_MS) this.#result = await arm.run();
    await this.#release();
    globalThis.gc?.();
    if (this.#runMs !== undefined && this.#runMs < SHORT_MS) await this.#rewarm();
    await this.#release();
    const { iterations, elapsedMs, cpuMs, result } = await (arm.repeat?.(MIN_MS) ?? this.#repeat());
    this.#result = result;
    this.#runMs = elapsedMs / iterations;
    return {
      iterations,
      ms: Number(this.#runMs.toFixed(6)),
      cpuMs: Number((cpuMs / iterations).toFixed(6)),
    };
  }

  async #repeat(): Promise<Repetition<unknown>> {
    const arm = this.#arm;
    let iterations = 0;
    let elapsedMs = 0;
    const before = process.cpuUsage();
    do {
      await this.#release();
      const start = performance.now();
      const result = arm.run();
      this.#result = result instanceof Promise ? await result : result;
      elapsedMs += performance.now() - start;
      iterations++;
    } while (elapsedMs < MIN_MS);
    const { user, system } = process.cpuUsage(before);
    return { iterations, elapsedMs, cpuMs: (user + system) / 1000, result: this.#result };
  }

  /** The collection drops code that was compiled for objects of which none is alive: here it is made again. */
  async #rewarm(): Promise<void> {
    const end = performance.now() + REWARM_MS;
    do {
      await this.#release();
      this.#result = await this.#arm.run();
    } while (performance.now() < end);
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
