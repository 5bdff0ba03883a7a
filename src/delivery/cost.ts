/**
 * What a driver counts while a result travels. The driver adds to the fields; the report copies them at the end.
 * Times are milliseconds; those that the driver does not know stay 0.
 */
export interface Cost {
  /** Bytes that came from the source, as the source encodes them. */
  wireBytes: number;
  /** Requests to the source: statements, pages, fetches. */
  requests: number;
  /** From the call to the source's acceptance: parse, bind, plan. */
  submitMs: number;
  /** Time the source worked, where it says so or where waiting for it can be told from transport. */
  engineMs: number;
  /** From the call to the first byte or chunk of data. */
  firstByteMs: number;
  /** Time spent turning the source's format into Arrow. */
  decodeMs: number;
  /** What went other than planned, one line each, e.g. a path given up for another. */
  fallbacks: string[];
}

/** Nothing counted yet: what a driver starts with. */
export function newCost(): Cost {
  return { wireBytes: 0, requests: 0, submitMs: 0, engineMs: 0, firstByteMs: 0, decodeMs: 0, fallbacks: [] };
}
