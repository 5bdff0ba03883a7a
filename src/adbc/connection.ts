import type { Schema } from '../arrow/schema.ts';
import { RecurveError } from '../error.ts';
import type { CallOptions } from './call.ts';
import { checkKeys, describe, type QueryOptions, readCallOptions, readQueryOptions } from './options.ts';
import { type Parameters, readParameters } from './parameter.ts';
import type { Result } from './result.ts';
import type { Run, Session } from './session.ts';
import type { TableName } from './spi.ts';
import { Statement } from './statement.ts';

const autocommitKey = 'adbc.connection.autocommit';

/**
 * One session with a source, made by `database.connect()`. Calls run one at a time, in the order in which they were made.
 *
 * A connection has one live result: any call that reaches the source ends a result that the source still sends, whose
 * next read then throws INVALID_STATE. A result that the source has sent whole stays readable.
 *
 * Every call throws INVALID_STATE once the connection is closed.
 */
export class Connection implements AsyncDisposable {
  readonly #session: Session;
  #transacting = false;

  /** For the database. */
  constructor(session: Session) {
    this.#session = session;
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

  /** Prepares a statement for running it many times. */
  async prepare(sql: string, options?: CallOptions): Promise<Statement> {
    return new Statement(this.#session, await this.#session.prepare(checkSql(sql), readCallOptions(options)));
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

  /** Sets an option by its ADBC key: `adbc.connection.autocommit`, `true` or `false`. Throws NOT_IMPLEMENTED for others. */
  async setOption(key: string, value: string, options?: CallOptions): Promise<void> {
    if (key !== autocommitKey) {
      throw new RecurveError('NOT_IMPLEMENTED', `unknown connection option ${describe(key)}`, {
        hint: `known: ${autocommitKey}`,
      });
    }
    if (value !== 'true' && value !== 'false') {
      throw new RecurveError('INVALID_ARGUMENT', `option ${key} is ${describe(value)}, but must be "true" or "false"`);
    }
    return this.setAutoCommit(value === 'true', options);
  }

  /** The value of an option by its ADBC key. Throws NOT_FOUND for one that {@link setOption} does not know. */
  async getOption(key: string): Promise<string> {
    this.#session.assertOpen();
    if (key === autocommitKey) return String(this.autoCommit);
    throw new RecurveError('NOT_FOUND', `unknown connection option ${describe(key)}`, {
      hint: `known: ${autocommitKey}`,
    });
  }

  /**
   * Stops what runs, whose callers get CANCELLED, rolls back an open transaction and ends the session. Resolves when that is
   * done. Results that the source has sent whole stay readable. Twice is harmless.
   */
  close(): Promise<void> {
    return this.#session.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
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
    start: (connection, request, call) => connection.run(text, request, call),
    parameters: readParameters(parameters),
    options: readQueryOptions(options),
  };
}

function checkSql(sql: unknown): string {
  if (typeof sql === 'string') return sql;
  throw new RecurveError('INVALID_ARGUMENT', `sql is ${describe(sql)}, but must be a string`);
}
