import { defaultWindowBytes } from '../delivery/window.ts';
import { RecurveError } from '../error.ts';
import type { CallOptions } from './call.ts';
import type { BatchLimit } from './spi.ts';

/**
 * A batch ends at 65,536 rows or 8 MiB of Arrow buffers, whichever comes first; the first batch of a result ends at 2,048
 * rows, so that something is seen soon.
 */
export const defaultBatchLimit: BatchLimit = { maxRows: 65_536, maxBytes: 8 * 1024 * 1024, firstRows: 2048 };

/** What a query takes besides its text and parameters. */
export interface QueryOptions extends CallOptions {
  /** Name of the path to take, as `result.delivery.plan` lists them. Default: the driver's choice. */
  readonly path?: string | undefined;
  /**
   * Bytes of Arrow that are held for a slow reader before the source is made to wait; one batch more at most. With 0 the
   * source is asked only when the reader waits. Default {@link defaultWindowBytes}.
   */
  readonly windowBytes?: number | undefined;
  /** Where batches end: see {@link BatchLimit}. What is left out is as in {@link defaultBatchLimit}. */
  readonly batch?: Partial<BatchLimit> | undefined;
}

/** The options of a query with every default filled in. */
export interface ReadQueryOptions {
  readonly call: CallOptions;
  readonly path: string | undefined;
  readonly windowBytes: number;
  readonly limit: BatchLimit;
}

const maxTimeoutMs = 2_147_483_647;
const callKeys = ['signal', 'timeoutMs'];
const queryKeys = [...callKeys, 'path', 'windowBytes', 'batch'];

/** Checks the options of a call. Throws INVALID_ARGUMENT naming the key. */
export function readCallOptions(options: CallOptions | undefined): CallOptions {
  return readCall(checkKeys('option', options, callKeys));
}

/** Checks the options of a query. Throws INVALID_ARGUMENT naming the key. `firstRows` above `maxRows` counts as `maxRows`. */
export function readQueryOptions(options: QueryOptions | undefined): ReadQueryOptions {
  const given = checkKeys('option', options, queryKeys);
  if (given.path !== undefined && typeof given.path !== 'string') throw invalid('path', given.path, 'a string');
  const batch = checkKeys('option batch.', given.batch, ['maxRows', 'maxBytes', 'firstRows']);
  const maxRows = readCount('batch.maxRows', batch.maxRows, defaultBatchLimit.maxRows, 1);
  return {
    call: readCall(given),
    path: given.path,
    windowBytes: readCount('windowBytes', given.windowBytes, defaultWindowBytes, 0),
    limit: {
      maxRows,
      maxBytes: readCount('batch.maxBytes', batch.maxBytes, defaultBatchLimit.maxBytes, 1),
      firstRows: Math.min(maxRows, readCount('batch.firstRows', batch.firstRows, defaultBatchLimit.firstRows, 1)),
    },
  };
}

/** Throws INVALID_ARGUMENT when `options` is no object or has a key that is not among `keys`. */
export function checkKeys<T extends object>(what: string, options: T | undefined, keys: readonly string[]): Partial<T> {
  if (options === undefined) return {};
  if (typeof options !== 'object' || options === null || Array.isArray(options)) {
    throw new RecurveError('INVALID_ARGUMENT', `options must be an object, not ${describe(options)}`);
  }
  for (const key of Object.keys(options)) {
    if (keys.includes(key)) continue;
    const gap = what.endsWith('.') ? '' : ' ';
    throw new RecurveError('INVALID_ARGUMENT', `unknown ${what}${gap}${key}`, { hint: `known: ${keys.join(', ')}` });
  }
  return options;
}

/** Throws INVALID_ARGUMENT for what is no text. */
export function checkSql(sql: unknown): string {
  if (typeof sql === 'string') return sql;
  throw new RecurveError('INVALID_ARGUMENT', `sql is ${describe(sql)}, but must be a string`);
}

/** A value for a message: short, and what it is where it has no short form. */
export function describe(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'number' || typeof value === 'boolean')
    return `${value}`;
  if (typeof value === 'bigint') return `${value}n`;
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (Array.isArray(value)) return 'an array';
  if (typeof value === 'object') return `an object of ${value.constructor?.name ?? 'no class'}`;
  return `a ${typeof value}`;
}

function readCall({ signal, timeoutMs }: CallOptions): CallOptions {
  // Not instanceof: a signal may come from another realm or from a polyfill.
  if (signal !== undefined && typeof signal?.addEventListener !== 'function') {
    throw invalid('signal', signal, 'an AbortSignal');
  }
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0 && timeoutMs <= maxTimeoutMs)) {
    throw invalid(
      'timeoutMs',
      timeoutMs,
      `a number of milliseconds from 0 to ${maxTimeoutMs}; leave it out for no limit`,
    );
  }
  return { signal, timeoutMs };
}

function readCount(key: string, value: number | undefined, standard: number, least: number): number {
  if (value === undefined) return standard;
  if (!Number.isSafeInteger(value) || value < least) throw invalid(key, value, `a whole number from ${least}`);
  return value;
}

function invalid(key: string, value: unknown, wanted: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `option ${key} is ${describe(value)}, but must be ${wanted}`);
}
