import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import type { Schema } from '../schema.ts';
import { type LayoutOptions, MessageEncoder, messageChunks } from './encoder.ts';
import { endOfStream } from './message.ts';

/** How a stream is written. */
export interface StreamWriteOptions extends LayoutOptions {}

/**
 * Writes an IPC stream batch by batch. It makes bytes and leaves sending them to the caller: each call returns chunks
 * to be sent in order, of which the large ones are the columns' own buffers and must not be changed until they are sent.
 *
 * Metadata version V5, no compression, always an end-of-stream marker.
 */
export class StreamWriter {
  readonly schema: Schema;
  readonly #encoder: MessageEncoder;
  /** The schema message, until it is handed out. */
  #head: Uint8Array[];
  #finished = false;

  /** Throws INVALID_ARGUMENT for a schema that the format has no form for. */
  constructor(schema: Schema, options: StreamWriteOptions = {}) {
    this.schema = schema;
    this.#encoder = new MessageEncoder(schema, 0, options);
    this.#head = messageChunks(this.#encoder.schema());
  }

  /** The schema message. The first call of another method gives it too, so that this one is for those in a hurry. */
  start(): Uint8Array[] {
    const head = this.#head;
    this.#head = [];
    return head;
  }

  /**
   * A batch, and the dictionaries that it needs and that were not sent before. Throws INVALID_ARGUMENT for a batch that
   * does not fit, after which the writer can go on with another.
   */
  write(batch: RecordBatch): Uint8Array[] {
    if (this.#finished) throw new RecurveError('INVALID_STATE', 'the stream is finished: no batch can follow');
    const messages = this.#encoder.batch(batch);
    return [...this.start(), ...messages.flatMap(messageChunks)];
  }

  /** The end-of-stream marker; nothing when called again. */
  finish(): Uint8Array[] {
    if (this.#finished) return [];
    this.#finished = true;
    return [...this.start(), endOfStream()];
  }
}
