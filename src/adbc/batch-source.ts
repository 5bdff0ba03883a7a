import { RecordBatch } from '../arrow/batch.ts';
import { extensionOf } from '../arrow/extension.ts';
import type { ByteSource } from '../arrow/ipc/byte-source.ts';
import { type Field, Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import { typeToString } from '../arrow/type.ts';
import { StreamReader, tableFromIPC } from '../arrow/validate/reader.ts';
import { RecurveError } from '../error.ts';
import { describe } from './options.ts';

/** A schema and its batches, which may be made as they are read. */
export interface BatchesOf {
  readonly schema: Schema;
  readonly batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch>;
}

/** Batches with their schema that are read once: a `Result`, a `StreamReader` and the like. */
export type BatchStream = AsyncIterable<RecordBatch> & { readonly schema: Schema };

/**
 * Data that is written: a table, a batch, a stream of batches with its schema, batches beside their schema, or the bytes of
 * an Arrow stream or file (a file in one piece).
 */
export type BatchData = Table | RecordBatch | BatchStream | BatchesOf | ByteSource;

/** What {@link openBatchSource} gives. Whoever opened it closes it. */
export interface BatchSource {
  readonly schema: Schema;
  /** Read once. Each batch has the schema; see {@link openBatchSource} for what it throws. */
  readonly batches: AsyncIterable<RecordBatch>;
  /** Tells the source that no more is wanted. Does not wait for it. */
  close(): void;
}

/** Whether these are data of batches at all; what streams of bytes hold is only known when they are read. */
export function isBatchData(data: unknown): data is BatchData {
  if (typeof data !== 'object' || data === null) return false;
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return true;
  if ('schema' in data && data.schema instanceof Schema) {
    return Symbol.asyncIterator in data || 'columns' in data || 'batches' in data;
  }
  return Symbol.asyncIterator in data || 'getReader' in data;
}

/**
 * Opens data for reading it once. Bytes are read up to their schema. Its batches are pulled one at a time; when `signal` fires,
 * a pull that waits rejects with the signal's reason, whatever the source does.
 *
 * What the source throws comes with the number of rows before it, under its own status, or IO when it has none. A batch of
 * another schema is INVALID_ARGUMENT.
 */
export async function openBatchSource(data: BatchData, signal: AbortSignal): Promise<BatchSource> {
  const { schema, batches } = await readParts(data, signal);
  const iterator =
    Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : (batches[Symbol.iterator]() as PullOnce);
  return { schema, batches: pullBatches(schema, iterator, signal), close: () => letGo(iterator) };
}

interface PullOnce {
  next(): PromiseLike<IteratorResult<unknown>> | IteratorResult<unknown>;
  return?(): unknown;
}

async function readParts(data: BatchData, signal: AbortSignal): Promise<BatchesOf> {
  if (data instanceof Uint8Array || data instanceof ArrayBuffer) return tableFromIPC(data);
  if (!('schema' in data)) {
    const reader = await StreamReader.from(data, { signal });
    return { schema: reader.schema, batches: reader };
  }
  if (data instanceof RecordBatch) return { schema: data.schema, batches: [data] };
  if (data instanceof Table || !(Symbol.asyncIterator in data)) return data as BatchesOf;
  return { schema: data.schema, batches: data };
}

async function* pullBatches(schema: Schema, source: PullOnce, signal: AbortSignal): AsyncGenerator<RecordBatch> {
  let rows = 0;
  for (let count = 1; ; count++) {
    const batch = await pull(source, signal).catch((error: unknown) => {
      throw signal.aborted ? signal.reason : sourceError(error, rows);
    });
    if (batch === undefined) return;
    if (!(batch instanceof RecordBatch)) {
      throw new RecurveError('INVALID_ARGUMENT', `batch ${count} is ${describe(batch)}, but must be a RecordBatch`);
    }
    checkSchema(schema, batch.schema, count);
    rows += batch.numRows;
    yield batch;
  }
}

function pull(source: PullOnce, signal: AbortSignal): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const onAbort = (): void => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    if (signal.aborted) onAbort();
    (async () => source.next())()
      .then(({ done, value }) => resolve(done ? undefined : value), reject)
      .finally(() => signal.removeEventListener('abort', onAbort));
  });
}

function sourceError(error: unknown, rows: number): RecurveError {
  const [message = ''] = (error instanceof Error ? error.message : String(error)).split('\n', 1);
  const known = RecurveError.is(error) ? error : undefined;
  return new RecurveError(known?.status ?? 'IO', `the data failed after ${rows} rows: ${message}`, {
    hint: known?.hint,
    details: known?.details,
    exitCode: known?.exitCode,
    cause: error,
  });
}

/** A generator that waits for something would take the call only after that: nobody waits for it, and it has failed before. */
function letGo(source: PullOnce): void {
  (async () => source.return?.())().catch(() => {});
}

/** By names, types and extensions: what else a schema says makes no other table. */
function checkSchema(schema: Schema, other: Schema, count: number): void {
  if (schema === other) return;
  const at = schema.fields.findIndex((field, i) => shape(field) !== shape(other.fields[i]));
  if (at < 0 && schema.fields.length === other.fields.length) return;
  const place = at < 0 ? schema.fields.length : at;
  throw new RecurveError(
    'INVALID_ARGUMENT',
    `batch ${count} has another schema than the data: column ${place + 1} is ${shape(other.fields[place])} against ${shape(schema.fields[place])}`,
  );
}

function shape(field: Field | undefined): string {
  if (field === undefined) return 'missing';
  return `${JSON.stringify(field.name)} ${typeToString(field.type)}${extensionOf(field)?.name ?? ''}`;
}
