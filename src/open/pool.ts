import type { CallOptions } from '../adbc/call.ts';
import { Connection } from '../adbc/connection.ts';
import { Database } from '../adbc/database.ts';
import { type QueryOptions, readCallOptions, readQueryOptions } from '../adbc/options.ts';
import type { Parameters } from '../adbc/parameter.ts';
import type { Result } from '../adbc/result.ts';
import type { Session } from '../adbc/session.ts';
import { RecurveError } from '../error.ts';
import { type OpenCallOptions, type OpenOptions, open } from './open.ts';
import { type PoolOptions, type ReadPoolOptions, readDelay, readPoolOptions } from './pool-options.ts';
import { type Waiter, WaitingQueue } from './pool-queue.ts';

/** How many connections a pool has, and how many callers wait for one. */
export interface PoolStatistics {
  /** All of them: those in use, idle, being opened, checked or put in order. */
  readonly size: number;
  /** Ready to be taken. */
  readonly idle: number;
  /** Callers that wait for a connection. */
  readonly waiting: number;
}

export interface PoolCloseOptions {
  /** How long connections in use may go on before they are stopped, in milliseconds. Default 0: not at all. */
  readonly drainMs?: number | undefined;
}

/** A session that the pool keeps, with times of `performance.now()`. */
interface Kept {
  readonly session: Session;
  readonly openedMs: number;
  idleSinceMs: number;
  /** Another one was found stale after this one was last known to be well. */
  suspect: boolean;
}

/**
 * Makes a pool of connections to a database, which it opens as `open` does and closes with itself; a {@link Database} that is
 * open already stays open. Resolves when `min` connections are there. Throws what opening and connecting throw.
 */
export async function createPool(
  source: string | OpenOptions | Database,
  options?: PoolOptions,
  callOptions?: OpenCallOptions,
): Promise<Pool> {
  const read = readPoolOptions(options);
  const given = source instanceof Database;
  const database = given ? source : await open(source, callOptions);
  const pool = new Pool(database, read, !given);
  try {
    await pool.fill();
  } catch (error) {
    await pool.close();
    throw error;
  }
  return pool;
}

/**
 * Connections that are lent to one user after another, made by {@link createPool}. The last one given back is the first
 * one taken; who finds none waits in turn.
 *
 * Given back, a connection is put in order: what still runs on it is stopped, its results end, its statements are closed,
 * an open transaction is rolled back and it commits by itself again. What SQL has set in the session (`SET`, `USE`,
 * temporary tables) stays. One whose options were set (`setOption`, `setReadOnly`), one on which a call failed as calls on a lost session do, or that cannot be put in order, is
 * closed, and another takes its place when one is needed.
 */
export class Pool implements AsyncDisposable {
  readonly #database: Database;
  readonly #options: ReadPoolOptions;
  readonly #ownsDatabase: boolean;
  /** The one that was given back last stands last. */
  readonly #idle: Kept[] = [];
  readonly #inUse = new Set<Kept>();
  readonly #queue = new WaitingQueue<Kept>();
  /** Work that nobody waits for but {@link close}. */
  readonly #pending = new Set<Promise<unknown>>();
  #size = 0;
  /** Connections that are about to be given to those who wait: looked for, being opened or put in order. */
  #coming = 0;
  #timer: NodeJS.Timeout | undefined;
  #open = true;
  #closing: Promise<void> | undefined;
  #onReturned: (() => void) | undefined;

  /** For {@link createPool}. */
  constructor(database: Database, options: ReadPoolOptions, ownsDatabase: boolean) {
    this.#database = database;
    this.#options = options;
    this.#ownsDatabase = ownsDatabase;
  }

  get statistics(): PoolStatistics {
    return { size: this.#size, idle: this.#idle.length, waiting: this.#queue.length };
  }

  /**
   * Takes a connection, which must be given back with its `close()` (`await using` does). Throws TIMEOUT when none comes free
   * within `acquireTimeoutMs` or the call's own limit, what connecting throws, INVALID_STATE once the pool is closed.
   */
  async acquire(options?: CallOptions): Promise<Connection> {
    const { signal, timeoutMs = Infinity } = readCallOptions(options);
    if (!this.#open) throw new RecurveError('INVALID_STATE', 'the pool is closed');
    const limitMs = Math.min(timeoutMs, this.#options.acquireTimeoutMs);
    const kept = await this.#queue.wait(
      { signal, timeoutMs: limitMs },
      () => this.#serve(),
      () => this.#timedOut(limitMs),
    );
    return new Connection(kept.session, () => this.#takeBack(kept));
  }

  /** Lends a connection to `work` and takes it back when that is over, however it went. `options` are for the taking. */
  async use<T>(work: (connection: Connection) => Promise<T>, options?: CallOptions): Promise<T> {
    const connection = await this.acquire(options);
    return this.#giveBackAfter(connection, () => work(connection));
  }

  /**
   * Runs a statement on a connection of the pool, as `connection.query`. The result holds the connection until the source
   * has sent everything, fails or is stopped: read it to its end or close it. A limit covers the wait for a connection.
   */
  async query(sql: string, parameters?: Parameters, options?: QueryOptions): Promise<Result> {
    const { connection, runOptions } = await this.#acquireFor(options);
    try {
      const result = await connection.query(sql, parameters, runOptions);
      void result.sourceEnded.then(() => connection.close());
      return result;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  /** Runs a statement to its end on a connection of the pool, as `connection.execute`. A limit covers the wait for it. */
  async execute(sql: string, parameters?: Parameters, options?: QueryOptions): Promise<number> {
    const { connection, runOptions } = await this.#acquireFor(options);
    return this.#giveBackAfter(connection, () => connection.execute(sql, parameters, runOptions));
  }

  /** Opens connections until there are `min`. */
  async fill(): Promise<void> {
    const missing = Math.max(0, this.#options.min - this.#size);
    const openings = Array.from({ length: missing }, async () => this.#put(await this.#connect()));
    const failed = (await Promise.allSettled(openings)).find((opening) => opening.status === 'rejected');
    if (failed !== undefined) throw failed.reason;
  }

  /**
   * Lends no more: who waits gets CANCELLED, idle connections are closed, those in use when they come back or, after
   * `drainMs`, at once; their callers then get CANCELLED. Resolves when all are closed, and the database with them where
   * the pool opened it. Twice is harmless.
   */
  async close({ drainMs = 0 }: PoolCloseOptions = {}): Promise<void> {
    const limitMs = readDelay('drainMs', drainMs);
    if (this.#closing !== undefined) return this.#closing.catch(() => {});
    this.#closing = this.#close(limitMs);
    return this.#closing;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  async #close(drainMs: number): Promise<void> {
    this.#open = false;
    clearTimeout(this.#timer);
    this.#queue.failAll(new RecurveError('CANCELLED', 'the pool was closed before a connection came free'));
    for (const kept of this.#idle.splice(0)) this.#discard(kept);
    if (drainMs > 0 && this.#inUse.size > 0) await this.#drain(drainMs);
    for (const kept of this.#inUse) this.#discard(kept);
    this.#inUse.clear();
    // What is being opened or checked is closed as soon as it comes.
    while (this.#pending.size > 0) await Promise.allSettled(this.#pending);
    if (this.#ownsDatabase) await this.#database.close();
  }

  async #drain(drainMs: number): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      timer = setTimeout(resolve, drainMs);
      this.#onReturned = () => {
        if (this.#inUse.size === 0) resolve();
      };
    });
    clearTimeout(timer);
  }

  /** Whoever failed hears of it at once; a connection that is put in order is not waited for. */
  async #giveBackAfter<T>(connection: Connection, work: () => Promise<T>): Promise<T> {
    try {
      const value = await work();
      await connection.close();
      return value;
    } catch (error) {
      void connection.close();
      throw error;
    }
  }

  async #acquireFor(
    options: QueryOptions | undefined,
  ): Promise<{ readonly connection: Connection; readonly runOptions: QueryOptions | undefined }> {
    const { signal, timeoutMs } = readQueryOptions(options).call;
    const askedMs = performance.now();
    const connection = await this.acquire({ signal, timeoutMs });
    const waitedMs = Math.floor(performance.now() - askedMs);
    if (timeoutMs === undefined || waitedMs === 0) return { connection, runOptions: options };
    return { connection, runOptions: { ...options, timeoutMs: Math.max(1, timeoutMs - waitedMs) } };
  }

  /** Sets to work for those who wait, as far as there are connections or room for them. */
  #serve(): void {
    while (this.#open && (this.#idle.length > 0 || this.#size < this.#options.max)) {
      const waiter = this.#queue.at(this.#coming);
      if (waiter === undefined) return;
      this.#coming += 1;
      this.#follow(this.#serveOne(waiter));
    }
  }

  /** The connection goes to the one who has waited longest; an error to the one for whom it was made, if he is still there. */
  async #serveOne(waiter: Waiter<Kept>): Promise<void> {
    try {
      const kept = await (this.#takeIdle() ?? this.#connect());
      if (kept !== undefined) this.#put(kept);
    } catch (error) {
      waiter.fail(error);
    } finally {
      this.#coming -= 1;
      this.#serve();
    }
  }

  /** One that is well among the idle, or a new one in the place of those that were not; undefined when there are none. */
  #takeIdle(): Promise<Kept | undefined> | undefined {
    const first = this.#idle.pop();
    if (first === undefined) return undefined;
    return (async () => {
      for (let kept: Kept | undefined = first; kept !== undefined; kept = this.#idle.pop()) {
        if (await this.#isWell(kept)) return kept;
        this.#discard(kept);
      }
      return this.#size < this.#options.max && this.#open ? this.#connect() : undefined;
    })();
  }

  async #isWell(kept: Kept): Promise<boolean> {
    const { check, checkAfterIdleMs, checkTimeoutMs } = this.#options;
    if (kept.session.lost || this.#isOld(kept)) return false;
    if (!kept.suspect && performance.now() - kept.idleSinceMs < checkAfterIdleMs) return true;
    const connection = new Connection(kept.session, async () => {});
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(() => reject(new Error('the check takes too long')), checkTimeoutMs);
    });
    try {
      await Promise.race([check(connection), limit]);
      kept.suspect = false;
      return !kept.session.lost;
    } catch {
      this.#suspectAll();
      return false;
    } finally {
      clearTimeout(timer);
      await connection.close();
    }
  }

  /** Its place is taken at once, and free again when connecting fails. */
  async #connect(): Promise<Kept> {
    this.#size += 1;
    try {
      const session = await this.#database.connectSession({ timeoutMs: this.#options.acquireTimeoutMs });
      const nowMs = performance.now();
      return { session, openedMs: nowMs, idleSinceMs: nowMs, suspect: false };
    } catch (error) {
      this.#size -= 1;
      throw error;
    }
  }

  /** Gives a connection that is in order to the one who has waited longest; nobody waits: it is idle. */
  #put(kept: Kept): void {
    const waiter = this.#queue.shift();
    if (!this.#open) {
      this.#discard(kept);
    } else if (waiter === undefined) {
      kept.idleSinceMs = performance.now();
      this.#idle.push(kept);
      this.#schedule();
    } else {
      this.#inUse.add(kept);
      waiter.give(kept);
    }
  }

  /** Never rejects: what goes wrong costs the connection, and its user is done with it. */
  async #takeBack(kept: Kept): Promise<void> {
    const { session } = kept;
    if (!session.lost && !session.altered && !this.#isOld(kept) && this.#open) {
      const over = new RecurveError('CANCELLED', 'the connection was given back to its pool before this was done');
      this.#coming += 1;
      await session.reset(over, this.#options.checkTimeoutMs).catch(() => {
        kept.suspect = true;
      });
      this.#coming -= 1;
    }
    // Closing the pool may have come first.
    if (!this.#inUse.delete(kept)) return;
    if (session.lost) this.#suspectAll();
    if (session.lost || session.altered || kept.suspect || this.#isOld(kept)) this.#discard(kept);
    else this.#put(kept);
    this.#onReturned?.();
    this.#serve();
  }

  #discard(kept: Kept): void {
    this.#size -= 1;
    this.#follow(kept.session.close());
    if (this.#open && this.#size < this.#options.min) this.#follow(this.fill());
  }

  #suspectAll(): void {
    for (const kept of this.#idle) kept.suspect = true;
  }

  #isOld(kept: Kept): boolean {
    return performance.now() - kept.openedMs >= this.#options.maxLifetimeMs;
  }

  /** Keeps work that nobody waits for, so that closing the pool waits for it. */
  #follow(work: Promise<unknown>): void {
    const followed = work
      .catch(() => {})
      .finally(() => {
        this.#pending.delete(followed);
      });
    this.#pending.add(followed);
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const { idleTimeoutMs, maxLifetimeMs, min } = this.#options;
    const oldest = this.#idle[0];
    if (oldest === undefined || !this.#open) return;
    const dueMs = Math.min(
      this.#size > min ? oldest.idleSinceMs + idleTimeoutMs : Infinity,
      ...this.#idle.map((kept) => kept.openedMs + maxLifetimeMs),
    );
    if (dueMs === Infinity) return;
    this.#timer = setTimeout(() => this.#sweep(), Math.max(1, Math.ceil(dueMs - performance.now())));
    // A process with nothing else to do may end.
    this.#timer.unref();
  }

  #sweep(): void {
    const nowMs = performance.now();
    for (const kept of [...this.#idle]) {
      const idleTooLong = this.#size > this.#options.min && nowMs - kept.idleSinceMs >= this.#options.idleTimeoutMs;
      if (!idleTooLong && !this.#isOld(kept)) continue;
      this.#idle.splice(this.#idle.indexOf(kept), 1);
      this.#discard(kept);
    }
    this.#schedule();
  }

  #timedOut(limitMs: number): RecurveError {
    const { max } = this.#options;
    return new RecurveError(
      'TIMEOUT',
      `no connection came free within ${limitMs} ms: ${this.#inUse.size} of at most ${max} are in use, ${this.#queue.length} more callers wait`,
      { hint: 'close connections, and read results to their end or close them; or raise max' },
    );
  }
}
