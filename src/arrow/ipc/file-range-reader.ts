import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import type { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import type { Table } from '../table.ts';
import { raceAbort } from './abort.ts';
import { type ByteRange, type FetchedRange, findRange, mergeRanges, SparseBody } from './byte-range.ts';
import type { MessageDecoder } from './decoder.ts';
import { hasDictionary } from './dictionary.ts';
import { FileBatches } from './file-batches.ts';
import {
  type Block,
  checkHeader,
  endsWithMagic,
  type Footer,
  fileHeaderBytes,
  fileTrailerBytes,
  locateFooter,
  readFooter,
} from './footer.ts';
import { loadCodecOf } from './load-codec.ts';
import { type FramedMessage, headerType, type Message, MessageCursor } from './message.ts';
import { guessRanges, selectRanges } from './projection.ts';
import { readBatchHeader } from './record-batch.ts';
import type { StreamReadOptions } from './stream-reader.ts';

/** Bytes that can be read anywhere, such as a file on a disk or behind HTTP range requests. */
export interface ByteRangeSource {
  /** Bytes there are, below 2^53. */
  readonly size: number;
  /** The last of them, when they are at hand: what lies in them is not read again. */
  readonly tail?: Uint8Array | undefined;
  /**
   * Exactly `length` bytes from `offset` on; may be called again before it has answered. `signal`, where the reader has
   * one, says that nobody waits for them any more.
   */
  read(offset: number, length: number, signal?: AbortSignal): Promise<Uint8Array>;
}

/** What is asked for in one request at the end of a file: enough for the footer of some 1,000 batches, and all of a small file. */
export const tailBytes: number = 64 * 1024;

/** Bodies up to this size come along with their metadata, whatever is selected: cheaper than a request more. */
const maxEagerBytes = 64 * 1024;

/** Gaps up to this size are read with what is around them. */
const maxGapBytes = 8 * 1024;

/** Longest request but for one buffer that is longer: several come in side by side, and none fills the memory twice. */
const maxRequestBytes = 64 * 1024 * 1024;

/**
 * Reads an IPC file of any size by ranges: the footer first, then only what is asked for. Opening takes one request (two
 * when the footer has over 64 KiB), a batch one. Of a large batch of which columns are selected come first its metadata,
 * then each run of buffers that lie close to each other, side by side; both at once where all columns of the file are of a
 * fixed width. Dictionaries come along with the first batch, without those of columns that are not selected.
 */
export class FileRangeReader implements AsyncIterable<RecordBatch> {
  readonly #source: ByteRangeSource;
  readonly #signal: AbortSignal | undefined;
  readonly #index: FileBatches;
  readonly #tail: FetchedRange;
  #dictionaries: Promise<unknown> | undefined;

  private constructor(source: ByteRangeSource, footer: Footer, tail: FetchedRange, options: StreamReadOptions) {
    this.#source = source;
    this.#signal = options.signal;
    this.#tail = tail;
    this.#index = new FileBatches(footer, options);
  }

  /**
   * Reads the footer. Throws INVALID_DATA for what is no whole file. Once the signal of `options` fires, this and every
   * later call throws CANCELLED, or TIMEOUT for a time-out's signal.
   */
  static async open(source: ByteRangeSource, options: StreamReadOptions = {}): Promise<FileRangeReader> {
    const { signal } = options;
    const { size } = source;
    const tailLength = Math.min(size, tailBytes);
    const tail = source.tail ?? (await readRange(source, size - tailLength, tailLength, signal));
    if (!endsWithMagic(tail)) checkHeader(await readRange(source, 0, Math.min(size, fileHeaderBytes), signal));
    const start = locateFooter(tail, size);
    const fetched = { offset: size - tail.length, bytes: tail };
    const length = size - fileTrailerBytes - start;
    const footer = findRange([fetched], start, length) ?? (await readRange(source, start, length, signal));
    return new FileRangeReader(source, readFooter(footer, start), fetched, options);
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
  async batch(index: number): Promise<RecordBatch> {
    const block = this.#index.block(index);
    const wanted = { block, place: `record batch ${index}`, whole: this.#selectsAll, guess: true };
    if (this.#dictionaries !== undefined) {
      await this.#dictionaries;
      const [framed] = await this.#load([wanted]);
      return this.#index.decode(framed ?? null, index);
    }
    const dictionaries = this.#dictionaryBlocks();
    const messages = this.#load([...dictionaries, wanted]);
    this.#dictionaries = messages.then(
      (framed) => {
        dictionaries.forEach((_, i) => {
          this.#index.addDictionary(framed[i] ?? null, i);
        });
        this.#index.finishDictionaries();
      },
      (error: unknown) => {
        // What could not be fetched now may be fetched later.
        this.#dictionaries = undefined;
        throw error;
      },
    );
    await this.#dictionaries;
    return this.#index.decode((await messages).at(-1) ?? null, index);
  }

  /** All batches, as a table. */
  async table(): Promise<Table> {
    const batches: RecordBatch[] = [];
    for await (const batch of this) batches.push(batch);
    return this.#index.decoder.table(batches);
  }

  async *[Symbol.asyncIterator](): AsyncIterator<RecordBatch> {
    for (let i = 0; i < this.batchCount; i++) yield await this.batch(i);
  }

  get #selectsAll(): boolean {
    return this.schema === this.#index.footer.schema;
  }

  /** The blocks of the dictionaries; none when no column that is selected needs one. */
  #dictionaryBlocks(): Wanted[] {
    const { schema, footer } = this.#index;
    const blocks = schema.fields.some(({ type }) => hasDictionary(type)) ? footer.dictionaries : [];
    return blocks.map((block, i) => ({ block, place: `dictionary ${i}`, whole: this.#selectsAll, guess: false }));
  }

  /** The messages of some blocks: all metadata and small bodies at once, then those parts of large bodies that are needed. */
  async #load(wanted: readonly Wanted[]): Promise<(FramedMessage | null)[]> {
    const first = await this.#fetch(
      wanted.flatMap(({ block, guess, whole }) => {
        const { offset, metadataLength, bodyLength } = block;
        const isEager = whole || bodyLength <= maxEagerBytes;
        const head = { offset, length: metadataLength + (isEager ? bodyLength : 0) };
        const bodyStart = offset + metadataLength;
        const guessed = isEager || !guess ? [] : guessRanges(this.#index.decoder.projection, bodyLength);
        return [head, ...guessed.map((range) => ({ offset: bodyStart + range.offset, length: range.length }))];
      }),
    );
    const heads = wanted.map((block) => readHead(first, block));
    const rest: ByteRange[] = [];
    for (const head of heads) {
      if (head === null || findRange(first, head.bodyStart, head.message.bodyLength) !== undefined) continue;
      for (const { offset, length } of neededRanges(this.#index.decoder, head.message)) {
        const range = { offset: head.bodyStart + offset, length };
        if (findRange(first, range.offset, length) === undefined) rest.push(range);
      }
    }
    const fetched = [...first, ...(await this.#fetch(rest))];
    for (const head of heads) if (head !== null) await loadCodecOf(head.message, this.#index.decoder);
    return heads.map((head) => {
      if (head === null) return null;
      const { message, bodyStart } = head;
      const body = findRange(fetched, bodyStart, message.bodyLength);
      return { message, body: body ?? new SparseBody(bodyStart, message.bodyLength, fetched) };
    });
  }

  async #fetch(ranges: readonly ByteRange[]): Promise<FetchedRange[]> {
    const missing = ranges.filter(({ offset, length }) => findRange([this.#tail], offset, length) === undefined);
    const fetched = mergeRanges(missing, maxGapBytes, maxRequestBytes).map(async ({ offset, length }) => ({
      offset,
      bytes: await readRange(this.#source, offset, length, this.#signal),
    }));
    return [this.#tail, ...(await Promise.all(fetched))];
  }
}

/** A block to be read. */
interface Wanted {
  readonly block: Block;
  /** For errors. */
  readonly place: string;
  /** Whether all of its body is needed. */
  readonly whole: boolean;
  /** Whether it is a batch, parts of whose body may be asked for before its metadata are known. */
  readonly guess: boolean;
}

/** The parts of a message's body that are needed. */
function neededRanges(decoder: MessageDecoder, message: Message): ByteRange[] {
  const { flatbuffer, header, bodyLength } = message;
  switch (message.headerType) {
    case headerType.recordBatch:
      return selectRanges(decoder.projection, message, readBatchHeader(flatbuffer, header));
    case headerType.dictionaryBatch:
      return decoder.needsDictionary(message) ? [{ offset: 0, length: bodyLength }] : [];
    default:
      return [];
  }
}

/** The metadata of a block's message and where its body starts; null when there is none. */
function readHead(
  fetched: readonly FetchedRange[],
  { block, place }: Wanted,
): { message: Message; bodyStart: number } | null {
  const { offset, metadataLength, bodyLength } = block;
  const bytes = findRange(fetched, offset, metadataLength + bodyLength) ?? findRange(fetched, offset, metadataLength);
  const cursor = new MessageCursor(bytes ?? new Uint8Array(0), 0, place);
  const message = cursor.head();
  if (message !== null && message.bodyLength > bodyLength) {
    message.flatbuffer.fail(`the body has ${message.bodyLength} bytes, by the footer ${bodyLength}`);
  }
  return message && { message, bodyStart: offset + cursor.position };
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
