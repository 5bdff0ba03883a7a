import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Schema } from '../../../arrow/schema.ts';
import { RecurveError } from '../../../error.ts';
import type { Binding } from '../binding.ts';
import type { NativeChunk, NativeType, NativeVector } from '../read/native.ts';
import { writeColumn } from './column.ts';

type NativeAppender = ReturnType<Binding['appender_create_ext']>;

/** Chunks written between two turns of the event loop: about 65,000 rows. */
const chunksPerTurn = 32;

/** Appends batches to a table through one data chunk that is used again. */
export class BatchAppender {
  readonly #binding: Binding;
  readonly #appender: NativeAppender;
  readonly #chunk: NativeChunk;
  readonly #vectors: readonly NativeVector[];
  readonly #rowsPerChunk: number;
  #rowCount = 0;

  /** `types` must be those of the appender's table: a chunk of other types crashes DuckDB. */
  constructor(binding: Binding, appender: NativeAppender, types: readonly NativeType[]) {
    this.#binding = binding;
    this.#appender = appender;
    this.#chunk = binding.create_data_chunk(types);
    this.#vectors = types.map((_, i) => binding.data_chunk_get_vector(this.#chunk, i));
    this.#rowsPerChunk = binding.vector_size();
  }

  /**
   * Appends a batch of this schema, a vector's rows at a time. Throws INVALID_DATA for a value that DuckDB cannot hold, with
   * the batch written up to a chunk before it, and the signal's reason between two turns of the event loop.
   */
  async append(schema: Schema, batch: RecordBatch, signal: AbortSignal): Promise<void> {
    let turn = 0;
    for (let start = 0; start < batch.numRows; start += this.#rowsPerChunk) {
      signal.throwIfAborted();
      this.#appendRows(schema, batch, start, Math.min(batch.numRows, start + this.#rowsPerChunk));
      if (++turn % chunksPerTurn === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    await new Promise((resolve) => setImmediate(resolve));
  }

  /** Makes what was appended part of the table. */
  finish(): void {
    this.#binding.appender_close_sync(this.#appender);
  }

  /** Drops what was appended and not yet flushed. */
  discard(): void {
    this.#binding.appender_clear(this.#appender);
    this.#binding.appender_close_sync(this.#appender);
  }

  #appendRows(schema: Schema, batch: RecordBatch, start: number, end: number): void {
    const binding = this.#binding;
    binding.data_chunk_reset(this.#chunk);
    schema.fields.forEach((field, i) => {
      const vector = this.#vectors[i];
      if (vector === undefined) return;
      const path = JSON.stringify(field.name);
      try {
        writeColumn({ binding, path, write: writeColumn }, vector, field, batch.column(i).slice(start, end), null);
      } catch (error) {
        if (!RecurveError.is(error) || error.status !== 'INVALID_DATA') throw error;
        const rows = `rows ${this.#rowCount + 1} to ${this.#rowCount + end - start}`;
        throw new RecurveError(error.status, `${error.message} (in ${rows})`, { cause: error });
      }
    });
    binding.data_chunk_set_size(this.#chunk, end - start);
    binding.append_data_chunk(this.#appender, this.#chunk);
    this.#rowCount += end - start;
  }
}
