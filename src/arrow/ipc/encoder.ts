import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import type { TableSlots } from '../flatbuffer/writer.ts';
import { Metadata } from '../metadata.ts';
import { Schema } from '../schema.ts';
import { type BodyPlan, planBody } from './column-writer.ts';
import { compressBody } from './compress-body.ts';
import { type Codec, type CompressOptions, compressorOf } from './compression.ts';
import { hasDictionary } from './dictionary.ts';
import { type DictionaryUpdate, DictionaryWriter } from './dictionary-writer.ts';
import type { Block } from './footer.ts';
import { headerType, writeMessage } from './message.ts';
import { type Piece, writeBody, writePiece } from './piece.ts';
import { batchSlots } from './record-batch.ts';
import { schemaSlots } from './schema.ts';

/** How the bytes are laid out. */
export interface LayoutOptions extends CompressOptions {
  /**
   * Bytes to whose multiples every buffer is aligned, in the body and in the stream or file. Default 64, as the format
   * recommends, so that vectorised readers can use the buffers in place; 8, its minimum, saves space for tiny batches.
   */
  readonly alignment?: 8 | 16 | 32 | 64 | undefined;
  /**
   * Default true: of a dictionary that has grown only the new values are written. False writes it whole, for readers that
   * know no deltas (nanoarrow's C library up to 0.9); a file then cannot hold one that grows.
   */
  readonly dictionaryDeltas?: boolean | undefined;
}

/** A message ready to be written: its metadata as bytes, its body as a plan. */
export interface EncodedMessage {
  readonly kind: 'schema' | 'dictionary' | 'batch';
  /** Prefix, metadata and padding. */
  readonly head: Uint8Array;
  readonly body: readonly Piece[];
  readonly bodyLength: number;
  readonly block: Block;
}

const noBody = { bodyLength: 0, pieces: [] };

/** Turns a schema and its batches into messages; keeps the position in the output, for alignment and for file blocks. */
export class MessageEncoder {
  /** One for all: with the last object of a class a collection takes the code that was compiled for it. */
  static #kept: MessageEncoder | undefined;
  readonly #schema: Schema;
  readonly #alignment: number;
  /** Null when the schema has no dictionaries. */
  readonly #dictionaries: DictionaryWriter | null;
  readonly #codec: Codec | null;
  /** The last schema that a batch came with and that was found equal. */
  #accepted: Schema;
  /** The batch whose dictionaries were written last. */
  #prepared: RecordBatch | null = null;
  #position: number;

  /** `position` is the byte at which the schema message will stand: 0 in a stream, 8 in a file. */
  constructor(schema: Schema, position: number, options: LayoutOptions = {}) {
    const alignment = options.alignment ?? 64;
    if (alignment !== 64 && alignment !== 32 && alignment !== 16 && alignment !== 8) {
      throw new RecurveError('INVALID_ARGUMENT', `alignment ${alignment} is none of 8, 16, 32 and 64 bytes`);
    }
    this.#codec = compressorOf(options);
    this.#schema = schema;
    this.#accepted = schema;
    this.#position = position;
    this.#alignment = alignment;
    this.#dictionaries = schema.fields.some((field) => hasDictionary(field.type))
      ? new DictionaryWriter(schema, { fixed: position > 0, alignment, deltas: options.dictionaryDeltas ?? true })
      : null;
    MessageEncoder.#kept ??= schema.fields.length === 0 ? this : new MessageEncoder(new Schema([]), 0);
  }

  /** The byte at which the next message will stand. */
  get position(): number {
    return this.#position;
  }

  /** `metadata` are the message's own, beside the schema's. */
  schema(metadata: Metadata = Metadata.empty): EncodedMessage {
    const header = schemaSlots(this.#schema);
    return this.#message('schema', headerType.schema, header, noBody, metadata);
  }

  /** The messages of the dictionaries that a batch needs, each with `metadata`. Throws as {@link batch} does. */
  dictionaries(batch: RecordBatch, metadata: Metadata = Metadata.empty): EncodedMessage[] {
    this.#accept(batch);
    if (this.#dictionaries === null) return [];
    const updates = this.#dictionaries.update(batch.columns);
    // Nothing below throws: a batch that is refused leaves no trace.
    const messages = updates.map((update) => this.#dictionary(update, metadata));
    this.#dictionaries.commit(updates);
    this.#prepared = batch;
    return messages;
  }

  /**
   * The messages of one batch: dictionaries that it needs and that {@link dictionaries} has not given, then itself. Throws
   * INVALID_ARGUMENT when it does not fit.
   */
  batch(batch: RecordBatch, metadata: Metadata = batch.metadata): EncodedMessage[] {
    this.#accept(batch);
    const plan = this.#compress(planBody(this.#schema.fields, batch.columns, batch.numRows, this.#alignment));
    const messages = this.#prepared === batch ? [] : this.dictionaries(batch);
    this.#prepared = null;
    messages.push(this.#message('batch', headerType.recordBatch, batchSlots(plan), plan, metadata));
    return messages;
  }

  /** Throws INVALID_ARGUMENT when a batch has another schema. */
  #accept(batch: RecordBatch): void {
    if (batch.schema === this.#accepted) return;
    if (!batch.schema.equals(this.#schema)) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `the batch has another schema than the stream: ${oneLine(batch.schema)} against ${oneLine(this.#schema)}`,
      );
    }
    this.#accepted = batch.schema;
  }

  #compress(plan: BodyPlan): BodyPlan {
    return this.#codec === null ? plan : compressBody(plan, this.#codec, this.#alignment);
  }

  #dictionary({ id, isDelta, plan: plain }: DictionaryUpdate, metadata: Metadata): EncodedMessage {
    const plan = this.#compress(plain);
    const header: TableSlots = [['int64', id], ['table', batchSlots(plan)], isDelta ? ['int8', 1] : null];
    return this.#message(
      'dictionary',
      headerType.dictionaryBatch,
      header,
      plan,
      metadata,
      isDelta ? 8 : this.#alignment,
    );
  }

  #message(
    kind: EncodedMessage['kind'],
    type: number,
    header: TableSlots,
    { bodyLength, pieces }: Pick<BodyPlan, 'bodyLength' | 'pieces'>,
    metadata: Metadata,
    alignment: number = this.#alignment,
  ): EncodedMessage {
    const position = this.#position;
    const head = writeMessage(type, header, { bodyLength, metadata, position, alignment, shared: true });
    this.#position += head.length + bodyLength;
    return {
      kind,
      head,
      body: pieces,
      bodyLength,
      block: { offset: position, metadataLength: head.length, bodyLength },
    };
  }
}

function oneLine(schema: Schema): string {
  return `(${schema.fields.join(', ')})`;
}

/** Writes a message to `target` from byte `at` on; returns the byte after it. */
export function writeMessageInto(message: EncodedMessage, target: Uint8Array, at: number): number {
  const start = at + message.head.length;
  target.set(message.head, at);
  writeBody(message.body, message.bodyLength, target, start);
  return start + message.bodyLength;
}

/** Buffers from this size on are handed out as they are; copying smaller ones together costs less than a chunk does. */
const minBorrowedBytes = 8192;

/**
 * The bytes of a message as chunks. Large buffers are the columns' own, not copies: they must not be changed until the
 * chunks have been written.
 */
export function messageChunks({ head, body, bodyLength }: EncodedMessage): Uint8Array[] {
  const chunks: Uint8Array[] = [];
  let run: Piece[] = [];
  let start = 0;
  let lead: Uint8Array | null = head;
  const flush = (end: number): void => {
    const leadBytes = lead?.length ?? 0;
    if (leadBytes + end - start === 0) return;
    // Offsets are written as 32-bit words: let them lie at multiples of 8 as they do in the body.
    const shift = start % 8;
    const chunk = new Uint8Array(shift + leadBytes + end - start).subarray(shift);
    if (lead !== null) chunk.set(lead);
    for (const piece of run) writePiece(piece, chunk, leadBytes + piece.offset - start);
    chunks.push(chunk);
    lead = null;
    run = [];
  };
  for (const piece of body) {
    const { source } = piece;
    if (source.kind !== 'bytes' || piece.byteLength < minBorrowedBytes) {
      run.push(piece);
      continue;
    }
    flush(piece.offset);
    chunks.push(source.bytes);
    start = piece.offset + piece.byteLength;
  }
  flush(bodyLength);
  return chunks;
}
