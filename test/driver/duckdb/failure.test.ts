import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { loadBinding } from '../../../src/driver/duckdb/binding.ts';
import { findFailure } from '../../../src/driver/duckdb/failure.ts';
import { NativeSession } from '../../../src/driver/duckdb/session.ts';
import { connect, firstValue, rejects, scratchFolder } from './fixture.ts';

const castError =
  "SELECT cast(CASE WHEN i = 1500000 THEN 'x' ELSE i::VARCHAR END AS INTEGER) AS v FROM range(2000000) t(i)";
const message = /^Conversion Error: Could not convert string 'x' to INT32/;

describe('a result that fails late throws the source’s message', () => {
  test('outside of a transaction, and reports the second run', async (t) => {
    const connection = await connect(t);
    const result = await connection.query(castError);
    await rejects(result.table(), 'INVALID_DATA', message);
    assert.deepEqual(result.delivery.fallbacks, ['the statement ran a second time to find out why it failed']);
    assert.equal(await firstValue(connection, 'SELECT 1'), 1);
  });

  test('inside of a transaction, found by a second run outside of it', async (t) => {
    const connection = await connect(t);
    await connection.setAutoCommit(false);
    const error = await rejects((await connection.query(castError)).table(), 'INVALID_DATA', message);
    assert.match(error.hint ?? '', /second run/);
    await connection.rollback();
    assert.equal(await firstValue(connection, 'SELECT 1'), 1);
  });

  test('inside of a transaction on a table that only it sees says that there is no message', async (t) => {
    const connection = await connect(t);
    await connection.setAutoCommit(false);
    await connection.execute('CREATE TABLE own AS SELECT range AS i FROM range(2000000)');
    const sql = castError.replace('range(2000000) t(i)', 'own');
    await rejects((await connection.query(sql)).table(), 'UNKNOWN', /before its last row/);
    await connection.rollback();
  });

  test('in a text of several statements, with semicolons in texts and comments', async (t) => {
    const connection = await connect(t);
    const sql = `SET threads = 2; SELECT ';' /* ; */; -- ; SELECT 1\n${castError} WHERE $1 <> ';'`;
    await rejects((await connection.query(sql, ['a'])).table(), 'INVALID_DATA', message);
  });
});

test('the search for a message ends when its second run hangs in opening a pipe', {
  skip: spawnSync('mkfifo', ['--version']).error !== undefined && 'mkfifo is missing',
}, async (t) => {
  const binding = loadBinding();
  const database = await binding.open(':memory:');
  const session = new NativeSession(binding, await binding.connect(database));
  const pipe = join(scratchFolder(t), 'pipe');
  execFileSync('mkfifo', [pipe]);
  const startMs = performance.now();
  const limit = { timeoutMs: 100, signal: new AbortController().signal };
  assert.equal(await findFailure({ session, sql: `FROM read_csv('${pipe}')` }, limit), undefined);
  const tookMs = performance.now() - startMs;
  assert.ok(tookMs >= 95 && tookMs < 1000, `${tookMs} ms`);
  // The connection is used again only when the call that hangs has ended.
  let answered = false;
  const next = session.query('SELECT 1', limit.signal).then(() => {
    answered = true;
  });
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.equal(answered, false);
  const writer = await openFile(pipe, 'w');
  await writer.close();
  await next;
  await session.close();
  binding.close_sync(database);
});
