import type { RecordBatch } from '../../arrow/batch.ts';
import { FileRangeReader } from '../../arrow/ipc/file-range-reader.ts';
import { StreamReader } from '../../arrow/ipc/stream-reader.ts';
import { Metadata } from '../../arrow/metadata.ts';
import type { Schema } from '../../arrow/schema.ts';
import type { Input } from '../io.ts';
import { type InputFile, nameError, openInput } from './file.ts';
import { detectFormat } from './format.ts';

/** A file as record batches, which come once and one after the other. */
export interface BatchInput {
  /** As in errors: the quoted name of the file, or `standard input`. */
  readonly name: string;
  readonly schema: Schema;
  /** The `custom_metadata` of an Arrow file's footer; empty for all else. */
  readonly footerMetadata: Metadata;
  /** The name of the format it was read in. */
  readonly format: string;
  readonly batches: AsyncIterable<RecordBatch>;
  close(): Promise<void>;
}

/** What {@link openBatches} needs besides the file's name. */
export interface InputOptions {
  /** The format's name; default: by the first bytes, then by the suffix. */
  readonly from: string | undefined;
  readonly stdin: Input;
  readonly signal: AbortSignal;
}

/**
 * Opens a file of any format as record batches; `-` is standard input. Arrow streams are read as they come and Arrow files
 * by their footer, all else by DuckDB; what cannot be read so from a pipe is copied to the folder for temporary files first.
 * Errors name the file.
 */
export async function openBatches(given: string, options: InputOptions): Promise<BatchInput> {
  const file = await openInput(given, options.stdin, options.signal);
  try {
    const { name: format } = detectFormat(given, file.head, options.from);
    const input = await open(file, format, options.signal);
    return {
      name: file.name,
      schema: input.schema,
      footerMetadata: input.footerMetadata ?? Metadata.empty,
      format,
      batches: named(input.batches, file.name),
      async close() {
        await input.close?.();
        await file.close();
      },
    };
  } catch (error) {
    await file.close();
    throw nameError(error, file.name);
  }
}

type Opened = Pick<BatchInput, 'schema' | 'batches'> & Partial<Pick<BatchInput, 'footerMetadata' | 'close'>>;

async function open(file: InputFile, format: string, signal: AbortSignal): Promise<Opened> {
  if (format === 'arrows') {
    const reader = await StreamReader.from(file.stream(), { signal });
    return { schema: reader.schema, batches: reader };
  }
  if (format === 'arrow') {
    const reader = await FileRangeReader.open(await file.spool());
    return { schema: reader.schema, footerMetadata: reader.metadata, batches: reader };
  }
  const { openByDuckdb } = await import('./duckdb.ts');
  return openByDuckdb(await file.spool(), format, signal);
}

async function* named(batches: AsyncIterable<RecordBatch>, name: string): AsyncIterable<RecordBatch> {
  try {
    yield* batches;
  } catch (error) {
    throw nameError(error, name);
  }
}
