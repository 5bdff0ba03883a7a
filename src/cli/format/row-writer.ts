import type { RecordBatch } from '../../arrow/batch.ts';
import type { Sink } from '../io.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { ResultWriter } from './result-writer.ts';

/** Writes one row of a batch. */
export type WriteRow = (out: ByteBuffer, row: number) => void;

/** A text format that goes row by row. */
export interface RowFormat {
  /** What stands before the first row. */
  begin(out: ByteBuffer): void;
  /** The writer of this batch's rows, which come in order. */
  rows(batch: RecordBatch): WriteRow;
  /** What stands after the last row. */
  end(out: ByteBuffer): void;
}

/** Bytes that are collected before they go out. A pipe holds 64 KiB; more saves calls and costs little memory. */
const pieceBytes = 256 * 1024;

/** Writes rows in large pieces and waits for the sink after each. */
export class RowWriter implements ResultWriter {
  readonly #sink: Sink;
  readonly #format: RowFormat;
  readonly #out: ByteBuffer;

  constructor(sink: Sink, format: RowFormat) {
    this.#sink = sink;
    this.#format = format;
    this.#out = new ByteBuffer(pieceBytes + pieceBytes / 4);
    format.begin(this.#out);
  }

  async write(batch: RecordBatch): Promise<void> {
    const out = this.#out;
    const writeRow = this.#format.rows(batch);
    for (let row = 0; row < batch.numRows; ) {
      while (row < batch.numRows && out.length < pieceBytes) writeRow(out, row++);
      if (out.length >= pieceBytes) await this.#sink.write(out.take());
    }
    // What is there is shown at the end of a batch: the next one may take its time.
    if (out.length > 0) await this.#sink.write(out.take());
  }

  async end(): Promise<void> {
    this.#format.end(this.#out);
    if (this.#out.length > 0) await this.#sink.write(this.#out.take());
  }
}
