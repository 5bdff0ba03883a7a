import type { NativePrepared } from './read/native.ts';
import { readText } from './scalar.ts';
import type { NativeSession } from './session.ts';
import { someType } from './type-search.ts';

/**
 * The session's `TimeZone` setting for a statement that may return TIMESTAMP WITH TIME ZONE; UTC for others and where the
 * setting does not exist. Asked for before each such run, since `SET GLOBAL` on any connection may change it.
 */
export async function readTimezone(
  session: NativeSession,
  prepared: NativePrepared,
  signal: AbortSignal,
): Promise<string> {
  const { binding } = session;
  const { Type } = binding;
  // What is not known before the parameters are may be anything.
  const mayBeZoned = (id: number): boolean => id === Type.INVALID || id === Type.ANY || id === Type.TIMESTAMP_TZ;
  const count = binding.prepared_statement_column_count(prepared);
  let zoned = false;
  for (let i = 0; i < count && !zoned; i++) {
    zoned = someType(binding, binding.prepared_statement_column_logical_type(prepared, i), mayBeZoned);
  }
  return zoned ? readTimezoneSetting(session, signal) : 'UTC';
}

/** The session's `TimeZone` setting; UTC where it does not exist. */
export async function readTimezoneSetting(session: NativeSession, signal: AbortSignal): Promise<string> {
  try {
    const sql = "SELECT value FROM duckdb_settings() WHERE name = 'TimeZone'";
    return (await readText(session, sql, signal)) || 'UTC';
  } catch (error) {
    signal.throwIfAborted();
    // An aborted transaction answers nothing; the statement itself will say so.
    if (session.inTransaction) return 'UTC';
    throw error;
  }
}
