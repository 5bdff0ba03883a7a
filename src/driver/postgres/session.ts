import { setTimeout as sleep } from 'node:timers/promises';
import type { Table } from '../../arrow/table.ts';
import { RecurveError } from '../../error.ts';
import { DecoderStore } from './decoder-store.ts';
import { readError } from './error.ts';
import { RecentMap } from './recent-map.ts';
import type { TypeCatalog } from './type-catalog.ts';
import type { Channel, RowSink } from './wire/channel.ts';
import { type Message, MessageType } from './wire/message-reader.ts';
import { MessageWriter, type WireParameter } from './wire/message-writer.ts';

/** Of ReadyForQuery: outside of a transaction, in one, in one that failed. */
export type TransactionStatus = 'idle' | 'open' | 'failed';

/** How long a server that was told to stop may keep its caller waiting before the connection is given up. */
const graceMs = 3000;
/** Between cancel requests: what runs for longer than that after one has not heard it. */
const cancelAgainMs = 20;

/** What a session is made of. */
export interface SessionParts {
  readonly channel: Channel;
  readonly types: TypeCatalog;
  /** Asks the server to stop what this connection runs; resolves when the server has been told. */
  readonly sendCancel: (signal: AbortSignal) => Promise<void>;
  /** Of this backend, as the server told it. */
  readonly processId: number;
}

/** A result that can be stopped. */
export interface LiveRows {
  return(): Promise<unknown>;
}

/** A part of the driver that makes a table of a statement's rows; the session's own queries use it. */
export type QueryRunner = (
  session: PostgresSession,
  sql: string,
  parameters: readonly WireParameter[],
  signal: AbortSignal,
) => Promise<Table>;

/**
 * One connection: sends what is written, reads answers up to ReadyForQuery, and stops what runs. Its exchanges never
 * overlap; a cancel request is over before the next one begins, so that it cannot hit another statement.
 */
export class PostgresSession {
  readonly channel: Channel;
  readonly types: TypeCatalog;
  readonly processId: number;
  readonly writer: MessageWriter = new MessageWriter();
  readonly decoders: DecoderStore;
  /** The result that is being read. */
  live: LiveRows | undefined;
  /** Result formats of texts that have columns to be asked for as text. */
  readonly formats: RecentMap<string, readonly number[]> = new RecentMap(256);
  /** Round trips so far. */
  requests = 0;
  #status: TransactionStatus = 'idle';
  readonly #sendCancel: SessionParts['sendCancel'];
  #cancelling: Promise<void> | undefined;
  /** ReadyForQuery that are to come: one for each Sync. */
  #awaited = 0;
  #readyListener: (() => void) | undefined;
  readonly #run: QueryRunner;

  constructor({ channel, types, sendCancel, processId }: SessionParts, run: QueryRunner) {
    this.channel = channel;
    this.types = types;
    this.decoders = new DecoderStore(types);
    this.processId = processId;
    this.#sendCancel = sendCancel;
    this.#run = run;
  }

  get status(): TransactionStatus {
    return this.#status;
  }

  /** e.g. 180004, as `server_version_num`; of a server that does not say, 0. */
  get serverVersion(): number {
    const [, major = '0', minor = '0'] =
      /^(\d+)(?:\.(\d+))?/.exec(this.channel.parameters.get('server_version') ?? '') ?? [];
    return Number(major) * 10_000 + Number(minor);
  }

  /** Runs a statement of the driver's own, its result whole in memory. */
  query(sql: string, parameters: readonly WireParameter[], signal: AbortSignal): Promise<Table> {
    return this.#run(this, sql, parameters, signal);
  }

  /** Runs a statement of the driver's own that gives no rows, e.g. SET; several are possible. */
  async command(sql: string, signal: AbortSignal): Promise<void> {
    await this.begin(signal);
    await this.stoppable(signal, async () => {
      this.writer.query(sql);
      this.send();
      await this.finish({ sql });
    });
  }

  /** Before an exchange: an earlier one is over, and so is its cancel request. */
  async begin(signal: AbortSignal): Promise<void> {
    await this.live?.return();
    await this.#cancelling;
    signal.throwIfAborted();
    if (this.channel.failure !== undefined) throw this.channel.failure;
    if (this.#awaited > 0) throw new RecurveError('INTERNAL', 'an exchange began before the last one was over');
    // What was written and never sent is nobody's.
    this.writer.clear();
  }

  /** Sends what was written, which ends with a Sync or is a Query. */
  send(): void {
    this.expectReady();
    this.channel.send(this.writer.take());
  }

  /** Another ReadyForQuery is to come: for a Sync that is sent in another way. */
  expectReady(): void {
    this.#awaited++;
    this.requests++;
  }

  /** The next message; ReadyForQuery is noted. */
  async read(): Promise<Message> {
    return this.#note(await this.channel.readMessage());
  }

  /** As {@link Channel.readRows}; ReadyForQuery is noted. */
  async readRows(sink: RowSink): Promise<Message | undefined> {
    const message = await this.channel.readRows(sink);
    return message === undefined ? undefined : this.#note(message);
  }

  /** Whether an exchange is not over. */
  get busy(): boolean {
    return this.#awaited > 0;
  }

  /**
   * Reads to ReadyForQuery, rows dropped, and gives every other message to `hear`. Throws the first error that came, or
   * `failure` where there is one, once the server is ready.
   */
  async finish({
    sql,
    failure,
    hear,
  }: {
    readonly sql?: string;
    readonly failure?: RecurveError | undefined;
    readonly hear?: (message: Message) => void;
  } = {}): Promise<void> {
    let error = failure;
    while (this.#awaited > 0) {
      const message = await this.readRows(noRows);
      if (message === undefined) continue;
      if (message.type === MessageType.ErrorResponse) error ??= readError(message.body, { sql });
      else if (message.type === MessageType.CopyInResponse) this.refuseCopy();
      else hear?.(message);
    }
    if (error !== undefined) throw error;
  }

  /** Answers a COPY … FROM STDIN that no ingest asked for; the Sync that was sent is lost in the copy. */
  refuseCopy(): void {
    this.channel.send(this.writer.copyFail('COPY FROM STDIN has no data here: use ingest').sync().take());
  }

  /**
   * Does what waits for the server; when the signal fires, the server is told to stop, and `signal.reason` is thrown once it has.
   * A server that does not answer loses its connection.
   */
  async stoppable<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    const stop = (): void => this.cancel();
    signal.throwIfAborted();
    signal.addEventListener('abort', stop, { once: true });
    try {
      const value = await work();
      signal.throwIfAborted();
      return value;
    } catch (error) {
      throw signal.aborted ? signal.reason : error;
    } finally {
      signal.removeEventListener('abort', stop);
    }
  }

  /** Tells the server to stop; the next exchange waits until it has heard. */
  cancel(): void {
    if (!this.busy || this.#cancelling !== undefined || this.channel.failure !== undefined) return;
    this.#cancelling = this.#cancelUntilReady().finally(() => {
      this.#cancelling = undefined;
    });
  }

  /** A request that comes before the server has begun with the statement is lost. */
  async #cancelUntilReady(): Promise<void> {
    const limit = AbortSignal.timeout(graceMs);
    const giveUp = (): void => {
      if (this.busy) this.channel.destroy(silentError());
    };
    limit.addEventListener('abort', giveUp, { once: true });
    while (this.busy && this.channel.failure === undefined && !limit.aborted) {
      await this.#sendCancel(limit).catch(() => {});
      await Promise.race([this.#whenReady(), sleep(cancelAgainMs, undefined, { ref: false })]);
    }
    limit.removeEventListener('abort', giveUp);
  }

  /** Resolves when the exchange that runs is over, or the connection lost. */
  #whenReady(): Promise<void> {
    if (!this.busy) return Promise.resolve();
    return new Promise((resolve) => {
      this.#readyListener = resolve;
    });
  }

  /** Resolves when no cancel request is on its way. */
  async settleCancel(): Promise<void> {
    await this.#cancelling;
  }

  /** Stops what runs, as {@link stoppable} does, and drops what still comes. */
  async stop(): Promise<void> {
    if (!this.busy) return;
    this.cancel();
    await this.finish().catch(() => {});
    await this.#cancelling;
  }

  async close(): Promise<void> {
    if (this.busy) await this.live?.return();
    if (this.busy) await this.stop();
    await this.#cancelling;
    await this.channel.end(this.writer.terminate().take());
  }

  #note(message: Message): Message {
    if (message.type === MessageType.ReadyForQuery) {
      this.#awaited--;
      if (this.#awaited === 0) this.#readyListener?.();
      const [status] = message.body;
      this.#status = status === 0x54 ? 'open' : status === 0x45 ? 'failed' : 'idle';
    }
    return message;
  }
}

/** Passes over rows. */
export const noRows: RowSink = {
  full: false,
  take: (bytes, start, end) => {
    let at = start;
    while (end - at >= 5) {
      const type = bytes[at];
      if (type !== MessageType.DataRow && type !== MessageType.CopyData) break;
      const length =
        ((bytes[at + 1] ?? 0) << 24) |
        ((bytes[at + 2] ?? 0) << 16) |
        ((bytes[at + 3] ?? 0) << 8) |
        (bytes[at + 4] ?? 0);
      if (length < 4 || end - at < 1 + length) break;
      at += 1 + length;
    }
    return at;
  },
};

function silentError(): RecurveError {
  return new RecurveError('IO', `the server did not stop within ${graceMs} ms: the connection is given up`, {
    hint: 'connect again',
  });
}
