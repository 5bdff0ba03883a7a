import { RecurveError } from '../error.ts';
import { type QueryOptions, readQueryOptions } from './options.ts';
import { type Parameters, readParameters } from './parameter.ts';
import type { Result } from './result.ts';
import type { Run, Session } from './session.ts';
import type { DriverStatement } from './spi.ts';

/**
 * A prepared statement, made by `connection.prepare()`, to run as often as wanted. Running it ends an earlier result of it,
 * as any call on its connection does. Every call throws INVALID_STATE once it or its connection is closed.
 */
export class Statement implements AsyncDisposable {
  readonly #session: Session;
  readonly #statement: DriverStatement;
  #bound: Parameters = [];
  #closed = false;

  /** For the connection. */
  constructor(session: Session, statement: DriverStatement) {
    this.#session = session;
    this.#statement = statement;
  }

  /** Names of the parameters in order; `"1"`, `"2"` … where they have none. */
  get parameterNames(): readonly string[] {
    return this.#statement.parameterNames;
  }

  /** Sets the parameters for runs that are given none: a copy of them, in place of all that were bound before. */
  bind(parameters: Parameters): void {
    this.#assertOpen();
    this.#bound = readParameters(parameters);
  }

  /** Runs it with these parameters, or else with those that are bound. As `connection.query`. */
  async executeQuery(parameters?: Parameters, options?: QueryOptions): Promise<Result> {
    return this.#session.query(this.#readRun(parameters, options));
  }

  /** Runs it with these parameters, or else with those that are bound. As `connection.execute`. */
  async executeUpdate(parameters?: Parameters, options?: QueryOptions): Promise<number> {
    return this.#session.execute(this.#readRun(parameters, options));
  }

  /**
   * Stops its runs, whose callers and readers get CANCELLED; resolves when they have stopped. At any time. Throws
   * INVALID_STATE when none is running: also when the source has sent its result whole.
   */
  async cancel(): Promise<void> {
    this.#assertOpen();
    return this.#session.cancelStatement(this.#statement);
  }

  /** Frees it at the source, and ends its result. Twice is harmless. */
  async close(): Promise<void> {
    this.#closed = true;
    return this.#session.closeStatement(this.#statement);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(): void {
    this.#session.assertOpen();
    if (this.#closed) throw new RecurveError('INVALID_STATE', 'the statement is closed');
  }

  #readRun(parameters: Parameters | undefined, options: QueryOptions | undefined): Run {
    this.#assertOpen();
    return {
      start: (_connection, request, call) => this.#statement.run(request, call),
      parameters: parameters === undefined ? this.#bound : readParameters(parameters),
      options: readQueryOptions(options),
      owner: this.#statement,
    };
  }
}
