import { RecurveError } from '../../error.ts';
import type { Binding } from './binding.ts';
import type { NativePrepared } from './read/native.ts';
import type { NativeSession } from './session.ts';

/** Whether a statement only reads, by its kind. What its functions do is not seen: `nextval` counts as reading. */
export function isReading(binding: Binding, prepared: NativePrepared, sql: string): boolean {
  const { SELECT, EXPLAIN } = binding.StatementType;
  const type = binding.prepared_statement_type(prepared);
  // EXPLAIN ANALYZE runs what it explains.
  return type === SELECT || (type === EXPLAIN && !/\banalyze\b/i.test(sql));
}

/** Throws INVALID_STATE where the session is read-only and the statement is neither reading nor about the session itself. */
export function assertAllowed(session: NativeSession, prepared: NativePrepared, sql: string): void {
  if (!session.readOnly) return;
  const { binding } = session;
  const { TRANSACTION, SET, VARIABLE_SET } = binding.StatementType;
  const own: readonly number[] = [TRANSACTION, SET, VARIABLE_SET];
  if (own.includes(binding.prepared_statement_type(prepared)) || isReading(binding, prepared, sql)) return;
  throw readOnlyError();
}

/** For what would change the database on a read-only connection. */
export function readOnlyError(): RecurveError {
  return new RecurveError('INVALID_STATE', 'the connection is read-only', { hint: 'setReadOnly(false) ends that' });
}
