import type { Connection } from '../adbc/connection.ts';
import { describe } from '../adbc/options.ts';
import { RecurveError } from '../error.ts';

/** How a pool keeps its connections. Times are milliseconds. */
export interface PoolOptions {
  /** Connections that are kept open when nobody needs them. They are opened at the start. Default 0. */
  readonly min?: number | undefined;
  /** Connections at most, at least 1; who needs one more waits. Default 10. */
  readonly max?: number | undefined;
  /** How long a connection above `min` may lie idle before it is closed. Default 60,000. */
  readonly idleTimeoutMs?: number | undefined;
  /** How long to wait for a connection, and for the source to open one. Default 30,000. */
  readonly acquireTimeoutMs?: number | undefined;
  /** Age at which a connection is replaced, once nobody uses it. Default: none. */
  readonly maxLifetimeMs?: number | undefined;
  readonly health?: PoolHealth | undefined;
}

/** How a pool finds out that a connection has gone stale. */
export interface PoolHealth {
  /**
   * Rejects when the connection is of no use any more. It must close the results that it makes. Default: runs `SELECT 1`.
   */
  readonly check?: ((connection: Connection) => Promise<unknown>) | undefined;
  /** How long a connection may have been idle to be given out without a check. Default 5,000; 0: each one is checked. */
  readonly afterIdleMs?: number | undefined;
  /** How long a check, or putting a connection in order when it is given back, may take. Default 5,000. */
  readonly timeoutMs?: number | undefined;
}

/** The options of a pool with every default filled in. */
export interface ReadPoolOptions {
  readonly min: number;
  readonly max: number;
  readonly idleTimeoutMs: number;
  readonly acquireTimeoutMs: number;
  readonly maxLifetimeMs: number;
  readonly check: (connection: Connection) => Promise<unknown>;
  readonly checkAfterIdleMs: number;
  readonly checkTimeoutMs: number;
}

const maxDelayMs = 2_147_483_647;
const keys = ['min', 'max', 'idleTimeoutMs', 'acquireTimeoutMs', 'maxLifetimeMs', 'health'];
const healthKeys = ['check', 'afterIdleMs', 'timeoutMs'];

/** Checks the options of a pool. Throws INVALID_ARGUMENT naming the key. */
export function readPoolOptions(options: PoolOptions = {}): ReadPoolOptions {
  checkKnown('', options, keys);
  const { health = {} } = options;
  checkKnown('health.', health, healthKeys);
  if (health.check !== undefined && typeof health.check !== 'function') {
    throw invalid('health.check', health.check, 'a function');
  }
  const max = readCount('max', options.max ?? 10, 1);
  const min = readCount('min', options.min ?? 0, 0);
  if (min > max) throw invalid('min', min, `at most max, which is ${max}`);
  return {
    min,
    max,
    idleTimeoutMs: readDelay('idleTimeoutMs', options.idleTimeoutMs ?? 60_000),
    acquireTimeoutMs: readDelay('acquireTimeoutMs', options.acquireTimeoutMs ?? 30_000, 1),
    maxLifetimeMs: options.maxLifetimeMs === undefined ? Infinity : readDelay('maxLifetimeMs', options.maxLifetimeMs),
    check: health.check ?? selectOne,
    checkAfterIdleMs: readDelay('health.afterIdleMs', health.afterIdleMs ?? 5000),
    checkTimeoutMs: readDelay('health.timeoutMs', health.timeoutMs ?? 5000),
  };
}

async function selectOne(connection: Connection): Promise<void> {
  await connection.execute('SELECT 1');
}

function checkKnown(prefix: string, options: object, known: readonly string[]): void {
  if (typeof options !== 'object' || options === null) throw invalid(prefix || 'pool', options, 'an object');
  const unknown = Object.keys(options).find((key) => !known.includes(key));
  if (unknown === undefined) return;
  throw new RecurveError('INVALID_ARGUMENT', `unknown option ${prefix}${unknown} of a pool`, {
    hint: `known: ${known.join(', ')}`,
  });
}

function readCount(key: string, value: number, least: number): number {
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw invalid(key, value, `a whole number from ${least}`);
}

/** A time in milliseconds that a timer can take. */
export function readDelay(key: string, value: number, leastMs = 0): number {
  if (typeof value === 'number' && value >= leastMs && value <= maxDelayMs) return value;
  throw invalid(key, value, `a number of milliseconds from ${leastMs} to ${maxDelayMs}`);
}

function invalid(key: string, value: unknown, wanted: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `option ${key} is ${describe(value)}, but must be ${wanted}`);
}
