import type { RecordBatch } from '../arrow/batch.ts';
import type { Schema } from '../arrow/schema.ts';
import type { Cost } from '../delivery/cost.ts';
import type { Plan } from '../delivery/plan.ts';
import type { Parameters } from './parameter.ts';

/**
 * What a driver implements. Nothing here is for users: closing twice, time-outs, the window, the report and the rule of
 * one live result stand once, in the classes of this folder.
 */
export interface Driver {
  /** As in `docs/`, e.g. `duckdb`. */
  readonly name: string;
  /** Opens a database. `options` are ADBC's database options and the driver's own, as strings; `uri` among them. */
  open(options: ReadonlyMap<string, string>, call: DriverCall): Promise<DriverDatabase>;
}

/** What every call carries: when `signal` fires, the driver stops the source and throws `signal.reason`. */
export interface DriverCall {
  readonly signal: AbortSignal;
}

export interface DriverDatabase {
  connect(call: DriverCall): Promise<DriverConnection>;
  /** Called once, after every connection is closed. */
  close(): Promise<void>;
}

/** One session with the source. Its calls never overlap, but for `close` of a result. */
export interface DriverConnection {
  /** Runs a statement text. */
  run(sql: string, request: RunRequest, call: DriverCall): Promise<DriverResult>;
  /** Prepares a statement text for running it many times. */
  prepare(sql: string, call: DriverCall): Promise<DriverStatement>;
  /** What the catalog says. */
  readonly metadata: DriverMetadata;
  /** Begins, commits or rolls back. The caller knows whether a transaction is open. */
  transaction(action: 'begin' | 'commit' | 'rollback', call: DriverCall): Promise<void>;
  /** Called once; stops what runs. */
  close(): Promise<void>;
}

export interface DriverStatement {
  /** Names of the parameters in order, `"1"`, `"2"` … where they have none. */
  readonly parameterNames: readonly string[];
  run(request: RunRequest, call: DriverCall): Promise<DriverResult>;
  /** Called once. */
  close(): Promise<void>;
}

export interface DriverMetadata {
  /** Schema of a table. Throws NOT_FOUND. */
  getTableSchema(table: TableName, call: DriverCall): Promise<Schema>;
}

export interface TableName {
  readonly catalog?: string | undefined;
  readonly dbSchema?: string | undefined;
  readonly tableName: string;
}

export interface RunRequest {
  readonly parameters: Parameters;
  readonly limit: BatchLimit;
  /** Name of the path that the user asks for; the driver throws INVALID_ARGUMENT for one it does not have. */
  readonly path?: string | undefined;
}

/** A batch ends at rows or bytes, whichever comes first; a single row may be larger than `maxBytes`. */
export interface BatchLimit {
  readonly maxRows: number;
  /** Of Arrow buffers. */
  readonly maxBytes: number;
  /** Rows of the first batch: few, so that something is seen soon. */
  readonly firstRows: number;
}

/** A running result. The driver fetches ahead of the reader by one piece at most: what is held is the window's choice. */
export interface DriverResult {
  /** Known before the first batch, and when there is none. A statement without a result has no fields. */
  readonly schema: Schema;
  /** −1 while unknown and for what does not change rows. */
  readonly rowsAffected: number;
  readonly plan: Plan;
  readonly cost: Cost;
  /**
   * The batches, read by one reader. Ends only when the source said that all was sent; anything else throws. `return()`
   * stops the source and resolves when the connection can be used again.
   */
  readonly batches: AsyncIterator<RecordBatch, undefined>;
}
