import assert from 'node:assert/strict';
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import test, { describe, type TestContext } from 'node:test';
import { type Connection, open, type QueryEnd, type QueryFailure, type QueryStart, RecurveError } from 'recurve';
import { openDatabase, type QueryObserver } from 'recurve/adbc';
import { FakeDriver, type Script } from '../adbc/fake-driver.ts';
import { failsWith, settle } from '../adbc/fixture.ts';
import { numberBatch } from '../delivery/batch.ts';

type Noted =
  | { kind: 'start'; event: QueryStart }
  | { kind: 'end'; event: QueryEnd }
  | { kind: 'failure'; event: QueryFailure };

/** Notes all events of the connections that it makes. */
async function observe(
  t: TestContext,
  scripts: Readonly<Record<string, Script>>,
): Promise<{ connection: Connection; noted: Noted[] }> {
  const noted: Noted[] = [];
  const observer: QueryObserver = {
    active: true,
    started: (event) => noted.push({ kind: 'start', event }),
    ended: (event) => noted.push({ kind: 'end', event }),
    failed: (event) => noted.push({ kind: 'failure', event }),
  };
  const database = await openDatabase(new FakeDriver(scripts), new Map([['uri', 'fake:']]), { observer });
  t.after(() => database.close());
  return { connection: await database.connect(), noted };
}

function kinds(noted: readonly Noted[]): string[] {
  return noted.map(({ kind, event }) => `${kind} ${event.sql}`);
}

describe('the events of statements', () => {
  test('tell of start and end, with text, connection and the whole delivery', async (t) => {
    const { connection, noted } = await observe(t, { numbers: { rowsAffected: 7 } });
    const result = await connection.query('numbers', ['hunter2']);
    assert.deepEqual(kinds(noted), ['start numbers']);
    await result.table();
    const [start, end] = noted.map(({ event }) => event);
    const { queryId, ...rest } = start ?? assert.fail();
    assert.deepEqual(rest, { connectionId: connection.id, driverName: 'fake', sql: 'numbers', call: 'query' });
    assert.ok(queryId > 0);
    assert.ok(noted[1]?.kind === 'end');
    assert.equal(noted[1].event.queryId, queryId);
    assert.equal(noted[1].event.rowsAffected, 7);
    assert.deepEqual(noted[1].event.delivery, result.delivery);
    assert.equal(result.delivery.outcome, 'complete');
    assert.ok(noted[1].event.durationMs >= 0);
    assert.equal(end?.sql, 'numbers');
    assert.equal(await connection.execute('numbers'), 7);
    assert.ok(noted[3]?.kind === 'end');
    assert.deepEqual(
      [noted[3].event.call, noted[3].event.rowsAffected, noted[3].event.delivery],
      ['execute', 7, undefined],
    );
  });

  test('tell of an ingest by the name of its table, with the rows written or the error', async (t) => {
    const { connection, noted } = await observe(t, {});
    await connection.ingest('items', numberBatch(0, 4));
    assert.deepEqual(kinds(noted), ['start items', 'end items']);
    assert.ok(noted[1]?.kind === 'end');
    const { call, rowsAffected, delivery } = noted[1].event;
    assert.deepEqual([call, rowsAffected, delivery], ['ingest', 4, undefined]);
    const lost = {
      schema: numberBatch(0, 1).schema,
      batches: (async function* () {
        yield numberBatch(0, 1);
        throw new RecurveError('IO', 'the source has died');
      })(),
    };
    await assert.rejects(connection.ingest('items', lost), {
      status: 'IO',
      message: /after 1 rows: the source has died$/,
    });
    assert.deepEqual(kinds(noted).slice(2), ['start items', 'failure items']);
    assert.ok(noted[3]?.kind === 'failure');
    assert.match(noted[3].event.error.message, /the source has died$/);
  });

  test('come as one start and one end or failure, however a statement ends', async (t) => {
    const failure = new RecurveError('IO', 'lost');
    const scripts = {
      numbers: {},
      slow: { batches: 1000, batchMs: 5 },
      fails: { failAt: 2, failure },
      no: { refuse: failure },
    };
    const { connection, noted } = await observe(t, scripts);
    const ends: [how: string, work: () => Promise<unknown>, kind: string, outcome: string | undefined][] = [
      [
        'left',
        async () => {
          for await (const _ of await connection.query('slow')) break;
        },
        'end',
        'returned',
      ],
      ['closed', async () => (await connection.query('slow')).close(), 'end', 'returned'],
      ['cancelled', async () => (await connection.query('slow')).cancel(), 'failure', 'cancelled'],
      ['time-out', async () => (await connection.query('slow', [], { timeoutMs: 20 })).table(), 'failure', 'timeout'],
      ['failed', async () => (await connection.query('fails')).table(), 'failure', 'failed'],
      ['refused', () => connection.query('no'), 'failure', undefined],
      ['refused execute', () => connection.execute('no'), 'failure', undefined],
      ['aborted before', () => connection.query('no', [], { signal: AbortSignal.abort() }), 'failure', undefined],
      ['prepared', async () => (await (await connection.prepare('numbers')).executeQuery()).table(), 'end', 'complete'],
    ];
    for (const [how, work, kind, outcome] of ends) {
      noted.length = 0;
      await work().catch(() => {});
      await settle();
      assert.deepEqual(
        noted.map((one) => one.kind),
        ['start', kind],
        how,
      );
      assert.equal(noted[0]?.event.queryId, noted[1]?.event.queryId, how);
      assert.notEqual(noted[1]?.event.sql, '', how);
      const event = noted[1]?.event;
      const delivery = event !== undefined && 'delivery' in event ? event.delivery : undefined;
      assert.equal(delivery?.outcome, outcome, how);
      if (noted[1]?.kind === 'failure') assert.ok(RecurveError.is(noted[1].event.error), how);
    }
    noted.length = 0;
    const older = await connection.query('slow');
    await connection.execute('numbers');
    await assert.rejects(older.table(), failsWith('INVALID_STATE'));
    const superseded = noted.find(({ kind }) => kind === 'failure')?.event;
    assert.equal(superseded?.queryId, noted[0]?.event.queryId);
  });

  test('nothing is asked of an observer that is not active', async (t) => {
    const fail = (): never => assert.fail('told although not active');
    const observer = { active: false, started: fail, ended: fail, failed: fail };
    const database = await openDatabase(new FakeDriver({ numbers: {} }), new Map([['uri', 'fake:']]), { observer });
    t.after(() => database.close());
    const connection = await database.connect();
    await (await connection.query('numbers')).table();
    await connection.execute('numbers');
  });
});

describe('diagnostics_channel', () => {
  test('carries the events of every database that was opened by URI, while somebody listens', async (t) => {
    const names = ['recurve:query:start', 'recurve:query:end', 'recurve:query:failure'];
    const told: [name: string, message: unknown][] = [];
    const listener = (message: unknown, name: string | symbol): void => {
      told.push([String(name), message]);
    };
    for (const name of names) subscribe(name, listener);
    t.after(() => {
      for (const name of names) unsubscribe(name, listener);
    });
    const database = await open('duckdb:');
    t.after(() => database.close());
    const connection = await database.connect();
    await (await connection.query('select $1::text as secret', ['hunter2'])).table();
    await assert.rejects(connection.execute('select no_such'), failsWith('NOT_FOUND'));
    assert.deepEqual(
      told.map(([name]) => name),
      ['recurve:query:start', 'recurve:query:end', 'recurve:query:start', 'recurve:query:failure'],
    );
    const [, end] = told[1] ?? assert.fail();
    const { driverName, connectionId, sql, delivery } = end as QueryEnd;
    assert.deepEqual([driverName, connectionId, sql], ['duckdb', connection.id, 'select $1::text as secret']);
    assert.equal(delivery?.rows, 1);
    assert.ok(
      !JSON.stringify(told, (_, value: unknown) => (typeof value === 'bigint' ? `${value}` : value)).includes(
        'hunter2',
      ),
    );
    for (const name of names) unsubscribe(name, listener);
    await (await connection.query('select 1')).table();
    assert.equal(told.length, 4);
  });
});
