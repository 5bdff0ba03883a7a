import type { DriverCall, IngestRequest } from '../../adbc/spi.ts';
import { RecurveError } from '../../error.ts';
import type { PostgresSession } from './session.ts';

/** Writes batches to a table. */
export async function ingest(_session: PostgresSession, _request: IngestRequest, _call: DriverCall): Promise<number> {
  throw new RecurveError('NOT_IMPLEMENTED', 'ingest');
}
