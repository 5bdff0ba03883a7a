import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe, type TestContext } from 'node:test';
import * as arrow from 'apache-arrow';
import { type Connection, open } from 'recurve';
import { connect, firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

/** Writes a file of one column `i` by another Arrow library. Gives the path. */
function writeInts(path: string, ...values: number[]): string {
  const table = new arrow.Table({ i: arrow.vectorFromArray(values, new arrow.Int32()) });
  writeFileSync(path, arrow.tableToIPC(table, 'file'));
  return path;
}

async function setUp(t: TestContext): Promise<{ folder: string; connection: Connection }> {
  return { folder: scratchFolder(t), connection: await connect(t) };
}

describe('a statement that would write to an Arrow file', () => {
  /** With X for the name of the file. */
  const writes = [
    'INSERT INTO X VALUES (9)',
    'UPDATE X SET i = 9',
    'DELETE FROM X',
    'TRUNCATE X',
    'MERGE INTO X f USING t ON t.i = f.i WHEN MATCHED THEN DELETE',
    'ALTER TABLE X ADD COLUMN j INT',
    'DROP TABLE X',
    "COPY X FROM 't.csv'",
    'CREATE INDEX k ON X (i)',
  ];

  test('is refused with what to do instead, whether or not the file was read before', async (t) => {
    const folder = scratchFolder(t);
    const path = writeInts(join(folder, 'x.arrow'), 1, 2);
    for (const sql of writes) {
      for (const readBefore of [true, false]) {
        const connection = await connect(t);
        await connection.execute('CREATE TABLE t AS SELECT 1 AS i');
        if (readBefore) assert.equal(await firstValue(connection, `SELECT count(*) FROM '${path}'`), 2n);
        const work = connection.execute(sql.replace(/\bX\b/, `"${path}"`));
        if (readBefore || !/^(ALTER|DROP|CREATE)/.test(sql)) {
          const error = await rejects(work, 'INVALID_ARGUMENT', /./);
          assert.match(error.hint ?? '', /x\.arrow is a file, .*CREATE TABLE t AS FROM/, sql);
        } else await assert.rejects(work, sql);
        assert.equal(await firstValue(connection, `SELECT sum(i)::INT FROM '${path}'`), 3, sql);
      }
    }
  });

  test('is told from one that reads the file and writes to a table', async (t) => {
    const { folder, connection } = await setUp(t);
    const path = writeInts(join(folder, 'x.arrow'), 1, 2);
    await connection.execute(`CREATE TABLE t AS FROM '${path}'`);
    await connection.execute(`INSERT INTO t SELECT i + 10 FROM '${path}'`);
    await connection.execute(`UPDATE t SET i = t.i + 1 FROM '${path}' f WHERE f.i = t.i`);
    await connection.execute(`DELETE FROM t WHERE i IN (FROM '${path}')`);
    await connection.execute(`COPY '${path}' TO '${join(folder, 'out.csv')}'`);
    assert.deepEqual(
      (await rowsOf(connection, 'FROM t ORDER BY i')).map((row) => row.i),
      [3, 11, 12],
    );
    await rejects(connection.execute(`INSERT INTO none FROM '${path}'`), 'NOT_FOUND', /none does not exist/);
  });
});

describe('Arrow files whose names differ in upper and lower case', () => {
  test('are refused in one statement and in one script, also when only one is there', async (t) => {
    const { folder, connection } = await setUp(t);
    const [lower, upper] = [writeInts(join(folder, 'case.arrow'), 1), writeInts(join(folder, 'CASE.arrow'), 2)];
    const alone = writeInts(join(folder, 'p.arrow'), 1);
    const none = join(folder, 'P.ARROW');
    for (const sql of [
      `SELECT * FROM '${lower}' a, '${upper}' b`,
      `SELECT * FROM '${lower}'; SELECT * FROM '${upper}'`,
      `SELECT * FROM '${upper}' UNION ALL FROM '${lower}'`,
      `SELECT * FROM '${alone}' a JOIN '${none}' b USING (i)`,
    ]) {
      const fresh = await connect(t);
      await rejects(fresh.query(sql), 'INVALID_ARGUMENT', /are one table name to DuckDB/);
      await rejects(connection.query(sql), 'INVALID_ARGUMENT', /are one table name to DuckDB/);
    }
    assert.equal(await firstValue(connection, `SELECT i FROM '${alone}'`), 1);
    await rejects(connection.query(`SELECT * FROM '${none}'`), 'NOT_FOUND', /no file/);
    assert.equal(await firstValue(connection, `SELECT 'P.ARROW' || i FROM '${alone}'`), 'P.ARROW1');
  });
});

describe('an Arrow file that may not be read', () => {
  test('is refused where the settings keep DuckDB from files', async (t) => {
    const folder = scratchFolder(t);
    const path = writeInts(join(folder, 'x.arrow'), 1);
    const sql = `SELECT i FROM '${path}'`;
    const closed = await connect(t, 'duckdb:?enable_external_access=false');
    const error = await rejects(closed.query(sql), 'UNAUTHORIZED', /^Permission Error: Cannot access file/);
    assert.equal(error.exitCode, 1);
    await rejects(closed.query(`FROM '${join(folder, 'none.arrow')}'`), 'UNAUTHORIZED', /Cannot access file/);
    for (const setting of ['enable_external_access = false', "disabled_filesystems = 'LocalFileSystem'"]) {
      const connection = await connect(t);
      assert.equal(await firstValue(connection, sql), 1);
      await connection.execute(`SET ${setting}`);
      await rejects(connection.query(sql), 'UNAUTHORIZED', /^Permission Error/);
    }
    mkdirSync(join(folder, 'in'));
    const inside = writeInts(join(folder, 'in', 'x.arrow'), 2);
    const some = await connect(t);
    await some.execute(`SET allowed_directories = ['${join(folder, 'in')}']; SET enable_external_access = false`);
    assert.equal(await firstValue(some, `SELECT i FROM '${inside}'`), 2);
    await rejects(some.query(sql), 'UNAUTHORIZED', /^Permission Error/);
  });

  test('is told from one that is not there', async (t) => {
    const { folder, connection } = await setUp(t);
    const path = writeInts(join(folder, 'x.arrow'), 1);
    await rejects(connection.query(`FROM '${path}/y.arrow'`), 'NOT_FOUND', /no file/);
    symlinkSync('loop.arrow', join(folder, 'loop.arrow'));
    await rejects(connection.query(`FROM '${join(folder, 'loop.arrow')}'`), 'IO', /loop\.arrow: ELOOP/);
    if (process.getuid?.() === 0) return t.diagnostic('root may read every file');
    chmodSync(path, 0);
    const error = await rejects(connection.query(`FROM '${path}'`), 'UNAUTHORIZED', /x\.arrow: EACCES/);
    assert.equal(error.exitCode, 1);
  });

  test('does not come back from a transaction as it was', async (t) => {
    const { folder } = await setUp(t);
    const path = writeInts(join(folder, 'x.arrow'), 1);
    const database = await open('duckdb:');
    t.after(() => database.close());
    const connection = await database.connect();
    assert.equal(await firstValue(connection, `SELECT i FROM '${path}'`), 1);
    await connection.execute('BEGIN');
    writeInts(path, 2, 3);
    assert.equal(await firstValue(connection, 'SELECT 1'), 1);
    await connection.execute('ROLLBACK');
    assert.equal(await firstValue(connection, `SELECT sum(i)::INT FROM '${path}'`), 5);
  });
});
