import type { Schema } from '../arrow/schema.ts';
import type { Table } from '../arrow/table.ts';
import { RecurveError } from '../error.ts';
import type { CallOptions } from './call.ts';
import { ConnectionOption, getSourceOption, readFlag, setSourceOption } from './connection-option.ts';
import { makeInfoTable, readInfoCodes } from './info.ts';
import { type BatchData, type IngestOptions, readIngest } from './ingest.ts';
import { makeTableTypesTable, type ObjectOptions, readObjectFilter } from './objects.ts';
import { checkKeys, checkSql, describe, type QueryOptions, readCallOptions, readQueryOptions } from './options.ts';
import { type Parameters, readParameters } from './parameter.ts';
import { openPartition } from './partition-run.ts';
import type { Result } from './result.ts';
import type { Run, Session } from './session.ts';
import type { TableName } from './spi.ts';
import { Statement } from './statement.ts';
import { makeStatisticNamesTable, readStatisticFilter, type StatisticOptions } from './statistics.ts';

/**
 * One session with a source, made by `database.connect()`. Calls run one at a time, in the order in which they were made.
 *
 * A connection has one live result: any call that reaches the source ends a result that the source still sends, whose
 * next read then throws INVALID_STATE. A result that the source has sent whole stays readable.
 *
 * Every call throws INVALID_STATE once the connection is closed.
 */
export class Connection implements AsyncDisposable {
  readonly #owned: Session;
  readonly #giveBack: (() => Promise<void>) | undefined;
  #givenBack: Promise<void> | undefined;
  #transacting = false;

  /** For the database, and for a pool: it lends a session, which `giveBack` takes back when this is closed. */
  constructor(session: Session, giveBack?: () => Promise<void>) {
    this.#owned = session;
    this.#giveBack = giveBack;
  }

  /** Number of the session with the source, unique in this process, as the events of queries name it. */
  get id(): number {
    return this.#owned.id;
  }

  /** Whether every statement commits by itself, as at the start, or only `commit()` does. */
  get autoCommit(): boolean {
    return this.#session.autocommit;
  }

  /** Runs a statement; resolves once the source has accepted it and its schema is known. */
  async query(sql: string, parameters?: Parameters, options?: QueryOptions): Promise<Result> {
    return this.#session.query(readRun(sql, parameters, options));
  }

  /**
   * Runs a statement to its end, drops what it returns, and gives the number of rows that it changed: −1 where the source
   * does not say, and for statements that change no rows.
   */
  async execute(sql: string, parameters?: Parameters, options?: QueryOptions): Promise<number> {
    return this.#session.execute(readRun(sql, parameters, options));
  }

  /**
   * Writes the rows of a table, a batch or a stream to a table of the source, in bulk, and gives their number. All or nothing:
   * when the data or the source fails, or the call is stopped, no row of it is there; in a transaction that was open
   * before, the source may then take nothing but a rollback. A stream is pulled batch by batch as it is written.
   *
   * Statuses: those of {@link IngestMode}; INTEGRITY for a null in a required column, INVALID_DATA for a value that the
   * column cannot hold, both with column and row; and what the data throws.
   */
  async ingest(tableName: string, data: BatchData, options?: IngestOptions): Promise<number> {
    return this.#session.ingest(readIngest(tableName, data, options));
  }

  /** Prepares a statement for running it many times. */
  async prepare(sql: string, options?: CallOptions): Promise<Statement> {
    const statement = await this.createStatement();
    await statement.setSqlQuery(sql, options);
    return statement;
  }

  /** A statement without a text: for one by `setSqlQuery`, or for an ingest by options, see {@link IngestOption}. */
  async createStatement(): Promise<Statement> {
    this.#session.assertOpen();
    return new Statement(this.#session);
  }

  /** Runs a partition of `statement.executePartitions`, of whatever connection or process to the same source. */
  async readPartition(partition: Uint8Array, options?: QueryOptions): Promise<Result> {
    return openPartition(this.#session, partition, readQueryOptions(options));
  }

  /** What source and driver are: a table of `infoSchema`, a row for each of the codes that is known. Default: all. */
  async getInfo(codes?: readonly number[], options?: CallOptions): Promise<Table> {
    const wanted = readInfoCodes(codes);
    const call = readCallOptions(options);
    return makeInfoTable(await this.#session.ask((driver, scope) => driver.metadata.getInfo(scope), call), wanted);
  }

  /** Catalogs, schemas, tables, columns and constraints: a table of `objectsSchema`, a row a catalog. */
  async getObjects(objects?: ObjectOptions, options?: CallOptions): Promise<Table> {
    const filter = readObjectFilter(objects);
    return this.#session.ask((driver, call) => driver.metadata.getObjects(filter, call), readCallOptions(options));
  }

  /** The types of tables that the source has: a table of one column, `table_type`. */
  async getTableTypes(options?: CallOptions): Promise<Table> {
    const call = readCallOptions(options);
    return makeTableTypesTable(await this.#session.ask((driver, scope) => driver.metadata.getTableTypes(scope), call));
  }

  /** What is known of the values in tables: a table of `statisticsSchema`, a row a catalog that has any. */
  async getStatistics(statistics?: StatisticOptions, options?: CallOptions): Promise<Table> {
    const filter = readStatisticFilter(statistics);
    return this.#session.ask((driver, call) => driver.metadata.getStatistics(filter, call), readCallOptions(options));
  }

  /** Names and keys of the driver's own statistics; no driver has any yet. ADBC's are {@link StatisticKey}. */
  async getStatisticNames(options?: CallOptions): Promise<Table> {
    readCallOptions(options);
    this.#session.assertOpen();
    return makeStatisticNamesTable();
  }

  /** The schema of a table or view. Without catalog or schema, as the source's search path finds it. Throws NOT_FOUND. */
  async getTableSchema(table: TableName, options?: CallOptions): Promise<Schema> {
    const { tableName, ...where } = checkKeys('key', table, ['catalog', 'dbSchema', 'tableName']);
    if (typeof tableName !== 'string') {
      throw new RecurveError('INVALID_ARGUMENT', `tableName is ${describe(tableName)}, but must be a string`);
    }
    return this.#session.getTableSchema({ ...where, tableName }, readCallOptions(options));
  }

  /**
   * With false a transaction begins at the next statement, and again at the first one after `commit()` or `rollback()`.
   * With true the open transaction is committed. Statements such as `BEGIN` in SQL text are not seen: use one way or the other.
   */
  async setAutoCommit(autoCommit: boolean, options?: CallOptions): Promise<void> {
    if (typeof autoCommit !== 'boolean') {
      throw new RecurveError('INVALID_ARGUMENT', `autoCommit is ${describe(autoCommit)}, but must be true or false`);
    }
    return this.#session.setAutocommit(autoCommit, readCallOptions(options));
  }

  /**
   * Commits what ran since the transaction began; nothing when no statement did. Throws INVALID_STATE in autocommit mode.
   * When it fails or is stopped, the transaction is rolled back where the source has not committed it yet.
   */
  async commit(options?: CallOptions): Promise<void> {
    return this.#session.endTransaction('commit', readCallOptions(options));
  }

  /** Undoes what ran since the transaction began; nothing when no statement did. Throws INVALID_STATE in autocommit mode. */
  async rollback(options?: CallOptions): Promise<void> {
    return this.#session.endTransaction('rollback', readCallOptions(options));
  }

  /**
   * Runs `work` in a transaction: commits when it resolves, rolls back and throws its error when it rejects. The connection
   * is back in autocommit mode afterwards. What else is called on this connection meanwhile is part of the transaction.
   * A result must be read inside: the commit ends it. `options` are for the commit. Throws INVALID_STATE when the connection
   * is not in autocommit mode.
   */
  async transaction<T>(work: (connection: this) => Promise<T>, options?: CallOptions): Promise<T> {
    const call = readCallOptions(options);
    if (this.#transacting || !this.autoCommit) {
      throw new RecurveError('INVALID_STATE', 'the connection is in a transaction already, and they do not nest');
    }
    this.#transacting = true;
    try {
      await this.#session.setAutocommit(false, call);
      const value = await work(this);
      await this.#session.endTransaction('commit', call);
      await this.#session.setAutocommit(true, {});
      return value;
    } catch (error) {
      await this.#leaveTransaction();
      throw error;
    } finally {
      this.#transacting = false;
    }
  }

  /**
   * Whether what changes the source is refused. Not while a transaction is open: INVALID_STATE. Throws NOT_IMPLEMENTED where
   * the source cannot.
   */
  async setReadOnly(readOnly: boolean, options?: CallOptions): Promise<void> {
    if (typeof readOnly !== 'boolean') {
      throw new RecurveError('INVALID_ARGUMENT', `readOnly is ${describe(readOnly)}, but must be true or false`);
    }
    return this.setOption(ConnectionOption.ReadOnly, String(readOnly), options);
  }

  /**
   * Sets an option by its ADBC key, see {@link ConnectionOption}; flags are `true` or `false`. Throws NOT_IMPLEMENTED for a
   * key, and for a value, that the source does not have; INVALID_ARGUMENT for a value that means nothing.
   */
  async setOption(key: string, value: string, options?: CallOptions): Promise<void> {
    if (key === ConnectionOption.AutoCommit) return this.setAutoCommit(readFlag(key, value), options);
    return setSourceOption(this.#session, key, value, readCallOptions(options));
  }

  /** The value of an option by its ADBC key. Throws NOT_FOUND for one that the source does not have. */
  async getOption(key: string, options?: CallOptions): Promise<string> {
    this.#session.assertOpen();
    const call = readCallOptions(options);
    if (key === ConnectionOption.AutoCommit) return String(this.autoCommit);
    return getSourceOption(this.#session, key, call);
  }

  /**
   * Stops what runs, whose callers get CANCELLED, rolls back an open transaction and ends the session. Resolves when that is
   * done. Results that the source has sent whole stay readable. Twice is harmless.
   *
   * A connection of a pool goes back to it instead: see `Pool`.
   */
  close(): Promise<void> {
    if (this.#giveBack === undefined) return this.#owned.close();
    this.#givenBack ??= this.#giveBack();
    return this.#givenBack;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  /** The next user of a pool's session must not meet calls of the last one. */
  get #session(): Session {
    if (this.#givenBack === undefined) return this.#owned;
    throw new RecurveError('INVALID_STATE', 'the connection was given back to its pool', {
      hint: 'take one from the pool for each piece of work, and close it last',
    });
  }

  /** The error of the work is what the caller must see; a connection that was closed in it has rolled back already. */
  async #leaveTransaction(): Promise<void> {
    try {
      await this.#session.endTransaction('rollback', {});
      await this.#session.setAutocommit(true, {});
    } catch {}
  }
}

function readRun(sql: string, parameters: Parameters | undefined, options: QueryOptions | undefined): Run {
  const text = checkSql(sql);
  return {
    sql: text,
    start: (connection, request, call) => connection.statements.run(text, request, call),
    parameters: readParameters(parameters),
    options: readQueryOptions(options),
  };
}
