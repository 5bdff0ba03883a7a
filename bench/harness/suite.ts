/**
 * What a suite is: a question, the cells that ask it, and the arms that answer each cell. Names of suites, cells and
 * arms are part of the command's contract.
 */
export interface Suite {
  readonly name: string;
  /** What the suite asks, one line. */
  readonly question: string;
  /** URL of the module that exports this object as `suite`: arms are opened there, each in a process of its own. */
  readonly module: string;
  readonly cells: readonly Cell[];
  /** Why an arm is missing on this machine, by the arm's name: a run says so before it begins. */
  readonly absent?: Readonly<Record<string, string>>;
  /** Rounds of a cell that does not say otherwise: every arm is measured once in each. */
  readonly rounds: number;
  /**
   * Sets of processes that share the rounds: the same code compiles, and the same heap lies, differently from process to
   * process, which more rounds in one process never show.
   */
  readonly processSets: number;
  /** Environment of the arms' processes, the same for all of them. */
  readonly env?: Readonly<Record<string, string>>;
  /** Versions that a reader of the figures must know, by name. */
  versions(): Promise<Record<string, string>>;
  /** Writes what all arms of these cells read into `input.folder`. Called once a run, before any arm is opened. */
  prepare(input: Input, cells: readonly string[]): Promise<void>;
  /** Undoes what `prepare` did outside of the folder, e.g. stops a server. Called at the end of every run, also when `prepare` failed. */
  cleanUp?(input: Input): Promise<void>;
  /** Opens an arm; called in the arm's process. */
  openArm(cell: string, arm: string, input: Input): Promise<Arm>;
}

export interface Cell {
  readonly name: string;
  /** What is timed, one line. */
  readonly about: string;
  /** Names, the reference first: ratios are its time over every other arm's. */
  readonly arms: readonly string[];
  /** Arms that only touch bytes: they have no digest, and their times are a lower limit rather than a competitor's. */
  readonly floors?: readonly string[];
  /** Where the suite's number would take too long. */
  readonly rounds?: number;
  /** What Node is told besides, in the process of every arm. */
  readonly nodeFlags?: readonly string[];
  /**
   * Whether the processor time of the arm's process, all its threads together, is told as well: as a cell `NAME-cpu` of
   * the same measurements. A time on the clock hides it where another process, such as a server, is what one waits for.
   */
  readonly cpu?: boolean;
}

/** What an arm's process is given. */
export interface Input {
  /** Scratch folder of this run: inputs, and what arms write. */
  readonly folder: string;
  /** Small data: the figures mean nothing, everything else works as in a whole run. */
  readonly quick: boolean;
}

/** One way to do what a cell asks. Only `run` is timed. */
export interface Arm<R = unknown> {
  /**
   * Before each measurement, e.g. to open a fresh table, so that nothing cached in an earlier one counts. What `run` works
   * on should be made here: code that was compiled for objects of which none is alive is dropped by the collection that
   * follows.
   */
  prepare?(): void | Promise<void>;
  run(): R | Promise<R>;
  /**
   * Gives back what a run made, not timed, before the next run. For results of one large buffer: left to the collector, most
   * of the time goes to the kernel, which makes fresh pages for the next one, and how often that happens is luck.
   */
  release?(result: R): void;
  /**
   * Runs again and again for at least this time and gives the last result: for work that another process does, which takes
   * the time by its own clock. `run` must then do the work once.
   */
  repeat?(leastMs: number): Promise<Repetition<R>>;
  /** Digest of a result that was timed, as `Digest` makes it. Absent for floors. */
  digest?(result: R): string | Promise<string>;
  close?(): void | Promise<void>;
}

/** What {@link Arm.repeat} did. */
export interface Repetition<R> {
  readonly iterations: number;
  /** Of all iterations together. */
  readonly elapsedMs: number;
  /** Processor time of all iterations together, user and system. */
  readonly cpuMs: number;
  readonly result: R;
}

/** One measurement of an arm: a line of `raw.csv`. */
export interface Measurement {
  readonly suite: string;
  readonly cell: string;
  readonly arm: string;
  /** From 1. Measurements of one round are pairs: they were taken one after the other. */
  readonly round: number;
  /** Number of the process set, from 1: each set has a fresh process for every arm. */
  readonly process: number;
  readonly iterations: number;
  /** Time of one iteration: the measurement's time over its iterations. */
  readonly ms: number;
  /** Digest of the process's results; empty for a floor. */
  readonly digest: string;
}
