import type { Schema } from '../arrow/schema.ts';
import { RecurveError } from '../error.ts';
import { asRecurveError, type CallOptions, CallScope } from './call.ts';
import type { ReadIngest } from './ingest.ts';
import { meansLost } from './lost.ts';
import { type Observation, observe, type QueryObserver, type QueryStart } from './observer.ts';
import type { ReadQueryOptions } from './options.ts';
import type { Parameters } from './parameter.ts';
import { Result } from './result.ts';
import type { DriverCall, DriverConnection, DriverResult, DriverStatement, RunRequest, TableName } from './spi.ts';
import { Transfer } from './transfer.ts';

/** A statement that is about to run: its text or prepared statement, parameters and options. */
export interface Run {
  /** The text, where there is no prepared statement. */
  readonly sql?: string;
  readonly start: (connection: DriverConnection, request: RunRequest, call: DriverCall) => Promise<DriverResult>;
  readonly parameters: Parameters;
  readonly options: ReadQueryOptions;
  /** The prepared statement, when there is one. */
  readonly owner?: DriverStatement;
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
  /** Calls and results whose source may still run. */
  readonly #scopes = new Set<CallScope>();
  /** Those that are open, with their texts. */
  readonly #statements = new Map<DriverStatement, string>();
  /** Closed by their users while a result was live; closed at the source when that is over. */
  readonly #discarded: DriverStatement[] = [];
  #turn: Promise<void> = Promise.resolve();
  #live: { readonly transfer: Transfer; readonly owner: DriverStatement | undefined } | undefined;
  #autocommit = true;
  #inTransaction = false;
  /** Whether a text may have begun a transaction that is not known here. */
  #mayHaveBegun = false;
  #lost = false;
  #altered = false;
  #closing: Promise<void> | undefined;

  constructor(driver: DriverConnection, parts: SessionParts) {
    this.#driver = driver;
    this.#parts = parts;
  }

  get autocommit(): boolean {
    return this.#autocommit;
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

  /** The text of a prepared statement that is open. */
  textOf(statement: DriverStatement): string | undefined {
    return this.#statements.get(statement);
  }

  /** Whether a prepared statement is open. */
  holds(statement: DriverStatement): boolean {
    return this.#statements.has(statement);
  }

  /** Throws INVALID_STATE once the connection is closed or closing. */
  assertOpen(): void {
    if (this.#closing !== undefined) throw new RecurveError('INVALID_STATE', 'the connection is closed');
  }

  async query(run: Run): Promise<Result> {
    const startedMs = performance.now();
    const observation = this.#observe(this.#textOf(run), 'query');
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
    const observation = this.#observe(this.#textOf(run), 'execute');
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
  async ingest({ tableName, call, open }: ReadIngest): Promise<number> {
    const observation = this.#observe(tableName, 'ingest');
    try {
      const rowCount = await this.#call(call, async (scope) => {
        const { request, close } = await open(scope);
        try {
          await this.#begin(scope);
          return await this.#driver.ingest(request, scope);
        } finally {
          close();
        }
      });
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
      const statement = await this.#driver.prepare(sql, scope);
      if (scope.error !== undefined) {
        await statement.close();
        throw scope.error;
      }
      this.#statements.set(statement, sql);
      return statement;
    });
  }

  /** A live result of another statement stays: the source is then told when that is over. */
  async closeStatement(statement: DriverStatement): Promise<void> {
    if (!this.#statements.delete(statement)) return;
    this.#discarded.push(statement);
    // A connection that closes takes its statements along.
    if (this.#closing !== undefined) return;
    try {
      await this.#call({}, async () => {
        const live = this.#live;
        if (live !== undefined && !live.transfer.sourceEnded && live.owner !== statement) return;
        await this.#free();
      });
    } catch (error) {
      // The connection was closed meanwhile: it takes the statement along.
      if (this.#closing === undefined) throw error;
    }
  }

  /** Stops what runs for a prepared statement and resolves when it has stopped. Throws INVALID_STATE when nothing runs. */
  async cancelStatement(statement: DriverStatement): Promise<void> {
    const running = [...this.#scopes].filter((scope) => scope.owner === statement);
    if (running.length === 0)
      throw new RecurveError('INVALID_STATE', 'the statement is not running: nothing to cancel');
    const live = this.#live?.owner === statement ? this.#live.transfer : undefined;
    const turn = this.#turn;
    for (const scope of running) scope.abort(new RecurveError('CANCELLED', 'the statement was cancelled'));
    await turn;
    await live?.supersede();
  }

  getTableSchema(table: TableName, options: CallOptions): Promise<Schema> {
    return this.ask((driver, call) => driver.metadata.getTableSchema(table, call), options);
  }

  /** Sets an option of the source; false: it has none of this key. */
  async setOption(key: string, value: string, options: CallOptions): Promise<boolean> {
    this.#altered = true;
    return this.ask((driver, call) => driver.options.set(key, value, call), options);
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
      if (autocommit && this.#inTransaction) await this.#endTransaction('commit', scope);
      this.#autocommit = autocommit;
    });
  }

  /** Does nothing when no statement ran since the last one ended. */
  endTransaction(action: 'commit' | 'rollback', options: CallOptions): Promise<void> {
    return this.#call(options, async (scope) => {
      if (this.#autocommit) {
        throw new RecurveError('INVALID_STATE', `nothing to ${action}: the connection commits by itself`, {
          hint: 'call setAutoCommit(false) first',
        });
      }
      if (this.#inTransaction) await this.#endTransaction(action, scope);
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
    for (const scope of [...this.#scopes]) scope.abort(error);
    await this.#call({ timeoutMs }, async (scope) => {
      await this.#live?.transfer.supersede(error);
      this.#live = undefined;
      const statements = [...this.#discarded.splice(0), ...this.#statements.keys()];
      this.#statements.clear();
      for (const statement of statements) await statement.close();
      if (this.#inTransaction) await this.#endTransaction('rollback', scope);
      // Most often there is none, which the source may call an error.
      else if (this.#mayHaveBegun) {
        await this.#driver.transaction('rollback', scope).catch((fault) => this.#note(scope.error ?? fault));
      }
      scope.throwIfAborted();
      this.#mayHaveBegun = false;
      this.#autocommit = true;
    });
  }

  async #close(): Promise<void> {
    const error = new RecurveError('CANCELLED', 'the connection was closed before this was done');
    for (const scope of [...this.#scopes]) scope.abort(error);
    await this.#turn;
    await this.#live?.transfer.supersede();
    const faults: unknown[] = [];
    const attempt = async (step: () => Promise<void>): Promise<void> => {
      try {
        await step();
      } catch (fault) {
        faults.push(fault);
      }
    };
    for (const statement of [...this.#discarded.splice(0), ...this.#statements.keys()])
      await attempt(() => statement.close());
    this.#statements.clear();
    if (this.#inTransaction) await attempt(() => this.#driver.transaction('rollback', uninterrupted()));
    await attempt(() => this.#driver.close());
    this.#parts.onClosed(this);
    if (faults.length > 0) throw asRecurveError(faults[0]);
  }

  #open(options: CallOptions, owner?: object): CallScope {
    this.assertOpen();
    const scope = new CallScope(options, (ended) => this.#scopes.delete(ended), owner);
    this.#scopes.add(scope);
    return scope;
  }

  async #call<T>(options: CallOptions, work: (scope: CallScope) => Promise<T>, owner?: object): Promise<T> {
    const scope = this.#open(options, owner);
    try {
      return await this.#inTurn(scope, () => work(scope));
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

  #textOf({ sql, owner }: Run): string {
    return sql ?? (owner && this.#statements.get(owner)) ?? '';
  }

  #note(error: unknown): void {
    if (meansLost(error)) this.#lost = true;
  }

  /** Runs `work` when all earlier calls are done with the driver, whatever their callers were told meanwhile. */
  #inTurn<T>(scope: CallScope, work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(() => {
      scope.throwIfAborted();
      return work();
    });
    this.#turn = done.then(
      () => {},
      () => {},
    );
    return scope.race(done);
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
    return this.#inTurn(scope, async () => {
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
    this.#mayHaveBegun ||= mayBegin(this.#textOf(run));
    const { path, limit } = run.options;
    return run.start(this.#driver, { parameters: run.parameters, limit, path }, scope);
  }

  /** Makes the source ready for a statement: free, and in a transaction unless the connection commits by itself. */
  async #begin(scope: CallScope): Promise<void> {
    await this.#free();
    scope.throwIfAborted();
    if (!this.#autocommit && !this.#inTransaction) {
      // Set first: should it fail half-way, a rollback that was not needed does less harm than a transaction left open.
      this.#inTransaction = true;
      await this.#transaction('begin', scope);
    }
  }

  async #endTransaction(action: 'commit' | 'rollback', scope: CallScope): Promise<void> {
    await this.#free();
    await this.#transaction(action, scope);
    this.#inTransaction = false;
  }

  /** After a failure no transaction is open, whatever the source made of the call: nothing may run in it unawares. */
  async #transaction(action: 'begin' | 'commit' | 'rollback', scope: CallScope): Promise<void> {
    try {
      await this.#driver.transaction(action, scope);
    } catch (error) {
      await this.#driver.transaction('rollback', uninterrupted()).catch(() => {});
      this.#inTransaction = false;
      throw error;
    }
  }
}

/** Whether a text holds a word without which no transaction begins; procedures may begin one too. Rather yes than no. */
function mayBegin(sql: string): boolean {
  return /\b(begin|start|transaction|autocommit|call|exec|execute)\b/i.test(sql);
}

function uninterrupted(): DriverCall {
  return { signal: new AbortController().signal };
}
