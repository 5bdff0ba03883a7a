import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import { Metadata, type MetadataInput } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { type LayoutOptions, MessageEncoder, messageChunks } from './encoder.ts';
import { endOfStream } from './message.ts';

/** How a stream is written. */
export interface StreamWriteOptions extends LayoutOptions {
  /** The schema message's own `custom_metadata`, beside the schema's. Default: none. */
  readonly metadata?: MetadataInput | undefined;
}

/** What a message says beside what is in it. */
export interface MessageWriteOptions {
  /** The message's own `custom_metadata`. Default: the batch's; none for dictionaries. */
  readonly metadata?: MetadataInput | undefined;
}

/**
 * Writes an IPC stream batch by batch. It makes bytes and leaves sending them to the caller: each call returns chunks
 * to be sent in order, of which the large ones are the columns' own buffers and must not be changed until they are sent.
 *
 * Metadata version V5, compressed where `compression` says so, always an end-of-stream marker.
 */
export class StreamWriter {
  declare readonly schema: Schema;
  readonly #encoder: MessageEncoder;
  /** The schema message, until it is handed out. */
  #head: Uint8Array[];
  #finished = false;

  /** Throws INVALID_ARGUMENT for a schema that the format has no form for. */
  constructor(schema: Schema, options: StreamWriteOptions = {}) {
    this.schema = schema;
    this.#encoder = new MessageEncoder(schema, 0, options);
    this.#head = messageChunks(this.#encoder.schema(Metadata.from(options.metadata)));
  }

  /** The schema message. The first call of another method gives it too, so that this one is for those in a hurry. */
  start(): Uint8Array[] {
    const head = this.#head;
    this.#head = [];
    return head;
  }

  /**
   * The dictionaries that a batch needs and that were not sent before, for whoever wants them apart from the batch, which
   * must be the next that is written; else {@link write} gives them too. `metadata` goes on each of their messages.
   */
  writeDictionaries(batch: RecordBatch, options: MessageWriteOptions = {}): Uint8Array[] {
    const messages = this.#open().dictionaries(batch, Metadata.from(options.metadata));
    return [...this.start(), ...messages.flatMap(messageChunks)];
  }

  /**
   * A batch, and the dictionaries that it needs: those of the same values as before are not sent again, of those that have
   * grown only the new values. Throws INVALID_ARGUMENT for a batch that does not fit, after which the writer can go on with
   * another.
   */
  write(batch: RecordBatch, options: MessageWriteOptions = {}): Uint8Array[] {
    const messages = this.#open().batch(batch, Metadata.from(options.metadata ?? batch.metadata));
    return [...this.start(), ...messages.flatMap(messageChunks)];
  }

  /** The end-of-stream marker; nothing when called again. */
  finish(): Uint8Array[] {
    if (this.#finished) return [];
    this.#finished = true;
    return [...this.start(), endOfStream()];
  }

  #open(): MessageEncoder {
    if (this.#finished) throw new RecurveError('INVALID_STATE', 'the stream is finished: no batch can follow');
    return this.#encoder;
  }
}
