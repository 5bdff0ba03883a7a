import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net';
import test, { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { open } from 'recurve';
import {
  batchFromArrays,
  Field,
  int32,
  int64,
  list,
  RecordBatch,
  Schema,
  Table,
  tableFromArrays,
  utf8,
} from 'recurve/arrow';
import { withoutPostgres } from '../server.ts';
import { connect, connectTo, firstValue, rejects, tableNames } from './fixture.ts';

const schema = new Schema([new Field('id', int64()), new Field('name', utf8())]);

function batchOf(first: number, length: number): RecordBatch {
  const ids = BigInt64Array.from({ length }, (_, i) => BigInt(first + i));
  return batchFromArrays(schema, [ids, Array.from(ids, (id) => `row ${id}`)]);
}

/** Batches of 50,000 rows, and then an error. */
async function* breaking(count: number): AsyncGenerator<RecordBatch> {
  for (let i = 0; i < count; i++) yield batchOf(i * 50_000, 50_000);
  throw new Error('the disk is gone');
}

/** A batch, and then nothing ever again. */
async function* stuck(): AsyncGenerator<RecordBatch> {
  yield batchOf(0, 50_000);
  await new Promise(() => {});
}

describe('an ingest that fails leaves nothing behind and the connection as it was', { skip: withoutPostgres }, () => {
  test('when the source does, early or late', async (t) => {
    const { connection, database } = await connect(t);
    for (const count of [0, 1, 10]) {
      const data = { schema, batches: breaking(count) };
      await rejects(connection.ingest('t', data), 'IO', /the disk is gone/);
      assert.deepEqual(await tableNames(database), []);
    }
    await connection.ingest('t', new Table(schema, [batchOf(0, 10)]));
    for (const mode of ['append', 'replace'] as const) {
      await rejects(connection.ingest('t', { schema, batches: breaking(2) }, { mode }), 'IO', /the disk is gone/);
      assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 10n);
    }
  });

  test('when a value does not fit, here or at the server, which says the row', async (t) => {
    const { connection } = await connect(t);
    await connection.execute('CREATE TABLE t (id int4 CHECK (id >= 0), name varchar(8))');
    const append = (batches: RecordBatch[]): Promise<number> =>
      connection.ingest('t', new Table(schema, batches), { mode: 'append' });
    const wide = batchFromArrays(schema, [
      [1n, 2n ** 31n],
      ['a', 'b'],
    ]);
    await rejects(append([batchOf(0, 3), wide]), 'INVALID_DATA', /^column "id", row 5: 2147483648 is outside.* int4/);
    const long = batchFromArrays(schema, [
      [1n, 2n],
      ['a', 'more than 8 bytes'],
    ]);
    const cut = await rejects(append([batchOf(0, 3), long]), 'INVALID_DATA', /^column "name", row 5: value too long/);
    assert.equal(cut.sqlState, '22001');
    const text = batchFromArrays(schema, [[1n], ['a\0']]);
    assert.equal((await rejects(append([text]), 'INVALID_DATA', /row 1: invalid byte sequence/)).sqlState, '22021');
    const negative = batchFromArrays(schema, [
      [1n, 2n, -3n],
      ['a', 'b', 'c'],
    ]);
    const check = await rejects(append([negative]), 'INTEGRITY', /row 3: .*violates check constraint "t_id_check"/);
    assert.equal(check.sqlState, '23514');
    assert.ok(check.details.some(([key]) => key === 'PG_DIAG_CONSTRAINT_NAME'));
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
  });

  test('when a required column gets a null', async (t) => {
    const { connection, database } = await connect(t);
    const required = new Schema([new Field('id', int64(), { nullable: false })]);
    const ids = batchFromArrays(new Schema([new Field('id', int64())]), [[1n, null]]).columns;
    const rows = new Table(required, [new RecordBatch(required, ids)]);
    const work = connection.ingest('t', rows);
    await rejects(work, 'INTEGRITY', /row 2: null value in column "id"/);
    assert.deepEqual(await tableNames(database), []);
  });

  test('when the server refuses it after all rows are there', async (t) => {
    const { connection } = await connect(t);
    await connection.execute(`CREATE TABLE one (id int8 PRIMARY KEY);
      CREATE TABLE t (id int8 REFERENCES one DEFERRABLE INITIALLY DEFERRED, name text)`);
    const work = connection.ingest('t', new Table(schema, [batchOf(0, 10)]), { mode: 'append' });
    await rejects(work, 'INTEGRITY', /foreign key constraint/);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
  });

  test('when the server fails at the first row of many, without reading the rest of the source', async (t) => {
    const { connection } = await connect(t);
    await connection.execute('CREATE TABLE t (id int8 CHECK (id > 0), name text)');
    let pulled = 0;
    let closed = false;
    async function* endless(): AsyncGenerator<RecordBatch> {
      try {
        for (; ; pulled++) yield batchOf(0, 50_000);
      } finally {
        closed = true;
      }
    }
    await rejects(connection.ingest('t', { schema, batches: endless() }, { mode: 'append' }), 'INTEGRITY', /row 1: /);
    assert.ok(pulled < 100, `${pulled} batches were pulled`);
    await sleep(10);
    assert.ok(closed);
  });

  test('inside of a transaction, which goes on', async (t) => {
    const { connection, database } = await connect(t);
    await connection.setAutoCommit(false);
    await connection.ingest('t', new Table(schema, [batchOf(0, 10)]));
    await rejects(connection.ingest('u', { schema, batches: breaking(2) }), 'IO', /the disk is gone/);
    await rejects(connection.ingest('t', new Table(schema, [batchOf(0, 1)])), 'ALREADY_EXISTS', /"t"/);
    const wrong = tableFromArrays({ id: [1n], name: ['x'], more: [1] });
    await rejects(connection.ingest('t', wrong, { mode: 'append' }), 'ALREADY_EXISTS', /"more"/);
    await connection.execute('CREATE TABLE v (id int4, name text)');
    const wide = batchFromArrays(schema, [[2n ** 31n], ['a']]);
    await rejects(connection.ingest('v', new Table(schema, [wide]), { mode: 'append' }), 'INVALID_DATA', /row 1/);
    assert.equal(await connection.ingest('t', new Table(schema, [batchOf(10, 10)]), { mode: 'append' }), 10);
    await connection.commit();
    assert.deepEqual(await tableNames(database), ['t', 'v']);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 20n);
    await connection.ingest('w', new Table(schema, [batchOf(0, 10)]));
    await connection.rollback();
    assert.deepEqual(await tableNames(database), ['t', 'v']);
  });

  test('when it is aborted, at once', async (t) => {
    const { connection, database } = await connect(t);
    const batches: [string, () => AsyncIterable<RecordBatch>][] = [
      ['while the source is stuck', stuck],
      [
        'while rows flow',
        async function* () {
          for (;;) yield batchOf(0, 50_000);
        },
      ],
    ];
    for (const [when, make] of batches) {
      const controller = new AbortController();
      const work = connection.ingest('t', { schema, batches: make() }, { signal: controller.signal });
      work.catch(() => {});
      await sleep(150);
      const start = performance.now();
      controller.abort();
      await rejects(work, 'CANCELLED', /abort|cancel/i);
      assert.ok(performance.now() - start < 1000, when);
      assert.deepEqual(await tableNames(database), []);
      assert.equal(await firstValue(connection, 'SELECT 1'), 1);
    }
  });

  test('when it is aborted while it waits for a lock', async (t) => {
    const { connection, database } = await connect(t);
    await connection.execute('CREATE TABLE t (id int8, name text)');
    const other = await connectTo(t, database);
    await other.setAutoCommit(false);
    await other.execute('LOCK TABLE t IN ACCESS EXCLUSIVE MODE');
    const work = connection.ingest('t', new Table(schema, [batchOf(0, 1)]), { mode: 'append', timeoutMs: 150 });
    await rejects(work, 'TIMEOUT', /150 ms/);
    await other.rollback();
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
  });

  test('when its backend is killed, with one error', async (t) => {
    const { connection, database } = await connect(t);
    const other = await connectTo(t, database);
    const pid = await firstValue(connection, 'SELECT pg_backend_pid()');
    async function* killing(): AsyncGenerator<RecordBatch> {
      yield batchOf(0, 50_000);
      await other.query(`SELECT pg_terminate_backend(${pid})`);
      for (;;) {
        await sleep(1);
        yield batchOf(0, 50_000);
      }
    }
    const error = await connection.ingest('t', { schema, batches: killing() }).catch((thrown: unknown) => thrown);
    assert.match(
      String(error),
      /terminating connection due to administrator command|closed the connection|connection broke/,
    );
    await rejects(connection.execute('SELECT 1'), 'IO', /./);
    assert.deepEqual(await tableNames(database), []);
  });

  test('when the columns change between the look at them and the lock', async (t) => {
    const { connection, database } = await connect(t);
    await connection.execute('CREATE TABLE t (id int8, name text)');
    const other = await connectTo(t, database);
    await other.setAutoCommit(false);
    // As wide as before: the bytes would be taken for something else.
    await other.execute("ALTER TABLE t ALTER id TYPE timestamp USING 'epoch'");
    const work = connection.ingest('t', new Table(schema, [batchOf(0, 1)]), { mode: 'append' });
    work.catch(() => {});
    await sleep(100);
    await other.commit();
    await rejects(work, 'INVALID_STATE', /columns of the table have changed/);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
  });
});

describe('an ingest takes', { skip: withoutPostgres }, () => {
  test('no batch, empty ones, and many small ones', async (t) => {
    const { connection } = await connect(t);
    assert.equal(await connection.ingest('t', new Table(schema, [])), 0);
    const batches = Array.from({ length: 3000 }, (_, i) => batchOf(i * 2, i % 3));
    assert.equal(await connection.ingest('t', new Table(schema, batches), { mode: 'append' }), 3000);
    assert.equal(await firstValue(connection, "SELECT bool_and(name = 'row ' || id) FROM t"), true);
  });

  test('values that are longer than any piece', async (t) => {
    const { connection } = await connect(t);
    const lengths = [1, 400_000, 524_283, 600_000, 30_000_000];
    const table = tableFromArrays({ name: lengths.map((length) => 'ab'.repeat(length / 2 + 1).slice(0, length)) });
    assert.equal(await connection.ingest('t', table), lengths.length);
    const sums = "SELECT string_agg(length(name)::text, ',' ORDER BY length(name)) FROM t WHERE name !~ 'ba?[^ab]'";
    assert.equal(await firstValue(connection, sums), lengths.join());
  });

  test('1,600 columns, and more are the server’s error', async (t) => {
    const { connection } = await connect(t);
    const wide = (count: number): Table => {
      const fields = Array.from({ length: count }, (_, i) => new Field(`c${i}`, int32()));
      const wideSchema = new Schema(fields);
      return new Table(wideSchema, [
        batchFromArrays(
          wideSchema,
          fields.map((_, i) => Int32Array.of(i, -i)),
        ),
      ]);
    };
    assert.equal(await connection.ingest('t', wide(1600)), 2);
    assert.equal(await firstValue(connection, 'SELECT sum(c1599) FROM t'), 0n);
    assert.equal((await connection.ingest('u', wide(1601)).catch((error) => error)).sqlState, '54011');
  });

  test('lists of everything', async (t) => {
    const { connection } = await connect(t);
    const nested = new Schema([new Field('c', list(list(utf8())))]);
    const rows = batchFromArrays(nested, [
      [
        [
          ['a', null],
          ['b', 'c'],
        ],
        [],
        null,
      ],
    ]);
    await connection.ingest('t', new Table(nested, [rows]));
    assert.equal(await firstValue(connection, "SELECT string_agg(c::text, ' ') FROM t"), '{{a,NULL},{b,c}} {}');
  });
});

test('an ingest whose network breaks is one error, and nothing of it is there', {
  skip: withoutPostgres,
}, async (t) => {
  const { connection, database } = await connect(t);
  const { hostname, port } = new URL(database.uri);
  const sockets: Socket[] = [];
  const proxy = createServer((near) => {
    const far = createConnection(Number(port), hostname);
    sockets.push(near, far);
    for (const socket of [near, far]) socket.on('error', () => {});
    near.pipe(far).pipe(near);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  t.after(() => proxy.close());
  const uri = new URL(database.uri);
  uri.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const opened = await open(uri.href);
  t.after(() => opened.close());
  const behind = await opened.connect();
  async function* cutting(): AsyncGenerator<RecordBatch> {
    for (let i = 0; ; i++) {
      if (i === 3) for (const socket of sockets) socket.destroy();
      yield batchOf(0, 50_000);
    }
  }
  await rejects(behind.ingest('t', { schema, batches: cutting() }), 'IO', /connection/);
  await rejects(behind.execute('SELECT 1'), 'IO', /./);
  assert.equal(await firstValue(connection, 'SELECT 1'), 1);
  assert.deepEqual(await tableNames(database), []);
});
