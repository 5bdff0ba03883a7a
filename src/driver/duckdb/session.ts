import type { Binding } from './binding.ts';
import { fromNative } from './error.ts';
import type { NativeConnection, NativePrepared, NativeResult } from './read/native.ts';
import { runInSlot } from './slot.ts';

/** Between interrupts: one that arrives before the call has started its work is lost. */
const interruptMs = 5;
/** How long a call that was told to stop may keep its caller waiting; some, such as opening a pipe, cannot be stopped. */
const graceMs = 60;

/** What a native call needs besides itself. */
export interface NativeCallOptions<T> {
  readonly signal: AbortSignal;
  /** The statement text, for the place in an error. */
  readonly sql?: string | undefined;
  /** Takes back what a call gave that ended well although it was told to stop. */
  readonly discard?: (value: T) => Promise<void> | void;
}

/** A stream that can be stopped. */
export interface LiveStream {
  return(): Promise<unknown>;
}

/**
 * One native connection: its calls, made one after the other in slots and interrupted by a signal, and whether a
 * transaction is open.
 */
export class NativeSession {
  readonly binding: Binding;
  readonly connection: NativeConnection;
  /** Whether a transaction is open, begun by a call or in SQL. */
  inTransaction = false;
  /** Whether statements that change the database are refused. */
  readOnly = false;
  /** Streams that were cut off inside a transaction: the bindings hold the connection's memory until they are collected. */
  cutStreams = 0;
  /** Stands for the result that the connection runs; a later statement's takes its place. */
  current: object | undefined;
  /** The stream that still runs on the connection. */
  live: LiveStream | undefined;
  readonly #connect: (() => Promise<NativeConnection>) | undefined;
  /** Settles with the last native call, also when its caller was let go before. */
  #running: Promise<unknown> = Promise.resolve();

  /** `connect` opens another connection to the same database; without it there are no siblings. */
  constructor(binding: Binding, connection: NativeConnection, connect?: () => Promise<NativeConnection>) {
    this.binding = binding;
    this.connection = connection;
    this.#connect = connect;
  }

  /** Another session with the same database, without this one's settings and temporary tables; to be closed. */
  async openSibling(signal: AbortSignal): Promise<NativeSession | undefined> {
    const connect = this.#connect;
    return connect === undefined ? undefined : new NativeSession(this.binding, await runInSlot(connect, signal));
  }

  /**
   * Makes a native call once the one before it has settled. When `signal` fires, the call is interrupted until it settles
   * and the promise rejects with the signal's reason, after `graceMs` at the latest. What DuckDB throws is a RecurveError.
   */
  call<T>(native: () => Promise<T>, { signal, sql, discard }: NativeCallOptions<T>): Promise<T> {
    const running = this.#running.then(() => runInSlot(native, signal));
    return new Promise<T>((resolve, reject) => {
      let interrupts: NodeJS.Timeout | undefined;
      let patience: NodeJS.Timeout | undefined;
      const interrupt = (): void => this.binding.interrupt(this.connection);
      const stop = (): void => {
        interrupt();
        interrupts = setInterval(interrupt, interruptMs);
        patience = setTimeout(() => {
          // The interrupts go on, but do not keep the process alive.
          interrupts?.unref();
          reject(signal.reason);
        }, graceMs);
      };
      const settle = (): void => {
        signal.removeEventListener('abort', stop);
        clearInterval(interrupts);
        clearTimeout(patience);
      };
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
      this.#running = running.then(
        async (value) => {
          settle();
          if (!signal.aborted) return resolve(value);
          try {
            await discard?.(value);
          } finally {
            reject(signal.reason);
          }
        },
        (error: unknown) => {
          settle();
          reject(signal.aborted ? signal.reason : fromNative(error, { sql }));
        },
      );
      // Whoever made the call is told; the next call only waits.
      this.#running = this.#running.catch(() => undefined);
    });
  }

  /** Runs SQL of the driver's own to its end; the result is materialised. */
  query(sql: string, signal: AbortSignal): Promise<NativeResult> {
    return this.call(() => this.binding.query(this.connection, sql), { signal, sql });
  }

  /** Frees a prepared statement once the call that may still use it has settled. */
  release(prepared: NativePrepared): void {
    this.#running = this.#running.then(() => this.binding.destroy_prepare_sync(prepared));
  }

  /**
   * Ends a stream that is not read to its end. An interrupt that the next fetch meets frees the stream at once, but would
   * end an open transaction too: there preparing another statement cuts it off, and its memory stays until it is collected.
   */
  async endStream(result: NativeResult): Promise<void> {
    const { binding, connection } = this;
    if (!binding.result_is_streaming(result)) return;
    if (this.inTransaction) {
      this.cutStreams++;
      binding.destroy_prepare_sync(await binding.prepare(connection, 'SELECT 1'));
    } else {
      for (let rows = 1; rows > 0; ) {
        binding.interrupt(connection);
        const chunk = await binding.fetch_chunk(result).catch(() => null);
        rows = chunk === null ? 0 : binding.data_chunk_get_size(chunk);
      }
    }
  }

  /** Stops what runs, then disconnects: a connection that is closed under a running call never comes back. */
  async close(): Promise<void> {
    await this.live?.return();
    const timer = setInterval(() => this.binding.interrupt(this.connection), interruptMs);
    await this.#running;
    clearInterval(timer);
    this.binding.disconnect_sync(this.connection);
  }
}
