import type {
  DriverCall,
  DriverConnection,
  DriverMetadata,
  DriverSession,
  DriverStatements,
  IngestRequest,
} from '../../adbc/spi.ts';
import type { ResultOptions } from './execution.ts';
import { ingest } from './ingest.ts';
import { PostgresMetadata } from './metadata.ts';
import { PostgresOptions } from './option.ts';
import type { PostgresSession } from './session.ts';
import { PostgresStatements } from './statement.ts';

/** A connection to a PostgreSQL database. */
export class PostgresConnection implements DriverConnection {
  readonly statements: DriverStatements;
  readonly metadata: DriverMetadata;
  readonly session: DriverSession;
  readonly #session: PostgresSession;

  constructor(session: PostgresSession, options: ResultOptions) {
    this.#session = session;
    this.statements = new PostgresStatements(session, options);
    this.metadata = new PostgresMetadata(session, options);
    this.session = new PostgresOptions(session);
  }

  ingest(request: IngestRequest, call: DriverCall): Promise<number> {
    return ingest(this.#session, request, call);
  }

  close(): Promise<void> {
    return this.#session.close();
  }
}
