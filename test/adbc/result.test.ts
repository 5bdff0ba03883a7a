import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { tableFromIPC } from 'apache-arrow';
import { Field, RecurveError, Schema } from 'recurve/arrow';
import { numberSchema } from '../delivery/batch.ts';
import { connectFake, failsWith, settle } from './fixture.ts';

const counted = Array.from({ length: 30 }, (_, n) => ({ n }));
const batch = { schema: numberSchema };

describe('a result', () => {
  test('is read batch by batch', async (t) => {
    const { connection } = await connectFake(t, { three: {} });
    const result = await connection.query('three');
    assert.ok(result.schema.equals(batch.schema));
    const rows: unknown[] = [];
    for await (const part of result) rows.push(...part);
    assert.deepEqual(rows, counted);
  });

  test('is read row by row', async (t) => {
    const { connection } = await connectFake(t, { three: {} });
    const rows: unknown[] = [];
    for await (const row of (await connection.query('three')).rows()) rows.push(row);
    assert.deepEqual(rows, counted);
  });

  test('gives rows in order to callers that do not wait for each other', async (t) => {
    const { connection } = await connectFake(t, { three: { batchMs: 1 } });
    const rows = (await connection.query('three')).rows();
    const steps = await Promise.all(Array.from({ length: 31 }, () => rows.next()));
    assert.deepEqual(
      steps.map((step) => step.value),
      [...counted, undefined],
    );
  });

  test('becomes a table', async (t) => {
    const { connection } = await connectFake(t, { three: {} });
    const table = await (await connection.query('three')).table();
    assert.equal(table.batches.length, 3);
    assert.deepEqual(table.toArray(), counted);
  });

  test('without rows has its schema, and becomes an empty table and a stream of it', async (t) => {
    const { connection } = await connectFake(t, { none: { batches: 0 } });
    const table = await (await connection.query('none')).table();
    assert.deepEqual([table.numRows, table.schema.names], [0, ['n']]);
    const result = await connection.query('none');
    await settle();
    assert.equal(result.delivery.outcome, 'complete', 'there is nothing to wait for');
    const foreign = tableFromIPC(await new Response(result.toReadable()).arrayBuffer());
    assert.deepEqual([foreign.numRows, foreign.schema.names], [0, ['n']]);
  });

  test('of a statement without a result has no fields and says what it changed', async (t) => {
    const { connection } = await connectFake(t, { insert: { batches: 0, rowsAffected: 7, schema: new Schema([]) } });
    const result = await connection.query('insert');
    assert.equal((await result.table()).numCols, 0);
    assert.equal(result.rowsAffected, 7);
  });

  test('becomes an Arrow stream that another implementation reads', async (t) => {
    const { connection } = await connectFake(t, { three: {} });
    const response = (await connection.query('three')).toResponse({ status: 202, headers: { 'x-one': '1' } });
    assert.equal(response.status, 202);
    assert.equal(response.headers.get('x-one'), '1');
    assert.equal(response.headers.get('content-type'), 'application/vnd.apache.arrow.stream');
    const foreign = tableFromIPC(await response.arrayBuffer());
    assert.deepEqual(
      foreign.toArray().map((row) => ({ n: row.n })),
      counted,
    );
  });

  test('asks the source for the stream only as the stream is read', async (t) => {
    const { driver, connection } = await connectFake(t, { many: { batches: 100, rows: 1000 } });
    const result = await connection.query('many', [], { windowBytes: 0 });
    const reader = result.toReadable().getReader();
    await settle();
    assert.equal(result.delivery.bytes.wire, 0);
    for (let i = 0; i < 20 && result.delivery.batches === 0; i++) await reader.read();
    await settle();
    assert.equal(result.delivery.bytes.wire, 1000, 'one batch is asked for');
    await reader.cancel();
    assert.deepEqual(driver.calls.slice(-1), ['stop many']);
    assert.equal(result.delivery.outcome, 'cancelled');
  });

  test('that fails breaks its stream and never closes it', async (t) => {
    const { connection } = await connectFake(t, { broken: { failAt: 2 } });
    const reader = (await connection.query('broken')).toReadable().getReader();
    await assert.rejects(
      async () => {
        while (!(await reader.read()).done);
      },
      failsWith('IO', /lost at batch 2/),
    );
  });

  test('is read once', async (t) => {
    const { connection } = await connectFake(t, { three: {} });
    const result = await connection.query('three');
    await result.table();
    await assert.rejects(result.table(), failsWith('INVALID_STATE', /read already/));
    assert.throws(() => result.rows(), failsWith('INVALID_STATE'));
    assert.throws(() => result[Symbol.asyncIterator](), failsWith('INVALID_STATE'));
    assert.throws(() => result.toReadable(), failsWith('INVALID_STATE'));
  });

  test('that fails delivers what came before and then throws one error for good', async (t) => {
    const failure = new RecurveError('INVALID_DATA', 'cannot cast "x"', { sqlState: '22018' });
    const { connection } = await connectFake(t, { broken: { failAt: 2, failure } });
    const result = await connection.query('broken');
    await settle();
    const batches = result[Symbol.asyncIterator]();
    assert.equal((await batches.next()).value?.numRows, 10);
    assert.equal((await batches.next()).value?.numRows, 10);
    for (let i = 0; i < 3; i++) await assert.rejects(batches.next(), (error) => error === failure);
    await assert.rejects(result.table(), (error) => error === failure);
    const { outcome, rows, error } = result.delivery;
    assert.deepEqual([outcome, rows, error?.message], ['failed', 20, 'cannot cast "x"']);
    await result.close();
    await assert.rejects(result.table(), (error) => error === failure);
  });

  test('whose driver throws something else throws INTERNAL of one line, with the cause', async (t) => {
    const failure = new TypeError('x is not a function\n  at line 2');
    const { connection } = await connectFake(t, { broken: { failAt: 0, failure } });
    const result = await connection.query('broken');
    await assert.rejects(
      result.table(),
      (error: Error) => failsWith('INTERNAL', /^x is not a function$/)(error) && error.cause === failure,
    );
  });

  for (const [way, leave] of Object.entries({
    'a loop': async (batches: AsyncIterable<unknown>) => {
      for await (const _ of batches) break;
    },
    'a loop that throws': async (batches: AsyncIterable<unknown>) => {
      const mine = new Error('mine');
      await assert.rejects(async () => {
        for await (const _ of batches) throw mine;
      }, mine);
    },
    'return() before the first read': async (batches: AsyncIterable<unknown>) => {
      await batches[Symbol.asyncIterator]().return?.();
    },
  })) {
    for (const kind of ['batches', 'rows'] as const) {
      test(`stops the source when its ${kind} are left by ${way}`, async (t) => {
        const { driver, connection } = await connectFake(t, { many: { batches: 1000, batchMs: 1 } });
        const result = await connection.query('many');
        await leave(kind === 'rows' ? result.rows() : result);
        assert.equal(driver.alive.results, 0);
        assert.equal(driver.calls.at(-1), 'stop many');
        assert.equal(result.delivery.outcome, 'returned');
        await assert.rejects(result.table(), failsWith('INVALID_STATE', /closed/));
      });
    }
  }

  test('that is closed during a read rejects that read', async (t) => {
    const { connection } = await connectFake(t, { slow: { batchMs: 10_000 } });
    for (const kind of ['batches', 'rows'] as const) {
      const result = await connection.query('slow');
      const iterator = kind === 'rows' ? result.rows() : result[Symbol.asyncIterator]();
      const read = assert.rejects(Promise.resolve(iterator.next()), failsWith('INVALID_STATE', /closed/));
      await iterator.return?.();
      await read;
      assert.deepEqual(await iterator.next(), { done: true, value: undefined });
    }
  });

  test('is cancelled, closed and disposed as often as wanted', async (t) => {
    const { driver, connection } = await connectFake(t, { many: { batches: 1000, batchMs: 1 } });
    const result = await connection.query('many');
    await Promise.all([result.cancel(), result.cancel(), result.close()]);
    await result[Symbol.asyncDispose]();
    assert.equal(driver.calls.filter((call) => call === 'stop many').length, 1);
    assert.equal(result.delivery.outcome, 'cancelled');
    await assert.rejects(result.table(), failsWith('CANCELLED', /result was cancelled/));
  });

  test('that was read to its end stays complete when it is closed', async (t) => {
    const { driver, connection } = await connectFake(t, { three: {} });
    const result = await connection.query('three');
    const batches = result[Symbol.asyncIterator]();
    while (!(await batches.next()).done);
    await result.cancel();
    await result.close();
    assert.equal((await batches.next()).done, true);
    assert.deepEqual([result.delivery.outcome, result.delivery.rows], ['complete', 30]);
    assert.ok(!driver.calls.includes('stop three'));
  });

  test('makes the source wait for a slow reader', async (t) => {
    const { connection } = await connectFake(t, { many: { batches: 100, rows: 1000 } });
    const result = await connection.query('many', [], { windowBytes: 10_000 });
    await settle();
    assert.equal(result.delivery.bytes.wire, 3000, '3 batches of 4,000 bytes reach 10,000');
    const batches = result[Symbol.asyncIterator]();
    await batches.next();
    await settle();
    assert.equal(result.delivery.bytes.wire, 4000, 'one more for the one that was read');
    await batches.return?.();
  });

  test('reports its delivery while it runs and whole after the last batch', async (t) => {
    const { connection } = await connectFake(t, { three: { batchMs: 2 } });
    const result = await connection.query('three');
    const batches = result[Symbol.asyncIterator]();
    await batches.next();
    const halfway = result.delivery;
    assert.deepEqual([halfway.outcome, halfway.rows, halfway.batches, halfway.bytes.arrow], ['running', 10, 1, 40]);
    await batches.next();
    await batches.next();
    await sleep(10);
    const whole = result.delivery;
    assert.deepEqual([whole.outcome, whole.path, whole.rows, whole.batches], ['complete', 'fake', 30, 3]);
    assert.deepEqual(whole.bytes, { wire: 30, arrow: 120 });
    assert.ok(whole.timings.firstBatchMs >= 1 && whole.timings.totalMs > whole.timings.firstBatchMs);
    assert.deepEqual(JSON.parse(JSON.stringify(whole)), result.delivery);
  });

  test('whose batches the stream cannot hold breaks the stream and stops the source', async (t) => {
    const schema = new Schema([new Field('other', { kind: 'utf8', large: false }), new Field('b', { kind: 'bool' })]);
    const { driver, connection } = await connectFake(t, { odd: { batches: 1000, batchMs: 1, schema } });
    const result = await connection.query('odd');
    await assert.rejects(new Response(result.toReadable()).arrayBuffer());
    await settle();
    await sleep(5);
    assert.equal(driver.alive.results, 0);
    assert.equal(result.delivery.outcome, 'failed');
  });
});
