import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { open } from 'recurve';
import { tableToIPC } from 'recurve/arrow';
import { endless, firstValue, rejects, scratchFolder } from './fixture.ts';

const mebibyte = 2 ** 20;

/** File descriptors of this process, where the system tells them. */
function countHandles(): number {
  return process.platform === 'linux' ? readdirSync('/proc/self/fd').length : 0;
}

async function settledMemory(): Promise<number> {
  for (let i = 0; i < 3; i++) {
    globalThis.gc?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage.rss();
}

/** Runs `cycle` so many times; asserts that neither handles nor memory grow once it has warmed up. */
async function repeat(times: number, growthBytes: number, cycle: (i: number) => Promise<void>): Promise<void> {
  const warmUp = Math.ceil(times / 2);
  let handles = 0;
  let memory = 0;
  for (let i = 0; i < times + warmUp; i++) {
    if (i === warmUp) {
      memory = await settledMemory();
      handles = countHandles();
    }
    await cycle(i);
  }
  const grown = (await settledMemory()) - memory;
  assert.ok(countHandles() <= handles + 2, `${handles} handles became ${countHandles()}`);
  assert.ok(grown < growthBytes, `memory grew by ${Math.round(grown / mebibyte)} MiB`);
}

describe('nothing is left behind', () => {
  test('by 200 databases that were opened, written to, read in part, and closed', async (t) => {
    const uri = `duckdb:${join(scratchFolder(t), 'x.db')}`;
    await repeat(200, 60 * mebibyte, async (i) => {
      const database = await open(uri);
      const connection = await database.connect();
      await connection.execute('CREATE TABLE IF NOT EXISTS t (a INT)');
      const statement = await connection.prepare('INSERT INTO t VALUES ($1)');
      await statement.executeUpdate([i]);
      const result = await connection.query('FROM range(1000000)', [], { windowBytes: 1 << 16 });
      for await (const batch of result) {
        assert.ok(batch.numRows > 0);
        break;
      }
      await database.close();
    });
    assert.equal(await firstValue(await (await open(uri)).connect(), 'SELECT count(*) FROM t'), 300n);
  });

  test('by results that were left in a transaction, and the file opens again at once', async (t) => {
    const uri = `duckdb:${join(scratchFolder(t), 'x.db')}`;
    await repeat(20, 60 * mebibyte, async () => {
      const database = await open(uri);
      const connection = await database.connect();
      await connection.setAutoCommit(false);
      const result = await connection.query('FROM range(10000000)', [], { windowBytes: 1 << 16 });
      await result.close();
      await connection.commit();
      await database.close();
    });
  });

  test('by 200 statements that were aborted, failed or cut off on one connection', async () => {
    const database = await open('duckdb:?threads=1');
    const connection = await database.connect();
    await repeat(200, 60 * mebibyte, async (i) => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(), i % 5);
      await rejects(connection.query(endless, [], { signal: controller.signal }), 'CANCELLED', /cancelled/);
      await rejects(connection.query("SELECT 'x'::INT"), 'INVALID_DATA', /Could not convert/);
      await rejects(connection.query('SELECT $1', []), 'INVALID_ARGUMENT', /1 parameter/);
      await connection.query('FROM range(1000000)', [], { windowBytes: 1 << 16 });
      assert.equal(await firstValue(connection, 'SELECT 1'), 1);
    });
    await database.close();
  });

  test('by an Arrow file that was read, changed and failed many times', async (t) => {
    const path = join(scratchFolder(t), 'x.arrow');
    const database = await open('duckdb:');
    const connection = await database.connect();
    const sent = await (await connection.query("SELECT range AS i, repeat('x', 100) AS s FROM range(20000)")).table();
    const bytes = tableToIPC(sent, { format: 'file' });
    await repeat(40, 100 * mebibyte, async (i) => {
      writeFileSync(path, i % 4 === 3 ? bytes.subarray(0, bytes.length - 1 - i) : bytes.subarray(0));
      const count = firstValue(connection, `SELECT count(*) FROM '${path}' -- ${i}`);
      if (i % 4 === 3) await rejects(count, 'INVALID_DATA', /x\.arrow/);
      else assert.equal(await count, 20000n);
      writeFileSync(path, '');
      await rejects(connection.query(`FROM '${path}'`), 'INVALID_DATA', /x\.arrow/);
    });
    await database.close();
  });
});
