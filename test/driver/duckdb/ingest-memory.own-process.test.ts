import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import test from 'node:test';
import { open } from 'recurve';
import { batchFromArrays, Field, int64, Schema, utf8 } from 'recurve/arrow';
import { measureStream, randomBatch, randomSchema } from '../../soak/random-batch.ts';
import { firstValue, rejects, scratchFolder } from './fixture.ts';

const wideSchema = new Schema([new Field('i', int64()), new Field('t', utf8())]);

test('an ingest holds a part of its stream, not the whole', async (t) => {
  const folder = scratchFolder(t);
  const database = await open(`duckdb:${join(folder, 'x.db')}?memory_limit=64MB&threads=2`);
  t.after(() => database.close());
  const connection = await database.connect();
  await connection.ingest('warm', randomBatch(0));
  const cost = await measureStream(400e6, (batches) => connection.ingest('t', { schema: randomSchema, batches }));
  assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), BigInt(cost.rows));
  assert.ok(cost.growthBytes < 200e6, `memory grew by ${Math.round(cost.growthBytes / 1e6)} MB`);
});

test('an ingest of wide rows holds a part of them, few as they are', async (t) => {
  const folder = scratchFolder(t);
  const database = await open(`duckdb:${join(folder, 'x.db')}?memory_limit=128MB&threads=2`);
  t.after(() => database.close());
  const connection = await database.connect();
  const ids = BigInt64Array.from({ length: 1000 }, (_, i) => BigInt(i));
  const texts = Array.from(ids, (id) => `${id}`.padEnd(10_000, 'wide row '));
  // 60,000 rows, less than the appender flushes by itself, and 600 MB.
  const batch = batchFromArrays(wideSchema, [ids, texts]);
  const batches = Array.from({ length: 60 }, () => batch);
  await connection.ingest('warm', { schema: wideSchema, batches: batches.slice(0, 10) });
  const before = process.memoryUsage().rss;
  let peak = before;
  const timer = setInterval(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  }, 5);
  assert.equal(await connection.ingest('t', { schema: wideSchema, batches }), 60_000);
  clearInterval(timer);
  assert.ok(peak - before < 300e6, `memory grew by ${Math.round((peak - before) / 1e6)} MB`);
  t.diagnostic(`${Math.round((peak - before) / 1e6)} MB of growth`);
});

test('ingests that fail leave neither handles nor files behind', async (t) => {
  const folder = scratchFolder(t);
  const database = await open(`duckdb:${join(folder, 'x.db')}?memory_limit=64MB&threads=2`);
  t.after(() => database.close());
  const connection = await database.connect();
  const countHandles = (): number => (process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0);
  const fail = async (): Promise<void> => {
    const batches = (async function* () {
      for (let k = 0; k < 5; k++) yield randomBatch(k);
      throw new Error('cable cut');
    })();
    await rejects(connection.ingest('t', { schema: randomSchema, batches }), 'IO', /cable cut/);
  };
  await fail();
  const handles = countHandles();
  for (let i = 0; i < 10; i++) await fail();
  assert.ok(countHandles() <= handles, `${handles} handles became ${countHandles()}`);
  assert.deepEqual(
    readdirSync(folder).filter((name) => !/^x\.db(\.wal)?$/.test(name)),
    [],
  );
});

/** Run where no file may grow over 10 MB: prints the error of an ingest and the tables that are left. */
const fillDisk = `
  import { open } from 'recurve';
  import { tableFromArrays } from 'recurve/arrow';
  const database = await open('duckdb:' + process.env.SOAK_FILE + '?memory_limit=64MB&threads=1');
  const connection = await database.connect();
  await connection.execute('CREATE TABLE kept AS SELECT 1 AS a');
  const numbers = Float64Array.from({ length: 100_000 }, Math.random);
  const { schema, batches } = tableFromArrays({ numbers });
  const many = (function* () { for (let i = 0; i < 50; i++) yield* batches; })();
  const error = await connection.ingest('t', { schema, batches: many }).catch((thrown) => thrown);
  const tables = await (await connection.query('SELECT table_name FROM duckdb_tables()')).table();
  console.log(JSON.stringify([error.status, error.exitCode, error.message, tables.toArray()]));
  await database.close();
`;

test('a disk that fills is one error, and what was there before is there', {
  skip: process.platform === 'win32',
}, async (t) => {
  const path = join(scratchFolder(t), 'x.db');
  const args = ['--conditions=recurve-source', '--import', 'tsx', '--input-type=module', '-e', fillDisk];
  const { stdout, stderr, status } = spawnSync(
    'sh',
    ['-c', 'ulimit -f 20000; exec "$@"', 'sh', process.execPath, ...args],
    {
      encoding: 'utf8',
      env: { ...process.env, SOAK_FILE: path },
    },
  );
  assert.equal(status, 0, stderr);
  const [errorStatus, exitCode, message, tables] = JSON.parse(stdout) as [string, number, string, unknown];
  assert.deepEqual([errorStatus, exitCode], ['IO', 4]);
  assert.match(message, /Could not write file|No space left|too large/i);
  assert.deepEqual(tables, [{ table_name: 'kept' }]);
  const database = await open(`duckdb:${path}`);
  t.after(() => database.close());
  assert.equal(await firstValue(await database.connect(), 'SELECT a FROM kept'), 1);
});
