import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import test, { describe, type TestContext } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type CallOptions, openDatabase } from 'recurve/adbc';
import { RecurveError } from 'recurve/arrow';
import { FakeDriver } from './fake-driver.ts';
import { connectFake, type Fixture, failsWith, settle } from './fixture.ts';

const scripts = {
  three: {},
  many: { batches: 1000, batchMs: 1 },
  slow: { submitMs: 10_000 },
  stuck: { batchMs: 10_000 },
};

/** Every call that takes a signal, each on something that takes longer than it is given. */
const calls: Record<string, (fixture: Fixture, options: CallOptions) => Promise<unknown>> = {
  connect: ({ database }, options) => database.connect(options),
  query: ({ connection }, options) => connection.query('slow', [], options),
  'query and read': async ({ connection }, options) => (await connection.query('stuck', [], options)).table(),
  execute: ({ connection }, options) => connection.execute('slow', [], options),
  'execute and drain': ({ connection }, options) => connection.execute('stuck', [], options),
  prepare: ({ connection }, options) => connection.prepare('three', options),
  getTableSchema: ({ connection }, options) => connection.getTableSchema({ tableName: 't' }, options),
  'commit and rollback': async ({ connection }, options) => {
    await connection.setAutoCommit(false);
    await connection.execute('three');
    await connection.commit(options);
  },
};

function timers(): number {
  return process.getActiveResourcesInfo().filter((resource) => resource === 'Timeout').length;
}

async function connectSlow(t: TestContext): Promise<Fixture> {
  const fixture = await connectFake(t, scripts);
  fixture.driver.callMs = 40;
  return fixture;
}

describe('a call', () => {
  for (const [name, call] of Object.entries(calls)) {
    test(`${name}: stops when its signal fires, with the reason as cause`, async (t) => {
      const fixture = await connectSlow(t);
      const controller = new AbortController();
      const reason = new Error('no longer wanted');
      setTimeout(() => controller.abort(reason), name.startsWith('commit') ? 60 : 15);
      await assert.rejects(call(fixture, { signal: controller.signal }), (error: Error) => {
        assert.equal(error.cause, reason);
        return failsWith('CANCELLED', /cancelled by the caller's signal/)(error);
      });
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
      await assertUsable(fixture);
    });

    test(`${name}: stops at its time limit, which the error names`, async (t) => {
      const fixture = await connectSlow(t);
      await assert.rejects(call(fixture, { timeoutMs: 15 }), failsWith('TIMEOUT', /limit of 15 ms/));
      await assertUsable(fixture);
    });

    test(`${name}: does not ask the source when the signal has fired already or there is no time`, async (t) => {
      const fixture = await connectSlow(t);
      await fixture.connection.setAutoCommit(true);
      const before = fixture.driver.calls.length;
      const late = name.startsWith('commit') ? 3 : 0;
      await assert.rejects(call(fixture, { signal: AbortSignal.abort() }), failsWith('CANCELLED'));
      assert.equal(
        fixture.driver.calls.slice(before).filter((call) => !['begin', 'run three'].includes(call)).length,
        0,
      );
      if (late > 0) await fixture.connection.rollback();
      await assert.rejects(call(fixture, { timeoutMs: 0 }), failsWith('TIMEOUT'));
    });

    test(`${name}: refuses options that it cannot use, by name`, async (t) => {
      const fixture = await connectFake(t, scripts);
      const wrong: [CallOptions, RegExp][] = [
        [{ timeoutMs: -1 }, /timeoutMs is -1/],
        [{ timeoutMs: Number.NaN }, /timeoutMs is NaN/],
        [{ timeoutMs: 2 ** 31 }, /timeoutMs is 2147483648/],
        [{ timeoutMs: '5' as unknown as number }, /timeoutMs is "5"/],
        [{ signal: {} as AbortSignal }, /signal is an object/],
        [{ timeout: 5 } as CallOptions, /unknown option timeout/],
      ];
      for (const [options, message] of wrong) {
        await assert.rejects(call(fixture, options), failsWith('INVALID_ARGUMENT', message));
        if (name.startsWith('commit')) await fixture.connection.setAutoCommit(true);
      }
    });
  }

  test('that waits for its turn stops at once and is never made', async (t) => {
    const { driver, connection } = await connectFake(t, { ...scripts, slow: { submitMs: 60 } });
    const first = connection.query('slow');
    const start = performance.now();
    await assert.rejects(connection.query('three', [], { timeoutMs: 10 }), failsWith('TIMEOUT'));
    assert.ok(performance.now() - start < 50);
    await (await first).table();
    assert.ok(!driver.calls.includes('run three'));
  });

  test('that the source refuses to stop is over for its caller, and its result is stopped later', async (t) => {
    const { driver, connection } = await connectFake(t, { deaf: { deaf: true, submitMs: 40 }, three: {} });
    const options = { timeoutMs: 10 };
    for (const call of [() => connection.query('deaf', [], options), () => connection.execute('deaf', [], options)]) {
      await assert.rejects(call(), failsWith('TIMEOUT'));
      const isStopped = () => driver.calls.at(-1) === 'stop deaf' && driver.alive.results === 0;
      for (let waits = 0; !isStopped() && waits < 200; waits++) await sleep(10);
      assert.equal(driver.alive.results, 0);
    }
    await (await connection.query('three')).table();
    assert.deepEqual(driver.calls.slice(2), ['run deaf', 'stop deaf', 'run deaf', 'stop deaf', 'run three']);
  });

  test('that made a thing after it was given up leaves nothing open', async () => {
    const driver = new FakeDriver();
    const openLate = {
      name: 'late',
      open: async () => {
        await sleep(20);
        return driver.open(new Map(), { signal: new AbortController().signal });
      },
    };
    await assert.rejects(openDatabase(openLate, new Map(), { timeoutMs: 5 }), failsWith('TIMEOUT'));
    await sleep(40);
    assert.equal(driver.alive.databases, 0);
    assert.ok(driver.calls.includes('close database'));
  });
});

describe('a running result', () => {
  test('stops when the signal of its query fires', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const controller = new AbortController();
    const result = await connection.query('many', [], { signal: controller.signal });
    const batches = result[Symbol.asyncIterator]();
    await batches.next();
    controller.abort();
    await assert.rejects(batches.next(), failsWith('CANCELLED'));
    await assert.rejects(batches.next(), failsWith('CANCELLED'));
    await settle();
    await sleep(5);
    assert.equal(driver.alive.results, 0);
    const { outcome, batches: taken, error } = result.delivery;
    assert.deepEqual([outcome, taken, error?.status], ['cancelled', 1, 'CANCELLED']);
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
  });

  test('throws what the caller wants to hear even when the driver says something else', async (t) => {
    const { connection } = await connectFake(t, {
      odd: { deaf: true, batchMs: 20, failAt: 1, failure: new RecurveError('IO', 'INTERRUPT Error: Interrupted!') },
    });
    const result = await connection.query('odd', [], { timeoutMs: 30 });
    await assert.rejects(result.table(), failsWith('TIMEOUT'));
  });

  test('has a time limit for the source, whose waiting for the reader counts', async (t) => {
    const { connection } = await connectFake(t, { many: { batches: 100 } });
    const result = await connection.query('many', [], { timeoutMs: 30, windowBytes: 1 });
    const batches = result[Symbol.asyncIterator]();
    await batches.next();
    await sleep(50);
    await assert.rejects(batches.next(), failsWith('TIMEOUT', /30 ms/));
    assert.equal(result.delivery.outcome, 'timeout');
  });

  test('may be read slowly when the source is done with it', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const result = await connection.query('three', [], { timeoutMs: 20 });
    await sleep(40);
    assert.equal((await result.table()).numRows, 30);
    assert.equal(result.delivery.outcome, 'complete');
  });

  test('that the source is done with still stops at its signal', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const controller = new AbortController();
    const result = await connection.query('three', [], { signal: controller.signal });
    const batches = result[Symbol.asyncIterator]();
    await batches.next();
    await settle();
    assert.equal(getEventListeners(controller.signal, 'abort').length, 0, 'nobody listens any more');
    controller.abort();
    await assert.rejects(batches.next(), failsWith('CANCELLED'));
    assert.deepEqual([result.delivery.outcome, result.delivery.batches], ['cancelled', 1]);
  });

  test('that was read to its end is complete whatever its signal says', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const controller = new AbortController();
    const result = await connection.query('three', [], { signal: controller.signal });
    const batches = result[Symbol.asyncIterator]();
    for (let i = 0; i < 3; i++) await batches.next();
    await settle();
    controller.abort();
    assert.equal((await batches.next()).done, true);
    assert.equal(result.delivery.outcome, 'complete');
  });
});

describe('nothing is left behind', () => {
  test('by 10,000 calls with one signal and a time limit', async (t) => {
    const { connection, driver } = await connectFake(t, { none: { batches: 0 }, one: { batches: 1 } });
    const { signal } = new AbortController();
    const before = timers();
    const options = { signal, timeoutMs: 60_000 };
    for (let i = 0; i < 5000; i++) {
      await connection.execute('none', [], options);
      const result = await connection.query('one', [], options);
      if (i % 50 > 0) await result.table();
    }
    await settle();
    assert.equal(getEventListeners(signal, 'abort').length, 0);
    assert.ok(timers() <= before, `${timers()} timers after ${before}`);
    assert.equal(driver.alive.results, 0);
  });

  test('by 200 queries that are left, stopped or out of time', async (t) => {
    const { connection, driver } = await connectFake(t, { many: { batches: 1000, batchMs: 1 } });
    const before = timers();
    for (let i = 0; i < 200; i++) {
      const controller = new AbortController();
      const timeoutMs = i % 3 === 0 ? 3 : 60_000;
      const result = await connection.query('many', [], { signal: controller.signal, timeoutMs, windowBytes: 80 });
      const read = (async () => {
        for await (const _ of result) {
          if (i % 3 === 1) controller.abort();
          if (i % 3 === 2) break;
        }
      })();
      if (i % 3 === 2) await read;
      else await assert.rejects(read, failsWith(i % 3 === 0 ? 'TIMEOUT' : 'CANCELLED'));
      assert.equal(getEventListeners(controller.signal, 'abort').length, 0);
    }
    assert.equal((await (await connection.query('many', [], { timeoutMs: 60_000 })).rows().next()).done, false);
    await connection.close();
    assert.equal(driver.alive.results, 0);
    assert.ok(timers() <= before, `${timers()} timers after ${before}`);
  });
});

async function assertUsable({ driver, connection }: Fixture): Promise<void> {
  driver.callMs = 0;
  if (!connection.autoCommit) await connection.setAutoCommit(true);
  assert.equal((await (await connection.query('three')).table()).numRows, 30);
  await settle();
  assert.equal(driver.alive.results, 0);
}
