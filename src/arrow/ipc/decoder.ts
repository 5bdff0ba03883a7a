import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import { joinInPlace } from '../column/joined.ts';
import type { Column } from '../column.ts';
import { Metadata } from '../metadata.ts';
import { RecordBatch as PlainBatch } from '../plain-batch.ts';
import { Table as PlainTable } from '../plain-table.ts';
import type { Field, Schema } from '../schema.ts';
import type { Table } from '../table.ts';
import { ColumnReader } from './column-reader.ts';
import { BodyCodecs, type DecompressOptions } from './compression.ts';
import { DictionaryReader } from './dictionary.ts';
import type { ReadExtras } from './extras.ts';
import { type Body, describeHeader, headerType, type Message } from './message.ts';
import { type ColumnKeys, type Projection, selectColumns } from './projection.ts';
import { readBatchHeader } from './record-batch.ts';
import { readEndianness, readSchema } from './schema.ts';

/**
 * Looks at the columns that a message was read to before anybody gets them, and throws INVALID_DATA for a fault. `message`
 * names the message, `body` is what it brought. The values of dictionaries come as the one column
 * of their own message.
 */
export type ColumnCheck = (
  fields: readonly Field[],
  columns: readonly Column[],
  message: string,
  body: Body | undefined,
) => void;

/** What is read of a stream or file, and how. */
export interface DecodeOptions extends DecompressOptions {
  /**
   * The columns to read, by name or position and in the order in which batches shall have them. The bytes of all others
   * are passed over, read by range they are not fetched. Default: all. Throws NOT_FOUND for one that is not there; of
   * several with one name a name means the first.
   */
  readonly columns?: ColumnKeys | undefined;
  /** What looks at values. Default: nothing does; that every buffer lies in its body is always made sure of. */
  readonly check?: ColumnCheck | undefined;
  /** Default: none. The readers of `recurve/arrow` have them all, whatever is given here. */
  readonly extras?: ReadExtras | undefined;
}

/** Turns the messages after a schema into batches; keeps the dictionaries. */
export class MessageDecoder {
  /** The schema of the batches: that of the stream, or the columns selected. */
  declare readonly schema: Schema;
  /** The schema message's own `custom_metadata`. */
  declare readonly metadata: Metadata;
  /** The schema's columns in the stream. */
  declare readonly projection: Projection;
  declare readonly codecs: BodyCodecs;
  readonly #dictionaries: DictionaryReader;
  readonly #fixed: boolean;
  readonly #options: DecodeOptions;

  /** In a file (`fixed`) dictionaries may grow but not be replaced. Throws NOT_FOUND for columns that are not there. */
  constructor(
    schema: Schema,
    place: string,
    fixed: boolean,
    options: DecodeOptions = {},
    metadata: Metadata = Metadata.empty,
    isBigEndian = false,
  ) {
    const { check, extras } = options;
    if (isBigEndian && extras === undefined) {
      throw new RecurveError('NOT_IMPLEMENTED', `${place}: the lean reader reads no big-endian bodies`, {
        hint: "read with 'recurve/arrow'",
      });
    }
    const swap = isBigEndian && extras ? extras.swap : null;
    this.projection = selectColumns(schema, options.columns);
    this.schema = this.projection.schema;
    this.metadata = metadata;
    this.codecs = new BodyCodecs(options);
    this.#dictionaries = new DictionaryReader(
      schema,
      place,
      this.schema.fields,
      this.codecs,
      swap,
      check,
      extras?.join ?? joinInPlace,
    );
    this.#fixed = fixed;
    this.#options = options;
  }

  /** Starts a stream with its first message. Throws INVALID_DATA when that is no schema. */
  static fromSchemaMessage(message: Message, options: DecodeOptions = {}): MessageDecoder {
    if (message.headerType !== headerType.schema) {
      message.flatbuffer.fail(`a stream begins with a schema, not with ${describeHeader(message)}`);
    }
    if (message.bodyLength !== 0)
      message.flatbuffer.fail(`a schema has no body, this one has ${message.bodyLength} bytes`);
    const { flatbuffer, header, place, metadata } = message;
    const schema = readSchema(flatbuffer, header);
    return new MessageDecoder(schema, place, false, options, metadata, readEndianness(flatbuffer, header));
  }

  /** Takes in one message: a record batch is returned, a dictionary kept for the batches that follow. */
  decode(message: Message, body: Body): RecordBatch | null {
    switch (message.headerType) {
      case headerType.dictionaryBatch:
        this.#dictionaries.add(message, body, this.#fixed);
        return null;
      case headerType.recordBatch: {
        const header = readBatchHeader(message.flatbuffer, message.header);
        const { fields, positions } = this.projection;
        const columns = new ColumnReader(message, header, body, this.#dictionaries, this.codecs).readColumns(
          fields,
          positions,
        );
        const { check, extras } = this.#options;
        check?.(this.schema.fields, columns, message.place, body);
        return new (extras?.Batch ?? PlainBatch)(this.schema, columns, header.length, message.metadata);
      }
      case headerType.tensor:
      case headerType.sparseTensor:
        throw new RecurveError('NOT_IMPLEMENTED', `${message.place}: a ${describeHeader(message)} is not supported`);
      default:
        return message.flatbuffer.fail(`a ${describeHeader(message)} does not belong after the schema`);
    }
  }

  /** Whether `decode` looks at the body of a dictionary: not when no column that is selected needs it. */
  needsDictionary(message: Message): boolean {
    return this.#dictionaries.entryOf(message).isNeeded;
  }

  /** To be called after the last message: throws INVALID_DATA for a dictionary that no batch used and that is malformed. */
  finish(): void {
    this.#dictionaries.finish();
  }

  /** A table of the batches that were decoded. */
  table(batches: readonly RecordBatch[]): Table {
    return new (this.#options.extras?.Table ?? PlainTable)(this.schema, batches);
  }
}
