import type { Status } from './status.ts';

/** What a {@link RecurveError} may carry besides its status and message. */
export interface RecurveErrorOptions {
  /** What to do about it, one line, printed after the message as `hint:`. */
  readonly hint?: string | undefined;
  /** SQLSTATE, five characters. */
  readonly sqlState?: string | undefined;
  /** The source's own number for the error. */
  readonly vendorCode?: number | undefined;
  /** ADBC's error details: keys and values as the source gave them. */
  readonly details?: ReadonlyArray<readonly [key: string, value: Uint8Array]> | undefined;
  /** The exit code of the command where it differs from the status's own. */
  readonly exitCode?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The one error class. The message is one line: what happened, with the offending value, and where.
 *
 * Recognise it with {@link RecurveError.is}, which also holds for errors of a second copy of this package.
 */
export class RecurveError extends Error {
  override readonly name = 'RecurveError';
  declare readonly status: Status;
  declare readonly hint: string | undefined;
  declare readonly sqlState: string | undefined;
  declare readonly vendorCode: number | undefined;
  declare readonly details: ReadonlyArray<readonly [key: string, value: Uint8Array]>;
  declare readonly exitCode: number | undefined;

  constructor(status: Status, message: string, options: RecurveErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.status = status;
    this.hint = options.hint;
    this.sqlState = options.sqlState;
    this.vendorCode = options.vendorCode;
    this.details = options.details ?? [];
    this.exitCode = options.exitCode;
  }

  static is(value: unknown): value is RecurveError {
    return value instanceof Error && value.name === 'RecurveError' && 'status' in value;
  }
}
