import type { Connection } from '../adbc/connection.ts';
import { RecurveError } from '../error.ts';
import { toRecurveError } from './failure.ts';

/** A connection, and the database it belongs to. */
export interface Source {
  readonly connection: Connection;
  close(): Promise<void>;
}

/** Opens the source behind a URI. */
export type Open = (uri: string, options: { readonly signal: AbortSignal }) => Promise<Source>;

/**
 * Opens the source behind a URI through its driver. What fails here has exit code 3 (cannot connect or authenticate), but
 * for a URI that is none of ours (2), a time-out and an interrupt.
 */
export const openSource: Open = async (uri, { signal }) => {
  try {
    const { open } = await import('../open/index.ts');
    const database = await open(uri, { signal });
    try {
      const connection = await database.connect({ signal });
      return { connection, close: () => database.close() };
    } catch (error) {
      await database.close();
      throw error;
    }
  } catch (thrown) {
    throw connectError(toRecurveError(thrown));
  }
};

function connectError(error: RecurveError): RecurveError {
  if (error.status === 'TIMEOUT' || error.status === 'CANCELLED' || error.exitCode !== undefined) return error;
  return new RecurveError(error.status, error.message, {
    hint: error.hint,
    sqlState: error.sqlState,
    vendorCode: error.vendorCode,
    details: error.details,
    exitCode: error.status === 'INVALID_ARGUMENT' ? 2 : 3,
    cause: error.cause ?? error,
  });
}
