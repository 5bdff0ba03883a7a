import { RecurveError } from '../../error.ts';
import { RecordBatch } from '../batch.ts';
import { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { ColumnReader } from './column-reader.ts';
import { BodyCodecs, type DecompressOptions } from './compression.ts';
import { DictionaryReader } from './dictionary.ts';
import { describeHeader, headerType, type Message } from './message.ts';
import { readBatchHeader } from './record-batch.ts';
import { readSchema } from './schema.ts';

/** Turns the messages after a schema into batches; keeps the dictionaries. */
export class MessageDecoder {
  readonly schema: Schema;
  /** The schema message's own `custom_metadata`. */
  readonly metadata: Metadata;
  readonly codecs: BodyCodecs;
  readonly #dictionaries: DictionaryReader;
  readonly #fixed: boolean;

  /** In a file (`fixed`) dictionaries may grow but not be replaced. */
  constructor(
    schema: Schema,
    place: string,
    fixed: boolean,
    options: DecompressOptions = {},
    metadata: Metadata = Metadata.empty,
  ) {
    this.schema = schema;
    this.metadata = metadata;
    this.codecs = new BodyCodecs(options);
    this.#dictionaries = new DictionaryReader(schema, place, this.codecs);
    this.#fixed = fixed;
  }

  /** Starts a stream with its first message. Throws INVALID_DATA when that is no schema. */
  static fromSchemaMessage(message: Message, options: DecompressOptions = {}): MessageDecoder {
    if (message.headerType !== headerType.schema) {
      message.flatbuffer.fail(`a stream begins with a schema, not with ${describeHeader(message)}`);
    }
    if (message.bodyLength !== 0)
      message.flatbuffer.fail(`a schema has no body, this one has ${message.bodyLength} bytes`);
    const schema = readSchema(message.flatbuffer, message.header);
    return new MessageDecoder(schema, message.place, false, options, message.metadata);
  }

  /** Takes in one message: a record batch is returned, a dictionary kept for the batches that follow. */
  decode(message: Message, body: Uint8Array): RecordBatch | null {
    switch (message.headerType) {
      case headerType.dictionaryBatch:
        this.#dictionaries.add(message, body, this.#fixed);
        return null;
      case headerType.recordBatch: {
        const { schema } = this;
        const header = readBatchHeader(message.flatbuffer, message.header);
        const reader = new ColumnReader(message, header, body, this.#dictionaries, this.codecs);
        const columns = reader.readColumns(schema.fields);
        return new RecordBatch(schema, columns, header.length, message.metadata);
      }
      case headerType.tensor:
      case headerType.sparseTensor:
        throw new RecurveError('NOT_IMPLEMENTED', `${message.place}: a ${describeHeader(message)} is not supported`);
      default:
        return message.flatbuffer.fail(`a ${describeHeader(message)} does not belong after the schema`);
    }
  }

  /** To be called after the last message: throws INVALID_DATA for a dictionary that no batch used and that is malformed. */
  finish(): void {
    this.#dictionaries.finish();
  }
}
