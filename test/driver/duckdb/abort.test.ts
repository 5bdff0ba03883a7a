import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { open as openFile } from 'node:fs/promises';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { open } from 'recurve';
import type { DriverConnection, RunRequest } from '../../../src/adbc/spi.ts';
import { driver } from '../../../src/driver/duckdb/index.ts';
import { connect, endless, firstValue, rejects, scratchFolder } from './fixture.ts';

const request: RunRequest = { parameters: [], limit: { maxRows: 1 << 16, maxBytes: 1 << 24, firstRows: 2048 } };
const forever = { signal: new AbortController().signal };

/** A driver's own connection: without the classes above it, which answer an abort by themselves. */
async function connectDriver(): Promise<{ connection: DriverConnection; close: () => Promise<void> }> {
  const database = await driver.open(new Map([['uri', 'duckdb:']]), forever);
  const connection = await database.connect(forever);
  return {
    connection,
    close: async () => {
      await connection.close();
      await database.close();
    },
  };
}

async function countRows(connection: DriverConnection, sql: string): Promise<number> {
  const { batches } = await connection.statements.run(sql, request, forever);
  let rows = 0;
  for (let next = await batches.next(); !next.done; next = await batches.next()) rows += next.value.numRows;
  return rows;
}

/** Named pipes can be made only by a program that not every machine has. */
const hasPipes = spawnSync('mkfifo', ['--version']).error === undefined;

describe('aborting a statement', () => {
  test('rejects with the reason within 100 ms and leaves the connection usable, whenever it happens', async () => {
    const { connection, close } = await connectDriver();
    // From before the statement is prepared to well into its execution.
    for (const afterMs of [-1, 0, 0, 1, 2, 3, 5, 8, 20, 60, 150]) {
      const controller = new AbortController();
      const reason = new Error(`stopped after ${afterMs} ms`);
      let firedMs = performance.now();
      const fire = (): void => {
        firedMs = performance.now();
        controller.abort(reason);
      };
      if (afterMs < 0) fire();
      else setTimeout(fire, afterMs);
      await assert.rejects(
        connection.statements.run(endless, request, { signal: controller.signal }),
        (error) => error === reason,
      );
      const lateMs = performance.now() - firedMs;
      assert.ok(lateMs < 100, `${lateMs} ms late, aborted after ${afterMs} ms`);
      assert.equal(await countRows(connection, 'FROM range(5000)'), 5000);
    }
    await close();
  });

  test('does not touch the statement after it', async () => {
    const { connection, close } = await connectDriver();
    for (let i = 0; i < 100; i++) {
      const controller = new AbortController();
      const { batches } = await connection.statements.run('SELECT 1', request, { signal: controller.signal });
      await batches.next();
      await batches.next();
      controller.abort();
      assert.equal(await countRows(connection, 'FROM range(3000)'), 3000);
    }
    await close();
  });

  test('lets the caller go when DuckDB cannot be interrupted, and the next statement wait', {
    skip: !hasPipes && 'mkfifo is missing',
  }, async (t) => {
    const pipe = join(scratchFolder(t), 'pipe.csv');
    execFileSync('mkfifo', [pipe]);
    const { connection, close } = await connectDriver();
    const controller = new AbortController();
    const reason = new Error('enough');
    setTimeout(() => controller.abort(reason), 50);
    const startMs = performance.now();
    const stuck = connection.statements.run(`FROM read_csv('${pipe}')`, request, { signal: controller.signal });
    await assert.rejects(stuck, (error) => error === reason);
    assert.ok(performance.now() - startMs < 150);
    const next = countRows(connection, 'FROM range(10)');
    const writer = await openFile(pipe, 'w');
    await writer.close();
    assert.equal(await next, 10);
    await close();
  });

  test('takes effect in a script, and in a statement that waits for a free slot', async () => {
    const { connection, close } = await connectDriver();
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('script')), 50);
    const script = `CREATE TABLE t AS SELECT 1 AS a; CREATE TABLE u AS ${endless}; DROP TABLE t`;
    await assert.rejects(connection.statements.run(script, request, { signal: controller.signal }), /script/);
    assert.equal(await countRows(connection, 'FROM t'), 1);
    await close();
  });
});

describe('many statements at once', () => {
  test('leave threads for files, and all come to an end', async (t) => {
    const database = await open('duckdb:?threads=1');
    t.after(() => database.close());
    const connections = await Promise.all(Array.from({ length: 12 }, () => database.connect()));
    const controllers = connections.map(() => new AbortController());
    const running = connections.map((connection, i) => {
      const signal = controllers[i]?.signal;
      return connection.query(endless, [], { signal });
    });
    const settled = Promise.allSettled(running);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startMs = performance.now();
    const file = await openFile(import.meta.filename);
    await file.close();
    const waitedMs = performance.now() - startMs;
    assert.ok(waitedMs < 500, `a file took ${waitedMs} ms to open`);
    for (const controller of controllers) controller.abort();
    assert.ok((await settled).every((result) => result.status === 'rejected'));
    const sums = connections.map((connection) => firstValue(connection, 'SELECT count(*) FROM range(100000)'));
    assert.deepEqual(
      await Promise.all(sums),
      connections.map(() => 100_000n),
    );
  });

  test('hold no slot while their results wait to be read', async (t) => {
    const database = await open('duckdb:');
    t.after(() => database.close());
    const results = [];
    for (let i = 0; i < 20; i++) {
      const connection = await database.connect();
      results.push(await connection.query('FROM range(1000000)', [], { windowBytes: 1 << 16 }));
    }
    assert.equal(await firstValue(await database.connect(), 'SELECT 1'), 1);
    const tables = await Promise.all(results.reverse().map((result) => result.table()));
    assert.deepEqual(
      tables.map((table) => table.numRows),
      tables.map(() => 1_000_000),
    );
  });
});

describe('closing', () => {
  test('a connection stops the statement that runs on it', async (t) => {
    const connection = await connect(t);
    const running = connection.query(endless);
    const outcome = rejects(running, 'CANCELLED', /closed/);
    await new Promise((resolve) => setTimeout(resolve, 50));
    const startMs = performance.now();
    await connection.close();
    assert.ok(performance.now() - startMs < 200);
    await outcome;
  });

  test('a driver connection stops its stream', async () => {
    const { connection, close } = await connectDriver();
    const { batches } = await connection.statements.run('FROM range(100000000)', request, forever);
    await batches.next();
    await close();
  });
});
