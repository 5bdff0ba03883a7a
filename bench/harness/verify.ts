import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { formatRaw, formatSummary, parseRaw, recordFiles, sha256, sumsFile } from './record.ts';
import { summarize } from './summary.ts';

/**
 * What is wrong with the files of a run, one line each; nothing when all is well. Checks that every file has the sum that
 * `SHA256SUMS` gives, and that the summary is what raw.csv and the seed in env.json make.
 */
export async function verifyRecord(folder: string): Promise<string[]> {
  const problems: string[] = [];
  const files = new Map<string, Buffer>();
  for (const name of [...recordFiles, sumsFile]) {
    try {
      files.set(name, await readFile(join(folder, name)));
    } catch (error) {
      problems.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  if (problems.length > 0) return problems;

  const actual = recordFiles.map((name) => `${sha256(files.get(name) ?? '')}  ${name}`);
  const expected = (files.get(sumsFile) ?? '').toString().split('\n');
  for (const line of actual) {
    if (expected.includes(line)) continue;
    const name = line.slice(66);
    const listed = expected.find((other) => other.endsWith(`  ${name}`));
    problems.push(
      `${name}: its SHA-256 is ${line.slice(0, 64)}, and ${sumsFile} says ${listed?.slice(0, 64) ?? 'nothing'}`,
    );
  }
  if (problems.length === 0 && `${expected.join('\n')}` !== `${actual.join('\n')}\n`) {
    problems.push(`${sumsFile}: it lists more than ${recordFiles.join(', ')}`);
  }
  problems.push(...recompute(files));
  return problems;
}

function recompute(files: ReadonlyMap<string, Buffer>): string[] {
  try {
    const raw = (files.get('raw.csv') ?? '').toString();
    const env: unknown = JSON.parse((files.get('env.json') ?? '').toString());
    const seed = typeof env === 'object' && env !== null && 'seed' in env ? env.seed : undefined;
    if (typeof seed !== 'number') return [`env.json: seed is ${JSON.stringify(seed)} instead of a number`];
    const measurements = parseRaw(raw);
    if (measurements.length === 0) return ['raw.csv: it has no measurements'];
    if (formatRaw(measurements) !== raw) return ['raw.csv: it is not written as the command writes it'];
    const lines = (files.get('summary.csv') ?? '').toString().split('\n');
    const again = formatSummary(summarize(measurements, seed)).split('\n');
    if (again.join('\n') === lines.join('\n')) return [];
    const at = again.findIndex((line, i) => line !== lines[i]);
    return [
      `summary.csv, line ${at + 1}: it says ${lines[at] ?? 'nothing'}, and raw.csv makes ${again[at] ?? 'nothing'}`,
    ];
  } catch (error) {
    return [error instanceof Error ? error.message : String(error)];
  }
}
