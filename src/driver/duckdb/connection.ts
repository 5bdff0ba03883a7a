import type {
  DriverCall,
  DriverConnection,
  DriverMetadata,
  DriverSession,
  DriverStatements,
  IngestRequest,
} from '../../adbc/spi.ts';
import { readOnlyError } from './access.ts';
import { ArrowFiles } from './arrow-file.ts';
import { ingest } from './ingest.ts';
import { DuckdbMetadata } from './metadata.ts';
import { DuckdbSession } from './option.ts';
import type { NativeSession } from './session.ts';
import { DuckdbStatements } from './statement.ts';

/** A connection to a DuckDB instance. */
export class DuckdbConnection implements DriverConnection {
  readonly statements: DriverStatements;
  readonly metadata: DriverMetadata;
  readonly session: DriverSession;
  readonly #native: NativeSession;
  readonly #onClosed: (cutStreams: number) => void;

  /** `onClosed` is told how many results the garbage collector has yet to free. */
  constructor(native: NativeSession, onClosed: (cutStreams: number) => void) {
    const arrowFiles = new ArrowFiles(native);
    this.#native = native;
    this.statements = new DuckdbStatements(native, arrowFiles);
    this.metadata = new DuckdbMetadata(native, arrowFiles);
    this.session = new DuckdbSession(native, arrowFiles);
    this.#onClosed = onClosed;
  }

  async ingest(request: IngestRequest, call: DriverCall): Promise<number> {
    if (this.#native.readOnly) throw readOnlyError();
    return ingest(this.#native, request, call);
  }

  async close(): Promise<void> {
    await this.#native.close();
    this.#onClosed(this.#native.cutStreams);
  }
}
