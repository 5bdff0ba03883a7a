import type { Progress } from './run.ts';

/** Where a progress line goes; `process.stderr` is one. */
export interface ProgressTarget {
  readonly isTTY?: boolean | undefined;
  write(text: string): unknown;
}

/** Shows how far a run is: one line that changes on a terminal, elsewhere a line for each cell that is done. */
export class ProgressLine {
  readonly #target: ProgressTarget;
  readonly #startMs = performance.now();

  constructor(target: ProgressTarget) {
    this.#target = target;
  }

  update(progress: Progress): void {
    const { suite, cell, cellNumber, cellCount, round, rounds } = progress;
    const seconds = ((performance.now() - this.#startMs) / 1000).toFixed(0);
    const where = `bench ${suite}: ${cell} (${cellNumber}/${cellCount})`;
    const done = round > rounds;
    const what = done ? 'done' : round === 0 ? 'warming up' : `round ${round}/${rounds}`;
    if (this.#target.isTTY === true) this.#target.write(`\r\u001b[K${where}, ${what}, ${seconds} s`);
    else if (done) this.#target.write(`${where}, ${what}, ${seconds} s\n`);
  }

  /** Removes the line. */
  end(): void {
    if (this.#target.isTTY === true) this.#target.write('\r\u001b[K');
  }
}
