/** Where bytes go. A write resolves when more may follow, which is the back-pressure; what was given may then be reused. */
export interface Sink {
  write(bytes: Uint8Array): Promise<void>;
}

/** Standard output or error. Writing to one whose reader has gone rejects with an error of exit code 0. */
export interface Terminal extends Sink {
  readonly isTerminal: boolean;
  /** Columns of the terminal; undefined when it is none or does not say. */
  readonly columns: number | undefined;
}

/** Standard input. */
export interface Input extends AsyncIterable<Uint8Array> {
  readonly isTerminal: boolean;
}

/** What a command knows of the process it runs in, so that tests can run one without a process. */
export interface CommandIo {
  readonly stdin: Input;
  readonly stdout: Terminal;
  readonly stderr: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Fires when the user interrupts; its reason is the error to end with. */
  readonly signal: AbortSignal;
}

/** Writes text as UTF-8. */
export function print(sink: Sink, text: string): Promise<void> {
  return sink.write(new TextEncoder().encode(text));
}

/** Whether colours may be used: on a terminal, unless `NO_COLOR` is set and not empty (no-color.org) or it is dumb. */
export function allowsColor(io: CommandIo): boolean {
  return io.stdout.isTerminal && !io.env.NO_COLOR && io.env.TERM !== 'dumb';
}
