import { RecordBatch } from '../arrow/batch.ts';
import type { Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import { RecurveError } from '../error.ts';
import { type BatchData, isBatchData } from './batch-source.ts';
import { BoundRows, runRows } from './bind.ts';
import type { CallOptions } from './call.ts';
import { describe, type QueryOptions, readCallOptions, readQueryOptions } from './options.ts';
import { type Parameters, readParameters } from './parameter.ts';
import type { Partitions } from './partition.ts';
import { makePartitions } from './partition-run.ts';
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
  #rows: BoundRows | undefined;
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

  /**
   * Sets the parameters for runs that are given none, in place of all that were bound before: a copy of them, or a table or
   * batch, each of whose rows is one execution.
   *
   * Bound rows run in order, in one transaction when the connection is in autocommit mode: all or nothing. `executeUpdate` gives
   * the sum of the rows changed, `executeQuery` the results of all rows one after the other; its transaction ends when
   * they are read. Columns go by the parameters' names where the statement has names and the columns are these, else by position.
   */
  bind(parameters: Parameters | Table | RecordBatch): void {
    this.#assertOpen();
    const isRows = parameters instanceof Table || parameters instanceof RecordBatch;
    this.#bound = isRows ? [] : readParameters(parameters);
    this.#rows = isRows ? new BoundRows(parameters, false) : undefined;
  }

  /** As {@link bind}, with rows that are read as they are run, and once: a second run throws INVALID_STATE. */
  bindStream(data: BatchData): void {
    this.#assertOpen();
    if (!isBatchData(data)) {
      throw new RecurveError('INVALID_ARGUMENT', `data is ${describe(data)}, but must be a stream of batches`);
    }
    this.#bound = [];
    this.#rows = new BoundRows(data, true);
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
   * The schema that `executeQuery` with these parameters, or else with those that are bound, would give; nothing runs. Throws
   * INVALID_STATE where it depends on parameters and none are given.
   */
  async executeSchema(parameters?: Parameters, options?: CallOptions): Promise<Schema> {
    this.#assertOpen();
    const given = parameters === undefined ? (this.#rows?.types() ?? this.#bound) : readParameters(parameters);
    const { description } = this.#statement;
    return this.#session.ask((_driver, call) => description.getSchema(given, call), readCallOptions(options));
  }

  /** A field a parameter, in order: its name, empty where it has none, and its type, null where the source does not know it. */
  async parameterSchema(options?: CallOptions): Promise<Schema> {
    this.#assertOpen();
    const { description } = this.#statement;
    return this.#session.ask((_driver, call) => description.getParameterSchema(call), readCallOptions(options));
  }

  /**
   * The result in pieces for `connection.readPartition` of any connection or process to the same source; one piece where the
   * source has no more. Nothing runs before that: each piece sees the source as it is when it is read. Throws
   * INVALID_ARGUMENT for a statement that may change the source.
   */
  async executePartitions(parameters?: Parameters, options?: CallOptions): Promise<Partitions> {
    this.#assertOpen();
    if (parameters === undefined && this.#rows !== undefined) {
      throw new RecurveError('INVALID_STATE', 'rows are bound, and a partition is one run: bind one set of parameters');
    }
    const given = parameters === undefined ? this.#bound : readParameters(parameters);
    return makePartitions(this.#session, this.#statement, given, readCallOptions(options));
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
    if (this.#closed || !this.#session.holds(this.#statement))
      throw new RecurveError('INVALID_STATE', 'the statement is closed');
  }

  #readRun(parameters: Parameters | undefined, options: QueryOptions | undefined): Run {
    this.#assertOpen();
    const statement = this.#statement;
    const rows = parameters === undefined ? this.#rows : undefined;
    return {
      start: (connection, request, call) =>
        rows === undefined
          ? statement.run(request, call)
          : runRows({ connection, statement, rows, request, transact: this.#session.autocommit }, call),
      parameters: parameters === undefined ? this.#bound : readParameters(parameters),
      options: readQueryOptions(options),
      owner: this.#statement,
    };
  }
}
