import { RecordBatch } from '../../../arrow/batch.ts';
import type { Schema } from '../../../arrow/schema.ts';
import { batchByteLength } from '../../../delivery/batch-size.ts';
import { RecurveError } from '../../../error.ts';
import type { ColumnDecoder } from './column-decoder.ts';
import { readCopyHeader } from './copy-header.ts';
import { makeDecoder } from './make.ts';
import { type DecodeOptions, readDecodeOptions } from './option.ts';
import { planColumns, schemaOfPlans } from './plan.ts';
import { maxBlockBytes, RowBlock } from './row-block.ts';
import type { PgColumn, PgTypes } from './type.ts';

/** Where a batch ends: at rows or bytes, whichever comes first. The same as `BatchLimit` of `recurve/adbc`. */
export interface RowLimit {
  readonly maxRows: number;
  /** Of Arrow buffers; a single row may be larger. */
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
/** Rows that memory is made for, before it grows, in the first batch. */
const firstExpectedRows = 16;
/**
 * How many of the rows of the batch before it a batch is expected to hold at most: most results end soon after the first, and
 * memory for a whole one costs more than copying a longer one's.
 */
const maxGrowth = 4;
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
  #numRows = 0;
  #maxRows: number;
  #byteLength = 0;
  #full = false;
  /** The batch, where it was made to see how many rows fit. */
  #ready: RecordBatch | undefined;
  /** Of a block at most. */
  #blockRows: number;
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
    this.#maxRows = Math.min(limit.firstRows, limit.maxRows);
    for (const decoder of this.#decoders) decoder.begin(Math.min(this.#maxRows, firstExpectedRows));
    this.#blockRows = this.#block.maxCapacity;
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
    this.#blockRows = this.#block.maxCapacity;
    for (const decoder of this.#decoders) decoder.begin(Math.min(this.#maxRows, firstExpectedRows));
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
      const maxRows = Math.min(this.#maxRows - this.#numRows, this.#blockRows);
      const next =
        this.#framing === 'file'
          ? block.takeTuples(at, end, maxRows)
          : block.takeMessages(messageTypes[this.#framing], at, end, maxRows, skip);
      if (source.rowCount === 0) {
        if (next === at) return at;
        at = next;
        continue;
      }
      if (this.#numRows > 0 && this.#isTooLong(next - at)) {
        block.ended = false;
        this.#full = true;
        return at;
      }
      const taken = this.#append();
      if (taken < 0) {
        at = next;
      } else {
        block.ended = false;
        return taken;
      }
    }
    return at;
  }

  /** Whether a block of so many bytes goes to the next batch: a column might pass 2 GiB, or it is a long row that does not fit. */
  #isTooLong(byteLength: number): boolean {
    const left = this.#limit.maxBytes - this.#byteLength;
    const isLongRow = byteLength > maxBlockBytes && byteLength > left;
    return isLongRow || this.#byteLength + byteLength * maxExpansion > maxColumnBytes;
  }

  /** The batch so far; begins the next. Undefined when there are no rows. */
  finish(): RecordBatch | undefined {
    if (this.#numRows === 0) return undefined;
    const batch = this.#ready ?? this.#build();
    const { maxRows, maxBytes } = this.#limit;
    // Batches of few rows: no block of many, most of which would be decoded in vain.
    this.#blockRows = this.#ready === undefined ? this.#block.maxCapacity : 2 * batch.numRows;
    const rowsOfBytes = Math.ceil((maxBytes * batch.numRows) / Math.max(1, this.#byteLength));
    this.#ready = undefined;
    this.#full = false;
    this.#numRows = 0;
    this.#byteLength = 0;
    this.#maxRows = maxRows;
    const expected = Math.min(maxRows, maxGrowth * batch.numRows, rowsOfBytes + this.#block.maxCapacity);
    for (const decoder of this.#decoders) decoder.begin(expected);
    return batch;
  }

  /**
   * Decodes the block. Where that passes the limit of bytes, only rows up to it stay in the batch, one at least; gives the
   * offset of the first that does not, else −1.
   */
  #append(): number {
    const { source, places, nullCounts, capacity } = this.#block;
    const { maxBytes } = this.#limit;
    const decoders = this.#decoders;
    const count = source.rowCount;
    const before = this.#numRows;
    let byteLength = 0;
    for (let c = 0; c < decoders.length; c++) {
      const decoder = decoders[c];
      if (decoder === undefined) break;
      decoder.append(source, places, c * capacity, count, nullCounts[c] ?? 0);
      byteLength += decoder.byteLength;
    }
    this.#numRows = before + count;
    this.#byteLength = byteLength;
    this.#full = this.#numRows >= this.#maxRows || byteLength >= maxBytes;
    let kept = count;
    if (byteLength > maxBytes && this.#numRows > 1) {
      // What was decoded too much is decoded again, for the next batch: a part of a block.
      const batch = this.#build();
      this.#numRows = fittingRows(batch, before, maxBytes);
      this.#ready = batch.slice(0, this.#numRows);
      kept = this.#numRows - before;
    }
    source.firstRow += kept;
    return kept === count ? -1 : (source.starts[kept] ?? -1);
  }

  #build(): RecordBatch {
    const columns = this.#decoders.map((decoder) => decoder.finish());
    return new RecordBatch(this.schema, columns, this.#numRows);
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

/** The most rows of a batch, at least `least` and one, that take no more than `maxBytes`. */
function fittingRows(batch: RecordBatch, least: number, maxBytes: number): number {
  let low = Math.max(1, least);
  let high = batch.numRows;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (batchByteLength(batch.slice(0, middle)) <= maxBytes) low = middle;
    else high = middle - 1;
  }
  return low;
}
