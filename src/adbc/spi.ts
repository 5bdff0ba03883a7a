import type { RecordBatch } from '../arrow/batch.ts';
import type { Schema } from '../arrow/schema.ts';
import type { Table } from '../arrow/table.ts';
import type { Cost } from '../delivery/cost.ts';
import type { Plan } from '../delivery/plan.ts';
import type { InfoValue } from './info.ts';
import type { ObjectFilter } from './objects.ts';
import type { Parameters } from './parameter.ts';
import type { StatisticFilter } from './statistics.ts';

/**
 * What a driver implements. Nothing here is for users: closing twice, time-outs, the window, the report and the rule of
 * one live result stand once, in the classes of this folder.
 */
export interface Driver {
  /** As in `docs/`, e.g. `duckdb`. */
  readonly name: string;
  /** Opens a database. `options` are ADBC's database options and the driver's own, as strings; `uri` among them. */
  open(options: ReadonlyMap<string, string>, call: DriverOpenCall): Promise<DriverDatabase>;
}

/** What opening carries. A driver that has no use for a password throws INVALID_ARGUMENT where there is one. */
export interface DriverOpenCall extends DriverCall {
  readonly password?: PasswordSource | undefined;
}

/**
 * Gives the password for a connection that is being made, such as a token that is valid for minutes. It is asked once for each
 * connection to a source that wants a password, and should stop when the signal fires. What it gives is never shown nor kept.
 */
export type PasswordSource = (call: DriverCall) => string | Promise<string>;

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
  readonly statements: DriverStatements;
  /** What the catalog says. */
  readonly metadata: DriverMetadata;
  /** Its settings and its transaction. */
  readonly session: DriverSession;
  /**
   * Writes batches to a table, all of them or none, and gives the number of rows. Outside of a transaction it is one of its
   * own; inside, a failure that cannot be undone by itself must leave a transaction that cannot be committed. The
   * statuses are those of {@link IngestMode}; a null in a required column is INTEGRITY, with column and row.
   */
  ingest(request: IngestRequest, call: DriverCall): Promise<number>;
  /** Called once; stops what runs. */
  close(): Promise<void>;
}

/** What a connection does with a statement text. */
export interface DriverStatements {
  run(sql: string, request: RunRequest, call: DriverCall): Promise<DriverResult>;
  /** Prepares it for running it many times. */
  prepare(sql: string, call: DriverCall): Promise<DriverStatement>;
}

export interface DriverStatement {
  /** Names of the parameters in order, `"1"`, `"2"` … where they have none. */
  readonly parameterNames: readonly string[];
  /** What is known of it without running it. */
  readonly description: DriverStatementDescription;
  run(request: RunRequest, call: DriverCall): Promise<DriverResult>;
  /**
   * Runs it once for each of these parameters, in order, their results one after the other, where the source takes them faster so;
   * the first failure ends it. Without it the rows run one by one.
   */
  runEach?(rows: readonly Parameters[], request: RunRequest, call: DriverCall): Promise<DriverRowsResult>;
  /** Called once. */
  close(): Promise<void>;
}

/** The results of several runs of one statement, as one: `rowsAffected` is their sum. */
export interface DriverRowsResult extends DriverResult {
  /** Runs that are complete so far. */
  readonly completedRuns: number;
}

export interface DriverMetadata {
  /** Schema of a table. Throws NOT_FOUND. */
  getTableSchema(table: TableName, call: DriverCall): Promise<Schema>;
  /** By {@link InfoCode}: all that the driver knows. */
  getInfo(call: DriverCall): Promise<ReadonlyMap<number, InfoValue>>;
  /** A table of `objectsSchema`; `makeObjectsTable` nests what a catalog gives flat. */
  getObjects(filter: ObjectFilter, call: DriverCall): Promise<Table>;
  /** In the words that `getObjects` uses and filters by. */
  getTableTypes(call: DriverCall): Promise<readonly string[]>;
  /** A table of `statisticsSchema`; `makeStatisticsTable` nests them. */
  getStatistics(filter: StatisticFilter, call: DriverCall): Promise<Table>;
}

/** The session's settings, under ADBC's keys all but autocommit, and its transaction. */
export interface DriverSession {
  /** Undefined for a key that the driver does not know. */
  getOption(key: string, call: DriverCall): Promise<string | undefined>;
  /** False for a key that the driver does not know. Throws for a value that it cannot take. */
  setOption(key: string, value: string, call: DriverCall): Promise<boolean>;
  /** Begins, commits or rolls back. The caller knows whether a transaction is open. */
  transaction(action: TransactionAction, call: DriverCall): Promise<void>;
}

export type TransactionAction = 'begin' | 'commit' | 'rollback';

export interface DriverStatementDescription {
  /** Whether running it leaves the source as it is, by its kind. Only such a statement can be a partition. */
  readonly isReadOnly: boolean;
  /** The schema of what it returns; no fields where it returns nothing. Throws INVALID_STATE where parameters must say. */
  getSchema(parameters: Parameters, call: DriverCall): Promise<Schema>;
  /** A field a parameter, its name empty where it has none, its type null where it is not known. */
  getParameterSchema(call: DriverCall): Promise<Schema>;
}

export interface TableName {
  readonly catalog?: string | undefined;
  readonly dbSchema?: string | undefined;
  readonly tableName: string;
}

/**
 * What becomes of the table: `create` makes it and throws ALREADY_EXISTS where there is one, `append` throws NOT_FOUND where
 * there is none and ALREADY_EXISTS where its columns do not take those of the data, `replace` drops what there is and makes
 * it, `createAppend` appends where there is one and makes it otherwise. `upsert`, which is not ADBC's, appends too, but where
 * there is a row of the same key already, that row takes the values of the data; a driver that has no such thing throws
 * NOT_IMPLEMENTED.
 */
export type IngestMode = 'create' | 'append' | 'replace' | 'createAppend' | 'upsert';

/** A table to be written. */
export interface IngestRequest {
  readonly table: TableName;
  readonly mode: IngestMode;
  /** Whether the table is the session's own; it then has neither catalog nor schema. */
  readonly temporary: boolean;
  /** Of `upsert`: one column or more, all of the data; a unique constraint of the table is over just these. */
  readonly keys?: readonly string[] | undefined;
  readonly schema: Schema;
  /** Pulled one at a time, each of this schema; may end early with an error, which is passed on as it is. */
  readonly batches: AsyncIterable<RecordBatch>;
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
