import { RecurveError } from '../../../error.ts';
import { usageError } from './usage-error.ts';

/** Reads checked values by keyword. What is wrong is INVALID_ARGUMENT, naming keyword and value. An empty value counts as none. */
export class SettingReader {
  readonly #values: ReadonlyMap<string, string>;

  constructor(values: ReadonlyMap<string, string>) {
    this.#values = values;
  }

  text(keyword: string): string | undefined {
    return this.#values.get(keyword) || undefined;
  }

  choice<T extends string>(keyword: string, choices: readonly T[], standard: T): T {
    return this.optionalChoice(keyword, choices) ?? standard;
  }

  /** Letters count alike where none of the choices has capitals, and TLS versions too. */
  optionalChoice<T extends string>(keyword: string, choices: readonly T[]): T | undefined {
    const value = this.text(keyword);
    if (value === undefined) return undefined;
    const found = choices.find((choice) => choice === value) ?? choices.find((choice) => isVersion(choice, value));
    if (found === undefined) {
      throw usageError(`${keyword} is ${JSON.stringify(value)}, but must be ${choices.join(', ')}`);
    }
    return found;
  }

  /** A whole number of 32 bits, white space around it passed over. */
  integer(keyword: string): number | undefined {
    const value = this.text(keyword);
    if (value === undefined) return undefined;
    const number = /^\s*[+-]?\d+\s*$/.test(value) ? Number(value) : Number.NaN;
    if (!(number >= -2_147_483_648 && number <= 2_147_483_647)) {
      throw usageError(`${keyword} is ${JSON.stringify(value)}, but must be a whole number`);
    }
    return number;
  }

  notImplemented(keyword: string, because: string): RecurveError {
    return new RecurveError('NOT_IMPLEMENTED', `the setting ${keyword} is not supported: ${because}`, { exitCode: 2 });
  }
}

function isVersion(choice: string, value: string): boolean {
  return choice.startsWith('TLS') && choice.toLowerCase() === value.toLowerCase();
}
