import { RecurveError } from '../../../error.ts';

interface ValueFault {
  readonly path: string;
  readonly what: string;
}

/** What {@link rowError} needs to know again. */
const faults = new WeakMap<RecurveError, ValueFault>();

/** The error for a value that its DuckDB type cannot hold; {@link rowError} says in which row. */
export function valueError(path: string, value: string, why: string): RecurveError {
  const fault = { path, what: `${value} ${why}` };
  const error = new RecurveError('INVALID_DATA', `column ${path}: ${fault.what}`);
  faults.set(error, fault);
  return error;
}

/** The same error with the row, from 1, that alone was written when it was thrown. */
export function rowError(error: RecurveError, row: number): RecurveError {
  const fault = faults.get(error);
  const message =
    fault === undefined ? `${error.message} (in row ${row})` : `column ${fault.path}, row ${row}: ${fault.what}`;
  return new RecurveError(error.status, message, { cause: error });
}
