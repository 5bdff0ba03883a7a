import { RecurveError } from '../error.ts';

/** SQLSTATE class 08 (connection exception), and PostgreSQL's shutdowns: 57P01 to 57P05. */
const lostSqlState = /^(08|57P0[1-5])/;

/**
 * Whether an error says that the session with the source may be gone, so that it is better replaced than used again: IO,
 * INTERNAL and UNAUTHENTICATED, and the SQLSTATEs for it. Some of these leave the session whole, a missing file for one:
 * replacing it then costs a connect, while keeping a broken one costs every later caller an error.
 */
export function meansLost(error: unknown): boolean {
  if (!RecurveError.is(error)) return true;
  if (error.sqlState !== undefined && lostSqlState.test(error.sqlState)) return true;
  return error.status === 'IO' || error.status === 'INTERNAL' || error.status === 'UNAUTHENTICATED';
}
