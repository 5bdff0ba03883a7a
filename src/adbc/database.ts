import { RecurveError } from '../error.ts';
import { asRecurveError, type CallOptions, CallScope } from './call.ts';
import { Connection } from './connection.ts';
import type { QueryObserver } from './observer.ts';
import { readCallOptions } from './options.ts';
import { Session } from './session.ts';
import type { Driver, DriverDatabase, PasswordSource } from './spi.ts';

/** What a database is opened with besides its options. */
export interface OpenDatabaseOptions extends CallOptions {
  /** Told of the statements of its connections. `open` of `recurve` gives one that publishes to `diagnostics_channel`. */
  readonly observer?: QueryObserver | undefined;
  /** Asked for the password of each new connection, in place of an option that has one. */
  readonly password?: PasswordSource | undefined;
}

/**
 * Opens a database with a driver at hand; `open` of `recurve` finds the driver by the URI.
 * `options` are ADBC's database options and the driver's own, `uri` among them.
 */
export async function openDatabase(
  driver: Driver,
  options: ReadonlyMap<string, string>,
  { observer, password, ...callOptions }: OpenDatabaseOptions = {},
): Promise<Database> {
  if (password !== undefined && typeof password !== 'function') {
    throw new RecurveError('INVALID_ARGUMENT', `option password is a ${typeof password}, but must be a function`, {
      hint: 'a password that is a string stands among the options of the database, or in the URI',
      exitCode: 2,
    });
  }
  const scope = new CallScope(readCallOptions(callOptions));
  const opening = (async () => driver.open(options, { signal: scope.signal, password }))();
  try {
    return new Database(driver.name, await scope.race(opening), observer);
  } catch (error) {
    // Given up, but opened all the same: nobody else will close it, and nobody is left to hear how that went.
    opening.then((database) => database.close()).catch(() => {});
    throw scope.error ?? asRecurveError(error);
  } finally {
    scope.end();
  }
}

/** An opened source, from which connections are made. */
export class Database implements AsyncDisposable {
  /** The driver's name, as in `docs/`, e.g. `duckdb`. */
  readonly driverName: string;
  readonly #driver: DriverDatabase;
  readonly #observer: QueryObserver | undefined;
  readonly #sessions = new Set<Session>();
  readonly #connecting = new Map<CallScope, Promise<Session>>();
  #closing: Promise<void> | undefined;

  /** For {@link openDatabase}. */
  constructor(driverName: string, driver: DriverDatabase, observer: QueryObserver | undefined) {
    this.driverName = driverName;
    this.#driver = driver;
    this.#observer = observer;
  }

  /** Opens a session. Throws INVALID_STATE once the database is closed. */
  async connect(options?: CallOptions): Promise<Connection> {
    return new Connection(await this.connectSession(options));
  }

  /** For pools: as {@link connect}, without the connection in front of it. */
  async connectSession(options?: CallOptions): Promise<Session> {
    const call = readCallOptions(options);
    if (this.#closing !== undefined) throw new RecurveError('INVALID_STATE', 'the database is closed');
    const scope = new CallScope(call);
    const connecting = this.#connect(scope);
    this.#connecting.set(scope, connecting);
    const settled = (): void => {
      this.#connecting.delete(scope);
    };
    connecting.then(settled, settled);
    try {
      return await scope.race(connecting);
    } catch (error) {
      connecting.then((session) => session.close()).catch(() => {});
      throw scope.error ?? asRecurveError(error);
    } finally {
      scope.end();
    }
  }

  /** Closes its connections, then the source. Resolves when that is done. Twice is harmless. */
  close(): Promise<void> {
    // What went wrong is told once, to the first who asked.
    if (this.#closing !== undefined) return this.#closing.catch(() => {});
    this.#closing = this.#close();
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #connect(scope: CallScope): Promise<Session> {
    const startedMs = performance.now();
    const connection = await this.#driver.connect(scope);
    if (scope.error !== undefined) {
      await connection.close();
      throw scope.error;
    }
    const session = new Session(connection, {
      driverName: this.driverName,
      connectMs: performance.now() - startedMs,
      observer: this.#observer,
      onClosed: (closed) => this.#sessions.delete(closed),
    });
    this.#sessions.add(session);
    return session;
  }

  async #close(): Promise<void> {
    const error = new RecurveError('CANCELLED', 'the database was closed before the connection was made');
    for (const scope of this.#connecting.keys()) scope.abort(error);
    await Promise.allSettled(this.#connecting.values());
    const ends = await Promise.allSettled([...this.#sessions].map((session) => session.close()));
    ends.push(...(await Promise.allSettled([this.#driver.close()])));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed !== undefined) throw asRecurveError(failed.reason);
  }
}
