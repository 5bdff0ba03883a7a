import type { RecordBatch } from '../batch.ts';
import type { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import type { Table } from '../table.ts';
import { abortError } from './abort.ts';
import type { ByteSource } from './byte-source.ts';
import { type DecodeOptions, MessageDecoder } from './decoder.ts';
import { loadCodecOf } from './load-codec.ts';
import { emptyStream } from './message.ts';
import { MessageStream } from './message-stream.ts';

/** How a stream is read. */
export interface StreamReadOptions extends DecodeOptions {
  /** Stops the reading: the source is told, and waiting calls throw CANCELLED, or TIMEOUT for a time-out's signal. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Reads an IPC stream batch by batch as its bytes arrive, in chunks of any size; also a file, from front to back, by
 * the stream inside of it.
 *
 * A batch's columns are views of the chunk that its body came in, or of the one buffer that several chunks were joined
 * into: chunks must not be changed after they were handed over. A stream that is cut off throws INVALID_DATA, one whose
 * source fails throws what the source threw; after that every call throws the same. The end-of-stream marker may be
 * missing, as the format allows; bytes after it are not read.
 */
export class StreamReader implements AsyncIterableIterator<RecordBatch> {
  declare readonly schema: Schema;
  readonly #messages: MessageStream;
  readonly #decoder: MessageDecoder;
  /** Whether another stream may follow, so that the source is not let go at the end of this one. */
  readonly #isShared: boolean;
  #state: 'open' | 'done' | 'failed' = 'open';
  #failure: unknown;
  /** Whether the end of the stream was met, not just that of the reading. */
  #isAtEnd = false;
  /** The last call: each waits for the one before it. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(messages: MessageStream, decoder: MessageDecoder, isShared: boolean) {
    this.#isShared = isShared;
    this.schema = decoder.schema;
    this.#messages = messages;
    this.#decoder = decoder;
  }

  /** The schema message's own `custom_metadata`, beside the schema's. */
  get metadata(): Metadata {
    return this.#decoder.metadata;
  }

  /** Reads up to and with the schema. */
  static async from(source: ByteSource, options: StreamReadOptions = {}): Promise<StreamReader> {
    return StreamReader.#open(new MessageStream(source, options.signal), options, false);
  }

  /**
   * The streams that a source holds back to back, one by one; what is left unread of one is passed over when the next is
   * asked for. None when the source is empty. Of a file there is one, whatever follows it. Leaving the loop early lets the
   * source go.
   */
  static async *all(
    source: ByteSource,
    options: StreamReadOptions = {},
  ): AsyncGenerator<StreamReader, void, undefined> {
    const messages = new MessageStream(source, options.signal);
    try {
      if (!(await messages.begins())) return;
      do {
        const reader = await StreamReader.#open(messages, options, true);
        yield reader;
        await reader.#passOver();
      } while (await messages.restart());
    } catch (error) {
      throw abortError(error, options.signal);
    } finally {
      await messages.cancel(undefined);
    }
  }

  static async #open(messages: MessageStream, options: StreamReadOptions, isShared: boolean): Promise<StreamReader> {
    try {
      const first = await messages.next();
      if (first === null) throw emptyStream();
      return new StreamReader(messages, MessageDecoder.fromSchemaMessage(first.message, options), isShared);
    } catch (error) {
      await messages.cancel(error);
      throw abortError(error, options.signal);
    }
  }

  next(): Promise<IteratorResult<RecordBatch, undefined>> {
    const result = this.#last.then(() => this.#next());
    this.#last = result.catch(() => {});
    return result;
  }

  /** Stops reading and lets the source go. Does no harm when called twice. */
  async return(): Promise<IteratorResult<RecordBatch, undefined>> {
    if (this.#state === 'open') {
      this.#state = 'done';
      if (!this.#isShared) await this.#messages.cancel(undefined);
    }
    return { done: true, value: undefined };
  }

  /** All batches that are left, as a table. */
  async table(): Promise<Table> {
    const batches: RecordBatch[] = [];
    for await (const batch of this) batches.push(batch);
    return this.#decoder.table(batches);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  /** Reads to the end of the stream, so that the next can follow. */
  async #passOver(): Promise<void> {
    await this.return();
    await this.#last;
    if (this.#state === 'failed') throw this.#failure;
    while (!this.#isAtEnd) this.#isAtEnd = (await this.#messages.next()) === null;
  }

  async #next(): Promise<IteratorResult<RecordBatch, undefined>> {
    if (this.#state === 'failed') throw this.#failure;
    try {
      while (this.#state === 'open') {
        const next = await this.#messages.next();
        // While this waited, `return` may have been called.
        if (this.#state !== ('open' as string)) break;
        if (next === null) {
          this.#decoder.finish();
          break;
        }
        await loadCodecOf(next.message, this.#decoder);
        const batch = this.#decoder.decode(next.message, next.body);
        if (batch !== null) return { done: false, value: batch };
      }
      this.#isAtEnd = this.#state === 'open';
      await this.return();
      return { done: true, value: undefined };
    } catch (error) {
      // A reader that was closed while it waited has no failure to tell.
      if (this.#state === 'done') return { done: true, value: undefined };
      this.#state = 'failed';
      this.#failure = abortError(error, this.#messages.signal);
      await this.#messages.cancel(this.#failure);
      throw this.#failure;
    }
  }
}
