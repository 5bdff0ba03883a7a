import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import test, { describe, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tableFromIPC } from 'apache-arrow';
import { type Connection, open } from 'recurve';
import { failsWith } from './fixture.ts';

/** A result that takes DuckDB seconds, and far more than a window. */
const endless = 'select i, repeat(i::text, 20) as t from range(200000000) r(i)';

async function connect(t: TestContext): Promise<Connection> {
  const database = await open('duckdb:');
  t.after(() => database.close());
  return database.connect();
}

async function assertUsable(connection: Connection): Promise<void> {
  const table = await (await connection.query('select 42 as answer')).table();
  assert.deepEqual(table.toArray(), [{ answer: 42 }]);
}

describe('the contract on DuckDB', () => {
  test('early ends of every kind stop the source soon and leave the connection usable', async (t) => {
    const connection = await connect(t);
    const ends: Record<string, (controller: AbortController) => Promise<unknown>> = {
      async break() {
        for await (const _ of await connection.query(endless)) break;
      },
      async abort(controller) {
        const result = await connection.query(endless, [], { signal: controller.signal });
        setTimeout(() => controller.abort(), 20);
        await assert.rejects(result.table(), failsWith('CANCELLED'));
        assert.equal(result.delivery.outcome, 'cancelled');
      },
      async timeout() {
        const result = await connection.query(endless, [], { timeoutMs: 100 });
        await assert.rejects(result.table(), failsWith('TIMEOUT'));
        assert.ok(result.delivery.rows > 0);
      },
      async 'stream cancel'() {
        const reader = (await connection.query(endless)).toReadable().getReader();
        await reader.read();
        await reader.cancel();
      },
    };
    for (const [name, end] of Object.entries(ends)) {
      const controller = new AbortController();
      await end(controller);
      const start = performance.now();
      await assertUsable(connection);
      const took = performance.now() - start;
      assert.ok(took < 500, `${name}: ${took} ms until the connection could be used`);
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    }
  });

  test('a result that fails late delivers rows and then the error of the source', async (t) => {
    const connection = await connect(t);
    const result = await connection.query(
      "select case when i = 1500000 then 'x' else i::text end::integer as n from range(2000000) r(i)",
    );
    let rows = 0;
    await assert.rejects(
      async () => {
        for await (const batch of result) rows += batch.numRows;
      },
      failsWith('INVALID_DATA', /x/),
    );
    assert.ok(rows > 0 && rows <= 1_500_000);
    assert.deepEqual([result.delivery.outcome, result.delivery.rows], ['failed', rows]);
    await assertUsable(connection);
  });

  test('another call ends a live result with an error', async (t) => {
    const connection = await connect(t);
    const older = await connection.query(endless);
    const reading = assert.rejects(older.table(), failsWith('INVALID_STATE', /another call/));
    await sleep(20);
    await connection.execute('create table t (a integer not null)');
    await reading;
    assert.equal(older.delivery.outcome, 'superseded');
    assert.deepEqual((await connection.getTableSchema({ tableName: 't' })).names, ['a']);
    await assert.rejects(connection.getTableSchema({ tableName: 'none' }), failsWith('NOT_FOUND'));
  });

  test('a transaction holds what ran in it together', async (t) => {
    const connection = await connect(t);
    await connection.execute('create table t (a integer)');
    await connection.setAutoCommit(false);
    assert.equal(await connection.execute('insert into t values (1), (2)'), 2);
    await connection.rollback();
    await connection.setAutoCommit(true);
    await connection.transaction((tx) => tx.execute('insert into t values (3)'));
    const failing = connection.transaction(async (tx) => {
      await tx.execute('insert into t values (4)');
      await tx.execute('insert into nowhere values (5)');
    });
    await assert.rejects(failing, failsWith('NOT_FOUND', /nowhere/));
    assert.deepEqual((await (await connection.query('select a from t')).table()).toArray(), [{ a: 3 }]);
  });

  test('a statement is run again with other parameters', async (t) => {
    const connection = await connect(t);
    const statement = await connection.prepare('select $a::integer + $b::integer as sum');
    assert.deepEqual([...statement.parameterNames].sort(), ['a', 'b']);
    for (const a of [1, 2]) {
      const table = await (await statement.executeQuery({ a, b: 10 })).table();
      assert.deepEqual(table.toArray(), [{ sum: a + 10 }]);
    }
    await statement.close();
  });

  test('a result becomes a response that another implementation reads', async (t) => {
    const connection = await connect(t);
    const result = await connection.query("select i::integer as i, 'r' || i as s from range(5000) r(i)");
    const foreign = tableFromIPC(await result.toResponse().arrayBuffer());
    assert.equal(foreign.numRows, 5000);
    assert.deepEqual(foreign.get(4999)?.toJSON(), { i: 4999, s: 'r4999' });
  });
});
