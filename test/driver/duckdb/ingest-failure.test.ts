import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import test, { describe } from 'node:test';
import type { Connection, IngestOptions } from 'recurve';
import {
  batchFromArrays,
  Field,
  field,
  int32,
  int64,
  makeColumn,
  opaqueField,
  RecordBatch,
  Schema,
  Table,
  tableFromArrays,
  utf8,
} from 'recurve/arrow';
import { connect, firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

const schema = new Schema([field('n', int64()), field('s', utf8())]);

function batch(first: number, rows: number): RecordBatch {
  const at = Array.from({ length: rows }, (_, i) => first + i);
  return batchFromArrays(schema, { n: at.map(BigInt), s: at.map((n) => `value number ${n}`) });
}

const thousands = Array.from({ length: 300 }, (_, k) => batch(k * 1000, 1000));

/** 300,000 rows, more than the appender holds back, with `interrupt` before batch `at`. */
function stream(at: number, interrupt: () => void): { schema: Schema; batches: AsyncIterable<RecordBatch> } {
  return {
    schema,
    batches: (async function* () {
      for (const [k, item] of thousands.entries()) {
        if (k === at) interrupt();
        yield item;
      }
    })(),
  };
}

const modes: readonly IngestOptions[] = [
  { mode: 'create' },
  { mode: 'append' },
  { mode: 'replace' },
  { mode: 'createAppend' },
];

/** What a failed ingest must leave as it was. */
async function state(connection: Connection): Promise<unknown> {
  const tables = await rowsOf(connection, 'SELECT database_name, table_name FROM duckdb_tables() ORDER BY ALL');
  return [tables, await rowsOf(connection, 'SELECT count(*) AS rows, sum(n) AS sum FROM t')];
}

describe('nothing is half-written', () => {
  for (const options of modes) {
    const name = options.mode === 'create' ? 'fresh' : 't';
    test(`by a source that dies or an abort at any batch, mode ${options.mode}`, async (t) => {
      const connection = await connect(t);
      await connection.ingest('t', batch(0, 10));
      const before = await state(connection);
      for (const at of [0, 1, 150, 299]) {
        const die = (): never => {
          throw new Error('cable cut');
        };
        await rejects(
          connection.ingest(name, stream(at, die), options),
          'IO',
          new RegExp(`^the data failed after ${at * 1000} rows: cable cut$`),
        );
        assert.deepEqual(await state(connection), before);
        const controller = new AbortController();
        const aborted = connection.ingest(
          name,
          stream(at, () => controller.abort()),
          {
            ...options,
            signal: controller.signal,
          },
        );
        await rejects(aborted, 'CANCELLED', /cancelled/);
        assert.deepEqual(await state(connection), before);
      }
      assert.equal(await connection.ingest(name, { schema, batches: thousands }, options), 300_000);
    });
  }

  test('by an abort at any moment', async (t) => {
    const connection = await connect(t);
    await connection.ingest('t', batch(0, 10));
    const whole = performance.now();
    await connection.ingest('other', { schema, batches: thousands });
    const wholeMs = performance.now() - whole;
    await connection.execute('DROP TABLE other');
    const before = await state(connection);
    for (let step = 0; step < 25; step++) {
      const signal = AbortSignal.timeout(Math.round((wholeMs * step) / 20));
      const outcome = await connection
        .ingest('t', { schema, batches: thousands }, { mode: 'append', signal })
        .catch(() => 0);
      const rows = await firstValue(connection, 'SELECT count(*) FROM t');
      assert.ok(rows === 10n || rows === 300_010n, `${rows} rows`);
      if (outcome > 0) assert.equal(rows, 300_010n);
      await connection.execute('DELETE FROM t WHERE rowid >= 10');
    }
    assert.deepEqual(await state(connection), before);
  });

  test('by rows that break a constraint, which is named', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE t (n BIGINT PRIMARY KEY, s VARCHAR NOT NULL, CHECK (n < 299_990))');
    const append = (data: Table | { schema: Schema; batches: RecordBatch[] }) =>
      connection.ingest('t', data, { mode: 'append' });
    await rejects(
      append({ schema, batches: [...thousands, batch(5, 1)].slice(200) }),
      'INTEGRITY',
      /CHECK|constraint/i,
    );
    await rejects(append({ schema, batches: [batch(0, 1000), batch(5, 1)] }), 'INTEGRITY', /primary key/i);
    const nulls = batchFromArrays(schema, { n: [1n, 2n, 3n], s: ['a', 'b', null] });
    await rejects(
      append(new Table(schema, [batch(100, 1000), nulls])),
      'INTEGRITY',
      /^column "s", row 1003: null in a NOT NULL column$/,
    );
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
  });

  test('by a null in a column whose schema says there is none', async (t) => {
    const connection = await connect(t);
    const strict = new Schema([field('n', int32(), { nullable: false })]);
    const rows = makeColumn(new Field('n', int32()), {
      type: int32(),
      length: 3,
      values: Int32Array.of(1, 0, 3),
      validity: Uint8Array.of(0b101),
    });
    await rejects(
      connection.ingest('t', new RecordBatch(strict, [rows])),
      'INTEGRITY',
      /^column "n", row 2: null in a NOT NULL column$/,
    );
    await rejects(connection.query('FROM t'), 'NOT_FOUND', /t/);
  });

  test('by a value that DuckDB cannot hold, which is named with its row', async (t) => {
    const connection = await connect(t);
    const text = new Field('s', utf8());
    const data = new Uint8Array(5000).fill(97);
    data[4321] = 0xff;
    const column = makeColumn(text, {
      type: text.type,
      length: 5000,
      offsets: Int32Array.from({ length: 5001 }, (_, i) => i),
      data,
    });
    await rejects(
      connection.ingest('t', new RecordBatch(new Schema([text]), [column])),
      'INVALID_DATA',
      /^column "s", row 4322: the text is not UTF-8$/,
    );
    await rejects(connection.query('FROM t'), 'NOT_FOUND', /t/);
  });

  test('by bytes that are no value of the type they are said to be', async (t) => {
    const connection = await connect(t);
    const cases: [string, number[]][] = [
      ['bit', [8, 0]],
      ['bit', [0]],
      ['bit', [3, 0x1f]],
      ['bignum', [128, 0, 2, 1]],
      ['bignum', []],
    ];
    for (const [name, bytes] of cases) {
      const opaque = opaqueField('b', { kind: 'binary', large: false }, name, 'DuckDB');
      const column = makeColumn(opaque, {
        type: opaque.type,
        length: 1,
        offsets: Int32Array.of(0, bytes.length),
        data: Uint8Array.from(bytes),
      });
      const data = new RecordBatch(new Schema([opaque]), [column]);
      await rejects(
        connection.ingest('t', data),
        'INVALID_DATA',
        new RegExp(`^column "b", row 1: the bytes are no ${name} of DuckDB$`),
      );
    }
  });

  test('when the memory is full', async (t) => {
    const connection = await connect(t, 'duckdb:?memory_limit=20MB&temp_directory=');
    await connection.execute('CREATE TABLE t (n BIGINT, s VARCHAR)');
    const random = batchFromArrays(schema, {
      n: Array.from({ length: 50_000 }, (_, i) => BigInt(i)),
      s: Array.from({ length: 50_000 }, () => randomBytes(32).toString('base64')),
    });
    const full = function* () {
      for (let k = 0; k < 30; k++) yield random;
    };
    const error = await rejects(
      connection.ingest('t', { schema, batches: full() }, { mode: 'append' }),
      'IO',
      /memory|allocate|offload/i,
    );
    assert.equal(error.exitCode, 4);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
    assert.equal(await connection.ingest('t', batch(0, 10), { mode: 'append' }), 10);
  });
});

describe('inside of a transaction', () => {
  test('rows are there with the commit, and gone with the rollback', async (t) => {
    const connection = await connect(t);
    await connection.setAutoCommit(false);
    await connection.ingest('t', batch(0, 10));
    await connection.ingest('t', batch(10, 10), { mode: 'append' });
    await connection.commit();
    await connection.ingest('t', batch(0, 10), { mode: 'replace' });
    await connection.rollback();
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 20n);
  });

  test('a failure that has written something leaves nothing but a rollback', async (t) => {
    const connection = await connect(t);
    await connection.ingest('t', batch(0, 10));
    await connection.setAutoCommit(false);
    await connection.execute('DELETE FROM t WHERE n = 0');
    const die = (): never => {
      throw new Error('cable cut');
    };
    await rejects(connection.ingest('t', stream(250, die), { mode: 'append' }), 'IO', /cable cut/);
    await rejects(connection.query('SELECT 1'), 'INVALID_STATE', /aborted/);
    // DuckDB itself answers with a rollback that looks like a commit.
    await rejects(connection.commit(), 'INVALID_STATE', /aborted/);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 10n);
  });

  test('a failure before anything is written leaves it as it was', async (t) => {
    const connection = await connect(t);
    await connection.ingest('t', batch(0, 10));
    await connection.setAutoCommit(false);
    await connection.execute('DELETE FROM t WHERE n = 0');
    await rejects(connection.ingest('t', batch(0, 1)), 'ALREADY_EXISTS', /"t"/);
    await rejects(connection.ingest('u', batch(0, 1), { mode: 'append' }), 'NOT_FOUND', /"u"/);
    await rejects(connection.ingest('t', tableFromArrays({ z: [1] }), { mode: 'append' }), 'ALREADY_EXISTS', /"z"/);
    await connection.commit();
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 9n);
  });
});

test('a file holds all rows after a commit and none after a failure, when it is opened again', async (t) => {
  const uri = `duckdb:${scratchFolder(t)}/x.db`;
  const first = await connect(t, uri);
  await first.ingest('t', { schema, batches: thousands });
  const die = (): never => {
    throw new Error('cable cut');
  };
  await rejects(first.ingest('t', stream(290, die), { mode: 'append' }), 'IO', /cable cut/);
  await first.close();
  const again = await connect(t, uri);
  assert.equal(await firstValue(again, 'SELECT count(*) FROM t'), 300_000n);
});
