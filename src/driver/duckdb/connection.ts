import type {
  DriverCall,
  DriverConnection,
  DriverMetadata,
  DriverOptions,
  DriverResult,
  DriverStatement,
  IngestRequest,
  RunRequest,
} from '../../adbc/spi.ts';
import { readOnlyError } from './access.ts';
import { ArrowFiles } from './arrow-file.ts';
import { runPrepared } from './execution.ts';
import { ingest } from './ingest.ts';
import { DuckdbMetadata } from './metadata.ts';
import { DuckdbOptions } from './option.ts';
import { readsPipe, runWhole } from './pipe.ts';
import { prepareText } from './preparation.ts';
import type { NativeSession } from './session.ts';
import { DuckdbStatement } from './statement.ts';

/** A connection to a DuckDB instance. */
export class DuckdbConnection implements DriverConnection {
  readonly metadata: DriverMetadata;
  readonly options: DriverOptions;
  readonly #session: NativeSession;
  readonly #arrowFiles: ArrowFiles;
  readonly #onClosed: (cutStreams: number) => void;

  /** `onClosed` is told how many results the garbage collector has yet to free. */
  constructor(session: NativeSession, onClosed: (cutStreams: number) => void) {
    this.#session = session;
    this.#arrowFiles = new ArrowFiles(session);
    this.metadata = new DuckdbMetadata(session, this.#arrowFiles);
    this.options = new DuckdbOptions(session);
    this.#onClosed = onClosed;
  }

  /**
   * A text of several statements runs as a script: the last one gives the result and takes the parameters. Names of Arrow
   * files are tables, see {@link ArrowFiles}. A text that reads the process's input runs whole, see {@link readsPipe}.
   */
  async run(sql: string, request: RunRequest, call: DriverCall): Promise<DriverResult> {
    const startedMs = performance.now();
    await this.#arrowFiles.refresh(sql, call);
    const { parameters } = request;
    // Run whole, a text is not looked at statement by statement, as a read-only session must.
    const canRunWhole = readsPipe(sql) && !this.#session.readOnly;
    if (canRunWhole && (Array.isArray(parameters) ? parameters : Object.keys(parameters)).length === 0) {
      return runWhole(this.#session, sql, { request, call, startedMs });
    }
    const text = await prepareText(this.#session, this.#arrowFiles, sql, { call, script: true });
    try {
      return await runPrepared(this.#session, this.#arrowFiles, text, { request, call, startedMs });
    } finally {
      this.#session.release(text.prepared);
    }
  }

  async prepare(sql: string, call: DriverCall): Promise<DriverStatement> {
    await this.#arrowFiles.refresh(sql, call);
    const text = await prepareText(this.#session, this.#arrowFiles, sql, { call, script: false });
    return new DuckdbStatement(this.#session, text, this.#arrowFiles);
  }

  async ingest(request: IngestRequest, call: DriverCall): Promise<number> {
    if (this.#session.readOnly) throw readOnlyError();
    return ingest(this.#session, request, call);
  }

  async transaction(action: 'begin' | 'commit' | 'rollback', { signal }: DriverCall): Promise<void> {
    const begin = action === 'begin';
    // DuckDB takes the COMMIT of a transaction that a failure has aborted for a ROLLBACK, and says nothing.
    if (action === 'commit') await this.#session.query('SELECT 1', signal);
    if (!begin) this.#session.inTransaction = false;
    const mode = this.#session.readOnly ? 'BEGIN TRANSACTION READ ONLY' : 'BEGIN TRANSACTION';
    await this.#session.query(begin ? mode : action.toUpperCase(), signal);
    this.#session.inTransaction = begin;
    if (!begin) this.#arrowFiles.transactionEnded();
  }

  async close(): Promise<void> {
    await this.#session.close();
    this.#onClosed(this.#session.cutStreams);
  }
}
