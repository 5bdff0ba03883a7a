import type { Status } from '../status.ts';
import type { Cost } from './cost.ts';
import type { Plan } from './plan.ts';

/**
 * How a delivery stands: `running`, or `complete` once the source has sent everything and the reader has taken it, or why
 * it ended before that: the source `failed`, the caller's signal or `cancel()` (`cancelled`), its `timeout`, the reader
 * stopped reading (`returned`), another statement ran on the connection (`superseded`).
 */
export type Outcome = 'running' | 'complete' | 'failed' | 'cancelled' | 'timeout' | 'returned' | 'superseded';

/** How a result travelled: the choice of path, what it cost, how it ended. Plain data, fit for `JSON.stringify`. */
export interface DeliveryReport {
  /** Name of the path taken. */
  readonly path: string;
  readonly plan: Plan;
  readonly outcome: Outcome;
  /** Why the delivery ended early; absent while it runs and when it is complete. */
  readonly error?: { readonly status: Status; readonly message: string };
  /** Rows that the reader took, also when it took no more. */
  readonly rows: number;
  /** Batches that the reader took. */
  readonly batches: number;
  readonly bytes: {
    /** Received from the source, as the source encodes them; 0 where there is no wire. */
    readonly wire: number;
    /** Of Arrow buffers in the batches that the reader took. */
    readonly arrow: number;
  };
  /** Requests to the source: statements, pages, fetches. */
  readonly requests: number;
  /** Milliseconds. Those that the driver cannot tell are 0. */
  readonly timings: {
    /** To open the connection; the same for every result of it. */
    readonly connectMs: number;
    /** From the call to the source's acceptance. */
    readonly submitMs: number;
    /** The source's own work. */
    readonly engineMs: number;
    /** From the call to the first byte of data. */
    readonly firstByteMs: number;
    /** From the call until the first batch was ready for the reader; 0 while there is none. */
    readonly firstBatchMs: number;
    /** Turning the source's format into Arrow. */
    readonly decodeMs: number;
    /** From the call to the end, a slow reader included; up to now while it runs. */
    readonly totalMs: number;
  };
  /** What went other than planned, one line each. */
  readonly fallbacks: readonly string[];
}

export interface DeliveryLogOptions {
  /** Where plan and cost are read: a driver may change both while the result travels. */
  readonly source: { readonly plan: Plan; readonly cost: Cost };
  readonly connectMs: number;
  /** `performance.now()` of the call. */
  readonly startedMs: number;
}

/** Keeps count of one delivery. */
export class DeliveryLog {
  readonly #options: DeliveryLogOptions;
  #outcome: Outcome = 'running';
  #error: { readonly status: Status; readonly message: string } | undefined;
  #rows = 0;
  #batches = 0;
  #arrowBytes = 0;
  #firstBatchMs = 0;
  #totalMs = 0;

  constructor(options: DeliveryLogOptions) {
    this.#options = options;
  }

  get outcome(): Outcome {
    return this.#outcome;
  }

  /** A batch is ready for the reader. */
  arrive(): void {
    if (this.#firstBatchMs === 0) this.#firstBatchMs = performance.now() - this.#options.startedMs;
  }

  /** The reader took a batch. */
  take(rows: number, byteLength: number): void {
    this.#rows += rows;
    this.#batches += 1;
    this.#arrowBytes += byteLength;
  }

  /** Notes the end; the first one counts. */
  end(outcome: Exclude<Outcome, 'running'>, error?: { readonly status: Status; readonly message: string }): void {
    if (this.#outcome !== 'running') return;
    this.#outcome = outcome;
    this.#error = error && { status: error.status, message: error.message };
    this.#totalMs = performance.now() - this.#options.startedMs;
  }

  /** The report as it stands. */
  report(): DeliveryReport {
    const { source, connectMs, startedMs } = this.#options;
    const { plan, cost } = source;
    return {
      path: plan.chosen,
      plan,
      outcome: this.#outcome,
      ...(this.#error && { error: this.#error }),
      rows: this.#rows,
      batches: this.#batches,
      bytes: { wire: cost.wireBytes, arrow: this.#arrowBytes },
      requests: cost.requests,
      timings: {
        connectMs: round(connectMs),
        submitMs: round(cost.submitMs),
        engineMs: round(cost.engineMs),
        firstByteMs: round(cost.firstByteMs),
        firstBatchMs: round(this.#firstBatchMs),
        decodeMs: round(cost.decodeMs),
        totalMs: round(this.#outcome === 'running' ? performance.now() - startedMs : this.#totalMs),
      },
      fallbacks: [...cost.fallbacks],
    };
  }
}

/** To the microsecond: what a clock in a browser gives at best. */
function round(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** The report for people: a few aligned lines of plain ASCII, none longer than its messages make it, no newline at the end. */
export function formatReport(report: DeliveryReport): string {
  const { plan, bytes, timings, rows, batches } = report;
  const lines: [label: string, text: string][] = [['path', `${report.path}: ${plan.reason}`]];
  for (const candidate of plan.candidates) {
    if (candidate.ruledOut !== undefined) lines.push(['', `not ${candidate.name}: ${candidate.ruledOut}`]);
  }
  if (plan.estimate !== undefined) {
    lines.push(['estimate', `${count(plan.estimate.rows, 'row')} (${plan.estimate.source})`]);
  }
  lines.push(['outcome', report.error === undefined ? report.outcome : `${report.outcome}: ${report.error.message}`]);
  lines.push(['rows', `${group(rows)} in ${count(batches, 'batch', 'batches')}`]);
  const wire = bytes.wire === 0 ? '' : `, ${formatBytes(bytes.wire)} on the wire`;
  lines.push(['bytes', `${formatBytes(bytes.arrow)} Arrow${wire}`]);
  lines.push(['requests', group(report.requests)]);
  lines.push(['time', formatTimings(timings)]);
  for (const fallback of report.fallbacks) lines.push(['fallback', fallback]);
  return lines.map(([label, text]) => `${label.padEnd(10)}${text}`).join('\n');
}

function formatTimings(timings: DeliveryReport['timings']): string {
  const parts: [name: string, ms: number][] = [
    ['connect', timings.connectMs],
    ['submit', timings.submitMs],
    ['engine', timings.engineMs],
    ['first byte', timings.firstByteMs],
    ['first batch', timings.firstBatchMs],
    ['decode', timings.decodeMs],
  ];
  const known = parts.filter(([, ms]) => ms > 0).map(([name, ms]) => `${name} ${ms.toFixed(1)}`);
  const total = `${timings.totalMs.toFixed(1)} ms`;
  return known.length === 0 ? total : `${total} (${known.join(', ')})`;
}

/** Bytes in binary units, e.g. `35.2 MiB`. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit]}`;
}

function count(n: number, one: string, many = `${one}s`): string {
  return `${group(n)} ${n === 1 ? one : many}`;
}

/** Thousands apart, the same in every locale. */
function group(n: number): string {
  return String(n).replace(/\B(?=(\d{3})+$)/g, ',');
}
