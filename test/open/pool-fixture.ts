import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { createPool, type Pool, type PoolOptions } from 'recurve';
import { openDatabase } from 'recurve/adbc';
import { FakeDriver, type Script } from '../adbc/fake-driver.ts';

export interface PoolFixture {
  readonly driver: FakeDriver;
  readonly pool: Pool;
}

/** What the check of a pool runs, and a few statements. */
const scripts: Readonly<Record<string, Script>> = {
  'SELECT 1': { batches: 1, rows: 1 },
  numbers: {},
  slow: { batches: 1000, batchMs: 5 },
};

/** A pool over a fake source. At the end of the test everything must be closed at the source, and no fault noted. */
export async function createFakePool(
  t: TestContext,
  options?: PoolOptions,
  more: Readonly<Record<string, Script>> = {},
): Promise<PoolFixture> {
  const driver = new FakeDriver({ ...scripts, ...more });
  const database = await openDatabase(driver, new Map([['uri', 'fake:']]));
  const pool = await createPool(database, options);
  t.after(async () => {
    driver.callMs = 0;
    await pool.close();
    assert.deepEqual(driver.alive, { databases: 1, connections: 0, statements: 0, results: 0 });
    await database.close();
    assert.deepEqual(driver.faults, []);
  });
  return { driver, pool };
}

/** How often the source was asked for this. */
export function count(driver: FakeDriver, call: string): number {
  return driver.calls.filter((one) => one === call).length;
}
