import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Connection, type Database, openDatabase } from 'recurve/adbc';
import { RecurveError, type Status } from 'recurve/arrow';
import { FakeDriver, type Script } from './fake-driver.ts';

export interface Fixture {
  readonly driver: FakeDriver;
  readonly database: Database;
  readonly connection: Connection;
}

/** A connection to a fake source. At the end of the test everything must be closed at the source, and no fault noted. */
export async function connectFake(
  t: TestContext,
  scripts: Readonly<Record<string, Script>>,
  callMs = 0,
): Promise<Fixture> {
  const driver = new FakeDriver(scripts, callMs);
  const database = await openDatabase(driver, new Map([['uri', 'fake:']]));
  const connection = await database.connect();
  t.after(async () => {
    driver.callMs = 0;
    await database.close();
    assert.deepEqual(driver.faults, []);
    assert.deepEqual(driver.alive, { databases: 0, connections: 0, statements: 0, results: 0 });
  });
  return { driver, database, connection };
}

/** For `assert.rejects` and `assert.throws`: an error of ours with this status, whose message matches. */
export function failsWith(status: Status, message: RegExp = /./): (error: unknown) => true {
  return (error) => {
    assert.ok(RecurveError.is(error), `not a RecurveError: ${error}`);
    assert.equal(error.status, status, error.message);
    assert.match(error.message, message);
    assert.doesNotMatch(error.message, /\n/);
    return true;
  };
}

/** Lets the source run ahead as far as it goes without time passing. */
export async function settle(): Promise<void> {
  for (let i = 0; i < 10; i++) await new Promise((resolve) => setImmediate(resolve));
}
