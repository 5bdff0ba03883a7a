/**
 * Writes results of 5 and 36 million rows (0.3 and 2.2 GB of Arrow) to Parquet, each in a process of its own, and checks that
 * the larger one takes 300 MB more memory at most. Takes two minutes and 7 GB of disk; no part of `npm test`.
 *
 *     node --conditions=recurve-source --import tsx test/soak/parquet-2gb.ts
 */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const maxMoreBytes = 300e6;
const main = join(import.meta.dirname, '../../src/cli/main.ts');
const folder = mkdtempSync(join(tmpdir(), 'recurve-soak-'));
const report = 'process.on("exit", () => console.error("peak " + process.resourceUsage().maxRSS));';

/** Peak of a process's memory, in bytes. */
function peakOf(rows: number): number {
  const sql = `select range as i, hash(range) as h, md5(range::varchar) as t, random() as d from range(${rows})`;
  const args = ['--conditions=recurve-source', '--import', 'tsx', '--import', `data:text/javascript,${report}`];
  const { stderr, status } = spawnSync(
    process.execPath,
    [...args, main, 'query', sql, '-o', join(folder, 'out.parquet')],
    { encoding: 'utf8', env: { ...process.env, TMPDIR: folder } },
  );
  const peak = Number(/peak (\d+)/.exec(stderr)?.[1]) * 1024;
  if (status !== 0 || !(peak > 0)) throw new Error(`it ended with ${status}: ${stderr}`);
  console.log(`${rows} rows: a peak of ${Math.round(peak / 1e6)} MB`);
  return peak;
}

try {
  const few = peakOf(5_000_000);
  const more = peakOf(36_000_000) - few;
  if (more > maxMoreBytes) {
    console.error(`the larger result took ${Math.round(more / 1e6)} MB more, limit ${maxMoreBytes / 1e6} MB`);
    process.exitCode = 1;
  }
} finally {
  rmSync(folder, { recursive: true });
}
