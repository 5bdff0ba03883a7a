import type { DeliveryReport } from '../delivery/report.ts';
import type { RecurveError } from '../error.ts';

/** A statement that was handed to a connection. */
export interface QueryStart {
  /** Number of the run, unique in this process: the same in its start and in its end or failure. */
  readonly queryId: number;
  /** `connection.id`. */
  readonly connectionId: number;
  /** The driver's name, as `database.driverName`. */
  readonly driverName: string;
  /**
   * The statement's text as the caller wrote it; secrets that stand in it are not hidden. Parameters are never told. Of an
   * ingest, which has no text, the name of its table.
   */
  readonly sql: string;
  /** Whether its result is delivered (`query`) or dropped for the number of rows changed (`execute`), or rows are written (`ingest`). */
  readonly call: 'query' | 'execute' | 'ingest';
}

/** A statement that ended well, or whose reader wanted no more. */
export interface QueryEnd extends QueryStart {
  /** From the call to the end in milliseconds: of a result, until its reader has taken the last batch or has left. */
  readonly durationMs: number;
  /** Rows changed; −1 where the source does not say. */
  readonly rowsAffected: number;
  /** How the result travelled; absent for `execute` and `ingest`. */
  readonly delivery?: DeliveryReport;
}

/** A statement that failed, was cancelled, ran out of time or was ended by another call. */
export interface QueryFailure extends QueryStart {
  readonly durationMs: number;
  readonly error: RecurveError;
  /** How far the result came; absent for `execute` and `ingest`, and when the source accepted no statement. */
  readonly delivery?: DeliveryReport;
}

/**
 * Told of every statement of a database's connections: each start is followed by one end or one failure, once the result,
 * if any, is read, left, stopped or failed. The calls are synchronous and must not throw.
 */
export interface QueryObserver {
  /** Asked before each statement; while it is false nothing is made and nothing told. */
  readonly active: boolean;
  started(event: QueryStart): void;
  ended(event: QueryEnd): void;
  failed(event: QueryFailure): void;
}

/** One statement's events. */
export interface Observation {
  end(rowsAffected: number, delivery?: DeliveryReport): void;
  fail(error: RecurveError, delivery?: DeliveryReport): void;
}

let lastQueryId = 0;

/** Tells of a start; what comes back tells of the end, once. */
export function observe(observer: QueryObserver, statement: Omit<QueryStart, 'queryId'>): Observation {
  lastQueryId += 1;
  const start: QueryStart = { queryId: lastQueryId, ...statement };
  const startedMs = performance.now();
  let over = false;
  const once = (tell: (durationMs: number) => void): void => {
    if (over) return;
    over = true;
    tell(performance.now() - startedMs);
  };
  observer.started(start);
  return {
    end: (rowsAffected, delivery) =>
      once((durationMs) => observer.ended({ ...start, durationMs, rowsAffected, ...(delivery && { delivery }) })),
    fail: (error, delivery) =>
      once((durationMs) => observer.failed({ ...start, durationMs, error, ...(delivery && { delivery }) })),
  };
}
