import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Area, Contract } from './behaviour.ts';
import { assertNotHeld, assertUsable, fails } from './behaviour.ts';

/** DESIGN's promise for an early `return()`; the best of several runs counts, since a busy machine may hold one up. */
const stopMs = 100;
const reason = new Error('no longer wanted');

/** How long each of several runs took at best. */
async function bestOf(runs: number, run: () => Promise<number>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < runs && best > stopMs; i++) best = Math.min(best, await run());
  return best;
}

/** Phases of a call in which it may be stopped; each resolves or rejects with the call, and runs until it is stopped. */
const phases: Readonly<Record<string, (contract: Contract, limit: StopOptions) => Promise<unknown>>> = {
  'while it waits for its turn': async ({ connection, dialect }, limit) => {
    const controller = new AbortController();
    const before = connection.execute(dialect.endless, [], { signal: controller.signal }).catch(() => {});
    try {
      return await connection.query(dialect.answer.sql, [], limit);
    } finally {
      controller.abort();
      await before;
    }
  },
  'while the source works, before the first row': async ({ connection, dialect }, limit) =>
    (await connection.query(dialect.endless, [], limit)).table(),
  'while an update runs': ({ connection, dialect }, limit) => connection.execute(dialect.endless, [], limit),
  'while a prepared statement runs': async ({ connection, dialect }, limit) => {
    const statement = await connection.prepare(dialect.endless);
    try {
      return await (await statement.executeQuery([], limit)).table();
    } finally {
      await statement.close();
    }
  },
  'between two batches': async ({ connection, dialect }, limit) => {
    for await (const _ of await connection.query(dialect.trickle, [], limit)) await sleep(1);
  },
  'while the window is full and nobody reads': async ({ connection, dialect }, limit) => {
    const result = await connection.query(dialect.trickle, [], { ...limit, windowBytes: 1 });
    await sleep(120);
    return result.table();
  },
  'while it is read as a stream of bytes': async ({ connection, dialect }, limit) => {
    const reader = (await connection.query(dialect.trickle, [], limit)).toReadable().getReader();
    while (!(await reader.read()).done);
  },
};

interface StopOptions {
  readonly signal?: AbortSignal;
  readonly timeoutMs?: number;
}

const stopPhases = Object.entries(phases).flatMap(([phase, run]) => [
  {
    name: `is stopped by its signal ${phase}, and the connection is usable`,
    because: 'who leaves must not pay for what is no longer wanted, nor lose the connection',
    needs: ['endless statements' as const],
    check: async (contract: Contract) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(reason), 60);
      const error = await fails(run(contract, { signal: controller.signal }), 'CANCELLED');
      assert.equal(error.cause, reason);
      assertNotHeld(controller.signal);
      await assertUsable(contract);
    },
  },
  {
    name: `is stopped by its time limit ${phase}, which the error names`,
    because: 'a limit that the source does not feel is none',
    needs: ['endless statements' as const],
    check: async (contract: Contract) => {
      await fails(run(contract, { timeoutMs: 60 }), 'TIMEOUT', /60 ms/);
      await assertUsable(contract);
    },
  },
]);

/** Early return, abort and time-out. */
export const stopArea: Area = {
  name: 'a call that is stopped',
  behaviours: [
    ...stopPhases,
    {
      name: 'does not reach the source when its signal has fired before, or there is no time',
      because: 'a write that was called off must not happen',
      needs: ['tables'],
      check: async (contract) => {
        const { connection } = contract;
        const create = 'CREATE TABLE never (a INTEGER)';
        await fails(connection.execute(create, [], { signal: AbortSignal.abort(reason) }), 'CANCELLED');
        await fails(connection.execute(create, [], { timeoutMs: 0 }), 'TIMEOUT');
        await fails(connection.prepare(create, { signal: AbortSignal.abort(reason) }), 'CANCELLED');
        await fails(connection.query('SELECT * FROM never'), 'NOT_FOUND');
        await assertUsable(contract);
      },
    },
    {
      name: 'after its end is not hurt by its signal or time limit',
      because: 'one signal often serves several calls',
      check: async (contract) => {
        const { connection, dialect } = contract;
        const controller = new AbortController();
        const result = await connection.query(dialect.rows(5000), [], { signal: controller.signal, timeoutMs: 5000 });
        const table = await result.table();
        controller.abort(reason);
        assert.equal(table.numRows, 5000);
        assert.equal(result.delivery.outcome, 'complete');
        assertNotHeld(controller.signal);
        await assertUsable(contract);
      },
    },
    {
      name: 'by its signal reports that, and what was read before',
      because: 'what was delivered is counted',
      needs: ['endless statements'],
      check: async ({ connection, dialect }) => {
        const controller = new AbortController();
        const result = await connection.query(dialect.trickle, [], { signal: controller.signal });
        const batches = result[Symbol.asyncIterator]();
        const first = await batches.next();
        controller.abort(reason);
        await fails(batches.next(), 'CANCELLED');
        const { delivery } = result;
        assert.deepEqual([delivery.outcome, delivery.rows], ['cancelled', first.value?.numRows]);
        assert.equal(delivery.error?.status, 'CANCELLED');
      },
    },
    {
      name: 'by leaving its loop is stopped at the source within 100 ms',
      because: 'the next statement waits for it',
      needs: ['endless statements'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const tookMs = await bestOf(5, async () => {
          const batches = (await connection.query(dialect.trickle))[Symbol.asyncIterator]();
          await batches.next();
          const startMs = performance.now();
          await batches.return?.();
          await assertUsable(contract);
          return performance.now() - startMs;
        });
        assert.ok(tookMs <= stopMs, `${tookMs} ms`);
      },
    },
    {
      name: 'by its signal tells its caller within 100 ms',
      because: 'a person waits',
      needs: ['endless statements'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const tookMs = await bestOf(5, async () => {
          const controller = new AbortController();
          let startMs = performance.now();
          setTimeout(() => {
            startMs = performance.now();
            controller.abort();
          }, 30);
          await fails(connection.execute(dialect.endless, [], { signal: controller.signal }), 'CANCELLED');
          await assertUsable(contract);
          return performance.now() - startMs;
        });
        assert.ok(tookMs <= stopMs, `${tookMs} ms`);
      },
    },
    {
      name: 'in each other way of leaving stops the source too',
      because: 'rows, a stream of bytes and a response are left early as well',
      needs: ['endless statements'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        for await (const _ of (await connection.query(dialect.trickle)).rows()) break;
        await assertUsable(contract);
        const reader = (await connection.query(dialect.trickle)).toReadable().getReader();
        await reader.read();
        await reader.cancel();
        await assertUsable(contract);
        await (await connection.query(dialect.trickle)).toResponse().body?.cancel();
        await assertUsable(contract);
        const result = await connection.query(dialect.trickle);
        await result.cancel();
        await fails(result.table(), 'CANCELLED');
        await assertUsable(contract);
      },
    },
    {
      name: 'by cancelling its statement ends with CANCELLED; with nothing running that is INVALID_STATE',
      because: 'ADBC says so, and another thread must be able to stop it at any time',
      needs: ['endless statements'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const statement = await connection.prepare(dialect.endless);
        await fails(statement.cancel(), 'INVALID_STATE');
        const running = fails(statement.executeUpdate(), 'CANCELLED');
        await sleep(50);
        await statement.cancel();
        await running;
        await fails(statement.cancel(), 'INVALID_STATE');
        await assertUsable(contract);
      },
    },
  ],
};
