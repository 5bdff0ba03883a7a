import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'recurve';
import { RecurveError } from 'recurve';
import { failsWith, settle } from '../adbc/fixture.ts';
import { count, createFakePool } from './pool-fixture.ts';

const gone = new RecurveError('IO', 'the server closed the connection');

describe('a pool whose connections go stale', () => {
  test('replaces them unnoticed when they were idle for long', async (t) => {
    const { driver, pool } = await createFakePool(t, { min: 4, max: 4, health: { afterIdleMs: 10 } });
    const stale = new Set(driver.connections);
    driver.isDead = (connection) => stale.has(connection);
    await sleep(20);
    const tables = await Promise.all([1, 2, 3, 4, 5, 6].map(async () => (await pool.query('numbers')).table()));
    assert.deepEqual(new Set(tables.map((table) => table.numRows)), new Set([30]));
    assert.equal([...driver.connections].filter((connection) => stale.has(connection)).length, 0);
    assert.ok(pool.statistics.size <= 4);
  });

  test('fails one call at most for each that was used just now, and suspects the others', async (t) => {
    const { driver, pool } = await createFakePool(t, { min: 4, max: 4, health: { afterIdleMs: 60_000 } });
    const stale = new Set(driver.connections);
    driver.isDead = (connection) => stale.has(connection);
    await assert.rejects(pool.execute('numbers'), failsWith('IO', /server closed the connection/));
    for (let i = 0; i < 20; i++) await pool.execute('numbers');
    assert.ok(count(driver, 'run SELECT 1') >= 1, 'the others were checked before they were lent');
    assert.ok(pool.statistics.size <= 4);
  });

  test('does not lend one again on which a call failed as on a lost session', async (t) => {
    const failures: [string, RecurveError, boolean][] = [
      ['io', gone, true],
      ['internal', new RecurveError('INTERNAL', 'assertion'), true],
      ['shutdown', new RecurveError('UNKNOWN', 'terminating', { sqlState: '57P01' }), true],
      ['protocol', new RecurveError('INVALID_STATE', 'no connection', { sqlState: '08003' }), true],
      ['constraint', new RecurveError('INTEGRITY', 'duplicate', { sqlState: '23505' }), false],
      ['type', new RecurveError('INVALID_DATA', 'no number'), false],
    ];
    for (const [name, failure, replaced] of failures) {
      const { driver, pool } = await createFakePool(t, { max: 1 }, { fails: { failAt: 1, failure } });
      const { status } = failure;
      await assert.rejects(
        pool.query('fails').then((result) => result.table()),
        failsWith(status),
      );
      await settle();
      await pool.execute('numbers');
      assert.equal(count(driver, 'connect'), replaced ? 2 : 1, name);
    }
  });

  test('keeps one whose caller has stopped the call', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 1 });
    await assert.rejects(pool.execute('slow', [], { timeoutMs: 20 }), failsWith('TIMEOUT'));
    await pool.execute('numbers');
    assert.equal(count(driver, 'connect'), 1);
  });

  test('lets go of one that cannot be put in order in time', async (t) => {
    const { driver, pool } = await createFakePool(t, { max: 1, health: { timeoutMs: 30 } });
    const connection = await pool.acquire();
    await connection.setAutoCommit(false);
    await connection.execute('numbers');
    driver.deaf = true;
    driver.callMs = 200;
    const start = performance.now();
    await connection.close();
    assert.ok(performance.now() - start < 150);
    driver.callMs = 0;
    await pool.execute('numbers');
    assert.equal(count(driver, 'connect'), 2);
    await sleep(250);
  });

  test('does not wait for ever for a check', async (t) => {
    const check = (): Promise<void> => new Promise(() => {});
    const health = { check, afterIdleMs: 0, timeoutMs: 20 };
    const { driver, pool } = await createFakePool(t, { min: 1, max: 1, health });
    await pool.execute('numbers');
    assert.equal(count(driver, 'connect'), 2);
  });

  test('asks a check of the user, and lends what it finds well', async (t) => {
    const asked: number[] = [];
    const check = async (connection: Connection): Promise<void> => {
      asked.push(connection.id);
      await (await connection.query('numbers')).table();
    };
    const { driver, pool } = await createFakePool(t, { min: 1, max: 1, health: { check, afterIdleMs: 0 } });
    const id = await pool.use(async (connection) => connection.id);
    assert.deepEqual(asked, [id]);
    assert.equal(count(driver, 'connect'), 1);
  });

  test('leaks nothing in 200 rounds of all kinds', async (t) => {
    const more = { fails: { failAt: 1, failure: gone }, refused: { refuse: new RecurveError('INTEGRITY', 'no') } };
    const { driver, pool } = await createFakePool(t, { max: 3, health: { afterIdleMs: 0 } }, more);
    const kinds: (() => Promise<unknown>)[] = [
      () => pool.execute('numbers'),
      () => pool.query('numbers').then((result) => result.table()),
      () => pool.query('numbers').then((result) => result.close()),
      () => pool.query('slow').then((result) => result.cancel()),
      () => pool.query('fails').then((result) => result.table()),
      () => pool.query('refused'),
      () => pool.execute('slow', [], { timeoutMs: 3 }),
      () => pool.use((connection) => connection.prepare('numbers')),
      () => pool.use((connection) => connection.transaction(() => Promise.reject(new Error('no')))),
      () => pool.use((connection) => connection.query('slow')),
    ];
    for (let round = 0; round < 20; round++) {
      if (round % 5 === 0) driver.failNext.set('connect', gone);
      await Promise.allSettled(kinds.map((kind) => kind()));
    }
    await settle();
    await sleep(20);
    const { size, idle, waiting } = pool.statistics;
    assert.equal(size, idle);
    assert.equal(waiting, 0);
    assert.ok(size <= 3);
    assert.deepEqual(driver.alive, { databases: 1, connections: size, statements: 0, results: 0 });
  });
});
