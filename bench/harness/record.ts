/** The files of a run: `raw.csv`, `summary.csv`, `env.json` and `SHA256SUMS`, as `docs/bench.md` describes them. */
import { createHash } from 'node:crypto';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { RecurveError } from 'recurve/arrow';
import type { Measurement } from './suite.ts';
import type { CellSummary } from './summary.ts';

export const recordFiles: readonly string[] = ['raw.csv', 'summary.csv', 'env.json'];
export const sumsFile = 'SHA256SUMS';

const RAW_HEADER = 'suite,cell,arm,round,process,iterations,ms,digest';
const SUMMARY_HEADER = 'suite,cell,name,kind,n,median,p90,min,mad,low,high,unit,digests_equal';

/** `raw.csv`: one line a measurement, in the order they were taken. No field holds a comma or a quote. */
export function formatRaw(measurements: readonly Measurement[]): string {
  const lines = measurements.map(({ suite, cell, arm, round, process, iterations, ms, digest }) =>
    [suite, cell, arm, round, process, iterations, ms, digest].join(','),
  );
  return `${[RAW_HEADER, ...lines].join('\n')}\n`;
}

/** Throws INVALID_DATA, with the line, for what {@link formatRaw} does not write. */
export function parseRaw(text: string): Measurement[] {
  const [header, ...lines] = text.trimEnd().split('\n');
  if (header !== RAW_HEADER) {
    throw new RecurveError('INVALID_DATA', `raw.csv begins with ${JSON.stringify(header)} instead of ${RAW_HEADER}`);
  }
  return lines.map((line, i) => {
    const [suite = '', cell = '', arm = '', ...rest] = line.split(',');
    const [round, process, iterations, ms] = rest.map(Number);
    const numbers = [round, process, iterations, ms];
    if (
      rest.length !== 5 ||
      round === undefined ||
      process === undefined ||
      iterations === undefined ||
      ms === undefined
    ) {
      throw new RecurveError('INVALID_DATA', `raw.csv, line ${i + 2}, has ${rest.length + 3} fields instead of 8`);
    }
    if (!numbers.every((value) => Number.isFinite(value))) {
      throw new RecurveError('INVALID_DATA', `raw.csv, line ${i + 2}, is not in numbers: ${line}`);
    }
    return { suite, cell, arm, round, process, iterations, ms, digest: rest[4] ?? '' };
  });
}

/**
 * `summary.csv`: a line an arm and a line a ratio. `kind` is `arm`, `floor` or `ratio`; `low` and `high` are for ratios
 * only, whose other figures are those of the ratios by round.
 */
export function formatSummary(cells: readonly CellSummary[]): string {
  const lines = cells.flatMap(({ suite, cell, arms, ratios, digestsEqual }) => [
    ...[...arms].map(([name, { n, median, p90, min, mad, unit, floor }]) =>
      [suite, cell, name, floor ? 'floor' : 'arm', n, median, p90, min, mad, '', '', unit, digestsEqual].join(','),
    ),
    ...[...ratios].map(([name, { n, median, p90, min, mad, low, high }]) =>
      [suite, cell, name, 'ratio', n, median, p90, min, mad, low, high, 'ratio', digestsEqual].join(','),
    ),
  ]);
  return `${[SUMMARY_HEADER, ...lines].join('\n')}\n`;
}

/** A line of `summary.csv`, for those who print it. */
export interface SummaryLine {
  readonly suite: string;
  readonly cell: string;
  /** Arm, or `REFERENCE/ARM`. */
  readonly name: string;
  readonly kind: 'arm' | 'floor' | 'ratio';
  readonly n: number;
  readonly median: number;
  /** NaN where there is no interval. */
  readonly low: number;
  readonly high: number;
  readonly digestsEqual: boolean;
}

/** Throws INVALID_DATA for another header. */
export function parseSummary(text: string): SummaryLine[] {
  const [header, ...lines] = text.trimEnd().split('\n');
  if (header !== SUMMARY_HEADER) {
    throw new RecurveError(
      'INVALID_DATA',
      `summary.csv begins with ${JSON.stringify(header)} instead of ${SUMMARY_HEADER}`,
    );
  }
  return lines.map((line) => {
    const [suite = '', cell = '', name = '', kind, n, median, , , , low, high, , digestsEqual] = line.split(',');
    return {
      suite,
      cell,
      name,
      kind: kind as SummaryLine['kind'],
      n: Number(n),
      median: Number(median),
      low: low === '' ? Number.NaN : Number(low),
      high: high === '' ? Number.NaN : Number(high),
      digestsEqual: digestsEqual === 'true',
    };
  });
}

export function sha256(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** Writes the four files; the folder is made when there is none, older files of these names are replaced. */
export async function writeRecord(
  folder: string,
  measurements: readonly Measurement[],
  cells: readonly CellSummary[],
  env: Readonly<Record<string, unknown>>,
): Promise<void> {
  const texts = [formatRaw(measurements), formatSummary(cells), `${JSON.stringify(env, null, 2)}\n`];
  await mkdir(folder, { recursive: true });
  const sums: string[] = [];
  for (const [i, name] of recordFiles.entries()) {
    const text = texts[i] ?? '';
    await writeFile(join(folder, name), text);
    sums.push(`${sha256(text)}  ${name}\n`);
  }
  await writeFile(join(folder, sumsFile), sums.join(''));
}
