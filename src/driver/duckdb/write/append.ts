import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Field, Schema } from '../../../arrow/schema.ts';
import { batchByteLength } from '../../../delivery/batch-size.ts';
import { RecurveError } from '../../../error.ts';
import type { Status } from '../../../status.ts';
import type { Binding } from '../binding.ts';
import { toRecurveError } from '../error.ts';
import type { NativeChunk, NativeType, NativeVector } from '../read/native.ts';
import { writeColumn } from './column.ts';
import { rowError } from './failure.ts';
import type { WriteTarget } from './target.ts';

type NativeAppender = ReturnType<Binding['appender_create_ext']>;

/** Chunks written between two turns of the event loop: about 65,000 rows. */
const chunksPerTurn = 32;
/** Of Arrow buffers, about: wide rows go in smaller chunks. */
const maxChunkBytes = 16 * 1024 * 1024;
/** The appender flushes by itself after 204,800 rows, and holds them outside of DuckDB's limit of memory. */
const maxHeldBytes = 64 * 1024 * 1024;

/** Appends batches to a table through one data chunk that is used again. */
export class BatchAppender {
  readonly #binding: Binding;
  readonly #appender: NativeAppender;
  readonly #chunk: NativeChunk;
  readonly #vectors: readonly NativeVector[];
  readonly #rowsPerChunk: number;
  #rowCount = 0;
  /** Of the rows that are not flushed yet, about. */
  #heldBytes = 0;

  /** `types` must be those of the appender's table: a chunk of other types crashes DuckDB. */
  constructor(binding: Binding, appender: NativeAppender, types: readonly NativeType[]) {
    this.#binding = binding;
    this.#appender = appender;
    this.#chunk = binding.create_data_chunk(types);
    this.#vectors = types.map((_, i) => binding.data_chunk_get_vector(this.#chunk, i));
    this.#rowsPerChunk = binding.vector_size();
  }

  /**
   * Appends a batch of this schema, a vector's rows at a time. Throws INVALID_DATA with the row for a value that DuckDB cannot
   * hold, what DuckDB says when it flushes rows, and the signal's reason between two turns of the event loop.
   */
  async append(schema: Schema, batch: RecordBatch, signal: AbortSignal): Promise<void> {
    let turn = 0;
    const rowBytes = batchByteLength(batch) / Math.max(1, batch.numRows);
    const rowsPerChunk = Math.max(1, Math.min(this.#rowsPerChunk, Math.floor(maxChunkBytes / rowBytes)));
    for (let start = 0; start < batch.numRows; start += rowsPerChunk) {
      signal.throwIfAborted();
      const end = Math.min(batch.numRows, start + rowsPerChunk);
      this.#appendRows(schema, batch, start, end);
      this.#heldBytes += (end - start) * rowBytes;
      if (this.#heldBytes > maxHeldBytes) this.#flush();
      if (++turn % chunksPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Rows appended so far. */
  get rowCount(): number {
    return this.#rowCount;
  }

  /** Makes what was appended part of the table. Throws what DuckDB says, such as a broken constraint. */
  finish(): void {
    try {
      this.#binding.appender_close_sync(this.#appender);
    } catch (error) {
      throw appendError(error, this.#rowCount);
    }
  }

  /** Drops what was appended and not yet flushed. */
  discard(): void {
    // After a flush that failed both throw the same once more.
    for (const step of [this.#binding.appender_clear, this.#binding.appender_close_sync]) {
      try {
        step(this.#appender);
      } catch {}
    }
  }

  #flush(): void {
    this.#heldBytes = 0;
    try {
      this.#binding.appender_flush_sync(this.#appender);
    } catch (error) {
      throw appendError(error, this.#rowCount);
    }
  }

  #appendRows(schema: Schema, batch: RecordBatch, start: number, end: number): void {
    const binding = this.#binding;
    binding.data_chunk_reset(this.#chunk);
    schema.fields.forEach((field, i) => {
      const vector = this.#vectors[i];
      if (vector === undefined) return;
      const path = JSON.stringify(field.name);
      const column = batch.column(i).slice(start, end);
      try {
        writeColumn({ binding, path, write: writeColumn }, vector, field, column, null);
      } catch (error) {
        throw this.#findRow({ binding, path, write: writeColumn }, vector, field, column) ?? error;
      }
    });
    binding.data_chunk_set_size(this.#chunk, end - start);
    try {
      binding.append_data_chunk(this.#appender, this.#chunk);
    } catch (error) {
      throw appendError(error, this.#rowCount + end - start);
    }
    this.#rowCount += end - start;
  }

  /** The error for the first row that cannot be written: of a whole vector none is told. */
  #findRow(target: WriteTarget, vector: NativeVector, field: Field, column: Column): RecurveError | undefined {
    for (let row = 0; row < column.length; row++) {
      try {
        writeColumn(target, vector, field, column.slice(row, row + 1), null);
      } catch (error) {
        if (!RecurveError.is(error) || error.status !== 'INVALID_DATA') return undefined;
        return rowError(error, this.#rowCount + row + 1);
      }
    }
    return undefined;
  }
}

/** The appender's words have no prefix that tells their kind, and rows are flushed together. */
function appendError(error: unknown, rows: number): RecurveError {
  const message = error instanceof Error ? error.message : String(error);
  const status: Status = /constraint/i.test(message) ? 'INTEGRITY' : fullWords.test(message) ? 'IO' : 'UNKNOWN';
  const known = toRecurveError(message.replace(/^Failed to append: /, ''), { cause: error });
  return new RecurveError(
    known.status === 'UNKNOWN' ? status : known.status,
    `${known.message} (within rows 1 to ${rows})`,
    {
      hint: known.hint,
      details: known.details,
      exitCode: status === 'IO' ? 4 : known.exitCode,
      cause: error,
    },
  );
}

const fullWords = /could not allocate|out of memory|failed to offload|no space left|could not write/i;
