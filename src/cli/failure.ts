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

/**
 * The lines for standard error: `error[STATUS]: message`, then `hint: …` if there is one, each one line whatever the
 * source said, and with `debug` the stacks of the error and its causes. Passwords in URIs are blotted out.
 */
export function formatError(error: RecurveError, options: { readonly debug: boolean }): string {
  const lines = [`error[${error.status}]: ${oneLine(error.message)}`];
  if (error.hint !== undefined) lines.push(`hint: ${oneLine(error.hint)}`);
  if (options.debug) {
    for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) lines.push(cause.stack ?? `${cause}`);
  }
  return `${redact(lines.join('\n'))}\n`;
}

function oneLine(text: string): string {
  return text.trim().replaceAll(/\s*[\r\n]+\s*/g, ' ');
}

/** Replaces what may be secret in text: the password of a URI and the values of parameters that are named like one. */
export function redact(text: string): string {
  return text
    .replaceAll(/([a-z][a-z0-9+.-]*:\/\/[^\s/:@'"]*):[^\s/'"]*@/gi, '$1:***@')
    .replaceAll(/([?&;](?:password|passwd|pwd|token|secret|[a-z_-]*key)=)[^\s&;'"]+/gi, '$1***');
}
