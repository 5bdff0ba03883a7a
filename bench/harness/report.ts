import type { Environment } from './environment.ts';
import type { CellSummary } from './summary.ts';

/** The object that `--json` prints: DESIGN's shape. A floor says so by `floor: true`, which other arms do not have. */
export interface Report {
  readonly suite: string;
  readonly env: Environment;
  readonly cells: readonly CellReport[];
}

export interface CellReport {
  readonly cell: string;
  readonly arms: Readonly<Record<string, ArmReport>>;
  readonly ratios: Readonly<Record<string, { median: number; low: number; high: number }>>;
  readonly digestsEqual: boolean;
}

export interface ArmReport {
  readonly median: number;
  readonly p90: number;
  readonly min: number;
  readonly n: number;
  readonly unit: string;
  readonly floor?: true;
}

export function makeReport(suite: string, env: Environment, cells: readonly CellSummary[]): Report {
  return {
    suite,
    env,
    cells: cells.map(({ cell, arms, ratios, digestsEqual }) => ({
      cell,
      arms: Object.fromEntries(
        [...arms].map(([name, { median, p90, min, n, unit, floor }]) => [
          name,
          { median, p90, min, n, unit, ...(floor ? { floor } : {}) },
        ]),
      ),
      ratios: Object.fromEntries([...ratios].map(([name, { median, low, high }]) => [name, { median, low, high }])),
      digestsEqual,
    })),
  };
}

/** The figures as a person reads them: a block a cell, a line an arm, its ratio in the last columns. */
export function formatTable(cells: readonly CellSummary[]): string {
  const blocks = cells.map(({ suite, cell, arms, ratios, digestsEqual }) => {
    const reference = arms.keys().next().value ?? '';
    const heading = ['', 'n', 'median', 'p90', 'min', 'MAD', `${reference}/arm`, '95 % interval'];
    const lines = [...arms].map(([name, arm]) => {
      const ratio = ratios.get(`${reference}/${name}`);
      return [
        arm.floor ? `${name} (floor, no digest)` : name,
        String(arm.n),
        ...[arm.median, arm.p90, arm.min, arm.mad].map(formatMs),
        ratio === undefined ? '' : ratio.median.toFixed(2),
        ratio === undefined ? '' : `${ratio.low.toFixed(2)} - ${ratio.high.toFixed(2)}`,
      ];
    });
    const note = digestsEqual
      ? []
      : ['  RESULTS DIFFER between the arms or from process to process: these times do not count'];
    return [`${suite} ${cell}`, ...align([heading, ...lines]), ...note].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}

/** Milliseconds with three digits that count. */
export function formatMs(ms: number): string {
  return `${ms >= 100 ? ms.toFixed(0) : ms >= 10 ? ms.toFixed(1) : ms.toFixed(ms >= 1 ? 2 : 3)} ms`;
}

function align(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths = (rows[0] ?? []).map((_, c) => Math.max(...rows.map((row) => (row[c] ?? '').length)));
  return rows.map((row) =>
    `  ${row.map((text, c) => (c === 0 ? text.padEnd(widths[c] ?? 0) : text.padStart(widths[c] ?? 0))).join('  ')}`.trimEnd(),
  );
}
