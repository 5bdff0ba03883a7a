import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RecordBatch, RecurveError, Schema, StreamReader, Table, tableFromArrays, tableToIPC } from 'recurve/arrow';
import { numberBatch, numberSchema } from '../delivery/batch.ts';
import { connectFake, failsWith } from './fixture.ts';

const batches = [numberBatch(0, 3), numberBatch(3, 4)];
const table = new Table(numberSchema, batches);

describe('ingest takes', () => {
  const bytes = tableToIPC(table);
  const cases: Record<string, () => Parameters<Awaited<ReturnType<typeof connectFake>>['connection']['ingest']>[1]> = {
    'a table': () => table,
    'batches beside their schema': () => ({ schema: numberSchema, batches }),
    'batches that are made as they are read': () => ({
      schema: numberSchema,
      batches: (async function* () {
        yield* batches;
      })(),
    }),
    'the bytes of a stream': () => bytes,
    'the bytes of a file': () => tableToIPC(table, { format: 'file' }),
    'a stream of bytes': () => new Blob([bytes]).stream(),
    'bytes that come in pieces': () =>
      (async function* () {
        for (let at = 0; at < bytes.length; at += 100) yield bytes.subarray(at, at + 100);
      })(),
  };
  for (const [name, make] of Object.entries(cases)) {
    test(name, async (t) => {
      const { connection, driver } = await connectFake(t, {});
      assert.equal(await connection.ingest('item', make()), 7);
      assert.deepEqual(driver.calls.slice(2), ['ingest ..item create', 'write 3', 'write 4']);
    });
  }

  test('a batch, a reader, and a result of another connection', async (t) => {
    const { connection, database } = await connectFake(t, { numbers: { batches: 2, rows: 5 } });
    assert.equal(await connection.ingest('item', numberBatch(0, 9)), 9);
    assert.equal(await connection.ingest('item', await StreamReader.from(bytes)), 7);
    const other = await database.connect();
    assert.equal(await connection.ingest('item', await other.query('numbers')), 10);
  });

  test('a schema without batches', async (t) => {
    const { connection, driver } = await connectFake(t, {});
    assert.equal(await connection.ingest('item', new Table(numberSchema, [])), 0);
    assert.equal(driver.calls.at(-1), 'ingest ..item create');
  });

  test('mode, place and temporary as they were given', async (t) => {
    const { connection, driver } = await connectFake(t, {});
    await connection.ingest('item', table, { mode: 'createAppend', catalog: 'c', dbSchema: 's' });
    await connection.ingest('item', table, { mode: 'replace', temporary: true });
    const asked = driver.calls.filter((call) => call.startsWith('ingest'));
    assert.deepEqual(asked, ['ingest c.s.item createAppend', 'ingest ..item replace temporary']);
  });
});

test('ingest refuses what makes no sense before the source is asked', async (t) => {
  const { connection, driver } = await connectFake(t, {});
  const calls = driver.calls.length;
  const attempts: [() => Promise<number>, RegExp][] = [
    [() => connection.ingest('', table), /tableName is ""/],
    [
      () => connection.ingest('t', table, { mode: 'insert' as never }),
      /mode is "insert", but must be one of create, append/,
    ],
    [() => connection.ingest('t', table, { mode: 'upsert' }), /option keys is undefined, but must be the names/],
    [() => connection.ingest('t', table, { mode: 'upsert', keys: [] }), /option keys is/],
    [() => connection.ingest('t', table, { mode: 'upsert', keys: ['a', 'a'] }), /option keys is/],
    [
      () => connection.ingest('t', table, { mode: 'append', keys: ['a'] }),
      /keys is of the mode upsert, and the mode is append/,
    ],
    [() => connection.ingest('t', table, { temporary: true, dbSchema: 's' }), /a temporary table has no dbSchema/],
    [() => connection.ingest('t', table, { temporary: true, catalog: 'c' }), /a temporary table has no catalog/],
    [() => connection.ingest('t', table, { catalogue: 'c' } as never), /unknown option catalogue/],
    [() => connection.ingest('t', [{ a: 1 }] as never), /data is an array/],
    [() => connection.ingest('t', 'x' as never), /data is "x"/],
  ];
  for (const [attempt, message] of attempts) await assert.rejects(attempt(), failsWith('INVALID_ARGUMENT', message));
  assert.equal(driver.calls.length, calls);
});

test('a key that is no column of the data is refused, and the source closed', async (t) => {
  const { connection, driver } = await connectFake(t, {});
  const upsert = connection.ingest('t', table, { mode: 'upsert', keys: ['none'] });
  await assert.rejects(upsert, failsWith('INVALID_ARGUMENT', /key "none" is no column of the data/));
  assert.ok(!driver.calls.some((call) => call.startsWith('ingest')));
});

describe('a source of batches', () => {
  test('that fails is one error, with its own status and the rows before it', async (t) => {
    const { connection } = await connectFake(t, {});
    const dying = (error: unknown) => ({
      schema: numberSchema,
      batches: (async function* () {
        yield numberBatch(0, 5);
        throw error;
      })(),
    });
    await assert.rejects(
      connection.ingest('t', dying(new Error('cable cut\nat x'))),
      failsWith('IO', /^the data failed after 5 rows: cable cut$/),
    );
    await assert.rejects(
      connection.ingest('t', dying(new RecurveError('UNAUTHORIZED', 'no'))),
      failsWith('UNAUTHORIZED', /after 5 rows: no$/),
    );
    await assert.rejects(connection.ingest('t', tableToIPC(table).subarray(0, 300)), failsWith('INVALID_DATA'));
    assert.equal(await connection.ingest('t', table), 7);
  });

  test('is pulled only when the batch before is written, and closed when the source fails', async (t) => {
    const { connection, driver } = await connectFake(t, {});
    let made = 0;
    let closed = false;
    const lazy = (async function* () {
      try {
        for (;;) {
          // Each batch is written before the next one is asked for.
          assert.equal(driver.calls.filter((call) => call.startsWith('write')).length, made);
          yield numberBatch(0, ++made);
        }
      } finally {
        closed = true;
      }
    })();
    driver.failNext.set('write 4', new RecurveError('IO', 'the disk is full'));
    await assert.rejects(
      connection.ingest('t', { schema: numberSchema, batches: lazy }),
      failsWith('IO', /disk is full/),
    );
    assert.equal(made, 4);
    assert.equal(closed, true);
  });

  test('that hangs is let go by an abort, a limit and a close', async (t) => {
    const { connection, database } = await connectFake(t, {});
    let returned = 0;
    const hanging = {
      schema: numberSchema,
      batches: {
        [Symbol.asyncIterator]: () => ({
          next: () => new Promise<never>(() => {}),
          return: async () => {
            returned++;
            return { done: true as const, value: undefined };
          },
        }),
      },
    };
    await assert.rejects(connection.ingest('t', hanging, { timeoutMs: 20 }), failsWith('TIMEOUT'));
    const controller = new AbortController();
    setTimeout(() => controller.abort(), 20);
    const aborted = connection.ingest('t', hanging, { signal: controller.signal });
    await assert.rejects(aborted, failsWith('CANCELLED'));
    assert.equal(await connection.ingest('t', table), 7);
    const left = assert.rejects(connection.ingest('t', hanging), failsWith('CANCELLED', /closed/));
    await new Promise((resolve) => setTimeout(resolve, 5));
    await database.close();
    await left;
    assert.equal(returned, 3);
  });

  test('may not change its schema, nor be of something else', async (t) => {
    const { connection } = await connectFake(t, {});
    const other = tableFromArrays({ n: ['a'] }).batches;
    const mixed = { schema: numberSchema, batches: [numberBatch(0, 2), ...other] };
    await assert.rejects(
      connection.ingest('t', mixed),
      failsWith('INVALID_ARGUMENT', /batch 2 has another schema than the data: column 1 is "n" utf8 against "n" int32/),
    );
    const none = new RecordBatch(new Schema([]), [], 3);
    await assert.rejects(
      connection.ingest('t', { schema: numberSchema, batches: [none] }),
      failsWith('INVALID_ARGUMENT', /batch 1 has another schema than the data: column 1 is missing/),
    );
    await assert.rejects(
      connection.ingest('t', { schema: numberSchema, batches: [1] as never }),
      failsWith('INVALID_ARGUMENT', /batch 1 is 1, but must be a RecordBatch/),
    );
  });

  test('that is a live result of the same connection says so', async (t) => {
    const { connection } = await connectFake(t, { slow: { batches: 100, rows: 1000, batchMs: 1 } });
    const live = await connection.query('slow', [], { windowBytes: 0 });
    await assert.rejects(
      connection.ingest('t', live),
      failsWith('INVALID_STATE', /another call ran on this connection/),
    );
  });
});

test('ingest in a transaction begins it as any statement does', async (t) => {
  const { connection, driver } = await connectFake(t, {});
  await connection.setAutoCommit(false);
  await connection.ingest('t', numberBatch(0, 1));
  await connection.commit();
  assert.deepEqual(driver.calls.slice(2), ['begin', 'ingest ..t create', 'write 1', 'commit']);
});
