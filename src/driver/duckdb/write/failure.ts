import { RecurveError } from '../../../error.ts';

/** The error for a value that its DuckDB type cannot hold. */
export function valueError(path: string, value: string, why: string): RecurveError {
  return new RecurveError('INVALID_DATA', `column ${path}: ${value} ${why}`);
}
