import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { PoolOptions } from 'recurve';
import { createPool } from 'recurve';
import { failsWith, settle } from '../adbc/fixture.ts';
import { count, createFakePool } from './pool-fixture.ts';

describe('a pool', () => {
  test('opens min connections at the start and no more than max', async (t) => {
    const { driver, pool } = await createFakePool(t, { min: 2, max: 3 });
    assert.deepEqual(pool.statistics, { size: 2, idle: 2, waiting: 0 });
    const taken = await Promise.all([pool.acquire(), pool.acquire(), pool.acquire()]);
    const fourth = pool.acquire();
    await settle();
    assert.deepEqual(pool.statistics, { size: 3, idle: 0, waiting: 1 });
    assert.equal(driver.alive.connections, 3);
    await taken[0]?.close();
    taken.push(await fourth);
    assert.deepEqual(pool.statistics, { size: 3, idle: 0, waiting: 0 });
    for (const connection of taken) await connection.close();
    assert.equal(count(driver, 'connect'), 3);
  });

  test('lends a connection again, the last given back first', async (t) => {
    const { driver, pool } = await createFakePool(t);
    const [a, b] = await Promise.all([pool.acquire(), pool.acquire()]);
    assert.notEqual(a.id, b.id);
    await a.close();
    await b.close();
    const again = await pool.acquire();
    assert.equal(again.id, b.id);
    await again.close();
    for (let i = 0; i < 5; i++) await pool.execute('numbers');
    for (let i = 0; i < 5; i++) await (await pool.query('numbers')).table();
    assert.equal(count(driver, 'connect'), 2);
  });

  test('serves those who wait in their order', async (t) => {
    const { pool } = await createFakePool(t, { max: 1 });
    const order: number[] = [];
    await Promise.all(
      [1, 2, 3, 4].map((n) =>
        pool.use(async () => {
          order.push(n);
          await sleep(1);
        }),
      ),
    );
    assert.deepEqual(order, [1, 2, 3, 4]);
  });

  test('a wait ends with its signal or its limit, and leaves its place to the next', async (t) => {
    const { pool } = await createFakePool(t, { max: 1, acquireTimeoutMs: 40 });
    const only = await pool.acquire();
    await assert.rejects(pool.acquire(), failsWith('TIMEOUT', /within 40 ms: 1 of at most 1 are in use, 0 more/));
    await assert.rejects(pool.query('numbers', [], { timeoutMs: 10 }), failsWith('TIMEOUT', /within 10 ms/));
    const controller = new AbortController();
    const aborted = pool.acquire({ signal: controller.signal });
    const next = pool.acquire();
    controller.abort();
    await assert.rejects(aborted, failsWith('CANCELLED'));
    await only.close();
    await (await next).close();
    await assert.rejects(pool.acquire({ signal: AbortSignal.abort() }), failsWith('CANCELLED'));
    assert.deepEqual(pool.statistics, { size: 1, idle: 1, waiting: 0 });
  });

  test('a result holds its connection until the source has sent it, fails or is closed', async (t) => {
    const { pool } = await createFakePool(t, { max: 3 }, { broken: { failAt: 1, failure: new Error('boom') } });
    const result = await pool.query('slow');
    const closed = await pool.query('slow');
    assert.deepEqual(pool.statistics, { size: 2, idle: 0, waiting: 0 });
    await closed.close();
    await settle();
    assert.deepEqual(pool.statistics, { size: 2, idle: 1, waiting: 0 });
    const failing = await pool.query('broken');
    await assert.rejects(failing.table(), failsWith('INTERNAL', /boom/));
    for await (const _ of result) break;
    await settle();
    assert.deepEqual([pool.statistics.size, pool.statistics.idle], [1, 1], 'the failed one is not kept');
    const whole = await pool.query('numbers');
    await whole.sourceEnded;
    await settle();
    assert.equal(pool.statistics.idle, 1, 'nobody has read it, but the source is done');
    assert.equal((await whole.table()).numRows, 30);
  });

  test('puts a connection in order when it is given back', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 1 });
    const connection = await pool.acquire();
    await connection.setAutoCommit(false);
    const statement = await connection.prepare('numbers');
    const result = await connection.query('slow');
    await connection.close();
    await assert.rejects(result.table(), failsWith('CANCELLED', /given back to its pool before this was done/));
    assert.deepEqual(driver.alive, { databases: 1, connections: 1, statements: 0, results: 0 });
    assert.equal(count(driver, 'rollback'), 1);
    await pool.use(async (next) => {
      assert.equal(next.id, connection.id);
      assert.equal(next.autoCommit, true);
    });
    await assert.rejects(statement.executeQuery(), failsWith('INVALID_STATE', /statement is closed/));
  });

  test('rolls back a transaction that was begun in SQL text', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 1 }, { BEGIN: { batches: 0 } });
    await pool.execute('numbers');
    assert.equal(count(driver, 'rollback'), 0);
    await pool.execute('BEGIN');
    assert.equal(count(driver, 'rollback'), 1);
    await pool.execute('numbers');
    assert.equal(count(driver, 'rollback'), 1);
  });

  test('one that was given back is of no use to its last user, and closing it again does nothing', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 1 });
    const connection = await pool.acquire();
    await Promise.all([connection.close(), connection.close()]);
    const next = await pool.acquire();
    await connection.close();
    await connection[Symbol.asyncDispose]();
    assert.deepEqual(pool.statistics, { size: 1, idle: 0, waiting: 0 });
    const before = driver.calls.length;
    await assert.rejects(connection.query('numbers'), failsWith('INVALID_STATE', /given back to its pool/));
    await assert.rejects(connection.rollback(), failsWith('INVALID_STATE', /given back to its pool/));
    assert.equal(driver.calls.length, before);
    await next.close();
  });

  test('closes one whose options were set, for its next user would inherit them', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 1 });
    await pool.use((connection) => connection.setOption('fake.flavour', 'bitter'));
    assert.equal(await pool.use((connection) => connection.getOption('fake.flavour')), 'plain');
    assert.equal(count(driver, 'connect'), 2);
  });

  test('use gives back what it lends when the work fails, and passes its error on', async (t) => {
    const { pool } = await createFakePool(t, { max: 1 });
    const failure = new Error('mine');
    const work = pool.use(async () => {
      throw failure;
    });
    await assert.rejects(work, (error) => error === failure);
    await assert.rejects(pool.execute('no such'), failsWith('INVALID_ARGUMENT'));
    await assert.rejects(pool.query('no such'), failsWith('INVALID_ARGUMENT'));
    assert.equal(await pool.use(async () => 7), 7);
    assert.deepEqual(pool.statistics, { size: 1, idle: 1, waiting: 0 });
  });

  test('closes idle connections after their time, down to min, and old ones', async (t) => {
    const { pool } = await createFakePool(t, { min: 1, max: 4, idleTimeoutMs: 30 });
    const taken = await Promise.all([1, 2, 3].map(() => pool.acquire()));
    for (const connection of taken) await connection.close();
    assert.equal(pool.statistics.size, 3);
    await sleep(80);
    assert.deepEqual(pool.statistics, { size: 1, idle: 1, waiting: 0 });

    const { driver, pool: aging } = await createFakePool(t, { min: 1, max: 1, maxLifetimeMs: 40 });
    const long = await aging.acquire();
    await sleep(60);
    await long.close();
    await settle();
    assert.equal(count(driver, 'connect'), 2, 'replaced when it was given back');
    await sleep(60);
    assert.ok(count(driver, 'connect') >= 3, 'replaced when it was idle');
  });

  test('tells a connect that fails to the one who asked for it and goes on', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 2 });
    driver.failNext.set('connect', new Error('no route'));
    await assert.rejects(pool.acquire(), failsWith('INTERNAL', /no route/));
    assert.deepEqual(pool.statistics, { size: 0, idle: 0, waiting: 0 });
    driver.failNext.set('connect', new Error('no route'));
    const ends = await Promise.allSettled([1, 2, 3, 4].map(() => pool.execute('numbers')));
    assert.equal(ends.filter((end) => end.status === 'rejected').length, 1);
  });

  test('is not made when its first connections fail', async () => {
    await assert.rejects(
      createPool({ uri: 'duckdb:', no_such_option: '1' }, { min: 1 }),
      failsWith('INVALID_ARGUMENT', /no_such_option/),
    );
  });

  test('closing it cancels those who wait and stops those in use', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 1 });
    const result = await pool.query('slow');
    const waiting = pool.acquire();
    const reading = result.table();
    const expected = [
      assert.rejects(waiting, failsWith('CANCELLED', /pool was closed/)),
      assert.rejects(reading, failsWith('CANCELLED')),
    ];
    await pool.close();
    await Promise.all(expected);
    await pool.close();
    assert.equal(driver.alive.connections, 0);
    await assert.rejects(pool.acquire(), failsWith('INVALID_STATE', /pool is closed/));
    assert.deepEqual(pool.statistics, { size: 0, idle: 0, waiting: 0 });
  });

  test('closing it can wait for those in use, but not for ever', async (t) => {
    const { pool } = await createFakePool(t, {}, { short: { batches: 3, batchMs: 20 } });
    const table = (await pool.query('short')).table();
    await pool.close({ drainMs: 5000 });
    assert.equal((await table).numRows, 30);

    const { pool: other } = await createFakePool(t);
    const endless = (await other.query('slow')).table();
    const cancelled = assert.rejects(endless, failsWith('CANCELLED'));
    const start = performance.now();
    await other.close({ drainMs: 50 });
    assert.ok(performance.now() - start < 1000);
    await cancelled;
  });

  test('closing it while connections are being opened leaves none behind', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 3 });
    driver.callMs = 20;
    const waiting = [1, 2, 3, 4].map(() => pool.acquire());
    const ends = Promise.allSettled(waiting);
    await sleep(5);
    await pool.close();
    assert.ok((await ends).every((end) => end.status === 'rejected'));
    assert.equal(driver.alive.connections, 0);
  });

  test('refuses options that make no sense', async () => {
    const wrong: [unknown, RegExp][] = [
      [{ max: 0 }, /option max is 0/],
      [{ min: 3, max: 2 }, /option min is 3, but must be at most max, which is 2/],
      [{ idleTimeoutMs: -1 }, /option idleTimeoutMs is -1/],
      [{ acquireTimeoutMs: 0 }, /option acquireTimeoutMs is 0/],
      [{ maximum: 3 }, /unknown option maximum/],
      [{ health: { check: 'select 1' } }, /option health.check is "select 1"/],
      [{ health: { every: 1 } }, /unknown option health.every/],
    ];
    for (const [options, message] of wrong) {
      await assert.rejects(createPool('duckdb:', options as PoolOptions), failsWith('INVALID_ARGUMENT', message));
    }
  });
});
