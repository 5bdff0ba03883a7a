import type { Schema } from '../arrow/schema.ts';
import { RecurveError } from '../error.ts';
import { asRecurveError, type CallOptions, type CallScope } from './call.ts';
import { CallQueue } from './call-queue.ts';
import type { ReadIngest } from './ingest.ts';
import { meansLost } from './lost.ts';
import { type Observation, observe, type QueryObserver, type QueryStart } from './observer.ts';
import type { ReadQueryOptions } from './options.ts';
import type { Parameters } from './parameter.ts';
import { Result } from './result.ts';
import type { DriverCall, DriverConnection, DriverResult, DriverStatement, RunRequest, TableName } from './spi.ts';
import { SessionTransaction } from './transaction.ts';
import { Transfer } from './transfer.ts';

/** A statement that is about to run: its text, parameters and options. */
export interface Run {
  readonly sql: string;
  readonly start: (connection: DriverConnection, request: RunRequest, call: DriverCall) => Promise<DriverResult>;
  readonly parameters: Parameters;
  readonly options: ReadQueryOptions;
  /** The statement that it is a run of, when there is one. */
  readonly owner?: object;
}

/** What a session is made with, besides the driver's connection. */
export interface SessionParts {
  readonly driverName: string;
  readonly connectMs: number;
  readonly observer: QueryObserver | undefined;
  readonly onClosed: (session: Session) => void;
}

let lastId = 0;

/**
 * The one owner of a driver's connection, behind a connection and its statements: makes their calls one at a time, keeps
 * the rule of one live result, the state of the transaction, and who is to be told when the connection closes.
 */
export class Session {
  /** Unique in this process. */
  readonly id: number = ++lastId;
  readonly #driver: DriverConnection;
  readonly #parts: SessionParts;
  readonly #queue = new CallQueue();
  readonly #transaction: SessionTransaction;
  /** Those that are open. */
  readonly #statements = new Set<DriverStatement>();
  /** Closed by their users while a result was live; closed at the source when that is over. */
  readonly #discarded: DriverStatement[] = [];
  #live: { readonly transfer: Transfer; readonly owner: object | undefined } | undefined;
  #generation = 0;
  #lost = false;
  #altered = false;
  #closing: Promise<void> | undefined;

  constructor(driver: DriverConnection, parts: SessionParts) {
    this.#driver = driver;
    this.#parts = parts;
    this.#transaction = new SessionTransaction(driver.session);
  }

  get autocommit(): boolean {
    return this.#transaction.autocommit;
  }

  /** Counts how often it was {@link reset}: statements that were made before are closed. */
  get generation(): number {
    return this.#generation;
  }

  /** Whether it is closed, or a call failed in a way that says that the source may not know it any more. */
  get lost(): boolean {
    return this.#lost || this.#closing !== undefined;
  }

  /** Whether an option of the source was set: {@link reset} does not know what it was. */
  get altered(): boolean {
    return this.#altered;
  }

  get driverName(): string {
    return this.#parts.driverName;
  }

  /** Throws INVALID_STATE once the connection is closed or closing. */
  assertOpen(): void {
    if (this.#closing !== undefined) throw new RecurveError('INVALID_STATE', 'the connection is closed');
  }

  async query(run: Run): Promise<Result> {
    const startedMs = performance.now();
    const observation = this.#observe(run.sql, 'query');
    let scope: CallScope | undefined;
    try {
      scope = this.#open(run.options.call, run.owner);
      return await this.#deliver(run, scope, { startedMs, observation });
    } catch (error) {
      scope?.end();
      const failure = scope?.error ?? asRecurveError(error);
      this.#note(failure);
      observation?.fail(failure);
      throw failure;
    }
  }

  async execute(run: Run): Promise<number> {
    const observation = this.#observe(run.sql, 'execute');
    try {
      const rowsAffected = await this.#call(run.options.call, (scope) => this.#drain(run, scope), run.owner);
      observation?.end(rowsAffected);
      return rowsAffected;
    } catch (error) {
      observation?.fail(asRecurveError(error));
      throw error;
    }
  }

  /** `open` gives what is to be written, in turn: nothing of the data is asked for before. */
  async ingest({ tableName, call, open }: ReadIngest, owner?: object): Promise<number> {
    const observation = this.#observe(tableName, 'ingest');
    try {
      const write = async (scope: CallScope): Promise<number> => {
        const { request, close } = await open(scope);
        try {
          await this.#begin(scope);
          return await this.#driver.ingest(request, scope);
        } finally {
          close();
        }
      };
      const rowCount = await this.#call(call, write, owner);
      observation?.end(rowCount);
      return rowCount;
    } catch (error) {
      observation?.fail(asRecurveError(error));
      throw error;
    }
  }

  prepare(sql: string, options: CallOptions): Promise<DriverStatement> {
    return this.#call(options, async (scope) => {
      await this.#free();
      const statement = await this.#driver.statements.prepare(sql, scope);
      if (scope.error !== undefined) {
        await statement.close();
        throw scope.error;
      }
      this.#statements.add(statement);
      return statement;
    });
  }

  /** A live result of another owner stays: the source is then told when that is over. */
  async closeStatement(statement: DriverStatement, owner?: object): Promise<void> {
    if (!this.#statements.delete(statement)) return;
    this.#discarded.push(statement);
    // A connection that closes takes its statements along.
    if (this.#closing !== undefined) return;
    try {
      await this.#call({}, async () => {
        const live = this.#live;
        if (live !== undefined && !live.transfer.sourceEnded && (owner === undefined || live.owner !== owner)) return;
        await this.#free();
      });
    } catch (error) {
      // The connection was closed meanwhile: it takes the statement along.
      if (this.#closing === undefined) throw error;
    }
  }

  /** Stops what runs for a statement and resolves when it has stopped. Throws INVALID_STATE when nothing runs. */
  async cancelStatement(owner: object): Promise<void> {
    const live = this.#live?.owner === owner ? this.#live.transfer : undefined;
    const { turn } = this.#queue;
    if (this.#queue.stop(new RecurveError('CANCELLED', 'the statement was cancelled'), owner) === 0)
      throw new RecurveError('INVALID_STATE', 'the statement is not running: nothing to cancel');
    await turn;
    await live?.supersede();
  }

  getTableSchema(table: TableName, options: CallOptions): Promise<Schema> {
    return this.ask((driver, call) => driver.metadata.getTableSchema(table, call), options);
  }

  /** Sets an option of the source; false: it has none of this key. */
  async setOption(key: string, value: string, options: CallOptions): Promise<boolean> {
    this.#altered = true;
    return this.ask((driver, call) => driver.session.setOption(key, value, call), options);
  }

  /** Asks the source what takes no transaction and gives no result: metadata, settings. */
  ask<T>(question: (driver: DriverConnection, call: DriverCall) => Promise<T>, options: CallOptions): Promise<T> {
    return this.#call(options, async (scope) => {
      await this.#free();
      scope.throwIfAborted();
      return question(this.#driver, scope);
    });
  }

  setAutocommit(autocommit: boolean, options: CallOptions): Promise<void> {
    return this.#call(options, async (scope) => {
      if (autocommit && this.#transaction.isOpen) await this.#endTransaction('commit', scope);
      this.#transaction.autocommit = autocommit;
    });
  }

  /** Does nothing when no statement ran since the last one ended. */
  endTransaction(action: 'commit' | 'rollback', options: CallOptions): Promise<void> {
    return this.#call(options, async (scope) => {
      if (this.autocommit) {
        throw new RecurveError('INVALID_STATE', `nothing to ${action}: the connection commits by itself`, {
          hint: 'call setAutoCommit(false) first',
        });
      }
      if (this.#transaction.isOpen) await this.#endTransaction(action, scope);
    });
  }

  close(): Promise<void> {
    // What went wrong is told once, to the first who asked.
    if (this.#closing !== undefined) return this.#closing.catch(() => {});
    this.#closing = this.#close();
    return this.#closing;
  }

  /**
   * Makes it as it was at the start, for its next user: what runs is stopped and its callers get `error`, statements are
   * closed, an open transaction is rolled back, and it commits by itself. Rejects when that fails or lasts longer than
   * `timeoutMs`; the session is then good for closing only.
   */
  async reset(error: RecurveError, timeoutMs: number): Promise<void> {
    this.#generation++;
    this.#queue.stop(error);
    await this.#call({ timeoutMs }, async (scope) => {
      await this.#live?.transfer.supersede(error);
      this.#live = undefined;
      for (const statement of this.#takeStatements()) await statement.close();
      await this.#transaction.reset(scope, (fault) => this.#note(scope.error ?? fault));
    });
  }

  async #close(): Promise<void> {
    this.#queue.stop(new RecurveError('CANCELLED', 'the connection was closed before this was done'));
    await this.#queue.turn;
    await this.#live?.transfer.supersede();
    const faults: unknown[] = [];
    const attempt = async (step: () => Promise<void>): Promise<void> => {
      try {
        await step();
      } catch (fault) {
        faults.push(fault);
      }
    };
    for (const statement of this.#takeStatements()) await attempt(() => statement.close());
    await attempt(() => this.#transaction.close());
    await attempt(() => this.#driver.close());
    this.#parts.onClosed(this);
    if (faults.length > 0) throw asRecurveError(faults[0]);
  }

  #open(options: CallOptions, owner?: object): CallScope {
    this.assertOpen();
    return this.#queue.open(options, owner);
  }

  /** All that are open or to be closed; it has none afterwards. */
  #takeStatements(): DriverStatement[] {
    const statements = [...this.#discarded.splice(0), ...this.#statements];
    this.#statements.clear();
    return statements;
  }

  async #call<T>(options: CallOptions, work: (scope: CallScope) => Promise<T>, owner?: object): Promise<T> {
    const scope = this.#open(options, owner);
    try {
      return await this.#queue.run(scope, () => work(scope));
    } catch (error) {
      const failure = scope.error ?? asRecurveError(error);
      this.#note(failure);
      throw failure;
    } finally {
      scope.end();
    }
  }

  /** Events of a run, when somebody listens. None for a connection that is closed. */
  #observe(sql: string, call: QueryStart['call']): Observation | undefined {
    const { driverName, observer } = this.#parts;
    if (observer?.active !== true || this.#closing !== undefined) return undefined;
    return observe(observer, { connectionId: this.id, driverName, sql, call });
  }

  #note(error: unknown): void {
    if (meansLost(error)) this.#lost = true;
  }

  /** Makes the source free for a call: a result that it still sends ends, discarded statements are closed. */
  async #free(): Promise<void> {
    await this.#live?.transfer.supersede();
    this.#live = undefined;
    for (const statement of this.#discarded.splice(0)) await statement.close();
  }

  #deliver(
    run: Run,
    scope: CallScope,
    noted: { readonly startedMs: number; readonly observation: Observation | undefined },
  ): Promise<Result> {
    return this.#queue.run(scope, async () => {
      const source = await this.#start(run, scope);
      const transfer = new Transfer({
        ...noted,
        source,
        scope,
        windowBytes: run.options.windowBytes,
        connectMs: this.#parts.connectMs,
        onSourceEnded: (error) => {
          if (error !== undefined) this.#note(error);
        },
      });
      this.#live = { transfer, owner: run.owner };
      return new Result(transfer);
    });
  }

  /** Runs a statement to its end and drops what it returns. */
  async #drain(run: Run, scope: CallScope): Promise<number> {
    const source = await this.#start(run, scope);
    for (;;) {
      if (scope.error !== undefined) {
        await source.batches.return?.();
        throw scope.error;
      }
      if ((await source.batches.next()).done) return source.rowsAffected;
    }
  }

  async #start(run: Run, scope: CallScope): Promise<DriverResult> {
    await this.#begin(scope);
    this.#transaction.noteText(run.sql);
    const { path, limit } = run.options;
    return run.start(this.#driver, { parameters: run.parameters, limit, path }, scope);
  }

  /** Makes the source ready for a statement: free, and in a transaction unless the connection commits by itself. */
  async #begin(scope: CallScope): Promise<void> {
    await this.#free();
    scope.throwIfAborted();
    await this.#transaction.begin(scope);
  }

  async #endTransaction(action: 'commit' | 'rollback', scope: CallScope): Promise<void> {
    await this.#free();
    await this.#transaction.end(action, scope);
  }
}
