import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Connection, open, RecurveError } from 'recurve';
import type { Row } from 'recurve/arrow';
import { openTestDatabase, type TestDatabase } from '../server.ts';

/** A connection to a database of the test's own. */
export async function connect(t: TestContext): Promise<{ connection: Connection; database: TestDatabase }> {
  const database = await openTestDatabase(t);
  return { database, connection: await connectTo(t, database) };
}

/** Another connection to it. */
export async function connectTo(t: TestContext, { uri }: TestDatabase): Promise<Connection> {
  const opened = await open(uri);
  t.after(() => opened.close());
  return opened.connect();
}

/** All rows of a query. */
export async function rowsOf(connection: Connection, sql: string): Promise<Row[]> {
  return (await (await connection.query(sql)).table()).toArray();
}

/** The first value of the first row. */
export async function firstValue(connection: Connection, sql: string): Promise<unknown> {
  const [row] = await rowsOf(connection, sql);
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
  return error;
}

/** Names of all tables that are not the server's own, temporary ones too. */
export async function tableNames(database: TestDatabase): Promise<unknown[]> {
  const rows = await database.query(
    `SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace
     WHERE relkind IN ('r', 'p', 'v') AND nspname !~ '^(pg_(catalog|toast)|information_schema)' ORDER BY 1`,
  );
  return rows.map(({ relname }) => relname);
}
