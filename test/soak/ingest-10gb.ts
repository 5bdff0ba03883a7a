/**
 * Ingests streams of 1, 3 and 10 GB into a database file, each in one transaction, and checks that memory grows by 300 MB at
 * most. Takes minutes and 5 GB of disk; no part of `npm test`.
 *
 *     node --conditions=recurve-source --import tsx test/soak/ingest-10gb.ts [RESULT.json]
 *
 * The result file (default `ingest-10gb.json`) holds the commit and each stream that is done. Run again after an
 * interruption, it goes on with the first stream that is missing; at another commit it starts anew.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { open } from 'recurve';
import { measureStream, randomSchema, type StreamCost } from './random-batch.ts';

const sizes = [1e9, 3e9, 10e9];
const maxGrowthBytes = 300e6;
const [resultPath = 'ingest-10gb.json'] = process.argv.slice(2);

interface Record {
  readonly commit: string;
  readonly node: string;
  readonly done: StreamCost[];
}

const git = (...args: string[]): string => execFileSync('git', args, { encoding: 'utf8' }).trim();
const commit = `${git('rev-parse', 'HEAD')}${git('status', '--porcelain', '--', 'src') === '' ? '' : ' (changed)'}`;

function readRecord(): Record {
  const empty = { commit, node: process.version, done: [] };
  if (!existsSync(resultPath)) return empty;
  const record = JSON.parse(readFileSync(resultPath, 'utf8')) as Record;
  return record.commit === commit ? record : empty;
}

const record = readRecord();
for (const size of sizes.slice(record.done.length)) {
  const folder = mkdtempSync(join(tmpdir(), 'recurve-soak-'));
  const database = await open(`duckdb:${join(folder, 'soak.db')}?memory_limit=128MB&threads=2`);
  try {
    const connection = await database.connect();
    const cost = await measureStream(size, (batches) => connection.ingest('t', { schema: randomSchema, batches }));
    const [check] = (
      await (await connection.query('SELECT count(*) AS rows, max(n) AS last FROM t')).table()
    ).toArray();
    if (check?.rows !== BigInt(cost.rows) || check.last !== BigInt(cost.rows - 1)) throw new Error('rows are missing');
    record.done.push(cost);
    writeFileSync(resultPath, `${JSON.stringify(record, null, 2)}\n`);
    const growth = `${Math.round(cost.growthBytes / 1e6)} MB of growth`;
    console.log(`${cost.streamBytes / 1e9} GB, ${cost.rows} rows: ${cost.seconds.toFixed(1)} s, ${growth}`);
  } finally {
    await database.close();
    rmSync(folder, { recursive: true });
  }
}
const worst = Math.max(...record.done.map(({ growthBytes }) => growthBytes));
if (worst > maxGrowthBytes) {
  console.error(`memory grew by ${Math.round(worst / 1e6)} MB, more than ${maxGrowthBytes / 1e6} MB`);
  process.exitCode = 1;
}
