import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { batchFromArrays, Field, int64, Schema } from 'recurve/arrow';
import type { Area } from './behaviour.ts';
import { assertUsable, fails } from './behaviour.ts';

const mebibyte = 2 ** 20;
const cycles = 200;
/** A leak grows in every round; an allocator stops. */
const rounds = 6;
const growthBytes = 10 * mebibyte;

/** File descriptors of this process, where the system tells them. */
function countHandles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

/** Timers, sockets, requests and the like that the event loop holds. */
function countResources(): number {
  return process.getActiveResourcesInfo().length;
}

async function settle(): Promise<void> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Runs rounds of cycles until one of them grows nothing; fails when each did. */
async function repeat(cycle: (i: number) => Promise<void>): Promise<void> {
  for (let i = 0; i < cycles / 4; i++) await cycle(i);
  await settle();
  const [handles, resources] = [countHandles(), countResources()];
  const growths: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const memory = process.memoryUsage.rss();
    for (let i = 0; i < cycles; i++) await cycle(i);
    await settle();
    assert.ok(countHandles() <= handles + 2, `${handles} handles became ${countHandles()}`);
    assert.ok(countResources() <= resources + 1, `${resources} resources of the loop became ${countResources()}`);
    const grown = process.memoryUsage.rss() - memory;
    if (grown < growthBytes) return;
    growths.push(Math.round(grown / mebibyte));
  }
  assert.fail(`memory grew in every round of ${cycles}: by ${growths.join(', ')} MiB`);
}

const schema = new Schema([new Field('i', int64())]);

/** Nothing grows over 200 cycles. In a process of its own: others would disturb the measure. */
export const leakArea: Area = {
  name: 'over 200 cycles, nothing is left behind',
  behaviours: [
    {
      name: 'by connections that were opened, used and closed',
      because: 'servers do it for months',
      check: ({ database, dialect }) =>
        repeat(async () => {
          const connection = await database.connect();
          await assertUsable({ connection, dialect });
          await connection.close();
        }),
    },
    {
      name: 'by databases that were opened, used and closed',
      because: 'desktop programs open one file after the other',
      check: ({ harness, dialect }) =>
        repeat(async () => {
          const database = await harness.open();
          await assertUsable({ connection: await database.connect(), dialect });
          await database.close();
        }),
    },
    {
      name: 'by results that were left unread, half read or closed',
      because: 'nobody cleans up after an error',
      needs: ['endless statements'],
      check: (contract) =>
        repeat(async (i) => {
          const result = await contract.connection.query(contract.dialect.trickle, [], { windowBytes: 1 << 16 });
          if (i % 3 === 0) for await (const _ of result) break;
          if (i % 3 === 1) await result.close();
          await assertUsable(contract);
        }),
    },
    {
      name: 'by calls that were aborted or ran out of time',
      because: 'an impatient user is no reason to restart',
      needs: ['endless statements'],
      check: (contract) =>
        repeat(async (i) => {
          const { connection, dialect } = contract;
          const controller = new AbortController();
          setTimeout(() => controller.abort(), i % 4);
          await fails(connection.query(dialect.endless, [], { signal: controller.signal }), 'CANCELLED');
          await fails(connection.execute(dialect.endless, [], { timeoutMs: 1 + (i % 3) }), 'TIMEOUT');
        }),
    },
    {
      name: 'by statements that failed',
      because: 'mistakes are common',
      needs: ['tables'],
      check: (contract) =>
        repeat(async () => {
          await fails(contract.connection.query('SELECT * FROM nowhere'), 'NOT_FOUND');
          await fails(contract.connection.prepare('SELECT * FROM nowhere'), 'NOT_FOUND');
        }),
    },
    {
      name: 'by prepared statements, closed or not',
      because: 'programs prepare in loops',
      check: async ({ database, dialect }) => {
        await repeat(async (i) => {
          const connection = await database.connect();
          const statement = await connection.prepare(dialect.answer.sql);
          await (await statement.executeQuery()).table();
          if (i % 2 === 0) await statement.close();
          await connection.close();
        });
      },
    },
    {
      name: 'by ingests that were done, failed or aborted',
      because: 'loads run every minute',
      needs: ['ingest'],
      check: async ({ connection }) => {
        const batch = batchFromArrays(schema, [BigInt64Array.from({ length: 5000 }, (_, i) => BigInt(i))]);
        await repeat(async (i) => {
          if (i % 2 === 0) await connection.ingest('item', batch, { mode: 'replace' });
          const failing = async function* () {
            yield batch;
            throw new Error('gone');
          };
          const bad = { schema, batches: failing() };
          await fails(connection.ingest('item', bad, { mode: 'append' }), 'IO', /gone/);
        });
      },
    },
  ],
};
