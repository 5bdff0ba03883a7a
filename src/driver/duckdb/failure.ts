import type { Binding } from './binding.ts';
import type { NativeConnection, NativePrepared } from './read/native.ts';
import { runInSlot } from './slot.ts';

/** What it takes to run a failed statement once more for its message. */
export interface FailedStatement {
  readonly binding: Binding;
  readonly connection: NativeConnection;
  /** One SELECT, as the source ran it. */
  readonly sql: string;
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
 * refused before it starts. Undefined when the second run succeeds, is refused, is interrupted or takes too long.
 *
 * Only for a SELECT outside of a transaction, on an idle connection: inside of one, the failure has ended the transaction
 * and with it what the statement saw.
 */
export async function findFailure(statement: FailedStatement, limit: FailureLimit): Promise<string | undefined> {
  const { binding, connection, sql, bind } = statement;
  let stopped = limit.signal.aborted;
  if (stopped) return undefined;
  const stop = (): void => {
    stopped = true;
    binding.interrupt(connection);
  };
  const timer = setTimeout(stop, limit.timeoutMs);
  limit.signal.addEventListener('abort', stop, { once: true });
  let message: string | undefined;
  try {
    await binding.query(connection, 'BEGIN TRANSACTION READ ONLY');
    const prepared = await binding.prepare(connection, `EXPLAIN ANALYZE ${sql}`);
    try {
      bind?.(prepared);
      await runInSlot(() => binding.execute_prepared(prepared), limit.signal);
    } finally {
      binding.destroy_prepare_sync(prepared);
    }
  } catch (error) {
    message = error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
    limit.signal.removeEventListener('abort', stop);
  }
  await binding.query(connection, 'ROLLBACK').catch(() => undefined);
  return stopped || message === undefined || isRefusal(message) ? undefined : withoutPosition(message);
}

/** Whether DuckDB refused to run the statement in a read-only transaction, which says nothing about the failure. */
function isRefusal(message: string): boolean {
  return message.startsWith('TransactionContext Error') && message.includes('read-only');
}

/** Without the line that points into the SQL: it would point into the second run's. */
function withoutPosition(message: string): string {
  const at = message.search(/\n+LINE \d+: /);
  return at < 0 ? message : message.slice(0, at);
}
