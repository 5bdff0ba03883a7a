import { RecurveError } from '../../error.ts';
import type { Binding } from './binding.ts';
import type { NativePrepared } from './read/native.ts';
import type { NativeSession } from './session.ts';

/** What it takes to run a failed statement once more for its message. */
export interface FailedStatement {
  readonly session: NativeSession;
  /** The text, as the source ran it; its last statement is a SELECT. */
  readonly sql: string;
  /** Statements in the text; default 1. */
  readonly statementCount?: number | undefined;
  /** Binds the statement's parameters again. */
  readonly bind?: ((prepared: NativePrepared) => void) | undefined;
}

/** How long the search for a message may take. */
export interface FailureLimit {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}

/**
 * The message of a stream that failed after its first rows. The bindings give none: the stream ends early, and the error
 * in the native result has no accessor. So the statement runs once more as `EXPLAIN ANALYZE`, which throws its rows away
 * and rejects with the message, in a read-only transaction, where `nextval` and every other write to a database is
 * refused before it starts. Undefined when the second run succeeds, is refused, is interrupted or takes too long: then
 * the promise settles a moment after the limit, and the session waits for the native call before its next one.
 *
 * The failure of a statement inside of a transaction has ended it; its second run takes a connection of its own, which
 * sees what is committed: that it lacks a table there says nothing.
 */
export async function findFailure(statement: FailedStatement, limit: FailureLimit): Promise<string | undefined> {
  const { session } = statement;
  const signal = AbortSignal.any([limit.signal, AbortSignal.timeout(Math.ceil(limit.timeoutMs))]);
  if (signal.aborted) return undefined;
  try {
    const sql = await findLastStatement(statement, signal);
    if (sql === undefined) return undefined;
    if (!session.inTransaction) return await runAgain(session, sql, statement.bind, signal);
    const other = await session.openSibling(signal);
    if (other === undefined) return undefined;
    const message = await runAgain(other, sql, statement.bind, signal);
    const closed = other.close();
    // A call that cannot be interrupted would keep it.
    if (!signal.aborted) await closed;
    return message === undefined || isMissing(message) ? undefined : message;
  } catch {
    return undefined;
  }
}

async function runAgain(
  session: NativeSession,
  sql: string,
  bind: FailedStatement['bind'],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { binding, connection } = session;
  let message: string | undefined;
  try {
    await session.query('BEGIN TRANSACTION READ ONLY', signal);
    const prepared = await session.call(() => binding.prepare(connection, `EXPLAIN ANALYZE ${sql}`), {
      signal,
      discard: (late) => binding.destroy_prepare_sync(late),
    });
    try {
      bind?.(prepared);
      await session.call(() => binding.execute_prepared(prepared), { signal });
    } finally {
      session.release(prepared);
    }
  } catch (error) {
    const cause = RecurveError.is(error) ? (error.cause ?? error) : error;
    message = cause instanceof Error ? cause.message : String(cause);
  }
  const ended = session.query('ROLLBACK', new AbortController().signal).catch(() => undefined);
  // After an interrupt it stands in the queue behind a call that may take long.
  if (signal.aborted) return undefined;
  await ended;
  return message === undefined || isRefusal(message) ? undefined : withoutPosition(message);
}

/**
 * The text of the last statement. DuckDB extracts statements without saying where they stand: the first semicolon that
 * parts the text into all but one and one is the place. Undefined where there is none, as with a PIVOT, which is several.
 */
async function findLastStatement(
  { session, sql, statementCount = 1 }: FailedStatement,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (statementCount === 1) return sql;
  for (let at = sql.indexOf(';'); at >= 0; at = sql.indexOf(';', at + 1)) {
    const last = sql.slice(at + 1);
    if ((await countStatements(session, sql.slice(0, at + 1), signal)) !== statementCount - 1) continue;
    if ((await countStatements(session, last, signal)) === 1) return last;
  }
  return undefined;
}

async function countStatements(session: NativeSession, sql: string, signal: AbortSignal): Promise<number> {
  const { binding, connection } = session;
  type Extracted = Awaited<ReturnType<Binding['extract_statements']>>;
  const extract = (): Promise<Extracted> => binding.extract_statements(connection, sql);
  return (await session.call(extract, { signal })).statement_count;
}

/** Whether DuckDB refused to run the statement in a read-only transaction, which says nothing about the failure. */
function isRefusal(message: string): boolean {
  return message.startsWith('TransactionContext Error') && message.includes('read-only');
}

/** Whether another connection does not know what the statement names. */
function isMissing(message: string): boolean {
  return message.startsWith('Catalog Error') || message.startsWith('Binder Error');
}

/** Without the line that points into the SQL: it would point into the second run's. */
function withoutPosition(message: string): string {
  const at = message.search(/\n+LINE \d+: /);
  return at < 0 ? message : message.slice(0, at);
}
