import { RecurveError } from '../error.ts';
import type { CallOptions } from './call.ts';
import { describe } from './options.ts';
import type { Session } from './session.ts';

/** ADBC's keys of connection options (`ADBC_CONNECTION_OPTION_*`). */
export const ConnectionOption = {
  AutoCommit: 'adbc.connection.autocommit',
  ReadOnly: 'adbc.connection.readonly',
  Catalog: 'adbc.connection.catalog',
  DbSchema: 'adbc.connection.db_schema',
  IsolationLevel: 'adbc.connection.transaction.isolation_level',
} as const;
/** See {@link ConnectionOption}. */
export type ConnectionOption = (typeof ConnectionOption)[keyof typeof ConnectionOption];

/** ADBC's values of `ConnectionOption.IsolationLevel`. */
export const IsolationLevel = {
  Default: 'adbc.connection.transaction.isolation.default',
  ReadUncommitted: 'adbc.connection.transaction.isolation.read_uncommitted',
  ReadCommitted: 'adbc.connection.transaction.isolation.read_committed',
  RepeatableRead: 'adbc.connection.transaction.isolation.repeatable_read',
  Snapshot: 'adbc.connection.transaction.isolation.snapshot',
  Serializable: 'adbc.connection.transaction.isolation.serializable',
  Linearizable: 'adbc.connection.transaction.isolation.linearizable',
} as const;
/** See {@link IsolationLevel}. */
export type IsolationLevel = (typeof IsolationLevel)[keyof typeof IsolationLevel];

/** Sets one of the source's options. Throws INVALID_ARGUMENT for a value that is no text, NOT_IMPLEMENTED for a key that it has not. */
export async function setSourceOption(
  session: Session,
  key: string,
  value: string,
  options: CallOptions,
): Promise<void> {
  if (typeof value !== 'string') {
    throw new RecurveError('INVALID_ARGUMENT', `option ${key} is ${describe(value)}, but must be a string`);
  }
  if (await session.setOption(key, value, options)) return;
  throw unknown('NOT_IMPLEMENTED', session, key);
}

/** One of the source's options. Throws NOT_FOUND for a key that it has not. */
export async function getSourceOption(session: Session, key: string, options: CallOptions): Promise<string> {
  const value = await session.ask((driver, call) => driver.session.getOption(key, call), options);
  if (value === undefined) throw unknown('NOT_FOUND', session, key);
  return value;
}

/** Reads a flag of ADBC. Throws INVALID_ARGUMENT for anything but `true` and `false`. */
export function readFlag(key: string, value: string): boolean {
  if (value === 'true' || value === 'false') return value === 'true';
  throw new RecurveError('INVALID_ARGUMENT', `option ${key} is ${describe(value)}, but must be "true" or "false"`);
}

function unknown(status: 'NOT_IMPLEMENTED' | 'NOT_FOUND', session: Session, key: string): RecurveError {
  return new RecurveError(status, `the driver ${session.driverName} has no connection option ${describe(key)}`, {
    hint: `ADBC's are ${Object.values(ConnectionOption).join(', ')}`,
  });
}
