import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe, type TestContext } from 'node:test';
import * as arrow from 'apache-arrow';
import { type Connection, open } from 'recurve';
import { connect, firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

/** Writes a file by another Arrow library; the suffix says in which format. Gives the path. */
function writeTable(path: string, columns: Record<string, arrow.Vector>): string {
  const table = new arrow.Table(columns);
  writeFileSync(path, arrow.tableToIPC(table, path.endsWith('.arrows') ? 'stream' : 'file'));
  return path;
}

const ints = (...values: number[]): arrow.Vector => arrow.vectorFromArray(values, new arrow.Int32());
const texts = (...values: (string | null)[]): arrow.Vector => arrow.vectorFromArray(values, new arrow.Utf8());

async function setUp(t: TestContext): Promise<{ folder: string; connection: Connection }> {
  return { folder: scratchFolder(t), connection: await connect(t) };
}

describe('an Arrow file by name', () => {
  test('is a table in every place of a statement', async (t) => {
    const { folder, connection } = await setUp(t);
    const one = writeTable(join(folder, "it's one.arrow"), {
      id: ints(1, 2, 3),
      name: texts('a', null, 'ccccccccccccccccc'),
    });
    const two = writeTable(join(folder, 'two.arrows'), { id: ints(2, 3, 4), n: ints(20, 30, 40) });
    const [a, b] = [`'${one.replaceAll("'", "''")}'`, `"${two}"`];
    const sum = (sql: string, parameters: number[] = []) => firstValue(connection, sql, parameters).then(Number);
    assert.equal(await firstValue(connection, `SELECT max(name) FROM ${a}`), 'ccccccccccccccccc');
    assert.equal(await sum(`SELECT sum(n) FROM ${a} JOIN ${b} USING (id)`), 50);
    assert.equal(await sum(`SELECT count(*) FROM ${a} x, ${b} y WHERE x.id = $1 AND y.n > $2`, [1, 20]), 2);
    assert.equal(await sum(`WITH c AS (FROM ${b}) SELECT max(n) FROM c WHERE id IN (SELECT id FROM ${a})`), 30);
    assert.equal(
      await sum(`CREATE TABLE k AS FROM ${a}; INSERT INTO k SELECT id, 'x' FROM ${b}; SELECT count(*) FROM k`),
      6,
    );
    assert.equal(await sum(`DELETE FROM k USING ${b} y WHERE y.id = k.id; SELECT count(*) FROM k`), 1);
    assert.equal((await rowsOf(connection, `DESCRIBE ${a}`)).length, 2);
    const statement = await connection.prepare(`SELECT sum(id) FROM ${b} WHERE id > $1`);
    assert.deepEqual(
      (await (await statement.executeQuery([2])).table()).toArray().map((row) => ({ ...row })),
      [{ 'sum(id)': '7' }],
    );
    assert.deepEqual((await connection.getTableSchema({ tableName: two })).names, ['id', 'n']);
  });

  test('is read for the first time by each of many connections, in SQL of any kind', async (t) => {
    const folder = scratchFolder(t);
    const path = writeTable(join(folder, 'x.arrow'), { id: ints(1, 2) });
    const statements = [
      `SELECT sum(id)::INT FROM '${path}'`,
      `SELECT sum(a.id)::INT FROM '${path}' a JOIN '${path}' b USING (id)`,
      `SELECT sum(id)::INT FROM '${path}' WHERE id < $1`,
      `CREATE TABLE t (id INT); INSERT INTO t FROM '${path}'; SELECT sum(id)::INT FROM t`,
      `CREATE TEMP VIEW v AS FROM '${path}'; SELECT sum(id)::INT FROM v`,
      `SELECT sum(id)::INT FROM (PIVOT '${path}' ON id USING count(*) GROUP BY id)`,
    ];
    for (const sql of statements) {
      const connection = await connect(t);
      assert.equal(await firstValue(connection, sql, sql.includes('$1') ? [9] : []), 3, sql);
    }
  });

  test('may be relative to the working directory, and end in any of the suffixes', async (t) => {
    const { folder, connection } = await setUp(t);
    const before = process.cwd();
    t.after(() => process.chdir(before));
    process.chdir(folder);
    mkdirSync('sub');
    for (const name of ['x.arrow', 'x.arrows', 'sub/x.feather', './x.ipc', 'X2.ARROW']) {
      writeTable(name, { id: ints(1, 2) });
      assert.equal(await firstValue(connection, `SELECT count(*) FROM '${name}'`), 2n, name);
    }
  });

  test('is read again once it has changed, and missed once it has gone', async (t) => {
    const { folder, connection } = await setUp(t);
    const path = writeTable(join(folder, 'x.arrow'), { id: ints(1, 2) });
    const sql = `SELECT sum(id)::INT AS s FROM '${path}'`;
    const statement = await connection.prepare(sql);
    const prepared = async () => Number((await (await statement.executeQuery()).table()).column('s').at(0));
    assert.equal(await firstValue(connection, sql), 3);
    writeTable(path, { id: ints(10, 20, 30), more: texts('a', 'b', 'c') });
    assert.equal(await prepared(), 60);
    assert.equal(await firstValue(connection, `SELECT max(more) FROM '${path}'`), 'c');
    // The same size, at another time.
    writeTable(path, { id: ints(10, 20, 31), more: texts('a', 'b', 'c') });
    utimesSync(path, 1, 1);
    assert.equal(await prepared(), 61);
    rmSync(path);
    await rejects(connection.query(sql), 'NOT_FOUND', /there is no table and no file/);
    await rejects(statement.executeQuery(), 'NOT_FOUND', /there is no table and no file/);
  });

  test('works in a transaction, and what is rolled back is read again', async (t) => {
    const { folder, connection } = await setUp(t);
    const path = writeTable(join(folder, 'x.arrow'), { id: ints(1, 2) });
    const sum = async () => firstValue(connection, `SELECT sum(id)::INT FROM '${path}'`);
    await connection.execute('CREATE TABLE t (a INT)');
    await connection.setAutoCommit(false);
    await connection.execute('INSERT INTO t VALUES (1)');
    assert.equal(await sum(), 3);
    await connection.rollback();
    assert.equal(await sum(), 3);
    await connection.commit();
    await connection.execute('INSERT INTO t VALUES (2)');
    writeTable(path, { id: ints(5, 6) });
    assert.equal(await sum(), 11);
    await connection.rollback();
    assert.equal(await sum(), 11);
    await connection.rollback();
    await connection.setAutoCommit(true);
    await connection.execute('BEGIN');
    writeTable(path, { id: ints(7) });
    assert.equal(await sum(), 7);
    await connection.execute('ROLLBACK');
    assert.equal(await sum(), 7);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
  });

  test('works with a read-only database', async (t) => {
    const folder = scratchFolder(t);
    const writer = await open(`duckdb:${folder}/x.db`);
    await (await writer.connect()).execute('CREATE TABLE t AS SELECT 2 AS id');
    await writer.close();
    const connection = await connect(t, `duckdb:${folder}/x.db?access_mode=read_only`);
    const path = writeTable(join(folder, 'x.arrow'), { id: ints(1, 2) });
    assert.equal(await firstValue(connection, `SELECT count(*) FROM '${path}' JOIN t USING (id)`), 1n);
  });

  test('is not a table of that name that exists', async (t) => {
    const { folder, connection } = await setUp(t);
    const path = writeTable(join(folder, 'x.arrow'), { id: ints(1) });
    await connection.execute(`CREATE TABLE "${path}" AS SELECT 'mine' AS v`);
    assert.equal(await firstValue(connection, `SELECT v FROM '${path}'`), 'mine');
  });

  test('is told from one whose name differs in upper and lower case only', async (t) => {
    const { folder, connection } = await setUp(t);
    const lower = writeTable(join(folder, 'x.arrow'), { id: ints(1) });
    const upper = writeTable(join(folder, 'X.arrow'), { id: ints(2) });
    assert.equal(await firstValue(connection, `SELECT id FROM '${lower}'`), 1);
    assert.equal(await firstValue(connection, `SELECT id FROM '${upper}'`), 2);
    assert.equal(await firstValue(connection, `SELECT id FROM '${lower}'`), 1);
    await rejects(connection.query(`FROM '${lower}' a, '${upper}' b`), 'INVALID_ARGUMENT', /one table name to DuckDB/);
  });
});

describe('an Arrow file that cannot be read', () => {
  test('is named, and leaves no table behind', async (t) => {
    const { folder, connection } = await setUp(t);
    const path = (name: string) => join(folder, name);
    const query = (name: string) => connection.query(`SELECT * FROM '${path(name)}'`);
    await rejects(query('none.arrow'), 'NOT_FOUND', /no file ".*none\.arrow"/);
    const pattern = await rejects(query('*.arrow'), 'NOT_FOUND', /no file/);
    assert.match(pattern.hint ?? '', /patterns are not expanded/);
    mkdirSync(path('folder.arrow'));
    await rejects(query('folder.arrow'), 'NOT_FOUND', /no file/);
    writeFileSync(path('text.arrow'), 'a,b\n1,2\n');
    await rejects(query('text.arrow'), 'INVALID_DATA', /text\.arrow: /);
    writeFileSync(path('empty.arrows'), '');
    await rejects(query('empty.arrows'), 'INVALID_DATA', /empty\.arrows: /);
    const many = arrow.vectorFromArray(
      Array.from({ length: 5000 }, (_, i) => i),
      new arrow.Int32(),
    );
    for (const name of ['cut.arrow', 'cut.arrows']) {
      writeTable(path(name), { id: many });
      truncateSync(path(name), 9000);
      const error = await rejects(query(name), 'INVALID_DATA', new RegExp(`${name.replace('.', '\\.')}: `));
      await rejects(query(name), 'INVALID_DATA', new RegExp(`${error.message.slice(-20).replace(/[()]/g, '.')}`));
    }
    writeTable(path('cut.arrow'), { id: many });
    assert.equal(await firstValue(connection, `SELECT count(*) FROM '${path('cut.arrow')}'`), 5000n);
    appendFileSync(path('cut.arrow'), 'x');
    await rejects(query('cut.arrow'), 'INVALID_DATA', /cut\.arrow: /);
    assert.equal(await firstValue(connection, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'temp'"), 0n);
  });

  test('for a value that DuckDB cannot hold says where it is', async (t) => {
    const { folder, connection } = await setUp(t);
    const values = Array.from({ length: 5000 }, (_, i) => BigInt(i) * 1000n);
    values[4321] = 1n;
    const ns = arrow.makeVector({
      type: new arrow.TimestampNanosecond('UTC'),
      data: BigInt64Array.from(values),
      length: 5000,
    } as never);
    const path = writeTable(join(folder, 'x.arrow'), { t: ns });
    await rejects(
      connection.query(`FROM '${path}'`),
      'INVALID_DATA',
      /x\.arrow: column "t", row 4322: 1 ns is finer than the microseconds of a TIMESTAMP WITH TIME ZONE$/,
    );
  });

  test('can be aborted while it is read', async (t) => {
    const { folder, connection } = await setUp(t);
    const many = arrow.vectorFromArray(
      Array.from({ length: 1_000_000 }, (_, i) => `value number ${i}`),
      new arrow.Utf8(),
    );
    const path = writeTable(join(folder, 'x.arrows'), { v: many });
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    await rejects(connection.query(`FROM '${path}'`, [], { signal: controller.signal }), 'CANCELLED', /cancelled/);
    assert.equal(await firstValue(connection, `SELECT count(DISTINCT v) FROM '${path}'`), 1_000_000n);
  });
});
