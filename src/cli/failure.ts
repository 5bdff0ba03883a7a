import { redactText } from '../adbc/redact.ts';
import { RecurveError } from '../error.ts';
import { type Status, statusCodes } from '../status.ts';

/** An error of use: exit code 2. `hint` says what to type instead. */
export function usageError(message: string, hint?: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', message, { hint, exitCode: 2 });
}

/** What a failed system call is in our words; the ones that are not listed are IO. */
const systemStatus: Readonly<Record<string, Status>> = {
  ENOENT: 'NOT_FOUND',
  EEXIST: 'ALREADY_EXISTS',
  EACCES: 'UNAUTHORIZED',
  EPERM: 'UNAUTHORIZED',
};

/** Any thrown value as our error: system errors become IO and the like, what nobody foresaw INTERNAL. */
export function toRecurveError(thrown: unknown): RecurveError {
  if (RecurveError.is(thrown)) return thrown;
  if (!(thrown instanceof Error)) return new RecurveError('INTERNAL', `thrown: ${String(thrown)}`, { cause: thrown });
  const code = systemCode(thrown);
  if (code !== undefined) {
    return new RecurveError(systemStatus[code] ?? 'IO', thrown.message, { cause: thrown, exitCode: 1 });
  }
  return new RecurveError('INTERNAL', thrown.message || thrown.name, {
    cause: thrown,
    hint: 'this is a fault of recurve; --debug prints where it happened',
  });
}

/** The `code` of a failed system call, such as `ENOSPC`. */
export function systemCode(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown) || !('syscall' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}

export function exitCodeOf(error: RecurveError): number {
  return error.exitCode ?? statusCodes[error.status].exit;
}

export interface FormatErrorOptions {
  readonly debug: boolean;
  /** Values that must not be shown. */
  readonly secrets?: readonly string[];
}

/**
 * The lines for standard error: `error[STATUS]: message`, then `hint: …` if there is one, each one line whatever the
 * source said, and with `debug` the stacks of the error and its causes. Passwords in URIs and what follows a telling name
 * are blotted out, and so is each of `secrets`, wherever it stands.
 */
export function formatError(error: RecurveError, options: FormatErrorOptions): string {
  const blot = (text: string): string => (options.secrets ?? []).reduce(blotOut, text);
  const lines = [`error[${error.status}]: ${oneLine(blot(error.message))}`];
  if (error.hint !== undefined) lines.push(`hint: ${oneLine(blot(error.hint))}`);
  if (options.debug) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause)
      lines.push(blot(cause.stack ?? `${cause}`));
  }
  return `${lines.map(redactText).join('\n')}\n`;
}

/** Replaces a secret, as it is and as it stands in a quotation. */
function blotOut(text: string, secret: string): string {
  const quoted = JSON.stringify(secret).slice(1, -1);
  return secret === '' ? text : text.replaceAll(secret, '***').replaceAll(quoted, '***');
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ');
}
