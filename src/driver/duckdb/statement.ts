import type {
  DriverCall,
  DriverResult,
  DriverStatement,
  DriverStatementDescription,
  DriverStatements,
  RunRequest,
} from '../../adbc/spi.ts';
import type { ArrowFiles } from './arrow-file.ts';
import { DuckdbStatementDescription } from './description.ts';
import { runPrepared } from './execution.ts';
import { readsPipe, runWhole } from './pipe.ts';
import { type PreparedText, prepareText } from './preparation.ts';
import type { NativeSession } from './session.ts';

/** Statement texts on one session. */
export class DuckdbStatements implements DriverStatements {
  readonly #session: NativeSession;
  readonly #arrowFiles: ArrowFiles;

  constructor(session: NativeSession, arrowFiles: ArrowFiles) {
    this.#session = session;
    this.#arrowFiles = arrowFiles;
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
}

/** A prepared statement. DuckDB binds it anew when the catalog has changed. */
class DuckdbStatement implements DriverStatement {
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
