import type { Arguments } from './argument.ts';
import type { CommandIo } from './io.ts';

/** An option of a command, as parser, help, completion and manual page need it. */
export interface CommandOption {
  /** Without the dashes. */
  readonly name: string;
  /** One letter, without the dash. */
  readonly short?: string;
  /** What stands for the value in the help, e.g. `FILE`; an option without one is a switch. */
  readonly value?: string;
  /** May be given more than once. */
  readonly repeats?: boolean;
  /** The values there are, where the set is closed. */
  readonly choices?: readonly string[];
  readonly summary: string;
}

/** One entry of the command table. */
export interface Command {
  readonly name: string;
  /** What follows the name in the usage line, options left out. */
  readonly operands: string;
  /** The most operands it takes. */
  readonly maxOperands: number;
  /** The operands there are, where the set is closed; completion offers files otherwise. */
  readonly words?: readonly string[];
  readonly summary: string;
  /** Paragraphs for `recurve help NAME`. */
  readonly details: readonly string[];
  readonly options: readonly CommandOption[];
  readonly examples: readonly string[];
  /** When true, everything after the name goes to the command as it is. */
  readonly passesThrough?: boolean;
  /** Imported when the command is used, so that `--help` stays quick. */
  load(): Promise<CommandAction>;
}

/** Runs a command and returns its exit code. Errors are thrown. */
export type CommandAction = (args: Arguments, io: CommandIo) => Promise<number>;
