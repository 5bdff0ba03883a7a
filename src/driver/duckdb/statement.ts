import type {
  DriverCall,
  DriverResult,
  DriverStatement,
  DriverStatementDescription,
  RunRequest,
} from '../../adbc/spi.ts';
import type { ArrowFiles } from './arrow-file.ts';
import { DuckdbStatementDescription } from './description.ts';
import { runPrepared } from './execution.ts';
import type { PreparedText } from './preparation.ts';
import type { NativeSession } from './session.ts';

/** A prepared statement. DuckDB binds it anew when the catalog has changed. */
export class DuckdbStatement implements DriverStatement {
  readonly description: DriverStatementDescription;
  readonly #session: NativeSession;
  readonly #text: PreparedText;
  readonly #arrowFiles: ArrowFiles;

  constructor(session: NativeSession, text: PreparedText, arrowFiles: ArrowFiles) {
    this.#session = session;
    this.#text = text;
    this.#arrowFiles = arrowFiles;
    this.description = new DuckdbStatementDescription(session, text, arrowFiles);
  }

  get parameterNames(): readonly string[] {
    return this.#text.parameterNames;
  }

  async run(request: RunRequest, call: DriverCall): Promise<DriverResult> {
    const startedMs = performance.now();
    await this.#arrowFiles.refresh(this.#text.sql, call);
    return runPrepared(this.#session, this.#arrowFiles, this.#text, { request, call, startedMs });
  }

  async close(): Promise<void> {
    this.#session.release(this.#text.prepared);
  }
}
