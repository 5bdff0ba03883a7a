import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import type { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { Table } from '../table.ts';
import { abortError } from './abort.ts';
import { ByteQueue, type ByteSource } from './byte-queue.ts';
import type { DecompressOptions } from './compression.ts';
import { MessageDecoder } from './decoder.ts';
import { fileHeaderBytes, startsWithMagic } from './footer.ts';
import { loadCodecOf } from './load-codec.ts';
import { checkMetadataSize, continuation, type FramedMessage, readMessage, truncated } from './message.ts';

/** How a stream is read. */
export interface StreamReadOptions extends DecompressOptions {
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
  readonly schema: Schema;
  readonly #messages: MessageStream;
  readonly #decoder: MessageDecoder;
  #state: 'open' | 'done' | 'failed' = 'open';
  #failure: unknown;
  /** The last call: each waits for the one before it. */
  #last: Promise<unknown> = Promise.resolve();

  private constructor(messages: MessageStream, decoder: MessageDecoder) {
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
    const messages = new MessageStream(source, options.signal);
    try {
      const first = await messages.next();
      if (first === null) throw new RecurveError('INVALID_DATA', 'the stream is empty: it has not even a schema');
      return new StreamReader(messages, MessageDecoder.fromSchemaMessage(first.message, options));
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
      await this.#messages.cancel(undefined);
    }
    return { done: true, value: undefined };
  }

  /** All batches that are left, as a table. */
  async table(): Promise<Table> {
    const batches: RecordBatch[] = [];
    for await (const batch of this) batches.push(batch);
    return new Table(this.schema, batches);
  }

  [Symbol.asyncIterator](): this {
    return this;
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

/** Cuts a source of bytes into messages. */
class MessageStream {
  readonly signal: AbortSignal | undefined;
  readonly #queue: ByteQueue;
  #count = 0;

  constructor(source: ByteSource, signal: AbortSignal | undefined) {
    this.signal = signal;
    this.#queue = new ByteQueue(source, signal);
  }

  /** The next message; null at the end. */
  async next(): Promise<FramedMessage | null> {
    this.signal?.throwIfAborted();
    const place = `message ${this.#count}`;
    const queue = this.#queue;
    if (queue.available === 0 && !(await queue.fill(1))) return null;
    let prefix = await this.#take(4, place, 'prefix');
    if (this.#count === 0 && startsAsMagic(prefix)) {
      await this.#take(fileHeaderBytes - 4, place, 'file header');
      prefix = await this.#take(4, place, 'prefix');
    }
    let size = int32(prefix);
    if (size === continuation) size = int32(await this.#take(4, place, 'prefix'));
    if (size === 0) return null;
    checkMetadataSize(size, place);
    const message = readMessage(await this.#take(size, place, 'metadata'), place);
    await this.#fill(message.bodyLength, place, 'body');
    this.#count++;
    return { message, body: queue.takeAligned(message.bodyLength) };
  }

  cancel(reason: unknown): Promise<void> {
    return this.#queue.cancel(reason);
  }

  async #take(byteCount: number, place: string, what: string): Promise<Uint8Array> {
    await this.#fill(byteCount, place, what);
    return this.#queue.take(byteCount);
  }

  async #fill(byteCount: number, place: string, what: string): Promise<void> {
    const queue = this.#queue;
    if (queue.available < byteCount && !(await queue.fill(byteCount)))
      throw truncated(place, what, byteCount, queue.available);
  }
}

/** By its first half: no metadata is as long as those 4 bytes would say. */
function startsAsMagic(prefix: Uint8Array): boolean {
  return startsWithMagic(Uint8Array.of(...prefix, 0x57, 0x31));
}

function int32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);
}
