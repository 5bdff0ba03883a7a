import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { open } from 'recurve';
import { Column, RecurveError, Table, tableFromArrays } from 'recurve/arrow';
import { numberBatch, numberSchema } from '../delivery/batch.ts';
import { connectFake, failsWith } from './fixture.ts';

const pairs = tableFromArrays({ a: [1, 2, 3], b: ['x', null, 'z'] });

describe('rows that are bound', () => {
  test('run once each, in one transaction, and what they change is summed up', async (t) => {
    const { connection, driver } = await connectFake(t, { write: { batches: 0, rowsAffected: 2 } });
    const statement = await connection.prepare('write');
    statement.bind(pairs);
    assert.equal(await statement.executeUpdate(), 6);
    assert.deepEqual(driver.calls.slice(3), ['begin', 'run write', 'run write', 'run write', 'commit']);
    const given = driver.requests.map(({ parameters }) =>
      Object.values(parameters).map((value) => (value instanceof Column ? value.at(0) : value)),
    );
    assert.deepEqual(given, [
      [1, 'x'],
      [2, null],
      [3, 'z'],
    ]);
    // A table can be run again.
    assert.equal(await statement.executeUpdate(), 6);
    // One set of parameters takes its place.
    statement.bind([1, 2]);
    assert.equal(await statement.executeUpdate(), 2);
    await statement.close();
  });

  test('give their results one after the other', async (t) => {
    const { connection, driver } = await connectFake(t, { read: { batches: 2, rows: 5 } });
    const statement = await connection.prepare('read');
    statement.bind(pairs);
    const result = await statement.executeQuery();
    assert.deepEqual(String(result.schema), String(numberSchema));
    assert.equal((await result.table()).numRows, 30);
    assert.deepEqual(driver.calls.slice(3), ['begin', 'run read', 'run read', 'run read', 'commit']);
    assert.equal(result.delivery.outcome, 'complete');
    await statement.close();
  });

  test('are rolled back together when one fails, which is named', async (t) => {
    const { connection, driver } = await connectFake(t, {
      write: { batches: 0, rowsAffected: 1 },
      late: { batches: 2, failAt: 1 },
    });
    const statement = await connection.prepare('write');
    statement.bind(pairs);
    let runs = 0;
    const { scripts } = driver;
    Object.defineProperty(scripts, 'write', {
      get: () => (++runs === 2 ? { refuse: new RecurveError('INTEGRITY', 'twice') } : { batches: 0, rowsAffected: 1 }),
    });
    await assert.rejects(statement.executeUpdate(), failsWith('INTEGRITY', /^bound row 2: twice$/));
    assert.deepEqual(driver.calls.slice(3), ['begin', 'run write', 'run write', 'rollback']);
    const reading = await connection.prepare('late');
    reading.bind(pairs);
    const result = await reading.executeQuery();
    await assert.rejects(result.table(), failsWith('IO', /^bound row 1: lost at batch 1$/));
    assert.equal(driver.calls.at(-1), 'rollback');
    await reading.close();
    await statement.close();
  });

  test('are part of a transaction that is open, whose end is for the caller', async (t) => {
    const { connection, driver } = await connectFake(t, { write: { batches: 0, rowsAffected: 1 } });
    const statement = await connection.prepare('write');
    statement.bind(pairs);
    await connection.setAutoCommit(false);
    assert.equal(await statement.executeUpdate(), 3);
    await connection.rollback();
    assert.deepEqual(driver.calls.slice(3), ['begin', 'run write', 'run write', 'run write', 'rollback']);
    await statement.close();
  });

  test('stop when the result is closed, superseded or aborted, and are rolled back', async (t) => {
    const { connection, driver } = await connectFake(t, { slow: { batches: 50, batchMs: 2 } });
    const statement = await connection.prepare('slow');
    statement.bind(pairs);
    for await (const _ of await statement.executeQuery()) break;
    assert.equal(driver.calls.at(-1), 'rollback');
    await statement.executeQuery();
    await connection.execute('slow');
    assert.deepEqual(driver.calls.slice(-2), ['rollback', 'run slow']);
    const result = await statement.executeQuery(undefined, { timeoutMs: 30 });
    await assert.rejects(result.table(), failsWith('TIMEOUT'));
    await assert.rejects(
      statement.executeUpdate(undefined, { signal: AbortSignal.timeout(10) }),
      failsWith('CANCELLED'),
    );
    await statement.close();
    assert.equal(driver.calls.filter((call) => call === 'begin').length, 4);
    assert.equal(driver.calls.filter((call) => call === 'rollback').length, 4);
  });

  test('from a stream are read once and as they are run', async (t) => {
    const { connection } = await connectFake(t, { write: { batches: 0, rowsAffected: 1 } });
    const statement = await connection.prepare('write');
    statement.bindStream({ schema: pairs.schema, batches: pairs.batches });
    assert.equal(await statement.executeUpdate(), 3);
    await assert.rejects(statement.executeUpdate(), failsWith('INVALID_STATE', /has been read/));
    await statement.close();
    assert.throws(() => statement.bindStream(pairs), failsWith('INVALID_STATE'));
  });

  test('must have as many columns as there are parameters', async (t) => {
    const { connection, driver } = await connectFake(t, { write: { batches: 0 } });
    const statement = await connection.prepare('write');
    statement.bind(numberBatch(0, 2));
    await assert.rejects(
      statement.executeUpdate(),
      failsWith('INVALID_ARGUMENT', /has 2 parameters, and the bound rows 1 columns/),
    );
    assert.equal(driver.calls.at(-1), 'rollback');
    assert.throws(() => statement.bindStream(1 as never), failsWith('INVALID_ARGUMENT', /data is 1/));
    await statement.close();
  });

  test('that are none run nothing, and the schema is known all the same', async (t) => {
    const { connection, driver } = await connectFake(t, { read: {} });
    const statement = await connection.prepare('read');
    statement.bind(new Table(pairs.schema, []));
    assert.equal((await (await statement.executeQuery()).table()).numRows, 0);
    assert.equal(await statement.executeUpdate(), 0);
    assert.ok(!driver.calls.includes('run read'));
    await statement.close();
  });
});

describe('rows that are bound to a statement of DuckDB', () => {
  test('go by position, or by name where the columns have the names', async (t) => {
    const database = await open('duckdb:');
    t.after(() => database.close());
    const connection = await database.connect();
    const byPosition = await connection.prepare('SELECT 1 + $1 AS n');
    byPosition.bind(tableFromArrays({ other: Int32Array.of(1, 2, 3, 4) }));
    assert.deepEqual((await (await byPosition.executeQuery()).table()).toArray(), [
      { n: 2 },
      { n: 3 },
      { n: 4 },
      { n: 5 },
    ]);
    const byName = await connection.prepare('SELECT $b || $a AS s');
    byName.bind(pairs);
    assert.deepEqual((await (await byName.executeQuery()).table()).toArray(), [{ s: 'x1' }, { s: null }, { s: 'z3' }]);
  });

  test('are all there or none', async (t) => {
    const database = await open('duckdb:');
    t.after(() => database.close());
    const connection = await database.connect();
    await connection.execute('CREATE TABLE t (a INTEGER PRIMARY KEY, b VARCHAR)');
    const insert = await connection.prepare('INSERT INTO t VALUES ($1, $2)');
    insert.bind(tableFromArrays({ a: [1, 2, 1], b: ['x', 'y', 'z'] }));
    await assert.rejects(insert.executeUpdate(), failsWith('INTEGRITY', /^bound row 3: .*primary key/i));
    const count = async () => (await (await connection.query('SELECT count(*) n FROM t')).table()).toArray()[0]?.n;
    assert.equal(await count(), 0n);
    insert.bind(pairs);
    assert.equal(await insert.executeUpdate(), 3);
    assert.equal(await count(), 3n);
    const returning = await connection.prepare('UPDATE t SET b = $1 WHERE a = $2 RETURNING a');
    returning.bind(tableFromArrays({ b: ['p', 'q'], a: [3, 1] }));
    assert.deepEqual((await (await returning.executeQuery()).table()).toArray(), [{ a: 3 }, { a: 1 }]);
  });
});
