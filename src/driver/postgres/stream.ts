import type { RecordBatch } from '../../arrow/batch.ts';
import type { Schema } from '../../arrow/schema.ts';
import type { Cost } from '../../delivery/cost.ts';
import { RecurveError } from '../../error.ts';
import type { BorrowedDecoder } from './decoder-store.ts';
import { readError, readRowsAffected } from './error.ts';
import type { PostgresSession } from './session.ts';
import type { RowSink } from './wire/channel.ts';
import { MessageType } from './wire/message-reader.ts';

/** What a {@link RowStream} reads with. */
export interface RowStreamParts {
  readonly session: PostgresSession;
  /** Given back when all rows were read. */
  readonly borrowed: BorrowedDecoder;
  readonly cost: Cost;
  readonly signal: AbortSignal;
  /** `performance.now()` of the call. */
  readonly startedMs: number;
  readonly sql: string;
  /** Bytes that the channel had received before the run. */
  readonly receivedBefore: number;
  /** Called when the server is ready again, or the connection is lost. */
  readonly onEnd?: (() => Promise<void>) | undefined;
}

/**
 * The rows of a running statement as batches. The rows before a failure are delivered, then the server's error is thrown. It
 * ends only when the server said that the command is complete.
 */
export class RowStream implements AsyncIterator<RecordBatch, undefined> {
  readonly schema: Schema;
  rowsAffected = -1;
  readonly #parts: RowStreamParts;
  readonly #sink: RowSink;
  #complete = false;
  #ended = false;
  #failure: unknown;
  #pending: Promise<unknown> = Promise.resolve();
  #returning: Promise<void> | undefined;

  constructor(parts: RowStreamParts) {
    this.#parts = parts;
    this.schema = parts.borrowed.decoder.schema;
    this.#sink = timed(parts);
  }

  next(): Promise<IteratorResult<RecordBatch, undefined>> {
    const next = this.#next();
    this.#pending = next.catch(() => undefined);
    return next;
  }

  /** Stops the server unless it has sent everything; resolves when the connection can be used again. */
  async return(): Promise<IteratorResult<RecordBatch, undefined>> {
    this.#returning ??= this.#stop();
    await this.#returning;
    return { done: true, value: undefined };
  }

  async #next(): Promise<IteratorResult<RecordBatch, undefined>> {
    if (!this.#ended) {
      try {
        const batch = await this.#read();
        if (batch !== undefined) return { done: false, value: batch };
      } catch (error) {
        await this.#fail(error);
      }
    }
    if (this.#failure !== undefined) throw this.#failure;
    return { done: true, value: undefined };
  }

  /** The next batch: a full one, or what is left when the server is ready again. */
  async #read(): Promise<RecordBatch | undefined> {
    const { session, borrowed, sql } = this.#parts;
    const { decoder } = borrowed;
    while (session.busy) {
      const message = await session.readRows(this.#sink);
      if (message === undefined) return decoder.finish();
      if (message.type === MessageType.CommandComplete) {
        if (!this.#complete) this.rowsAffected = readRowsAffected(message.body);
        this.#complete = true;
      } else if (message.type === MessageType.ErrorResponse) this.#failure ??= readError(message.body, { sql });
    }
    if (!this.#complete) {
      this.#failure ??= new RecurveError('INTERNAL', 'the server ended a result without saying that it is complete');
    }
    const last = decoder.finish();
    session.decoders.keep(borrowed);
    await this.#end();
    return last;
  }

  /** What broke is thrown by every later read; a connection that lives is made ready. */
  async #fail(error: unknown): Promise<void> {
    this.#failure = error;
    await this.#parts.session.stop();
    await this.#end();
  }

  async #stop(): Promise<void> {
    if (this.#ended) return;
    const { session } = this.#parts;
    // What waits for rows ends with the statement; a signal has told the server already.
    if (session.live === this) session.cancel();
    await this.#pending;
    if (this.#ended) return;
    await session.stop();
    await this.#end();
  }

  async #end(): Promise<void> {
    this.#ended = true;
    const { session, cost, receivedBefore, onEnd } = this.#parts;
    cost.wireBytes = session.channel.receivedBytes - receivedBefore;
    if (session.live === this) session.live = undefined;
    await onEnd?.();
  }
}

/** Notes when the first rows came and how long decoding takes. */
function timed({ borrowed: { decoder }, cost, startedMs }: RowStreamParts): RowSink {
  return {
    get full() {
      return decoder.full;
    },
    take: (bytes, start, end) => {
      const beganMs = performance.now();
      const at = decoder.take(bytes, start, end);
      if (cost.firstByteMs === 0 && at > start) cost.firstByteMs = beganMs - startedMs;
      cost.decodeMs += performance.now() - beganMs;
      return at;
    },
  };
}
