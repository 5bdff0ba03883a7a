import { Column, type ColumnLayout } from '../column.ts';

/** Runs of equal values. `at` gives the value of the run that the index falls into, made once a run when read in order. */
export class RunEndEncodedColumn extends Column {
  /** Ends of the runs, counted from `runOffset` values before the column. */
  declare readonly runEnds: ArrayLike<number | bigint>;
  /** A value a run. */
  declare readonly values: Column;
  readonly runOffset: number = 0;
  #run = 0;
  #valueRun = -1;
  #value: unknown = null;

  constructor(layout: ColumnLayout) {
    super(layout);
    const [runEnds, values] = layout.children ?? [];
    if (runEnds === undefined || values === undefined)
      throw new TypeError('a run-end-encoded column needs two children');
    this.runEnds = runEnds.layout.values as ArrayLike<number | bigint>;
    this.values = values;
    this.runOffset = layout.runOffset ?? 0;
  }

  /** Position in `values` of the value at `index`. */
  runAt(index: number): number {
    const at = index + this.runOffset;
    const run = this.#run;
    if (at < this.#end(run) && (run === 0 || at >= this.#end(run - 1))) return run;
    if (at >= this.#end(run) && at < this.#end(run + 1)) return ++this.#run;
    let low = 0;
    let high = this.runEnds.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#end(middle) <= at) low = middle + 1;
      else high = middle;
    }
    this.#run = low;
    return low;
  }

  #end(run: number): number {
    return Number(this.runEnds[run] ?? 0);
  }

  at(index: number): unknown {
    if (!(index >= 0 && index < this.length)) return null;
    const run = this.runAt(index);
    if (run !== this.#valueRun) {
      this.#value = this.values.at(run);
      this.#valueRun = run;
    }
    return this.#value;
  }

  override copyTo(out: unknown[], place = 0, start = 0, end: number = this.length): void {
    const shift = place - start;
    for (let i = start; i < end; ) {
      const value = this.at(i);
      const stop = Math.min(end, Math.max(i + 1, this.#end(this.#run) - this.runOffset));
      while (i < stop) out[shift + i++] = value;
    }
  }
}
