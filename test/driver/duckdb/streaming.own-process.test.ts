import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { after, before, describe, test } from 'node:test';
import { setImmediate, setTimeout } from 'node:timers/promises';
import { type Connection, type Database, open, RecurveError } from 'recurve';
import type { Column } from 'recurve/arrow';

const MiB = 1024 * 1024;

let database: Database;
let connection: Connection;

describe('streaming a large result', () => {
  before(async () => {
    database = await open('duckdb:');
    connection = await database.connect();
  });
  after(() => database.close());

  test('20 million rows with a string column grow the process by less than 200 MB, whatever the reader does', async () => {
    await drain("SELECT i, 'row number ' || i AS s FROM range(1000000) t(i)");
    const growth = await peakGrowth(async (sample) => {
      const result = await connection.query("SELECT i, 'row number ' || i AS s FROM range(20000000) t(i)");
      let rows = 0;
      for await (const batch of result) {
        rows += batch.numRows;
        await setTimeout(1);
        sample();
      }
      assert.equal(rows, 20_000_000);
    });
    assert.ok(growth < 200 * MiB, `grew by ${(growth / MiB).toFixed()} MiB`);
  });

  test('20 million rows with strings of a million bytes among them stream within the same bound', async () => {
    const growth = await peakGrowth(async (sample) => {
      const long = "CASE WHEN i % 40000 = 0 THEN repeat(chr(97 + (i % 26)::INTEGER), 1000000) ELSE 'row ' || i END";
      const result = await connection.query(`SELECT i, ${long} AS s FROM range(20000000) t(i)`);
      let longRows = 0;
      for await (const batch of result) {
        const text = batch.column('s') as Column<string>;
        for (let row = 0; row < batch.numRows; row++) if (byteLengthAt(text, row) === 1_000_000) longRows++;
        await setTimeout(1);
        sample();
      }
      assert.equal(longRows, 500);
    });
    assert.ok(growth < 200 * MiB, `grew by ${(growth / MiB).toFixed()} MiB`);
  });
});

describe('stopping a large result', () => {
  const endless = 'SELECT i, hash(i) AS h, i::VARCHAR AS s FROM range(100000000000) t(i)';
  const silent = 'SELECT sum(a.range * b.range) FROM range(1000000) a, range(10000000) b';

  before(async () => {
    database = await open('duckdb:');
    connection = await database.connect();
  });
  after(() => database.close());

  const ways: [name: string, stop: () => Promise<number>][] = [
    ['an early return', stopByReturn],
    ['an abort while batches come', () => stopBySignal(endless, false)],
    ['an abort while the engine is busy and silent', () => stopBySignal(silent, false)],
    ['a time-out while batches come', () => stopBySignal(endless, true)],
    ['a time-out while the engine is busy and silent', () => stopBySignal(silent, true)],
  ];
  for (const [name, stop] of ways) {
    test(`${name} stops DuckDB within 100 ms and leaves the connection usable`, async () => {
      const times: number[] = [];
      for (let i = 0; i < 5; i++) times.push(await stop());
      const middle = times.sort((a, b) => a - b)[2] ?? Number.POSITIVE_INFINITY;
      assert.ok(middle < 100, `median of ${times.map((ms) => ms.toFixed(1))} ms`);
      assert.ok(await isIdle(), 'DuckDB still works');
    });
  }

  test('two hundred stopped results leave nothing behind', async () => {
    for (let i = 0; i < 20; i++) await stopByReturn();
    globalThis.gc?.();
    await setImmediate();
    const before = process.memoryUsage().rss;
    const filesBefore = readdirSync('/proc/self/fd').length;
    for (let i = 0; i < 200; i++) {
      if (i % 4 === 0) await stopBySignal(endless, i % 8 === 0);
      else await stopByReturn();
    }
    globalThis.gc?.();
    await setTimeout(50);
    globalThis.gc?.();
    const growth = process.memoryUsage().rss - before;
    assert.ok(growth < 64 * MiB, `grew by ${(growth / MiB).toFixed()} MiB`);
    assert.ok(readdirSync('/proc/self/fd').length <= filesBefore + 2, 'file handles');
    assert.deepEqual(
      process.getActiveResourcesInfo().filter((name) => name === 'Timeout'),
      [],
    );
    const table = await (await connection.query('SELECT 42 AS x')).table();
    assert.equal(table.column('x').at(0), 42);
  });

  /** Milliseconds from leaving the loop to the next statement's answer. */
  async function stopByReturn(): Promise<number> {
    const result = await connection.query(endless);
    let started = 0;
    for await (const batch of result) {
      assert.ok(batch.numRows > 0);
      started = performance.now();
      break;
    }
    const elapsed = performance.now() - started;
    assert.equal(result.delivery.outcome, 'returned');
    return elapsed;
  }

  async function stopBySignal(sql: string, byTimeout: boolean): Promise<number> {
    const controller = new AbortController();
    const limitMs = 60;
    const asked = performance.now();
    let due = asked + limitMs;
    const options = byTimeout ? { timeoutMs: limitMs } : { signal: controller.signal };
    if (!byTimeout) {
      void setTimeout(limitMs).then(() => {
        due = performance.now();
        controller.abort();
      });
    }
    const reading = (async () => {
      for await (const batch of await connection.query(sql, [], options)) assert.ok(batch.numRows > 0);
    })();
    await assert.rejects(reading, (error: unknown) => {
      assert.ok(RecurveError.is(error));
      assert.equal(error.status, byTimeout ? 'TIMEOUT' : 'CANCELLED');
      return true;
    });
    const elapsed = performance.now() - due;
    await connection.execute('SELECT 1');
    return Math.max(elapsed, performance.now() - due);
  }
});

async function drain(sql: string): Promise<void> {
  for await (const _batch of await connection.query(sql));
}

/** Most bytes that the process grew by, over what it held when `work` began. */
async function peakGrowth(work: (sample: () => void) => Promise<void>): Promise<number> {
  globalThis.gc?.();
  const before = process.memoryUsage().rss;
  let peak = before;
  await work(() => {
    peak = Math.max(peak, process.memoryUsage().rss);
  });
  return peak - before;
}

function byteLengthAt({ layout }: Column<string>, row: number): number {
  return Number(layout.offsets?.[row + 1]) - Number(layout.offsets?.[row]);
}

/** Whether the process uses next to no CPU, so that no thread of DuckDB goes on unseen. */
async function isIdle(): Promise<boolean> {
  const before = process.cpuUsage();
  await setTimeout(200);
  const { user, system } = process.cpuUsage(before);
  return user + system < 100_000;
}
