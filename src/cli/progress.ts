import { formatBytes } from '../delivery/report.ts';
import { type CommandIo, print, type Sink } from './io.ts';

/** Work shorter than this shows no progress: nobody waits for it, and a line that flashes disturbs. */
const quietMs = 500;
const intervalMs = 100;

/** A line on standard error that says how far the work is. */
export interface Progress {
  /** Counts a batch. */
  add(rowCount: number, byteCount: number): void;
  /** A sink on the same terminal: the line is taken off before data are written, and stays away from unfinished lines. */
  over(sink: Sink): Sink;
  /** Takes the line off for good; must be called before anything else is printed there. */
  stop(): Promise<void>;
}

/**
 * Shows rows, bytes, rate and time in one line that is written over, when standard error is a terminal and the work lasts
 * over half a second.
 */
export function startProgress(io: CommandIo): Progress {
  const start = performance.now();
  let rows = 0;
  let bytes = 0;
  let isShown = false;
  let isLineStart = true;
  const draw = (): void => {
    const elapsedMs = performance.now() - start;
    if (elapsedMs < quietMs || !isLineStart) return;
    isShown = true;
    const line = formatProgress(rows, bytes, elapsedMs);
    void print(io.stderr, `\r${line.slice(0, (io.stderr.columns ?? 80) - 1)}\u001b[K`);
  };
  const hide = async (): Promise<void> => {
    if (!isShown) return;
    isShown = false;
    await print(io.stderr, '\r\u001b[K');
  };
  const isWanted = io.stderr.isTerminal && io.env.TERM !== 'dumb';
  const timer = isWanted ? setInterval(draw, intervalMs) : undefined;
  timer?.unref();
  return {
    add(rowCount, byteCount) {
      rows += rowCount;
      bytes += byteCount;
    },
    over: (sink) => ({
      async write(data) {
        await hide();
        isLineStart = data.at(-1) === 0x0a;
        await sink.write(data);
      },
    }),
    async stop() {
      clearInterval(timer);
      await hide();
    },
  };
}

/** E.g. `1,234,567 rows  35.2 MiB  2,469,134 rows/s  0.5 s`. */
export function formatProgress(rows: number, bytes: number, elapsedMs: number): string {
  const rate = elapsedMs > 0 ? Math.round((rows / elapsedMs) * 1000) : 0;
  return `${formatCount(rows)} rows  ${formatBytes(bytes)}  ${formatCount(rate)} rows/s  ${formatSeconds(elapsedMs)}`;
}

/** A whole number with commas between the thousands. */
export function formatCount(count: number | bigint): string {
  return count.toLocaleString('en-US');
}

export function formatSeconds(ms: number): string {
  return ms < 10
    ? `${ms.toFixed(1)} ms`
    : ms < 1000
      ? `${ms.toFixed(0)} ms`
      : `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
}
