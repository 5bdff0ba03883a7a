import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import test, { describe, type TestContext } from 'node:test';
import fc from 'fast-check';
import type { CallOptions, Connection } from 'recurve/adbc';
import { Field, int32, RecordBatch, RecurveError, Schema } from 'recurve/arrow';
import { numberBatch, numberSchema } from '../delivery/batch.ts';
import { connectFake, type Fixture, settle } from './fixture.ts';

const scripts = { three: {}, write: { batches: 0, rowsAffected: 2 } };

/** Every call that reaches the source, and what it is made of there. */
const calls: Record<string, (connection: Connection, options: CallOptions) => Promise<unknown>> = {
  'a query': async (connection, options) => (await connection.query('three', [], options)).table(),
  'an update': (connection, options) => connection.execute('write', [], options),
  'a prepared statement': async (connection, options) => {
    const statement = await connection.prepare('three', options);
    await statement.executeSchema([], options);
    await (await statement.executeQuery([], options)).table();
    await statement.close();
  },
  'another text of a statement': async (connection, options) => {
    const statement = await connection.prepare('three', options);
    await statement.setSqlQuery('write', options);
    await statement.executeUpdate([], options);
    await statement.close();
  },
  'bound rows': async (connection, options) => {
    const statement = await connection.prepare('write', options);
    statement.bindStream({ schema: pairs.schema, batches: [pairs] });
    await statement.executeUpdate(undefined, options);
    await statement.close();
  },
  'an ingest': (connection, options) => connection.ingest('item', rows(), options),
  'an ingest by options': async (connection, options) => {
    const statement = await connection.createStatement();
    statement.setOption('adbc.ingest.target_table', 'item');
    statement.bindStream(rows());
    await statement.executeUpdate(undefined, options);
    await statement.close();
  },
  'a transaction': (connection, options) =>
    connection.transaction(async (tx) => {
      await tx.execute('write', [], options);
      await tx.ingest('item', rows(), options);
    }, options),
  'metadata and options': async (connection, options) => {
    await connection.getObjects({}, options);
    await connection.getTableSchema({ tableName: 't' }, options);
    await connection.setOption('fake.flavour', 'plain', options);
    await connection.getOption('fake.flavour', options);
  },
};

const pairs = tableOfPairs();

function tableOfPairs(): ReturnType<typeof numberBatch> {
  const batch = numberBatch(0, 3);
  const schema = new Schema([new Field('a', int32()), new Field('b', int32())]);
  return new RecordBatch(schema, [...batch.columns, ...batch.columns]);
}

function rows() {
  return { schema: numberSchema, batches: [numberBatch(0, 3), numberBatch(3, 2)] };
}

/** Runs the call with an abort at its call number `at` to the source, `steps` awaits later; gives the number of calls it made. */
async function runTo(
  t: TestContext,
  name: string,
  at: number,
  steps: number,
): Promise<{ made: number; error: unknown; fixture: Fixture }> {
  const fixture = await connectFake(t, scripts);
  const { driver, connection } = fixture;
  const controller = new AbortController();
  let made = 0;
  driver.onCall = () => {
    if (made++ !== at) return;
    if (steps === 0) controller.abort(new Error('no longer wanted'));
    else {
      let left = Promise.resolve();
      for (let i = 0; i < steps; i++) left = left.then(() => {});
      void left.then(() => controller.abort(new Error('no longer wanted')));
    }
  };
  const error = await calls[name]?.(connection, { signal: controller.signal }).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  driver.onCall = () => {};
  assert.equal(getEventListeners(controller.signal, 'abort').length, 0, 'a listener is left on the signal');
  return { made, error, fixture };
}

async function checkInOrder({ driver, connection }: Fixture): Promise<void> {
  await settle();
  assert.equal(connection.autoCommit, true);
  // It waits for what the source still does for the call that was aborted.
  assert.equal((await (await connection.query('three')).table()).numRows, 30);
  const counted = (action: string): number => driver.calls.filter((call) => call === action).length;
  const begun = counted('begin');
  assert.ok(counted('commit') + counted('rollback') >= begun, `a transaction is left open: ${driver.calls}`);
  assert.equal(driver.alive.results, 0);
  assert.deepEqual(driver.faults, []);
}

describe('an abort at each call to the source', () => {
  for (const name of Object.keys(calls)) {
    test(`of ${name} is CANCELLED or comes too late, and leaves nothing open`, async (t) => {
      const { made, error } = await runTo(t, name, -1, 0);
      assert.equal(error, undefined, `${error}`);
      assert.ok(made > 0);
      let stopped = 0;
      for (let at = 0; at < made; at++) {
        const run = await runTo(t, name, at, 0);
        if (run.error !== undefined) {
          assert.ok(RecurveError.is(run.error) && run.error.status === 'CANCELLED', `at call ${at}: ${run.error}`);
          stopped++;
        }
        await checkInOrder(run.fixture);
      }
      assert.ok(stopped > 0, 'no abort was felt');
    });

    test(`of ${name}, or some awaits after it, does the same`, async (t) => {
      const { made } = await runTo(t, name, -1, 0);
      const moment = fc.record({ at: fc.nat(made - 1), steps: fc.integer({ min: 1, max: 40 }) });
      await fc.assert(
        fc.asyncProperty(moment, async ({ at, steps }) => {
          const { error, fixture } = await runTo(t, name, at, steps);
          assert.ok(error === undefined || (RecurveError.is(error) && error.status === 'CANCELLED'), `${error}`);
          await checkInOrder(fixture);
        }),
        { numRuns: 50 },
      );
    });
  }
});
