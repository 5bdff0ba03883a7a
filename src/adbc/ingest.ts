import { RecurveError } from '../error.ts';
import { type BatchData, type BatchSource, isBatchData, openBatchSource } from './batch-source.ts';
import type { CallOptions, CallScope } from './call.ts';
import { checkKeys, describe, readCallOptions } from './options.ts';
import type { IngestMode, IngestRequest } from './spi.ts';

export type { BatchData, BatchesOf, BatchStream } from './batch-source.ts';

/** Where and how {@link Connection.ingest} writes. */
export interface IngestOptions extends CallOptions {
  /** Default `create`, as in ADBC: what is there is never touched unless that was asked for. */
  readonly mode?: IngestMode | undefined;
  /**
   * Of mode `upsert`, and of no other: the columns that tell a row. The table has a primary key or unique constraint over just
   * these; a null in one of them is the key of no row. Rows of the data with the same key are an error.
   */
  readonly keys?: readonly string[] | undefined;
  /** Default: the session's own. */
  readonly catalog?: string | undefined;
  /** Default: the session's own. */
  readonly dbSchema?: string | undefined;
  /** Whether the table is seen by this connection only and gone with it. Excludes `catalog` and `dbSchema`. Default false. */
  readonly temporary?: boolean | undefined;
}

/** An ingest whose data is open. */
export interface OpenedIngest {
  readonly request: IngestRequest;
  readonly close: () => void;
}

/** A checked call of {@link Connection.ingest}. */
export interface ReadIngest {
  readonly tableName: string;
  readonly call: CallOptions;
  readonly open: (scope: CallScope) => Promise<OpenedIngest>;
}

const modes: readonly string[] = ['create', 'append', 'replace', 'createAppend', 'upsert'] satisfies IngestMode[];

/** Checks what a caller gave; reads nothing of the data. Throws INVALID_ARGUMENT. */
export function readIngest(tableName: string, data: BatchData, options: IngestOptions | undefined): ReadIngest {
  const read = readIngestInto(tableName, (signal) => openBatchSource(data, signal), options);
  if (isBatchData(data)) return read;
  throw wrong('data', data, 'a table, a batch, a stream of batches with its schema, or the bytes of an Arrow stream');
}

/** As {@link readIngest}, of data that `openSource` opens. */
export function readIngestInto(
  tableName: string,
  openSource: (signal: AbortSignal) => Promise<BatchSource>,
  options: IngestOptions | undefined,
): ReadIngest {
  const { signal, timeoutMs, ...rest } = checkKeys('option', options, [
    'signal',
    'timeoutMs',
    'mode',
    'keys',
    'catalog',
    'dbSchema',
    'temporary',
  ]);
  const call = readCallOptions({ signal, timeoutMs });
  const { mode = 'create', keys, temporary = false, catalog, dbSchema } = rest;
  if (typeof tableName !== 'string' || tableName === '') throw wrong('tableName', tableName, 'the name of a table');
  if (!modes.includes(mode)) throw wrong('option mode', mode, `one of ${modes.join(', ')}`);
  if (typeof temporary !== 'boolean') throw wrong('option temporary', temporary, 'true or false');
  checkKeyNames(mode, keys);
  for (const [key, value] of Object.entries({ catalog, dbSchema })) {
    if (value === undefined) continue;
    if (typeof value !== 'string') throw wrong(`option ${key}`, value, 'a string');
    if (temporary) {
      throw new RecurveError('INVALID_ARGUMENT', `a temporary table has no ${key}, and ${describe(value)} was given`, {
        hint: `leave out ${key}, or temporary`,
      });
    }
  }
  return {
    tableName,
    call,
    open: async (scope) => {
      const { schema, batches, close } = await openSource(scope.signal);
      const unknown = keys?.find((key) => schema.indexOf(key) < 0);
      if (unknown !== undefined) {
        close();
        throw new RecurveError('INVALID_ARGUMENT', `the key ${describe(unknown)} is no column of the data`, {
          hint: `it has: ${schema.names.join(', ')}`,
        });
      }
      return { request: { table: { catalog, dbSchema, tableName }, mode, temporary, keys, schema, batches }, close };
    },
  };
}

function checkKeyNames(mode: IngestMode, keys: readonly string[] | undefined): void {
  if (keys === undefined && mode !== 'upsert') return;
  const isList = Array.isArray(keys) && keys.every((key) => typeof key === 'string' && key !== '');
  if (!isList || keys.length === 0 || new Set(keys).size < keys.length) {
    throw wrong('option keys', keys, 'the names of the columns that tell a row, each once');
  }
  if (mode === 'upsert') return;
  throw new RecurveError('INVALID_ARGUMENT', `option keys is of the mode upsert, and the mode is ${mode}`);
}

function wrong(what: string, value: unknown, wanted: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `${what} is ${describe(value)}, but must be ${wanted}`);
}
