import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Schema } from '../../../arrow/schema.ts';
import { typeToString } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import { ValueFault } from './fault.ts';
import type { FieldWriter } from './field-writer.ts';
import { makeWriter } from './make.ts';
import { Output } from './output.ts';
import type { TargetType } from './target.ts';

/** Rows that are written at once, column by column: their tuples mostly fit the processor's cache. */
const blockRows = 1024;
/** Bytes of a block that is cut smaller where rows are wide. */
const blockBytes = 128 * 1024;
/** PostgreSQL's longest value, in bytes. */
const maxFieldBytes = 0x3fff_ffff;

/** What COPY's binary form begins with: its signature, no flags, no extension (the manual, "COPY", "Binary Format"). */
export const copyHeader: Uint8Array = Uint8Array.of(80, 71, 67, 79, 80, 89, 10, 255, 13, 10, 0, 0, 0, 0, 0, 0, 0, 0, 0);
/** What it ends with: a tuple of −1 fields. */
export const copyTrailer: Uint8Array = Uint8Array.of(255, 255);

/**
 * Batches as tuples of COPY's binary form, for columns of given PostgreSQL types. Throws INVALID_ARGUMENT, naming the column and
 * both types, where a type does not take the other.
 */
export class TupleEncoder {
  readonly #schema: Schema;
  readonly #writers: readonly FieldWriter[];
  #rows = 0;
  #done = 0;
  #rowsBefore = 0;
  /** Rows to try next. */
  #step = blockRows;
  readonly #block = new Int32Array(blockRows);
  readonly #sizes = new Float64Array(blockRows);
  readonly #positions = new Int32Array(blockRows);

  constructor(schema: Schema, targets: readonly TargetType[]) {
    this.#schema = schema;
    this.#writers = schema.fields.map((field, i) => {
      const target = targets[i];
      const writer = target && makeWriter(field, target);
      if (writer !== undefined) return writer;
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `column ${JSON.stringify(field.name)} is ${typeToString(field.type)}, which ${target?.text} does not take`,
      );
    });
  }

  /** Rows of all batches so far that are encoded. */
  get rowCount(): number {
    return this.#rowsBefore + this.#done;
  }

  /** Whether all rows of the batch are encoded. */
  get isDone(): boolean {
    return this.#done === this.#rows;
  }

  /** Takes the next batch, of the encoder's schema. The one before must be done. */
  start(batch: RecordBatch): void {
    this.#rowsBefore += this.#done;
    this.#done = 0;
    this.#rows = batch.numRows;
    for (const [i, writer] of this.#writers.entries()) {
      const column = batch.columns[i];
      if (column !== undefined) writer.bind(column);
    }
  }

  /**
   * Writes as many whole tuples as fit behind `at` and gives where they end: `at` itself where the next one does not fit, or the
   * batch is done. Throws INVALID_DATA, naming column and row, for a value that its type cannot hold.
   */
  fill(out: Output, at: number): number {
    let end = at;
    while (this.#done < this.#rows) {
      const count = this.#measure();
      const fitting = this.#place(out, end, count);
      if (fitting === 0) return end;
      end = this.#write(out, fitting);
      if (fitting < count) return end;
    }
    return end;
  }

  /**
   * The next tuple, for one that fits no output: its bytes in several parts, long values as they lie in the column. Throws
   * INVALID_DATA for a value of more than 1 GiB − 1 bytes.
   */
  takeLong(): Uint8Array[] {
    this.#step = 1;
    this.#block[0] = this.#done;
    const head = new Output(2);
    head.view.setInt16(0, this.#writers.length);
    const parts: Uint8Array[] = [head.bytes];
    this.#eachWriter((writer) => {
      this.#sizes[0] = 0;
      writer.measure(this.#block, 1, this.#sizes);
      const size = this.#sizes[0];
      if (size - 4 > maxFieldBytes) {
        throw new ValueFault(0, `the value has ${size - 4} bytes, and PostgreSQL takes ${maxFieldBytes} at most`);
      }
      const value = size > blockBytes ? writer.firstBytes?.() : undefined;
      const out = new Output(value === undefined ? size : 4);
      if (value === undefined) {
        this.#positions[0] = 0;
        writer.write(out, this.#positions, 1);
        parts.push(out.bytes);
      } else {
        out.view.setInt32(0, value.length);
        parts.push(out.bytes, value);
      }
    });
    this.#done++;
    return parts;
  }

  /** Sizes of the next rows' tuples; gives how many. */
  #measure(): number {
    const count = Math.min(this.#step, this.#rows - this.#done);
    for (let i = 0; i < count; i++) this.#block[i] = this.#done + i;
    this.#sizes.fill(2, 0, count);
    this.#eachWriter((writer) => writer.measure(this.#block, count, this.#sizes));
    return count;
  }

  /** Places the tuples from `start` on and writes their number of fields; gives how many fit. */
  #place({ view, bytes }: Output, start: number, count: number): number {
    const fieldCount = this.#writers.length;
    let end = start;
    let fitting = 0;
    for (; fitting < count; fitting++) {
      const next = end + (this.#sizes[fitting] ?? 0);
      if (next > bytes.length) break;
      view.setInt16(end, fieldCount);
      this.#positions[fitting] = end + 2;
      end = next;
    }
    const average = (end - start) / fitting;
    this.#step = fitting === 0 ? 1 : Math.max(1, Math.min(blockRows, Math.floor(blockBytes / average)));
    return fitting;
  }

  #write(out: Output, count: number): number {
    this.#eachWriter((writer) => writer.write(out, this.#positions, count));
    this.#done += count;
    return this.#positions[count - 1] ?? 0;
  }

  #eachWriter(action: (writer: FieldWriter) => void): void {
    for (const [i, writer] of this.#writers.entries()) {
      try {
        action(writer);
      } catch (error) {
        if (!(error instanceof ValueFault)) throw error;
        const name = JSON.stringify(this.#schema.fields[i]?.name);
        const row = this.rowCount + error.index + 1;
        throw new RecurveError('INVALID_DATA', `column ${name}, row ${row}: ${error.message}`);
      }
    }
  }
}
