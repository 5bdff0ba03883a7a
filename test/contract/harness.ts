import type { Database, Parameter } from 'recurve/adbc';
import type { DataType, Status } from 'recurve/arrow';

/**
 * What a driver may lack. A behaviour that needs one of these is skipped, and listed with the reason that the harness
 * gives; one that is not in the harness's list must work.
 */
export type Feature =
  | 'tables'
  | 'parameters'
  | 'named parameters'
  | 'scripts'
  | 'endless statements'
  | 'failing statements'
  | 'types'
  | 'quoted names'
  | 'shared database'
  | 'secret options'
  | 'metadata'
  | 'ingest'
  | 'partitions'
  | 'describing statements';

/** A driver as the contract suite sees it: how to open it, how it spells what the suite asks, and what it lacks. */
export interface Harness {
  /** The driver's name, as in `docs/`. */
  readonly name: string;
  /** Opens an empty database that no other test sees; the suite closes it. */
  open(): Promise<Database>;
  readonly dialect: Dialect;
  /** Why, for each. */
  readonly lacks: { readonly [F in Feature]?: string };
  /** Behaviours by their name that the driver cannot show, and why. One that no behaviour is named by fails the suite. */
  readonly skips: Readonly<Record<string, string>>;
  /** Throws what opening with wrong options throws; the options hold {@link secret} where a secret belongs. */
  openWrongly?(): ReadonlyArray<() => Promise<unknown>>;
}

/** What must never stand in a message. */
export const secret = 'hunter2-cGFzc3dvcmQ';

/** A statement of one value. */
export interface Answer {
  readonly sql: string;
  readonly value: unknown;
}

/** A statement that fails at once. */
export interface Refusal {
  /** What is wrong with it, to name the test. */
  readonly what: string;
  /** Run before it. */
  readonly setup?: readonly string[];
  readonly sql: string;
  readonly status: Status;
  /** Where the source gives one. */
  readonly sqlState?: string;
}

/** A value that goes to the source as a parameter and comes back as its Arrow type and value. */
export interface ParameterCase {
  readonly what: string;
  readonly value: Parameter;
  /** Null: whatever the source makes of it. */
  readonly type: DataType | null;
  /** As `toArray` gives it. */
  readonly back: unknown;
}

/** How a source spells what the suite asks. SQL where not said otherwise. */
export interface Dialect {
  /** `SELECT 42`, or what comes nearest. */
  readonly answer: Answer;
  /** No rows; columns `a` and `b`. */
  readonly empty: string;
  /** One column, `i`: the whole numbers from 0 below `count`, in order. */
  rows(count: number): string;
  /** One column, `s`: `count` texts of `length` characters each. */
  texts(count: number, length: number): string;
  /** Runs for hours without a row. */
  readonly endless: string;
  /** Gives rows for hours. */
  readonly trickle: string;
  /** {@link rows} that fails after `rows` of them with this status. */
  readonly failure: { readonly sql: string; readonly rows: number; readonly status: Status };
  /** Statements that fail at once, each with its status. */
  readonly refusals: readonly Refusal[];
  /** The parameter at this place, from 1. */
  parameter(position: number): string;
  namedParameter(name: string): string;
  /** A select of one value, typed so that the source takes it without a cast. */
  select(expression: string): string;
  /** Parameters beyond those that every driver takes. */
  readonly parameterCases: readonly ParameterCase[];
  quote(identifier: string): string;
}
