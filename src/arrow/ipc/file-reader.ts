import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import type { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { Table } from '../table.ts';
import { raceAbort } from './abort.ts';
import type { DecompressOptions } from './compression.ts';
import { MessageDecoder } from './decoder.ts';
import {
  type Block,
  type Footer,
  fileHeaderBytes,
  fileTrailerBytes,
  locateFooter,
  readFooter,
  startsWithMagic,
} from './footer.ts';
import { loadCodecOf } from './load-codec.ts';
import { describeHeader, type FramedMessage, headerType, MessageCursor } from './message.ts';
import type { StreamReadOptions } from './stream-reader.ts';

/** Reads an IPC file that is in memory: any batch, in any order, in place. */
export class FileReader implements Iterable<RecordBatch> {
  readonly #bytes: Uint8Array;
  readonly #index: FileBatches;

  private constructor(bytes: Uint8Array, footer: Footer, options: DecompressOptions) {
    this.#bytes = bytes;
    this.#index = new FileBatches(footer, options);
    footer.dictionaries.forEach((block, i) => {
      this.#index.addDictionary(this.#read(block), block, i);
    });
    this.#index.finishDictionaries();
  }

  /**
   * Reads the footer and the dictionaries' metadata. The bytes must not be changed afterwards: columns are views of them. Throws INVALID_DATA for what is
   * no whole file.
   */
  static open(input: Uint8Array | ArrayBuffer, options: DecompressOptions = {}): FileReader {
    const bytes =
      input instanceof ArrayBuffer
        ? new Uint8Array(input)
        : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    checkHeader(bytes);
    const start = locateFooter(bytes.subarray(-fileTrailerBytes), bytes.length);
    return new FileReader(bytes, readFooter(bytes.subarray(start, bytes.length - fileTrailerBytes), start), options);
  }

  get schema(): Schema {
    return this.#index.schema;
  }

  /** The footer's `custom_metadata`. */
  get metadata(): Metadata {
    return this.#index.footer.metadata;
  }

  get batchCount(): number {
    return this.#index.footer.batches.length;
  }

  /** Batch `index`, from 0 on. Throws NOT_FOUND for one that is not there. */
  batch(index: number): RecordBatch {
    const block = this.#index.block(index);
    return this.#index.decode(this.#read(block), block, index);
  }

  table(): Table {
    return new Table(this.schema, [...this]);
  }

  *[Symbol.iterator](): Iterator<RecordBatch> {
    for (let i = 0; i < this.batchCount; i++) yield this.batch(i);
  }

  #read({ offset, metadataLength, bodyLength }: Block): Uint8Array {
    return this.#bytes.subarray(offset, offset + metadataLength + bodyLength);
  }
}

/** Bytes that can be read anywhere, such as a file on a disk or behind HTTP range requests. */
export interface ByteRangeSource {
  /** Bytes there are. */
  readonly size: number;
  /** Exactly `length` bytes from `offset` on. `signal`, where the reader has one, says that nobody waits for them any more. */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** Reads an IPC file of any size by ranges: the footer first, then only the batches that are asked for. */
export class FileRangeReader implements AsyncIterable<RecordBatch> {
  readonly #source: ByteRangeSource;
  readonly #signal: AbortSignal | undefined;
  readonly #index: FileBatches;
  #dictionaries: Promise<void> | undefined;

  private constructor(source: ByteRangeSource, footer: Footer, options: StreamReadOptions) {
    this.#source = source;
    this.#signal = options.signal;
    this.#index = new FileBatches(footer, options);
  }

  /**
   * Reads header and footer, in two or three requests. Throws INVALID_DATA for what is no whole file. Once the signal of
   * `options` fires, this and every later call throws CANCELLED, or TIMEOUT for a time-out's signal.
   */
  static async open(source: ByteRangeSource, options: StreamReadOptions = {}): Promise<FileRangeReader> {
    const { signal } = options;
    const tailBytes = Math.min(source.size, 64 * 1024);
    const [head, tail] = await Promise.all([
      readRange(source, 0, Math.min(source.size, fileHeaderBytes), signal),
      readRange(source, source.size - tailBytes, tailBytes, signal),
    ]);
    checkHeader(head);
    const start = locateFooter(tail, source.size);
    const tailStart = source.size - tailBytes;
    const length = source.size - fileTrailerBytes - start;
    const footer =
      start >= tailStart
        ? tail.subarray(start - tailStart, start - tailStart + length)
        : await readRange(source, start, length, signal);
    return new FileRangeReader(source, readFooter(footer, start), options);
  }

  get schema(): Schema {
    return this.#index.schema;
  }

  /** The footer's `custom_metadata`. */
  get metadata(): Metadata {
    return this.#index.footer.metadata;
  }

  get batchCount(): number {
    return this.#index.footer.batches.length;
  }

  /** Batch `index`, from 0 on, in one request once the dictionaries are in. Throws NOT_FOUND for one that is not there. */
  async batch(index: number): Promise<RecordBatch> {
    const block = this.#index.block(index);
    this.#dictionaries ??= this.#readDictionaries();
    await this.#dictionaries;
    const bytes = await this.#read(block);
    await loadCodecOfBlock(bytes, this.#index.decoder);
    return this.#index.decode(bytes, block, index);
  }

  async table(): Promise<Table> {
    const batches: RecordBatch[] = [];
    for await (const batch of this) batches.push(batch);
    return new Table(this.schema, batches);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<RecordBatch> {
    for (let i = 0; i < this.batchCount; i++) yield await this.batch(i);
  }

  async #readDictionaries(): Promise<void> {
    const { dictionaries } = this.#index.footer;
    for (const [i, block] of dictionaries.entries()) {
      const bytes = await this.#read(block);
      await loadCodecOfBlock(bytes, this.#index.decoder);
      this.#index.addDictionary(bytes, block, i);
    }
    this.#index.finishDictionaries();
  }

  #read({ offset, metadataLength, bodyLength }: Block): Promise<Uint8Array> {
    return readRange(this.#source, offset, metadataLength + bodyLength, this.#signal);
  }
}

/** Decodes the blocks of a footer once their bytes are there. */
class FileBatches {
  readonly footer: Footer;
  readonly schema: Schema;
  readonly decoder: MessageDecoder;

  constructor(footer: Footer, options: DecompressOptions) {
    this.footer = footer;
    this.schema = footer.schema;
    this.decoder = new MessageDecoder(footer.schema, 'footer', true, options);
  }

  block(index: number): Block {
    const { batches } = this.footer;
    const block = batches[index];
    if (block === undefined) throw new RecurveError('NOT_FOUND', `no batch ${index} in a file of ${batches.length}`);
    return block;
  }

  /** To be called for all dictionaries, in footer order, in which deltas apply, before the first batch. */
  addDictionary(bytes: Uint8Array, block: Block, index: number): void {
    const { message, body } = readBlock(bytes, block, `dictionary ${index}`, headerType.dictionaryBatch);
    this.decoder.decode(message, body);
  }

  finishDictionaries(): void {
    this.decoder.finish();
  }

  decode(bytes: Uint8Array, block: Block, index: number): RecordBatch {
    const { message, body } = readBlock(bytes, block, `record batch ${index}`, headerType.recordBatch);
    return this.decoder.decode(message, body) as RecordBatch;
  }
}

async function loadCodecOfBlock(bytes: Uint8Array, decoder: MessageDecoder): Promise<void> {
  const framed = new MessageCursor(bytes).next();
  if (framed !== null) await loadCodecOf(framed.message, decoder);
}

/** The message of a block: of the type that the footer says, and as long. */
function readBlock(bytes: Uint8Array, block: Block, place: string, type: number): FramedMessage {
  const framed = new MessageCursor(bytes, 0, place).next();
  if (framed === null) throw new RecurveError('INVALID_DATA', `${place}: there is no message at byte ${block.offset}`);
  const { message } = framed;
  if (message.headerType !== type) message.flatbuffer.fail(`the footer's block leads to a ${describeHeader(message)}`);
  if (message.bodyLength !== block.bodyLength) {
    message.flatbuffer.fail(`the body has ${message.bodyLength} bytes, by the footer ${block.bodyLength}`);
  }
  return framed;
}

async function readRange(
  source: ByteRangeSource,
  offset: number,
  length: number,
  signal: AbortSignal | undefined,
): Promise<Uint8Array> {
  const bytes = await raceAbort(source.read(offset, length, signal), signal);
  if (bytes.length !== length) {
    throw new RecurveError(
      'INVALID_DATA',
      `the source gave ${bytes.length} bytes instead of ${length} at byte ${offset}: has it changed?`,
    );
  }
  return new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

function checkHeader(bytes: Uint8Array): void {
  if (startsWithMagic(bytes)) return;
  throw new RecurveError('INVALID_DATA', 'this is no Arrow file: it does not begin with the magic ARROW1', {
    hint: 'a stream has no magic: read it with StreamReader, or either with tableFromIPC',
  });
}
