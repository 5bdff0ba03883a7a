import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Output, openOutput } from '../output.ts';
import { openSource } from '../source.ts';
import { openArrowFile } from './arrow.ts';
import type { ResultWriter, WriterTarget } from './result-writer.ts';

/**
 * Parquet, written by DuckDB whatever the source is: the result goes to an Arrow file in the folder for temporary files
 * (`TMPDIR`), which DuckDB reads by name and copies to Parquet. Needs the package `@duckdb/node-api`, and disk for both.
 */
export async function openParquet(target: WriterTarget): Promise<ResultWriter> {
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

/** What DuckDB may hold before it uses the disk: enough for the row groups that its threads write. */
const memoryLimit = '512MB';

class ParquetWriter implements ResultWriter {
  readonly #target: WriterTarget;
  readonly #folder: string;
  readonly #output: Output;
  readonly #arrow: ResultWriter;

  constructor(target: WriterTarget, folder: string, output: Output, arrow: ResultWriter) {
    this.#target = target;
    this.#folder = folder;
    this.#output = output;
    this.#arrow = arrow;
  }

  write: ResultWriter['write'] = (batch) => this.#arrow.write(batch);

  async end(): Promise<void> {
    await this.#arrow.end();
    await this.#output.commit();
    const parquet = join(this.#folder, 'result.parquet');
    const { signal } = this.#target;
    const spill = encodeURIComponent(join(this.#folder, 'spill'));
    const uri = `duckdb:?memory_limit=${memoryLimit}&temp_directory=${spill}`;
    const source = await openSource(uri, { signal });
    try {
      const from = quote(join(this.#folder, 'result.arrow'));
      await source.connection.execute(`copy (from ${from}) to ${quote(parquet)} (format parquet)`, [], { signal });
    } finally {
      await source.close();
    }
    for await (const chunk of createReadStream(parquet, { highWaterMark: 1 << 20, signal })) {
      await this.#target.sink.write(chunk as Uint8Array);
    }
  }

  async close(): Promise<void> {
    await this.#output.discard();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
