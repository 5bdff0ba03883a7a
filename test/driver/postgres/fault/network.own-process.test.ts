import assert from 'node:assert/strict';
import test, { after, afterEach, describe } from 'node:test';
import { type BatchData, type Connection, type Database, open } from 'recurve';
import { type RecordBatch, RecurveError, tableFromArrays } from 'recurve/arrow';
import { startTestServer, type TestServer, testServer, withoutOwnPostgres, withoutPostgres } from '../server.ts';
import { FaultyProxy } from './faulty-proxy.ts';

/** Rows of 1 KB without an end that a test would see. */
const endless = "SELECT generate_series(1, 100000000) AS g, repeat('x', 1000) AS s";

const unhandled: unknown[] = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));
process.on('uncaughtException', (error) => unhandled.push(error));

afterEach(async () => {
  await new Promise((resolve) => setTimeout(resolve, 20));
  assert.deepEqual(unhandled.splice(0), [], 'something was left unhandled');
});

/** Rejects within `limitMs` with one of our errors; gives it. */
async function failsWithin(limitMs: number, work: Promise<unknown>): Promise<RecurveError> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`nothing after ${limitMs} ms`), limitMs);
  });
  const outcome = await Promise.race([
    work.then(
      () => 'it ended well',
      (error: unknown) => error,
    ),
    late,
  ]);
  clearTimeout(timer);
  assert.ok(RecurveError.is(outcome), `${outcome}`);
  assert.doesNotMatch(outcome.message, /\n/);
  return outcome;
}

async function readAll(connection: Connection, sql: string, onBatch: () => void = () => {}): Promise<void> {
  for await (const _ of await connection.query(sql)) onBatch();
}

function slowRows(onBatch: () => void): BatchData {
  const { schema } = tableFromArrays({ a: new Int32Array(0) });
  return { schema, [Symbol.asyncIterator]: () => slowBatches(onBatch) };
}

async function* slowBatches(onBatch: () => void): AsyncGenerator<RecordBatch> {
  for (let i = 0; i < 1000; i++) {
    yield* tableFromArrays({ a: Int32Array.from({ length: 1000 }, (_, j) => i * 1000 + j) }).batches;
    if (i === 3) onBatch();
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
}

describe('a network that fails', { skip: withoutPostgres }, () => {
  let server: TestServer;

  async function begin(): Promise<{ proxy: FaultyProxy; database: Database; connection: Connection }> {
    server = await testServer();
    const proxy = await FaultyProxy.open(server.uri);
    const database = await open({ uri: proxy.uri, sslmode: 'disable' });
    const connection = await database.connect();
    await readAll(connection, 'SELECT 1');
    return { proxy, database, connection };
  }

  const faults: readonly (readonly [name: string, cause: (proxy: FaultyProxy) => void])[] = [
    ['a reset', (proxy) => proxy.reset()],
    ['an end', (proxy) => proxy.end()],
    ['an end in the middle of a message', (proxy) => proxy.cutAfter(123_457)],
  ];

  for (const [name, cause] of faults) {
    test(`in the middle of a read: ${name} is one error, and no end of the result`, async () => {
      const { proxy, database, connection } = await begin();
      let batches = 0;
      const error = await failsWithin(
        5000,
        readAll(connection, endless, () => {
          if (++batches === 2) cause(proxy);
        }),
      );
      assert.equal(error.status, 'IO', error.message);
      await failsWithin(1000, connection.query('SELECT 1'));
      const next = await database.connect();
      await readAll(next, 'SELECT 1');
      await database.close();
      await proxy.close();
    });

    test(`in the middle of an ingest: ${name} is one error, and nothing is written`, async () => {
      const { proxy, database, connection } = await begin();
      await server.query('DROP TABLE IF EXISTS written');
      await server.query('CREATE TABLE written (a int4)');
      // A cut needs bytes of the server, which says little here.
      const work = connection.ingest(
        'written',
        slowRows(() => (name.includes('middle') ? proxy.end() : cause(proxy))),
        {
          mode: 'append',
        },
      );
      const error = await failsWithin(5000, work);
      assert.equal(error.status, 'IO', error.message);
      const [row] = await server.query('SELECT count(*) AS n FROM written');
      assert.equal(Number(row?.n), 0);
      await database.close();
      await proxy.close();
    });

    test(`between statements: ${name} is told by the next one`, async () => {
      const { proxy, database, connection } = await begin();
      if (name.includes('middle')) proxy.end();
      else cause(proxy);
      await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal((await failsWithin(1000, connection.query('SELECT 1'))).status, 'IO');
      await database.close();
      await proxy.close();
    });
  }

  test('that falls silent lets its caller go when it aborts or runs out of time, and closing ends', async () => {
    const { proxy, database, connection } = await begin();
    const reading = readAll(connection, 'SELECT pg_sleep(3600)');
    reading.catch(() => {});
    proxy.freeze();
    const other = connection.query('SELECT 1', [], { timeoutMs: 200 });
    assert.equal((await failsWithin(2000, other)).status, 'TIMEOUT');
    const before = performance.now();
    await connection.close().catch(() => {});
    await database.close();
    assert.ok(performance.now() - before < 8000);
    await failsWithin(1000, reading);
    await proxy.close();
  });

  test('that falls silent under a time limit ends the statement within seconds', async () => {
    const { proxy, database, connection } = await begin();
    const result = await connection.query(endless, [], { timeoutMs: 300, windowBytes: 1 << 20 });
    let batches = 0;
    const reading = (async () => {
      for await (const _ of result) if (++batches === 2) proxy.freeze();
    })();
    assert.equal((await failsWithin(5000, reading)).status, 'TIMEOUT');
    await database.close();
    await proxy.close();
  });

  test('that changes bytes is an error, never a wait and never other rows unsaid', async () => {
    for (let ahead = 0; ahead < 40; ahead++) {
      const { proxy, database, connection } = await begin();
      proxy.flipAfter(200 + ahead * 7);
      // What is changed may be a letter of a value: that nobody can see. All else ends in an error, or at the time limit.
      await Promise.race([
        readAll(connection, "SELECT g, 'abc' AS s, 1.5::float8 AS f FROM generate_series(1, 200) AS g").catch(
          (error) => {
            assert.ok(RecurveError.is(error), `${error}`);
          },
        ),
        new Promise((resolve) => setTimeout(resolve, 300)),
      ]);
      await connection.close().catch(() => {});
      await database.close();
      await proxy.close();
    }
  });
});

describe('a server that fails', { skip: withoutOwnPostgres }, () => {
  const servers: TestServer[] = [];
  after(async () => {
    for (const server of servers) await server.postmaster?.stop();
  });

  async function begin(): Promise<{ server: TestServer; database: Database; connection: Connection }> {
    const server = await startTestServer();
    servers.push(server);
    const database = await open({ uri: server.uri, sslmode: 'disable' });
    return { server, database, connection: await database.connect() };
  }

  test('by the end of its backend: one error, and the next connection works', async () => {
    const { server, database, connection } = await begin();
    const [own] = await readRows(connection, 'SELECT pg_backend_pid() AS pid');
    let batches = 0;
    const reading = readAll(connection, endless, () => {
      if (++batches === 2) server.query('SELECT pg_terminate_backend($1)', [Number(own?.pid)]).catch(() => {});
    });
    const error = await failsWithin(5000, reading);
    // A server that ends in the middle of a row cannot say why any more.
    assert.ok(error.sqlState === '57P01' || error.status === 'IO', error.message);
    await failsWithin(1000, connection.query('SELECT 1'));
    await readAll(await database.connect(), 'SELECT 1');
    await database.close();
  });

  test('by the end of its backend between statements: the next one is told why', async () => {
    const { server, database, connection } = await begin();
    const [own] = await readRows(connection, 'SELECT pg_backend_pid() AS pid');
    await server.query('SELECT pg_terminate_backend($1)', [Number(own?.pid)]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const error = await failsWithin(1000, connection.query('SELECT 1'));
    assert.equal(error.sqlState, '57P01', error.message);
    await database.close();
  });

  test('by being killed: a read and an ingest end in one error each', async () => {
    const { server, database, connection } = await begin();
    const writer = await database.connect();
    await writer.execute('CREATE TABLE written (a int4)');
    let batches = 0;
    const reading = readAll(connection, endless, () => {
      batches++;
    });
    const writing = writer.ingest(
      'written',
      slowRows(() => server.postmaster?.stop('SIGQUIT').catch(() => {})),
      {
        mode: 'append',
      },
    );
    const errors = await Promise.all([failsWithin(8000, reading), failsWithin(8000, writing)]);
    for (const error of errors)
      assert.ok(['IO', 'INTERNAL'].includes(error.status) || error.sqlState?.startsWith('57'), error.message);
    assert.ok(batches > 0);
    assert.equal((await failsWithin(3000, database.connect())).status, 'IO');
    await database.close();
  });
});

describe('a result that is left early', { skip: withoutPostgres }, () => {
  test('is stopped at the server within 100 ms', async () => {
    const server = await testServer();
    const database = await open(server.uri);
    const times: number[] = [];
    for (let round = 0; round < 5; round++) {
      const connection = await database.connect();
      const [own] = await readRows(connection, 'SELECT pg_backend_pid() AS pid');
      for await (const _ of await connection.query(endless)) break;
      const left = performance.now();
      for (;;) {
        const [row] = await server.query('SELECT state FROM pg_stat_activity WHERE pid = $1', [Number(own?.pid)]);
        if (row?.state !== 'active') break;
      }
      times.push(performance.now() - left);
      await connection.close();
    }
    const median = times.sort((a, b) => a - b)[2] ?? Number.NaN;
    assert.ok(median <= 100, `${times}`);
    await database.close();
  });

  test('never stops a later statement', async () => {
    const database = await open((await testServer()).uri);
    const connection = await database.connect();
    for (let round = 0; round < 200; round++) {
      const controller = new AbortController();
      const running = connection
        .query('SELECT pg_sleep(0.003), generate_series(1, 3000) AS g', [], { signal: controller.signal })
        .then((result) => result.table());
      running.catch(() => {});
      await new Promise((resolve) => setTimeout(resolve, (round % 9) * 0.7));
      controller.abort();
      const [row] = await readRows(connection, 'SELECT 42 AS a, pg_sleep(0.002)');
      assert.equal(row?.a, 42, `round ${round}`);
      await running.catch(() => {});
    }
    await database.close();
  });
});

async function readRows(connection: Connection, sql: string): Promise<Record<string, unknown>[]> {
  return (await (await connection.query(sql)).table()).toArray();
}
