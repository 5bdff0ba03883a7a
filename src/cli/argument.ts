import { nearest } from '../adbc/nearest.ts';
import type { CommandOption } from './command.ts';
import { usageError } from './failure.ts';

/** The arguments of one command, sorted into operands and options. Asking for an option that was not given is no error. */
export class Arguments {
  readonly operands: readonly string[];
  readonly #values: ReadonlyMap<string, readonly string[]>;

  constructor(operands: readonly string[], values: ReadonlyMap<string, readonly string[]>) {
    this.operands = operands;
    this.#values = values;
  }

  has(name: string): boolean {
    return this.#values.has(name);
  }

  get(name: string): string | undefined {
    return this.#values.get(name)?.[0];
  }

  all(name: string): readonly string[] {
    return this.#values.get(name) ?? [];
  }

  /** A number greater than zero, whole when `whole`. Throws a usage error that gives the offending value. */
  positive(name: string, options: { readonly whole: boolean }): number | undefined {
    const text = this.get(name);
    if (text === undefined) return undefined;
    const value = /^\d*\.?\d+$/.test(text) ? Number(text) : Number.NaN;
    if (!(value > 0) || !Number.isFinite(value) || (options.whole && !Number.isSafeInteger(value))) {
      const kind = options.whole ? 'a whole number above 0' : 'a number above 0';
      throw usageError(`--${name} takes ${kind}, not ${JSON.stringify(text)}`);
    }
    return value;
  }
}

/**
 * Sorts arguments by a command's options: `--name VALUE`, `--name=VALUE`, `-n VALUE`, `-nVALUE`; `--` ends the options. A
 * value may start with a dash. An argument with white space after its dashes is an operand, so that SQL may begin with a
 * comment. Throws usage errors.
 */
export function parseArguments(argv: readonly string[], options: readonly CommandOption[]): Arguments {
  const operands: string[] = [];
  const values = new Map<string, string[]>();
  for (let i = 0; i < argv.length; i++) {
    const word = argv[i] ?? '';
    if (word === '--') {
      operands.push(...argv.slice(i + 1));
      break;
    }
    if (!word.startsWith('-') || word === '-' || /^--[^=]*\s/.test(word)) {
      operands.push(word);
      continue;
    }
    const { option, inline } = findOption(word, options);
    const given = values.get(option.name);
    if (given !== undefined && option.repeats !== true && option.value !== undefined) {
      throw usageError(`--${option.name} is given twice`);
    }
    let value = '';
    if (option.value === undefined) {
      if (inline !== undefined) throw usageError(`--${option.name} takes no value, so ${word} cannot be`);
    } else {
      const next = inline ?? argv[++i];
      if (next === undefined) throw usageError(`${word} needs a value: ${spell(option)}`);
      value = next;
      if (option.choices !== undefined && !option.choices.includes(value)) {
        const near = nearest(value, option.choices);
        const hint = near === undefined ? `one of ${option.choices.join(', ')}` : `did you mean ${near}?`;
        throw usageError(`--${option.name} ${JSON.stringify(value)} is not known`, hint);
      }
    }
    if (given === undefined) values.set(option.name, [value]);
    else given.push(value);
  }
  return new Arguments(operands, values);
}

function findOption(
  word: string,
  options: readonly CommandOption[],
): { option: CommandOption; inline: string | undefined } {
  if (word.startsWith('--')) {
    const equals = word.indexOf('=');
    const name = word.slice(2, equals < 0 ? undefined : equals);
    const option = options.find((candidate) => candidate.name === name);
    if (option !== undefined) return { option, inline: equals < 0 ? undefined : word.slice(equals + 1) };
    const near = nearest(
      name,
      options.map((candidate) => candidate.name),
    );
    throw usageError(`unknown option --${name}`, near === undefined ? 'see --help' : `did you mean --${near}?`);
  }
  const option = options.find((candidate) => candidate.short === word[1]);
  if (option === undefined) throw usageError(`unknown option ${word.slice(0, 2)}`, 'see --help');
  if (word.length === 2) return { option, inline: undefined };
  if (option.value === undefined) throw usageError(`-${option.short} takes no value, so ${word} cannot be`);
  return { option, inline: word.slice(word[2] === '=' ? 3 : 2) };
}

/** The option as the help writes it, e.g. `-o, --output FILE`. */
export function spell(option: CommandOption): string {
  const short = option.short === undefined ? '' : `-${option.short}, `;
  return `${short}--${option.name}${option.value === undefined ? '' : ` ${option.value}`}`;
}
