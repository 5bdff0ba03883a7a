import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { openDatabase } from 'recurve/adbc';
import { RecurveError } from 'recurve/arrow';
import { FakeDriver } from './fake-driver.ts';
import { connectFake, failsWith } from './fixture.ts';

describe('a database', () => {
  test('hands its options to the driver, and knows its name', async (t) => {
    const { driver, database } = await connectFake(t, {});
    assert.equal(database.driverName, 'fake');
    assert.equal(driver.calls[0], 'open fake:');
  });

  test('closes its connections first, whatever they do, and itself once', async (t) => {
    const { driver, database, connection } = await connectFake(t, {
      many: { batches: 1000, batchMs: 1 },
      slow: { submitMs: 10_000 },
    });
    const second = await database.connect();
    const result = await connection.query('many');
    const running = assert.rejects(second.execute('slow'), failsWith('CANCELLED'));
    await Promise.all([database.close(), database.close(), database[Symbol.asyncDispose]()]);
    await running;
    assert.equal(driver.calls.at(-1), 'close database');
    assert.equal(driver.calls.filter((call) => call === 'close connection').length, 2);
    await assert.rejects(result.table(), failsWith('CANCELLED', /connection was closed/));
    await assert.rejects(database.connect(), failsWith('INVALID_STATE', /database is closed/));
    await assert.rejects(connection.query('many'), failsWith('INVALID_STATE', /connection is closed/));
  });

  test('that is closed while a connection is made gives none and keeps none', async (t) => {
    const { driver, database } = await connectFake(t, {}, 20);
    const connecting = assert.rejects(database.connect(), failsWith('CANCELLED', /database was closed/));
    await database.close();
    await connecting;
    assert.equal(driver.alive.connections, 0);
  });

  test('closes a connection that the source made after its maker had given up', async (t) => {
    const { driver, database, connection } = await connectFake(t, {});
    await connection.close();
    Object.assign(driver, { deaf: true, callMs: 30 });
    await assert.rejects(database.connect({ timeoutMs: 5 }), failsWith('TIMEOUT'));
    const connecting = assert.rejects(database.connect(), failsWith('CANCELLED', /database was closed/));
    await database.close();
    await connecting;
    await sleep(40);
    assert.deepEqual(driver.alive, { databases: 0, connections: 0, statements: 0, results: 0 });
    assert.equal(driver.calls.at(-1), 'close database');
  });

  test('that cannot be opened says why, whatever the driver throws', async () => {
    const driver = new FakeDriver();
    const refused = new RecurveError('UNAUTHENTICATED', 'wrong password');
    driver.failNext.set('open x:', refused);
    const options = new Map([['uri', 'x:']]);
    await assert.rejects(openDatabase(driver, options), (error) => error === refused);
    const broken = {
      name: 'broken',
      open: () => {
        throw new TypeError('oops');
      },
    };
    const before = process.getActiveResourcesInfo().length;
    await assert.rejects(openDatabase(broken, options, { timeoutMs: 60_000 }), failsWith('INTERNAL', /oops/));
    assert.ok(process.getActiveResourcesInfo().length <= before, 'a timer is left');
  });

  test('closes all that it can when closing a part fails, and says so', async (t) => {
    const { driver, database } = await connectFake(t, {});
    await database.connect();
    driver.failNext.set('close connection', new RecurveError('IO', 'cannot close'));
    await assert.rejects(database.close(), failsWith('IO', /cannot close/));
    assert.deepEqual(driver.alive, { databases: 0, connections: 0, statements: 0, results: 0 });
    await database.close();
  });
});
