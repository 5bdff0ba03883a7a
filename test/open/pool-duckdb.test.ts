import assert from 'node:assert/strict';
import test, { describe, type TestContext } from 'node:test';
import { createPool, open, type Pool, type PoolOptions } from 'recurve';
import { failsWith } from '../adbc/fixture.ts';

async function createDuckdbPool(t: TestContext, options?: PoolOptions): Promise<Pool> {
  const pool = await createPool('duckdb:', options);
  t.after(() => pool.close());
  return pool;
}

async function readOne(pool: Pool, sql: string): Promise<unknown> {
  const table = await (await pool.query(sql)).table();
  return table.toArray()[0];
}

const endless = 'select i, repeat(i::text, 20) as t from range(200000000) r(i)';

describe('a pool of DuckDB connections', () => {
  test('shares one database in memory', async (t) => {
    const pool = await createDuckdbPool(t, { min: 2 });
    await pool.execute('create table item (id integer primary key)');
    const inserts = await Promise.all([1, 2, 3, 4, 5].map((id) => pool.execute('insert into item values ($1)', [id])));
    assert.deepEqual(inserts, [1, 1, 1, 1, 1]);
    assert.deepEqual(await readOne(pool, 'select sum(id)::integer as sum from item'), { sum: 15 });
    await assert.rejects(pool.execute('insert into item values (1)'), failsWith('INTEGRITY'));
  });

  test('reads several results side by side', async (t) => {
    const pool = await createDuckdbPool(t, { max: 3 });
    const sums = await Promise.all(
      [1, 2, 3, 4, 5, 6].map(async (factor) => {
        let rows = 0;
        const result = await pool.query('select i * $1 as n from range(300000) r(i)', [factor]);
        for await (const batch of result) rows += batch.numRows;
        return rows;
      }),
    );
    assert.deepEqual(sums, [300_000, 300_000, 300_000, 300_000, 300_000, 300_000]);
    assert.ok(pool.statistics.size <= 3);
  });

  test('nothing of a transaction that was left open is there for the next', async (t) => {
    const pool = await createDuckdbPool(t, { max: 1 });
    await pool.execute('create table item (id integer)');
    await pool.use(async (connection) => {
      await connection.setAutoCommit(false);
      await connection.execute('insert into item values (1)');
    });
    await pool.use((connection) => connection.execute('begin; insert into item values (2)'));
    await pool.use(async (connection) => {
      await connection.execute('start transaction');
      await connection.execute('insert into item values (3)');
      await assert.rejects(connection.execute('insert into item values (no_such)'), failsWith('NOT_FOUND'));
    });
    assert.deepEqual(await readOne(pool, 'select count(*)::integer as n from item'), { n: 0 });
    await pool.execute('insert into item values (4)');
    assert.deepEqual(await readOne(pool, 'select count(*)::integer as n from item'), { n: 1 });
  });

  test('early ends of every kind leave it usable with one connection', async (t) => {
    const pool = await createDuckdbPool(t, { max: 1, acquireTimeoutMs: 2000 });
    for await (const _ of await pool.query(endless)) break;
    await assert.rejects(
      pool.query(endless, [], { timeoutMs: 50 }).then((result) => result.table()),
      failsWith('TIMEOUT'),
    );
    await assert.rejects(
      pool
        .query("select case when i = 500000 then 'x' else i::text end::integer as n from range(600000) r(i)")
        .then((result) => result.table()),
      failsWith('INVALID_DATA'),
    );
    const controller = new AbortController();
    const aborted = pool.execute(`create table t as ${endless}`, [], { signal: controller.signal });
    setTimeout(() => controller.abort(), 30);
    await assert.rejects(aborted, failsWith('CANCELLED'));
    const unread = await pool.use((connection) => connection.query(endless));
    await assert.rejects(unread.table(), failsWith('CANCELLED', /given back to its pool/));
    assert.deepEqual(await readOne(pool, 'select 42 as answer'), { answer: 42 });
    assert.equal(pool.statistics.size, 1);
  });

  test('leaves a database open that it was given', async () => {
    const database = await open('duckdb:');
    const pool = await createPool(database, { min: 1 });
    await pool.execute('create table kept as select 1 as one');
    await pool.close();
    const connection = await database.connect();
    assert.equal((await (await connection.query('from kept')).table()).numRows, 1);
    await database.close();
  });
});
