/** One way a driver can bring a result, e.g. `chunks`, `copy`, `unload`. */
export interface Path {
  readonly name: string;
  /** Why this path cannot serve this statement; absent when it can. */
  readonly ruledOut?: string;
  /** Predicted time to the last batch, in ms, where the driver can tell. */
  readonly predictedMs?: number;
}
