import type { Schema } from '../arrow/schema.ts';
import { RecurveError } from '../error.ts';
import { asRecurveError, type CallOptions, CallScope } from './call.ts';
import type { ReadQueryOptions } from './options.ts';
import type { Parameters } from './parameter.ts';
import { Result } from './result.ts';
import type { DriverCall, DriverConnection, DriverResult, DriverStatement, RunRequest, TableName } from './spi.ts';
import { Transfer } from './transfer.ts';

/** A statement that is about to run: its text or prepared statement, parameters and options. */
export interface Run {
  readonly start: (connection: DriverConnection, request: RunRequest, call: DriverCall) => Promise<DriverResult>;
  readonly parameters: Parameters;
  readonly options: ReadQueryOptions;
  /** The prepared statement, when there is one. */
  readonly owner?: DriverStatement;
}

/**
 * The one owner of a driver's connection, behind a connection and its statements: makes their calls one at a time, keeps
 * the rule of one live result, the state of the transaction, and who is to be told when the connection closes.
 */
export class Session {
  readonly #driver: DriverConnection;
  readonly #connectMs: number;
  readonly #onClosed: (session: Session) => void;
  /** Calls and results whose source may still run. */
  readonly #scopes = new Set<CallScope>();
  readonly #statements = new Set<DriverStatement>();
  /** Closed by their users while a result was live; closed at the source when that is over. */
  readonly #discarded: DriverStatement[] = [];
  #turn: Promise<void> = Promise.resolve();
  #live: { readonly transfer: Transfer; readonly owner: DriverStatement | undefined } | undefined;
  #autocommit = true;
  #inTransaction = false;
  #closing: Promise<void> | undefined;

  constructor(driver: DriverConnection, connectMs: number, onClosed: (session: Session) => void) {
    this.#driver = driver;
    this.#connectMs = connectMs;
    this.#onClosed = onClosed;
  }

  get autocommit(): boolean {
    return this.#autocommit;
  }

  /** Throws INVALID_STATE once the connection is closed or closing. */
  assertOpen(): void {
    if (this.#closing !== undefined) throw new RecurveError('INVALID_STATE', 'the connection is closed');
  }

  async query(run: Run): Promise<Result> {
    const startedMs = performance.now();
    const scope = this.#open(run.options.call, run.owner);
    try {
      return await this.#inTurn(scope, async () => {
        const source = await this.#start(run, scope);
        const { windowBytes } = run.options;
        const transfer = new Transfer({ source, scope, windowBytes, connectMs: this.#connectMs, startedMs });
        this.#live = { transfer, owner: run.owner };
        return new Result(transfer);
      });
    } catch (error) {
      scope.end();
      throw scope.error ?? asRecurveError(error);
    }
  }

  execute(run: Run): Promise<number> {
    return this.#call(
      run.options.call,
      async (scope) => {
        const source = await this.#start(run, scope);
        for (;;) {
          if (scope.error !== undefined) {
            await source.batches.return?.();
            throw scope.error;
          }
          if ((await source.batches.next()).done) return source.rowsAffected;
        }
      },
      run.owner,
    );
  }

  prepare(sql: string, options: CallOptions): Promise<DriverStatement> {
    return this.#call(options, async (scope) => {
      await this.#free();
      const statement = await this.#driver.prepare(sql, scope);
      if (scope.error !== undefined) {
        await statement.close();
        throw scope.error;
      }
      this.#statements.add(statement);
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
    return this.#call(options, async (scope) => {
      await this.#free();
      return this.#driver.metadata.getTableSchema(table, scope);
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
    for (const statement of [...this.#discarded.splice(0), ...this.#statements]) await attempt(() => statement.close());
    this.#statements.clear();
    if (this.#inTransaction) await attempt(() => this.#driver.transaction('rollback', uninterrupted()));
    await attempt(() => this.#driver.close());
    this.#onClosed(this);
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
      throw scope.error ?? asRecurveError(error);
    } finally {
      scope.end();
    }
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

  async #start(run: Run, scope: CallScope): Promise<DriverResult> {
    await this.#free();
    scope.throwIfAborted();
    if (!this.#autocommit && !this.#inTransaction) {
      // Set first: should it fail half-way, a rollback that was not needed does less harm than a transaction left open.
      this.#inTransaction = true;
      await this.#transaction('begin', scope);
    }
    const { path, limit } = run.options;
    return run.start(this.#driver, { parameters: run.parameters, limit, path }, scope);
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

function uninterrupted(): DriverCall {
  return { signal: new AbortController().signal };
}
