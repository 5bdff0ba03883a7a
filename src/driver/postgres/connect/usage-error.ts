import { RecurveError } from '../../../error.ts';

/** What is wrong with the settings: INVALID_ARGUMENT, exit code 2. The message shows no value that may be a secret. */
export function usageError(message: string, hint?: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', message, { hint, exitCode: 2 });
}
