import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { type Connection, type OpenOptions, open, type Parameters, RecurveError } from 'recurve';
import type { Row } from 'recurve/arrow';

/** A statement that runs for hours. */
export const endless = 'SELECT sum(a.range * b.range) FROM range(1e6::bigint) a, range(1e6::bigint) b';

/** A connection to a database that is closed after the test. */
export async function connect(t: TestContext, options: string | OpenOptions = 'duckdb:'): Promise<Connection> {
  const database = await open(options);
  t.after(() => database.close());
  return database.connect();
}

/** A folder that is gone after the test. */
export function scratchFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'recurve-duckdb-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** All rows of a query. */
export async function rowsOf(connection: Connection, sql: string, parameters?: Parameters): Promise<Row[]> {
  return (await (await connection.query(sql, parameters)).table()).toArray();
}

/** The first value of the first row. */
export async function firstValue(connection: Connection, sql: string, parameters?: Parameters): Promise<unknown> {
  const [row] = await rowsOf(connection, sql, parameters);
  return Object.values(row ?? {})[0];
}

/** Rejects with a RecurveError of this status whose message matches; gives the error. */
export async function rejects(work: Promise<unknown>, status: string, message: RegExp): Promise<RecurveError> {
  const error = await work.then(
    () => assert.fail(`it succeeded, but should fail with ${status} ${message}`),
    (thrown: unknown) => thrown,
  );
  assert.ok(RecurveError.is(error), `not a RecurveError: ${error}`);
  assert.equal(error.status, status, error.message);
  assert.match(error.message, message);
  assert.ok(!error.message.includes('\n'), 'the message has several lines');
  assert.ok(!error.hint?.includes('\n'), 'the hint has several lines');
  return error;
}
