import { RecordBatch } from '../arrow/batch.ts';
import type { Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import { RecurveError } from '../error.ts';
import { type BatchData, isBatchData } from './batch-source.ts';
import { BoundRows, runRows } from './bind.ts';
import type { CallOptions } from './call.ts';
import { type ReadIngest, readIngestInto } from './ingest.ts';
import { IngestOption, IngestTarget } from './ingest-option.ts';
import { checkSql, describe, type QueryOptions, readCallOptions, readQueryOptions } from './options.ts';
import { type Parameters, readParameters } from './parameter.ts';
import type { Partitions } from './partition.ts';
import { makePartitions, type PreparedText } from './partition-run.ts';
import type { Result } from './result.ts';
import type { Run, Session } from './session.ts';

/**
 * A statement to run as often as wanted: a prepared text, of `connection.prepare()` or {@link setSqlQuery}, or, of
 * `connection.createStatement()` and with {@link IngestOption.TargetTable} set, an ingest of the rows that are bound. Running
 * it ends an earlier result of it, as any call on its connection does. Every call throws INVALID_STATE once it or its
 * connection is closed, and while it has neither text nor target.
 */
export class Statement implements AsyncDisposable {
  readonly #session: Session;
  readonly #generation: number;
  readonly #target = new IngestTarget();
  #text: PreparedText | undefined;
  #bound: Parameters = [];
  #rows: BoundRows | undefined;
  #closed = false;

  /** For the connection. */
  constructor(session: Session) {
    this.#session = session;
    this.#generation = session.generation;
  }

  /** Names of the parameters in order; `"1"`, `"2"` … where they have none. */
  get parameterNames(): readonly string[] {
    return this.#prepared().statement.parameterNames;
  }

  /** Prepares a text, in place of the one that it had and of a target of an ingest. What is bound stays. */
  async setSqlQuery(sql: string, options?: CallOptions): Promise<void> {
    this.#assertOpen();
    const statement = await this.#session.prepare(checkSql(sql), readCallOptions(options));
    if (this.#closed) {
      await this.#session.closeStatement(statement, this);
      this.#assertOpen();
    }
    const older = this.#text;
    this.#text = { sql, statement };
    this.#target.clearTable();
    if (older !== undefined) await this.#session.closeStatement(older.statement, this);
  }

  /**
   * Sets an option of {@link IngestOption}: with a target table the statement is an ingest, which `executeUpdate` runs, until
   * it is given a text. Throws NOT_IMPLEMENTED for another key, INVALID_ARGUMENT for a value that means nothing.
   */
  setOption(key: string, value: string): void {
    this.#assertOpen();
    this.#target.set(key, value);
  }

  /** Throws NOT_FOUND for a key that the statement does not have, or that is not set and has no default. */
  getOption(key: string): string {
    this.#assertOpen();
    return this.#target.get(key);
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

  /** Runs it with these parameters, or else with those that are bound. As `connection.query`. Not for an ingest. */
  async executeQuery(parameters?: Parameters, options?: QueryOptions): Promise<Result> {
    return this.#session.query(this.#readRun(parameters, options));
  }

  /**
   * Runs it with these parameters, or else with those that are bound. As `connection.execute`; an ingest as
   * `connection.ingest`, with INVALID_STATE where no rows are bound.
   */
  async executeUpdate(parameters?: Parameters, options?: QueryOptions): Promise<number> {
    this.#assertOpen();
    const { tableName } = this.#target;
    if (tableName !== undefined) return this.#session.ingest(this.#readIngest(tableName, parameters, options), this);
    return this.#session.execute(this.#readRun(parameters, options));
  }

  /**
   * The schema that `executeQuery` with these parameters, or else with those that are bound, would give; nothing runs. Throws
   * INVALID_STATE where it depends on parameters and none are given.
   */
  async executeSchema(parameters?: Parameters, options?: CallOptions): Promise<Schema> {
    const given = parameters === undefined ? (this.#rows?.types() ?? this.#bound) : readParameters(parameters);
    const { description } = this.#prepared().statement;
    return this.#session.ask((_driver, call) => description.getSchema(given, call), readCallOptions(options));
  }

  /** A field a parameter, in order: its name, empty where it has none, and its type, null where the source does not know it. */
  async parameterSchema(options?: CallOptions): Promise<Schema> {
    const { description } = this.#prepared().statement;
    return this.#session.ask((_driver, call) => description.getParameterSchema(call), readCallOptions(options));
  }

  /**
   * The result in pieces for `connection.readPartition` of any connection or process to the same source; one piece where the
   * source has no more. Nothing runs before that: each piece sees the source as it is when it is read. Throws
   * INVALID_ARGUMENT for a statement that may change the source.
   */
  async executePartitions(parameters?: Parameters, options?: CallOptions): Promise<Partitions> {
    const text = this.#prepared();
    if (parameters === undefined && this.#rows !== undefined) {
      throw new RecurveError('INVALID_STATE', 'rows are bound, and a partition is one run: bind one set of parameters');
    }
    const given = parameters === undefined ? this.#bound : readParameters(parameters);
    return makePartitions(this.#session, text, given, readCallOptions(options));
  }

  /**
   * Stops its runs, whose callers and readers get CANCELLED; resolves when they have stopped. At any time. Throws
   * INVALID_STATE when none is running: also when the source has sent its result whole.
   */
  async cancel(): Promise<void> {
    this.#assertOpen();
    return this.#session.cancelStatement(this);
  }

  /** Frees it at the source, and ends its result. Twice is harmless. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#text !== undefined) return this.#session.closeStatement(this.#text.statement, this);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #assertOpen(): void {
    this.#session.assertOpen();
    if (this.#closed || this.#generation !== this.#session.generation)
      throw new RecurveError('INVALID_STATE', 'the statement is closed');
  }

  #prepared(): PreparedText {
    this.#assertOpen();
    const { tableName } = this.#target;
    if (tableName !== undefined) {
      throw new RecurveError(
        'INVALID_STATE',
        `the statement is an ingest into ${describe(tableName)}, without a text`,
        {
          hint: 'bind rows and call executeUpdate, or give it a text with setSqlQuery',
        },
      );
    }
    if (this.#text !== undefined) return this.#text;
    throw new RecurveError('INVALID_STATE', 'the statement has no text', {
      hint: `call setSqlQuery, or setOption with ${IngestOption.TargetTable} for an ingest`,
    });
  }

  #readRun(parameters: Parameters | undefined, options: QueryOptions | undefined): Run {
    const { sql, statement } = this.#prepared();
    const rows = parameters === undefined ? this.#rows : undefined;
    return {
      sql,
      start: (connection, request, call) =>
        rows === undefined
          ? statement.run(request, call)
          : runRows({ connection, statement, rows, request, transact: this.#session.autocommit }, call),
      parameters: parameters === undefined ? this.#bound : readParameters(parameters),
      options: readQueryOptions(options),
      owner: this,
    };
  }

  #readIngest(tableName: string, parameters: Parameters | undefined, options: QueryOptions | undefined): ReadIngest {
    if (parameters !== undefined) {
      throw new RecurveError('INVALID_ARGUMENT', 'an ingest takes no parameters', { hint: 'bind the rows' });
    }
    const { call } = readQueryOptions(options);
    const rows = this.#rows;
    if (rows === undefined) {
      throw new RecurveError('INVALID_STATE', `no rows are bound to write to ${describe(tableName)}`, {
        hint: 'call bind with a table or batch, or bindStream',
      });
    }
    return readIngestInto(tableName, (signal) => rows.open(signal), { ...this.#target.options, ...call });
  }
}
