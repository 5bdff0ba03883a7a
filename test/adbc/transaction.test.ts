import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { RecurveError } from 'recurve/arrow';
import { connectFake, failsWith, settle } from './fixture.ts';

const scripts = {
  insert: { batches: 0, rowsAffected: 1 },
  many: { batches: 1000, batchMs: 1 },
  bad: { refuse: new Error('bad') },
};
const lost = new RecurveError('IO', 'lost');

describe('transactions', () => {
  test('are off at the start, where commit and rollback have nothing to do', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    assert.equal(connection.autoCommit, true);
    await connection.execute('insert');
    await assert.rejects(connection.commit(), failsWith('INVALID_STATE', /nothing to commit/));
    await assert.rejects(connection.rollback(), failsWith('INVALID_STATE', /nothing to rollback/));
    assert.deepEqual(driver.calls.slice(2), ['run insert']);
  });

  test('begin with the first statement and again after each end', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.setAutoCommit(false);
    await connection.commit();
    await connection.execute('insert');
    await (await connection.query('insert')).table();
    await connection.commit();
    await connection.rollback();
    const statement = await connection.prepare('insert');
    await statement.executeUpdate();
    await connection.rollback();
    assert.deepEqual(driver.calls.slice(2), [
      'begin',
      'run insert',
      'run insert',
      'commit',
      'prepare insert',
      'begin',
      'run insert',
      'rollback',
    ]);
  });

  test('commit when autocommit is switched on, and not when nothing ran', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.setAutoCommit(false);
    await connection.setAutoCommit(true);
    await connection.setAutoCommit(false);
    await connection.execute('insert');
    await connection.setAutoCommit(true);
    await connection.execute('insert');
    assert.deepEqual(driver.calls.slice(2), ['begin', 'run insert', 'commit', 'run insert']);
  });

  test('roll back when the connection is closed', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.setAutoCommit(false);
    await connection.query('many');
    await connection.close();
    assert.deepEqual(driver.calls.slice(2), ['begin', 'run many', 'stop many', 'rollback', 'close connection']);
  });

  test('end a result that is still sent', async (t) => {
    const { connection } = await connectFake(t, scripts);
    await connection.setAutoCommit(false);
    const result = await connection.query('many');
    await connection.commit();
    await assert.rejects(result.table(), failsWith('INVALID_STATE', /another call/));
  });

  test('survive a statement that fails: their user decides', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    await connection.setAutoCommit(false);
    await assert.rejects(connection.execute('bad'), failsWith('INTERNAL', /bad/));
    await connection.rollback();
    assert.deepEqual(driver.calls.slice(2), ['begin', 'run bad', 'rollback']);
  });

  for (const action of ['begin', 'commit', 'rollback'] as const) {
    test(`are rolled back when ${action} fails, so that nothing runs in one unawares`, async (t) => {
      const { driver, connection } = await connectFake(t, scripts);
      await connection.setAutoCommit(false);
      if (action !== 'begin') await connection.execute('insert');
      driver.failNext.set(action, lost);
      const call = action === 'begin' ? connection.execute('insert') : connection[action]();
      await assert.rejects(call, (error) => error === lost);
      await connection.execute('insert');
      assert.deepEqual(driver.calls.slice(-4), [action, 'rollback', 'begin', 'run insert']);
    });
  }

  test('are rolled back when a commit runs out of time', async (t) => {
    const { driver, connection } = await connectFake(t, scripts, 30);
    await connection.setAutoCommit(false);
    await connection.execute('insert');
    await assert.rejects(connection.commit({ timeoutMs: 5 }), failsWith('TIMEOUT'));
    await connection.execute('insert');
    assert.deepEqual(driver.calls.slice(-4), ['commit', 'rollback', 'begin', 'run insert']);
  });

  test('are set and read by the key of ADBC', async (t) => {
    const { connection } = await connectFake(t, scripts);
    const key = 'adbc.connection.autocommit';
    assert.equal(await connection.getOption(key), 'true');
    await connection.setOption(key, 'false');
    assert.equal(await connection.getOption(key), 'false');
    assert.equal(connection.autoCommit, false);
    await assert.rejects(connection.setOption(key, 'off'), failsWith('INVALID_ARGUMENT', /"off"/));
    await assert.rejects(
      connection.setOption('adbc.connection.none', 'x'),
      failsWith('NOT_IMPLEMENTED', /adbc\.connection\.none/),
    );
    await assert.rejects(
      connection.getOption('adbc.connection.none'),
      failsWith('NOT_FOUND', /adbc\.connection\.none/),
    );
    const wrong = 1 as unknown as boolean;
    await assert.rejects(connection.setAutoCommit(wrong), failsWith('INVALID_ARGUMENT', /autoCommit is 1/));
  });
});

describe('work in a transaction', () => {
  test('is committed when it is done, and gives its value', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const value = await connection.transaction(async (tx) => (await tx.execute('insert')) + 1);
    assert.equal(value, 2);
    assert.equal(connection.autoCommit, true);
    assert.deepEqual(driver.calls.slice(2), ['begin', 'run insert', 'commit']);
  });

  test('is undone when it fails, and throws what it threw', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const mine = new Error('mine');
    const work = connection.transaction(async (tx) => {
      await tx.execute('insert');
      throw mine;
    });
    await assert.rejects(work, (error) => error === mine);
    assert.equal(connection.autoCommit, true);
    assert.deepEqual(driver.calls.slice(2), ['begin', 'run insert', 'rollback']);
  });

  test('is undone when its commit fails or is given up', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    driver.failNext.set('commit', lost);
    await assert.rejects(
      connection.transaction((tx) => tx.execute('insert')),
      (error) => error === lost,
    );
    assert.deepEqual([connection.autoCommit, driver.calls.at(-1)], [true, 'rollback']);
    const controller = new AbortController();
    const work = connection.transaction(
      async (tx) => {
        await tx.execute('insert');
        controller.abort();
      },
      { signal: controller.signal },
    );
    await assert.rejects(work, failsWith('CANCELLED'));
    assert.deepEqual([connection.autoCommit, driver.calls.at(-1)], [true, 'rollback']);
  });

  test('does not nest, nor overlap with other work', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const first = connection.transaction((tx) => tx.execute('insert'));
    await assert.rejects(
      connection.transaction((tx) => tx.execute('insert')),
      failsWith('INVALID_STATE', /do not nest/),
    );
    await first;
    await assert.rejects(
      connection.transaction((tx) => tx.transaction(async () => {})),
      failsWith('INVALID_STATE', /do not nest/),
    );
    await connection.transaction((tx) => tx.execute('insert'));
    assert.deepEqual(driver.calls.slice(2), ['begin', 'run insert', 'commit', 'begin', 'run insert', 'commit']);
  });

  test('throws its own error when the connection is closed in it', async (t) => {
    const { driver, connection } = await connectFake(t, scripts);
    const mine = new Error('mine');
    const work = connection.transaction(async (tx) => {
      await tx.execute('insert');
      await tx.close();
      throw mine;
    });
    await assert.rejects(work, (error) => error === mine);
    await settle();
    assert.deepEqual(driver.calls.slice(-2), ['rollback', 'close connection']);
  });
});
