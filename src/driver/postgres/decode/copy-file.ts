import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Schema } from '../../../arrow/schema.ts';
import { Table } from '../../../arrow/table.ts';
import { RecurveError } from '../../../error.ts';
import { type PgColumnInput, readColumns } from './column-input.ts';
import { readCopyHeader } from './copy-header.ts';
import type { DecodeOptions } from './option.ts';
import { RowDecoder, type RowLimit } from './row-decoder.ts';
import type { PgType } from './type.ts';

/** What {@link pgBinaryToArrow} reads: a whole file, or pieces of one, cut anywhere. */
export type PgBinarySource = Uint8Array | Iterable<Uint8Array> | AsyncIterable<Uint8Array> | ReadableStream<Uint8Array>;

/** Options of {@link pgBinaryToArrow}. */
export interface PgBinaryOptions extends DecodeOptions {
  /** Types that are not built in, by which columns may be named: enums, domains, composites, types of extensions. */
  readonly types?: readonly PgType[];
  /** Where a batch ends. Default: 65,536 rows or 8 MiB. */
  readonly batch?: { readonly maxRows?: number; readonly maxBytes?: number };
}

/** What COPY wrote, as Arrow: its schema at once, its batches as they are asked for, once. */
export interface PgBinaryReader extends AsyncIterable<RecordBatch> {
  readonly schema: Schema;
  /** All batches. */
  table(): Promise<Table>;
}

/** What the decoder takes at once. */
const maxWindowBytes = 2 ** 31 - 1;

/**
 * Reads a file of `COPY … TO … (FORMAT binary)` as Arrow. The file does not say what its columns are: `columns` gives each a
 * name and a type, as SQL writes it (`numeric(12,2)`, `text[]`) or as OID and typmod; or it is an Arrow schema, whose fields
 * say it by their `POSTGRESQL:type` or else by their types. Node is not needed.
 *
 * Throws INVALID_ARGUMENT for columns that cannot be, INVALID_DATA for a file that is none, that ends early (with the byte)
 * or whose values are not what the columns say, NOT_IMPLEMENTED for one with OIDs.
 */
export function pgBinaryToArrow(
  source: PgBinarySource,
  columns: readonly PgColumnInput[] | Schema,
  options: PgBinaryOptions = {},
): PgBinaryReader {
  const { types, columns: known } = readColumns(columns, options.types ?? []);
  const { maxRows = 65_536, maxBytes = 8 * 2 ** 20 } = options.batch ?? {};
  const limit: RowLimit = { maxRows, maxBytes, firstRows: maxRows };
  const decoder = new RowDecoder(known, types, { ...options, framing: 'file', limit });
  return new CopyFileReader(source, decoder);
}

class CopyFileReader implements PgBinaryReader {
  readonly schema: Schema;
  readonly #source: PgBinarySource;
  readonly #decoder: RowDecoder;
  /** Bytes before `#bytes`. */
  #position = 0;
  #headerRead = false;
  #started = false;
  #bytes: Uint8Array = new Uint8Array(0);
  /** Whether `#bytes` is memory of our own, with room behind `#end`. */
  #owned = false;
  /** What of `#bytes` is in use. */
  #start = 0;
  #end = 0;

  constructor(source: PgBinarySource, decoder: RowDecoder) {
    this.schema = decoder.schema;
    this.#source = source;
    this.#decoder = decoder;
  }

  async table(): Promise<Table> {
    const batches: RecordBatch[] = [];
    for await (const batch of this) batches.push(batch);
    return new Table(this.schema, batches);
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RecordBatch, void, undefined> {
    if (this.#started) throw new RecurveError('INVALID_STATE', 'the file is being read already');
    this.#started = true;
    for await (const piece of piecesOf(this.#source)) {
      this.#add(piece);
      yield* this.#decode();
    }
    if (!this.#decoder.ended) throw this.#cutOff();
    if (this.#end > this.#start) {
      const at = this.#position + this.#start;
      throw new RecurveError('INVALID_DATA', `bytes behind the end of COPY, from byte ${at} on`);
    }
    const last = this.#decoder.finish();
    if (last !== undefined) yield last;
  }

  *#decode(): Generator<RecordBatch, void, undefined> {
    const decoder = this.#decoder;
    if (!this.#headerRead) {
      const headerEnd = readCopyHeader(this.#bytes, this.#start, this.#end);
      if (headerEnd < 0) return;
      this.#start = headerEnd;
      this.#headerRead = true;
    }
    while (!decoder.ended) {
      const next = this.#take();
      if (decoder.full) {
        const batch = decoder.finish();
        if (batch !== undefined) yield batch;
      } else if (next === this.#start) {
        return;
      }
      this.#start = next;
    }
  }

  /** Gives what there is to the decoder, whose positions are of 31 bits. */
  #take(): number {
    const [bytes, start, end] = [this.#bytes, this.#start, this.#end];
    if (bytes.length <= maxWindowBytes) return this.#decoder.take(bytes, start, end);
    const window = bytes.subarray(start, Math.min(end, start + maxWindowBytes));
    return start + this.#decoder.take(window, 0, window.length);
  }

  /** Puts a piece behind what is left of those before. */
  #add(piece: Uint8Array): void {
    const left = this.#end - this.#start;
    if (left === 0) {
      this.#position += this.#end;
      this.#bytes = piece;
      this.#start = 0;
      this.#end = piece.length;
      this.#owned = false;
      return;
    }
    if (!this.#owned || this.#bytes.length - this.#end < piece.length) {
      // Room for as much again: a long row comes in many pieces.
      const bytes = new Uint8Array(2 * left + piece.length);
      bytes.set(this.#bytes.subarray(this.#start, this.#end));
      this.#position += this.#start;
      this.#bytes = bytes;
      this.#start = 0;
      this.#end = left;
      this.#owned = true;
    }
    this.#bytes.set(piece, this.#end);
    this.#end += piece.length;
  }

  #cutOff(): RecurveError {
    const at = this.#position + this.#end;
    return new RecurveError('INVALID_DATA', `the file is cut off at byte ${at}: the end of COPY is missing`, {
      hint: 'was it copied whole?',
    });
  }
}

async function* piecesOf(source: PgBinarySource): AsyncGenerator<Uint8Array, void, undefined> {
  if (source instanceof Uint8Array) {
    yield source;
  } else if (Symbol.iterator in source || Symbol.asyncIterator in source) {
    yield* source;
  } else {
    yield* readStream(source);
  }
}

/** Of a browser whose streams are not iterable. */
async function* readStream(stream: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array, void, undefined> {
  const reader = stream.getReader();
  let done = false;
  try {
    for (;;) {
      const read = await reader.read();
      if (read.done) {
        done = true;
        return;
      }
      yield read.value;
    }
  } finally {
    if (!done) await reader.cancel();
    reader.releaseLock();
  }
}
