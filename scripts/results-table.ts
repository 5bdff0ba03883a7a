/**
 * node --conditions=recurve-source --import tsx scripts/results-table.ts [--check] [README [RESULTS]]
 *
 * Writes the measured results of bench/results/*\/summary.csv as tables into README.md, between the lines
 * `<!-- results:begin -->` and `<!-- results:end -->`. `--check` writes nothing and fails when the README says something
 * else. Results of small data, and those whose digests differ, are refused: they are no figures.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../bench/harness/environment.ts';
import { parseSummary, type SummaryLine } from '../bench/harness/record.ts';
import { formatMs } from '../bench/harness/report.ts';

const BEGIN = '<!-- results:begin -->';
const END = '<!-- results:end -->';

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const check = args[0] === '--check';
const [readme = join(root, 'README.md'), results = join(root, 'bench', 'results')] = check ? args.slice(1) : args;

const text = readFileSync(readme, 'utf8');
const begin = text.indexOf(BEGIN);
const end = text.indexOf(END);
if (begin < 0 || end < begin) fail(`${readme} has no lines ${BEGIN} and ${END} in this order`);
const folders = readdirSync(results)
  .map((name) => join(results, name))
  .filter((folder) => existsSync(join(folder, 'summary.csv')))
  .sort();
if (folders.length === 0) fail(`no summary.csv in the folders of ${results}`);
const updated = `${text.slice(0, begin + BEGIN.length)}\n\n${folders.map(formatRecord).join('\n\n')}\n\n${text.slice(end)}`;
if (!check) writeFileSync(readme, updated);
else if (updated !== text) fail(`${readme} differs from ${results}; run scripts/results-table.ts without --check`);

function fail(message: string): never {
  console.error(`error: ${message}`);
  process.exit(1);
}

function formatRecord(folder: string): string {
  const env = JSON.parse(readFileSync(join(folder, 'env.json'), 'utf8')) as Environment;
  const lines = parseSummary(readFileSync(join(folder, 'summary.csv'), 'utf8'));
  const wrong = lines.find(({ digestsEqual }) => !digestsEqual);
  if (env.quick) fail(`${folder} was measured with --quick`);
  if (wrong !== undefined) fail(`${folder}: the results of ${wrong.cell} differ between the arms`);
  const { recurve: _, ...peers } = env.versions;
  const versions = Object.entries(peers).map(([name, version]) => `${name} ${version}`);
  const machine = `Node ${env.node}, ${env.cpu}, ${env.cores} cores, ${env.memoryGiB} GiB`;
  return [
    `\`./recurve bench ${env.suite}\`, ${env.date.slice(0, 10)}, ${machine}; ${versions.join(', ')}:`,
    '',
    '| cell | recurve | compared with | its time | recurve / it |',
    '|---|---:|---|---:|---:|',
    ...lines.filter(({ kind }) => kind === 'ratio').map((ratio) => formatRatio(ratio, lines)),
    '',
    `Medians; the ratio is paired by round, with its 95 % interval ([raw data](${relative(root, folder)})).`,
  ].join('\n');
}

function formatRatio({ cell, name, median, low, high }: SummaryLine, lines: readonly SummaryLine[]): string {
  const [reference = '', other = ''] = name.split('/');
  const armOf = (wanted: string): SummaryLine | undefined =>
    lines.find((line) => line.cell === cell && line.name === wanted && line.kind !== 'ratio');
  const peer = armOf(other);
  const floor = peer?.kind === 'floor' ? ' (floor: touches nothing)' : '';
  const cells = [
    `\`${cell}\``,
    formatMs(armOf(reference)?.median ?? Number.NaN),
    `${other}${floor}`,
    formatMs(peer?.median ?? Number.NaN),
    `${median.toFixed(2)} (${low.toFixed(2)} to ${high.toFixed(2)})`,
  ];
  return `| ${cells.join(' | ')} |`;
}
