import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { CallOptions, Connection } from 'recurve/adbc';
import { batchFromArrays, Field, int64, RecurveError, Schema } from 'recurve/arrow';
import type { Area, Behaviour, Contract } from './behaviour.ts';
import { assertNotHeld, assertUsable, firstValue } from './behaviour.ts';
import type { Dialect, Feature } from './harness.ts';

/** When an abort comes, counted from the call: in steps of promises, then of the event loop, then of the clock. */
interface Moment {
  readonly steps: number;
  readonly turns: number;
  readonly delayMs: number;
}

/** Waits: every await of a call lies between two steps, every answer of the source between two turns. */
async function waitFor({ steps, turns, delayMs }: Moment): Promise<void> {
  for (let i = 0; i < turns; i++) await new Promise((resolve) => setImmediate(resolve));
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs));
  for (let i = 0; i < steps; i++) await null;
}

const moments: fc.Arbitrary<Moment> = fc.oneof(
  fc.record({ steps: fc.nat(80), turns: fc.constant(0), delayMs: fc.constant(0) }),
  fc.record({ steps: fc.nat(12), turns: fc.nat(40), delayMs: fc.constant(0) }),
  fc.record({ steps: fc.nat(5), turns: fc.constant(0), delayMs: fc.integer({ min: 1, max: 15 }) }),
);

/** A call that may be aborted; it writes whole rows of 3 to `item`, or nothing. */
interface Call {
  readonly needs: readonly Feature[];
  run(connection: Connection, dialect: Dialect, options: CallOptions): Promise<unknown>;
}

const schema = new Schema([new Field('i', int64())]);
const batch = batchFromArrays(schema, [BigInt64Array.of(1n, 2n, 3n)]);
const insert = 'INSERT INTO item VALUES (1), (2), (3)';

const calls: Readonly<Record<string, Call>> = {
  'a query that is read whole': {
    needs: [],
    run: async (connection, dialect, options) => (await connection.query(dialect.rows(20_000), [], options)).table(),
  },
  'a query that is read as bytes': {
    needs: [],
    run: async (connection, dialect, options) => {
      const reader = (await connection.query(dialect.rows(20_000), [], options)).toReadable().getReader();
      while (!(await reader.read()).done);
    },
  },
  'a query that is left early': {
    needs: ['endless statements'],
    run: async (connection, dialect, options) => {
      for await (const read of await connection.query(dialect.trickle, [], options)) if (read.numRows > 2000) break;
    },
  },
  'an update': { needs: ['tables'], run: (connection, _, options) => connection.execute(insert, [], options) },
  'a prepared statement': {
    needs: [],
    run: async (connection, dialect, options) => {
      const statement = await connection.prepare(dialect.rows(3000), options);
      try {
        await (await statement.executeQuery([], options)).table();
      } finally {
        await statement.close();
      }
    },
  },
  'bound rows': {
    needs: ['tables', 'parameters'],
    run: async (connection, dialect, options) => {
      const statement = await connection.prepare(`INSERT INTO item VALUES (${dialect.parameter(1)})`, options);
      try {
        statement.bind(batch);
        await statement.executeUpdate(undefined, options);
      } finally {
        await statement.close();
      }
    },
  },
  'a transaction': {
    needs: ['tables'],
    run: (connection, _, options) =>
      connection.transaction(async (tx) => {
        for (const i of [1, 2, 3]) await tx.execute(`INSERT INTO item VALUES (${i})`, [], options);
      }, options),
  },
  'an ingest': {
    needs: ['ingest'],
    run: (connection, _, options) => connection.ingest('item', batch, { ...options, mode: 'append' }),
  },
  'a look into the catalog': {
    needs: ['metadata', 'tables'],
    run: (connection, _, options) => connection.getObjects({ tableName: 'item' }, options),
  },
  'a table schema': {
    needs: ['tables'],
    run: (connection, _, options) => connection.getTableSchema({ tableName: 'item' }, options),
  },
};

async function checkAborted(contract: Contract, call: Call, moment: Moment): Promise<void> {
  const { connection, dialect } = contract;
  const before = await countRows(contract);
  const controller = new AbortController();
  const reason = new Error('no longer wanted');
  const running = call.run(connection, dialect, { signal: controller.signal }).then(
    () => undefined,
    (error: unknown) => error,
  );
  await waitFor(moment);
  controller.abort(reason);
  const error = await running;
  if (error !== undefined) {
    assert.ok(RecurveError.is(error), `not a RecurveError: ${error}`);
    assert.equal(error.status, 'CANCELLED', error.message);
    assert.equal(error.cause, reason);
  }
  assertNotHeld(controller.signal);
  assert.equal(connection.autoCommit, true);
  await assertUsable(contract);
  const written = (await countRows(contract)) - before;
  assert.ok(written === 0 || (written === 3 && call.needs.length > 0), `${written} of 3 rows are there`);
}

async function countRows({ connection, harness }: Contract): Promise<number> {
  if (harness.lacks.tables !== undefined) return 0;
  return Number(await firstValue(connection, 'SELECT count(*) AS n FROM item'));
}

/** An abort at every await: whenever it comes, the call ends well or with CANCELLED, whole or not at all. */
export const abortArea: Area = {
  name: 'an abort at any moment',
  behaviours: Object.entries(calls).map(
    ([name, call]): Behaviour => ({
      name: `of ${name} leaves it done or undone, and the connection usable`,
      because: 'people press the button at the worst moment',
      needs: call.needs,
      check: async (contract) => {
        if (contract.harness.lacks.tables === undefined) {
          await contract.connection.execute('CREATE TABLE item (i BIGINT)');
        }
        await fc.assert(
          fc.asyncProperty(moments, (moment) => checkAborted(contract, call, moment)),
          { numRuns: 60 },
        );
      },
    }),
  ),
};
