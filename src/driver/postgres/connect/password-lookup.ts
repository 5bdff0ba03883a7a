import { RecurveError } from '../../../error.ts';
import { raceSignal } from './deadline.ts';
import type { Endpoint } from './endpoint.ts';
import { findPassword } from './password-file.ts';
import type { ConnectSettings } from './settings.ts';
import { warn } from './warning.ts';

/** The password of one connection: given, asked for once, or from the password file by host. */
export class PasswordLookup {
  readonly #settings: ConnectSettings;
  readonly #signal: AbortSignal;
  #asked: Promise<string> | undefined;
  #remark: string | undefined;

  constructor(settings: ConnectSettings, signal: AbortSignal) {
    this.#settings = settings;
    this.#signal = signal;
  }

  /** Undefined where there is none. */
  async find({ passwordHost, port }: Endpoint): Promise<string | undefined> {
    const { password, passwordFile, database, user } = this.#settings;
    if (typeof password === 'string') return password;
    if (password !== undefined) {
      this.#asked ??= this.#ask(password);
      return raceSignal(this.#asked, this.#signal);
    }
    const found = await findPassword(passwordFile, { host: passwordHost, port, database, user });
    if (found.warning !== undefined) {
      this.#remark = found.warning;
      warn(found.warning);
    } else if (found.password !== undefined) this.#remark = `the password is that of ${passwordFile}`;
    return found.password;
  }

  /** Says where a password that did not do came from. */
  explain(error: RecurveError): RecurveError {
    if (error.status !== 'UNAUTHENTICATED' || this.#remark === undefined) return error;
    const { status, message, sqlState, details, cause, exitCode } = error;
    const hint = error.hint === undefined ? this.#remark : `${error.hint}; ${this.#remark}`;
    return new RecurveError(status, message, { hint, sqlState, details, cause, exitCode });
  }

  async #ask(source: Exclude<ConnectSettings['password'], string | undefined>): Promise<string> {
    let password: unknown;
    try {
      password = await source({ signal: this.#signal });
    } catch (cause) {
      throw new RecurveError('UNAUTHENTICATED', 'the function that gives the password failed', { cause, exitCode: 3 });
    }
    if (typeof password === 'string') return password;
    throw new RecurveError('INVALID_ARGUMENT', `the function that gives the password gave a ${typeof password}`, {
      hint: 'it must give a string, or a promise of one',
      exitCode: 3,
    });
  }
}
