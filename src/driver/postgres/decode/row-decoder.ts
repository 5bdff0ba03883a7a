import { RecordBatch } from '../../../arrow/batch.ts';
import type { Schema } from '../../../arrow/schema.ts';
import { RecurveError } from '../../../error.ts';
import type { ColumnDecoder } from './column-decoder.ts';
import { readCopyHeader } from './copy-header.ts';
import { makeDecoder } from './make.ts';
import { type DecodeOptions, readDecodeOptions } from './option.ts';
import { planColumns, schemaOfPlans } from './plan.ts';
import { RowBlock } from './row-block.ts';
import type { PgColumn, PgTypes } from './type.ts';

/** Where a batch ends: at rows or bytes, whichever comes first. The same as `BatchLimit` of `recurve/adbc`. */
export interface RowLimit {
  readonly maxRows: number;
  /** Of Arrow buffers; passed by a single row, and by texts that are longer than their binary form, as a numeric of many zeros. */
  readonly maxBytes: number;
  /** Rows of the first batch. */
  readonly firstRows: number;
}

/** What {@link RowDecoder} is made with. */
export interface RowDecoderOptions extends DecodeOptions {
  /** `rows`: DataRow messages; `copy`: CopyData messages, the first with COPY's header; `file`: bare tuples. */
  readonly framing: 'rows' | 'copy' | 'file';
  readonly limit: RowLimit;
}

/** What a block may make of a byte at most, but for a numeric of very many zeros. */
const maxExpansion = 8;
/** A NULL of 4 bytes becomes up to 32 in a decimal256. */
const addedBytesPerValue = 32;
/** What 32-bit offsets reach. */
const maxColumnBytes = 2 ** 31 - 1;

const messageTypes = { rows: 0x44, copy: 0x64, file: 0 };

/**
 * Turns the rows of one result, as they arrive, into batches. No object is made a row or a field: the fields of a block of
 * rows are found, then each column is decoded by one loop. What is taken may be overwritten afterwards.
 *
 * What is malformed, and a value that Arrow cannot hold, is INVALID_DATA naming column, row (from 0) and byte.
 */
export class RowDecoder {
  readonly schema: Schema;
  readonly #framing: RowDecoderOptions['framing'];
  #limit: RowLimit;
  readonly #decoders: readonly ColumnDecoder[];
  readonly #block: RowBlock;
  /** What a row may become beyond its bytes on the wire, but for texts. */
  readonly #addedBytes: number;
  #numRows = 0;
  #maxRows: number;
  #byteLength = 0;
  #full = false;
  /** Whether COPY's header was read. */
  #begun: boolean;

  constructor(columns: readonly PgColumn[], types: PgTypes, options: RowDecoderOptions) {
    const { framing, limit } = options;
    const plans = planColumns(columns, types, readDecodeOptions(options));
    this.schema = schemaOfPlans(plans);
    this.#framing = framing;
    this.#limit = limit;
    this.#decoders = plans.map((plan) => makeDecoder(plan, plan.field.name));
    this.#block = new RowBlock(
      plans.map(({ field }) => field.name),
      this.#decoders.map(({ width }) => width),
    );
    this.#addedBytes = 1 + plans.length * addedBytesPerValue;
    this.#maxRows = Math.min(limit.firstRows, limit.maxRows);
    for (const decoder of this.#decoders) decoder.begin(this.#maxRows);
    this.#begun = framing !== 'copy';
  }

  /** Whether a batch is due: its rows or bytes are reached, or a column comes near 2 GiB. */
  get full(): boolean {
    return this.#full;
  }

  /** Makes it ready for another result of the same columns; the last batch of the one before must be finished. */
  restart(limit: RowLimit): void {
    this.#limit = limit;
    this.#maxRows = Math.min(limit.firstRows, limit.maxRows);
    for (const decoder of this.#decoders) decoder.begin(this.#maxRows);
    this.#begun = this.#framing !== 'copy';
    this.#block.restart();
  }

  /** In the batch that is being built. */
  get numRows(): number {
    return this.#numRows;
  }

  /** Whether the end of COPY's rows was read. */
  get ended(): boolean {
    return this.#block.ended;
  }

  /** Of a tuple of a file that is not whole: bytes that it has at least. */
  get neededBytes(): number {
    return this.#block.neededBytes;
  }

  /**
   * Takes complete rows, one after the other, from `bytes[start, end)`, until the batch is full; gives the offset of the first
   * byte not taken: of a message that is not whole or of another type. `bytes` holds at most 2 GiB.
   */
  take(bytes: Uint8Array, start: number, end: number): number {
    const block = this.#block;
    const { source } = block;
    source.use(bytes);
    let at = start;
    while (!this.#full && !block.ended) {
      let skip = 0;
      if (!this.#begun) {
        skip = this.#readHeader(at, end);
        if (skip < 0) return at;
        this.#begun = true;
      }
      const left = this.#limit.maxBytes - this.#byteLength;
      // Half of what is left goes to the bytes of the wire, half to what Arrow adds.
      const limit = {
        maxRows: Math.max(1, Math.min(this.#maxRows - this.#numRows, Math.floor(left / 2 / this.#addedBytes))),
        maxBytes: Math.max(1, left / 2),
      };
      const next =
        this.#framing === 'file'
          ? block.takeTuples(at, end, limit)
          : block.takeMessages(messageTypes[this.#framing], at, end, limit, skip);
      if (source.rowCount > 0) {
        if (source.rowCount === 1 && this.#numRows > 0 && next - at + this.#addedBytes > left) {
          block.ended = false;
          this.#full = true;
          return at;
        }
        if (this.#byteLength + (next - at) * maxExpansion > maxColumnBytes && this.#numRows > 0) {
          block.ended = false;
          this.#full = true;
          return at;
        }
        this.#append();
      } else if (next === at) {
        return at;
      }
      at = next;
    }
    return at;
  }

  /** The batch so far; begins the next. Undefined when there are no rows. */
  finish(): RecordBatch | undefined {
    const numRows = this.#numRows;
    this.#full = false;
    if (numRows === 0) return undefined;
    const columns = this.#decoders.map((decoder) => decoder.finish());
    const { maxRows, maxBytes } = this.#limit;
    const rowsOfBytes = Math.ceil((maxBytes * numRows) / Math.max(1, this.#byteLength));
    this.#numRows = 0;
    this.#byteLength = 0;
    this.#maxRows = maxRows;
    const expected = Math.min(maxRows, rowsOfBytes + this.#block.capacity);
    for (const decoder of this.#decoders) decoder.begin(expected);
    return new RecordBatch(this.schema, columns, numRows);
  }

  #append(): void {
    const { source, places, nullCounts, capacity } = this.#block;
    const decoders = this.#decoders;
    const count = source.rowCount;
    let byteLength = 0;
    for (let c = 0; c < decoders.length; c++) {
      const decoder = decoders[c];
      if (decoder === undefined) break;
      decoder.append(source, places, c * capacity, count, nullCounts[c] ?? 0);
      byteLength += decoder.byteLength;
    }
    source.firstRow += count;
    this.#numRows += count;
    this.#byteLength = byteLength;
    this.#full = this.#numRows >= this.#maxRows || byteLength >= this.#limit.maxBytes;
  }

  /**
   * Bytes of COPY's header in the body of the first CopyData, which may also hold the first row or the end. Negative: the
   * message is not all there.
   */
  #readHeader(at: number, end: number): number {
    const { view, bytes } = this.#block.source;
    if (end - at < 5 || view.getUint8(at) !== messageTypes.copy) return -1;
    const next = at + 1 + view.getUint32(at + 1);
    if (next > end) return -1;
    const headerEnd = readCopyHeader(bytes, at + 5, next);
    if (headerEnd < 0) {
      throw new RecurveError('INVALID_DATA', `COPY began with ${next - at - 5} bytes, its header is longer`);
    }
    return headerEnd - at - 5;
  }
}
