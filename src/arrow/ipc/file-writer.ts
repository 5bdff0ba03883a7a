import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import { Metadata, type MetadataInput } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { type EncodedMessage, type LayoutOptions, MessageEncoder, messageChunks } from './encoder.ts';
import { type Block, fileHeader, fileHeaderBytes, writeFooter } from './footer.ts';
import { endOfStream } from './message.ts';
import type { MessageWriteOptions } from './stream-writer.ts';

/** How a file is written. */
export interface FileWriteOptions extends LayoutOptions {
  /** The footer's `custom_metadata`, beside the schema's own. Default: none. */
  readonly metadata?: MetadataInput | undefined;
}

/**
 * Writes an IPC file batch by batch, as {@link StreamWriter} writes a stream: magic, the whole stream, footer. The
 * chunks go to the file in order, with no seeking.
 *
 * A dictionary may grow by deltas but not change: that throws INVALID_ARGUMENT.
 */
export class FileWriter {
  declare readonly schema: Schema;
  readonly #encoder: MessageEncoder;
  readonly #index: FileIndex;
  /** Magic and schema message, until they are handed out. */
  #head: Uint8Array[];
  #finished = false;

  /** Throws INVALID_ARGUMENT for a schema that the format has no form for. */
  constructor(schema: Schema, options: FileWriteOptions = {}) {
    this.schema = schema;
    this.#encoder = new MessageEncoder(schema, fileHeaderBytes, options);
    this.#index = new FileIndex(schema, Metadata.from(options.metadata));
    this.#head = [fileHeader(), ...messageChunks(this.#encoder.schema())];
  }

  /** Magic and schema message. The first call of another method gives them too. */
  start(): Uint8Array[] {
    const head = this.#head;
    this.#head = [];
    return head;
  }

  /** See {@link StreamWriter.writeDictionaries}. */
  writeDictionaries(batch: RecordBatch, options: MessageWriteOptions = {}): Uint8Array[] {
    return this.#add(this.#open().dictionaries(batch, Metadata.from(options.metadata)));
  }

  /** See {@link StreamWriter.write}. */
  write(batch: RecordBatch, options: MessageWriteOptions = {}): Uint8Array[] {
    return this.#add(this.#open().batch(batch, Metadata.from(options.metadata ?? batch.metadata)));
  }

  /** End-of-stream marker and footer; nothing when called again. */
  finish(): Uint8Array[] {
    if (this.#finished) return [];
    this.#finished = true;
    return [...this.start(), endOfStream(), this.#index.footer()];
  }

  #open(): MessageEncoder {
    if (this.#finished) throw new RecurveError('INVALID_STATE', 'the file is finished: no batch can follow');
    return this.#encoder;
  }

  #add(messages: readonly EncodedMessage[]): Uint8Array[] {
    for (const message of messages) this.#index.add(message);
    return [...this.start(), ...messages.flatMap(messageChunks)];
  }
}

/** The blocks of a file that is being written. */
export class FileIndex {
  readonly #schema: Schema;
  readonly #metadata: Metadata;
  readonly #dictionaries: Block[] = [];
  readonly #batches: Block[] = [];

  constructor(schema: Schema, metadata: Metadata) {
    this.#schema = schema;
    this.#metadata = metadata;
  }

  add({ kind, block }: EncodedMessage): void {
    if (kind === 'dictionary') this.#dictionaries.push(block);
    if (kind === 'batch') this.#batches.push(block);
  }

  footer(): Uint8Array {
    return writeFooter({
      schema: this.#schema,
      dictionaries: this.#dictionaries,
      batches: this.#batches,
      metadata: this.#metadata,
    });
  }
}
