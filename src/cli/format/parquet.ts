import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { batchByteLength } from '../../delivery/batch-size.ts';
import { RecurveError } from '../../error.ts';
import { waitPatiently } from '../abort.ts';
import { type Output, openOutput } from '../output.ts';
import { openSource } from '../source.ts';
import { openArrowFile } from './arrow.ts';
import type { ResultWriter, WriterTarget } from './result-writer.ts';

/**
 * Parquet, written by DuckDB whatever the source is: the result goes to an Arrow file in the folder for temporary files
 * (`TMPDIR`), which DuckDB reads by name and copies to Parquet. Needs the package `@duckdb/node-api`, and disk for both.
 */
export async function openParquet(target: WriterTarget): Promise<ResultWriter> {
  // A statement without a result: nothing is written, as in the other formats.
  if (target.schema.fields.length === 0) return { write: async () => {}, end: async () => {} };
  const folder = await mkdtemp(join(tmpdir(), 'recurve-parquet-'));
  try {
    const output = await openOutput(join(folder, 'result.arrow'));
    const arrow = await openArrowFile({ ...target, sink: output });
    return new ParquetWriter(target, folder, output, arrow);
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

const mebibyte = 1024 * 1024;
/** DuckDB's own, and what Parquet's readers work best with. */
const maxGroupRows = 122_880;
/** Rows of DuckDB's vectors: a group cannot have less. */
const minGroupRows = 2048;
/** Of Arrow buffers, about: DuckDB holds a row group until it is whole. */
const maxGroupBytes = 32 * mebibyte;

/** How DuckDB writes rows of this width, on average: what it holds grows with them, not with their number. */
function planGroups(rowBytes: number): {
  readonly rows: number;
  readonly memoryLimit: string;
  readonly threads: number;
} {
  const rows = Math.max(minGroupRows, Math.min(maxGroupRows, Math.floor(maxGroupBytes / rowBytes)));
  const groupBytes = rows * rowBytes;
  return {
    rows,
    // Measured: with less than eight groups beside what it needs for itself, rows of 10 KB fail.
    memoryLimit: `${256 + Math.ceil((8 * groupBytes) / mebibyte)}MiB`,
    // Each holds a row group.
    threads: groupBytes > 2 * maxGroupBytes ? 1 : Math.min(2, availableParallelism()),
  };
}

class ParquetWriter implements ResultWriter {
  readonly #target: WriterTarget;
  readonly #folder: string;
  readonly #output: Output;
  readonly #arrow: ResultWriter;
  #rowCount = 0;
  #byteLength = 0;

  constructor(target: WriterTarget, folder: string, output: Output, arrow: ResultWriter) {
    this.#target = target;
    this.#folder = folder;
    this.#output = output;
    this.#arrow = arrow;
  }

  write: ResultWriter['write'] = async (batch) => {
    try {
      await this.#arrow.write(batch);
      this.#rowCount += batch.numRows;
      this.#byteLength += batchByteLength(batch);
    } catch (error) {
      throw this.#withoutNames(error);
    }
  };

  async end(): Promise<void> {
    await this.#arrow.end();
    await this.#output.commit();
    const parquet = join(this.#folder, 'result.parquet');
    const { signal } = this.#target;
    const spill = encodeURIComponent(join(this.#folder, 'spill'));
    const { rows, memoryLimit, threads } = planGroups(this.#byteLength / Math.max(1, this.#rowCount));
    const uri = `duckdb:?memory_limit=${memoryLimit}&threads=${threads}&temp_directory=${spill}`;
    const source = await openSource(uri, { signal });
    try {
      const from = quote(join(this.#folder, 'result.arrow'));
      const options = `format parquet, row_group_size ${rows}`;
      await source.connection.execute(`copy (from ${from}) to ${quote(parquet)} (${options})`, [], { signal });
    } catch (error) {
      throw this.#withoutNames(error);
    } finally {
      await waitPatiently(source.close(), signal);
    }
    for await (const chunk of createReadStream(parquet, { highWaterMark: 1 << 20, signal })) {
      await this.#target.sink.write(chunk as Uint8Array);
    }
  }

  /** The error without the files of our own in it, which nobody has asked for. */
  #withoutNames(thrown: unknown): unknown {
    if (!RecurveError.is(thrown)) return thrown;
    const { status, hint, exitCode, cause } = thrown;
    const message = thrown.message
      .replaceAll(join(this.#folder, 'result.arrow'), 'the result')
      .replaceAll(join(this.#folder, 'result.parquet'), 'the Parquet file');
    return new RecurveError(status, `cannot write Parquet: ${message}`, { hint, exitCode, cause });
  }

  async close(): Promise<void> {
    await this.#output.discard();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
