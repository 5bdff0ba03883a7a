import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import type { Connection, QueryOptions, TableName } from 'recurve/adbc';
import { RecurveError } from 'recurve/arrow';
import { connectFake, failsWith, settle } from './fixture.ts';

const scripts = {
  three: {},
  many: { batches: 1000, batchMs: 1 },
  insert: { batches: 0, rowsAffected: 5, submitMs: 3 },
  returning: { batches: 2, rowsAffected: 2 },
  bad: { refuse: new RecurveError('INVALID_ARGUMENT', 'syntax error at "bad"') },
};

describe('a connection', () => {
  test('makes calls one at a time and in order, whoever waits for them', async (t) => {
    const { driver, connection } = await connectFake(t, scripts, 2);
    const [rows, , failed, table] = await Promise.allSettled([
      connection.execute('insert'),
      connection.getTableSchema({ tableName: 't' }),
      connection.execute('bad'),
      connection.query('three').then((result) => result.table()),
    ]);
    assert.deepEqual(driver.calls.slice(2), ['run insert', 'schema ..t', 'run bad', 'run three']);
    assert.equal(rows.status === 'fulfilled' && rows.value, 5);
    assert.equal(failed.status, 'rejected');
    assert.equal(table.status === 'fulfilled' && table.value.numRows, 30);
  });

  test('executes a statement to its end and gives the rows that it changed', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    assert.equal(await connection.execute('insert'), 5);
    assert.equal(await connection.execute('returning'), 2);
    assert.equal(await connection.execute('three'), -1, 'what changes no rows says so');
    assert.equal(driver.alive.results, 0);
  });

  test('passes on the error of the source, and goes on', async (t) => {
    const { connection } = await connectFake(t, scripts);
    await assert.rejects(connection.query('bad'), (error) => error === scripts.bad.refuse);
    await assert.rejects(connection.query('worse'), failsWith('INVALID_ARGUMENT', /syntax error at "worse"/));
    assert.equal((await (await connection.query('three')).table()).numRows, 30);
  });

  test('hands on where batches end and which path to take, with its defaults', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.execute('insert', [1]);
    await connection.execute('insert', { a: 1 }, { path: 'copy', batch: { maxRows: 100, maxBytes: 5 } });
    assert.deepEqual(driver.requests, [
      { parameters: [1], path: undefined, limit: { maxRows: 65_536, maxBytes: 8_388_608, firstRows: 2048 } },
      { parameters: { a: 1 }, path: 'copy', limit: { maxRows: 100, maxBytes: 5, firstRows: 100 } },
    ]);
  });

  test('refuses options that it cannot use, by name, and without asking the source', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const wrong: [unknown, RegExp][] = [
      [{ windowBytes: -1 }, /windowBytes is -1/],
      [{ windowBytes: 1.5 }, /windowBytes is 1.5/],
      [{ batch: { maxRows: 0 } }, /batch\.maxRows is 0/],
      [{ batch: { maxBytes: Number.POSITIVE_INFINITY } }, /batch\.maxBytes is Infinity/],
      [{ batch: { firstRows: Number.NaN } }, /batch\.firstRows is NaN/],
      [{ batch: { rows: 1 } }, /unknown option batch\.rows/],
      [{ path: 1 }, /path is 1/],
      [{ window: 1 }, /unknown option window/],
      ['fast', /options must be an object, not "fast"/],
      [null, /options must be an object, not null/],
    ];
    for (const [options, message] of wrong) {
      await assert.rejects(
        connection.query('three', [], options as QueryOptions),
        failsWith('INVALID_ARGUMENT', message),
      );
    }
    await assert.rejects(connection.query(5 as unknown as string), failsWith('INVALID_ARGUMENT', /sql is 5/));
    assert.deepEqual(driver.requests, []);
  });

  test('gives the schema of a table', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const schema = await connection.getTableSchema({ catalog: 'c', dbSchema: 's', tableName: 't' });
    assert.deepEqual(schema.names, ['n']);
    assert.equal(driver.calls.at(-1), 'schema c.s.t');
    await assert.rejects(
      connection.getTableSchema({} as TableName),
      failsWith('INVALID_ARGUMENT', /tableName is undefined/),
    );
    const misspelt = { tableName: 't', schema: 's' } as TableName;
    await assert.rejects(connection.getTableSchema(misspelt), failsWith('INVALID_ARGUMENT', /unknown key schema/));
  });
});

describe('one live result', () => {
  const others: Record<string, (connection: Connection) => Promise<unknown>> = {
    query: (connection) => connection.query('three'),
    execute: (connection) => connection.execute('insert'),
    'a failing query': (connection) => connection.query('bad').catch(() => {}),
    prepare: (connection) => connection.prepare('three'),
    getTableSchema: (connection) => connection.getTableSchema({ tableName: 't' }),
  };
  for (const [name, call] of Object.entries(others)) {
    test(`ends with an error when another call reaches the source: ${name}`, async (t) => {
      const { driver, connection } = await connectFake(t, scripts);
      const older = await connection.query('many');
      const batches = older[Symbol.asyncIterator]();
      await batches.next();
      const waiting = older.delivery.batches;
      await call(connection);
      await assert.rejects(batches.next(), failsWith('INVALID_STATE', /another call ran on this connection/));
      await assert.rejects(batches.next(), failsWith('INVALID_STATE', /another call ran on this connection/));
      assert.equal(driver.calls[3], 'stop many');
      const { outcome, batches: taken } = older.delivery;
      assert.deepEqual([outcome, taken], ['superseded', waiting]);
    });
  }

  test('rejects the read that waits for it', async (t) => {
    const { connection } = await connectFake(t, { ...scripts, stuck: { batchMs: 10_000 } });
    const reading = assert.rejects(
      (await connection.query('stuck')).table(),
      failsWith('INVALID_STATE', /another call/),
    );
    await connection.execute('insert');
    await reading;
  });

  test('stays readable when the source has sent it whole', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const older = await connection.query('three');
    await settle();
    await connection.execute('insert');
    assert.equal((await older.table()).numRows, 30);
  });

  test('is left alone by calls that do not reach the source', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const result = await connection.query('many');
    const statement = await connection.getOption('adbc.connection.autocommit');
    assert.equal(statement, 'true');
    await assert.rejects(connection.commit(), failsWith('INVALID_STATE'));
    await connection.setAutoCommit(false);
    await connection.commit();
    await assert.rejects(connection.query('three', [], { signal: AbortSignal.abort() }), failsWith('CANCELLED'));
    assert.equal((await result.rows().next()).done, false);
    await result.close();
  });

  test('of each connection is its own', async (t) => {
    const { database, connection } = await connectFake(t, scripts);
    const second = await database.connect();
    const [a, b] = [(await connection.query('many')).rows(), (await second.query('many')).rows()];
    for (let i = 0; i < 30; i++)
      assert.deepEqual([(await a.next()).value, (await b.next()).value], [{ n: i }, { n: i }]);
  });
});

describe('closing', () => {
  test('a connection twice is harmless, and afterwards every call says what is wrong', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const statement = await connection.prepare('three');
    await Promise.all([connection.close(), connection.close()]);
    await connection[Symbol.asyncDispose]();
    assert.deepEqual(driver.calls.slice(-2), ['close statement three', 'close connection']);
    const calls: Promise<unknown>[] = [
      connection.query('three'),
      connection.execute('three'),
      connection.prepare('three'),
      connection.getTableSchema({ tableName: 't' }),
      connection.setAutoCommit(false),
      connection.commit(),
      connection.rollback(),
      connection.transaction(async () => {}),
      connection.getOption('adbc.connection.autocommit'),
      statement.executeQuery(),
      statement.executeUpdate(),
      statement.cancel(),
    ];
    for (const call of calls) await assert.rejects(call, failsWith('INVALID_STATE', /the connection is closed/));
    assert.throws(() => statement.bind([]), failsWith('INVALID_STATE'));
    await statement.close();
  });

  test('a connection takes along a statement that is being closed', async (t) => {
    const { driver, connection } = await connectFake(t, { ...scripts, slow: { submitMs: 10_000 } });
    const statement = await connection.prepare('three');
    const running = assert.rejects(connection.execute('slow'), failsWith('CANCELLED', /connection was closed/));
    const closing = statement.close();
    await connection.close();
    await Promise.all([closing, running]);
    assert.deepEqual(driver.calls.slice(-2), ['close statement three', 'close connection']);
  });

  test('a connection stops what runs on it', async (t) => {
    const { connection } = await connectFake(t, { ...scripts, slow: { submitMs: 10_000 }, stuck: { batchMs: 10_000 } });
    const reading = assert.rejects(
      (await connection.query('stuck')).table(),
      failsWith('CANCELLED', /connection was closed/),
    );
    await connection.close();
    await reading;
  });

  test('a connection stops the call that runs and those that wait', async (t) => {
    const { driver, connection } = await connectFake(t, { ...scripts, slow: { submitMs: 10_000 } });
    const running = assert.rejects(connection.execute('slow'), failsWith('CANCELLED', /connection was closed/));
    const waiting = assert.rejects(connection.execute('insert'), failsWith('CANCELLED', /connection was closed/));
    await connection.close();
    await Promise.all([running, waiting]);
    assert.ok(!driver.calls.includes('run insert'));
  });

  test('a connection leaves results that the source has sent whole', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const result = await connection.query('three');
    await settle();
    await connection.close();
    assert.equal((await result.table()).numRows, 30);
  });

  test('a connection goes through with it when a part fails, and says so', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.setAutoCommit(false);
    await connection.execute('insert');
    driver.failNext.set('rollback', new RecurveError('IO', 'connection lost'));
    await assert.rejects(connection.close(), failsWith('IO', /connection lost/));
    assert.deepEqual(driver.calls.slice(-2), ['rollback', 'close connection']);
    assert.equal(driver.alive.connections, 0);
  });
});
