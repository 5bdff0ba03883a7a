import { RecurveError } from '../../error.ts';
import type { Status } from '../../status.ts';
import { BodyReader } from './wire/message-reader.ts';
import { readReport, type ServerReport } from './wire/report.ts';

/** Exact codes come before classes; appendix "PostgreSQL Error Codes". */
const statusByCode: Readonly<Record<string, Status>> = {
  '57014': 'CANCELLED',
  // Parameters too few or too many.
  '08P01': 'INVALID_ARGUMENT',
  '0A000': 'NOT_IMPLEMENTED',
  '42501': 'UNAUTHORIZED',
  '42P01': 'NOT_FOUND',
  '42P02': 'NOT_FOUND',
  '42703': 'NOT_FOUND',
  '42883': 'NOT_FOUND',
  '42704': 'NOT_FOUND',
  '42602': 'NOT_FOUND',
  '34000': 'NOT_FOUND',
  '3D000': 'NOT_FOUND',
  '3F000': 'NOT_FOUND',
  '26000': 'NOT_FOUND',
  '58P01': 'NOT_FOUND',
  '42701': 'ALREADY_EXISTS',
  '42P03': 'ALREADY_EXISTS',
  '42P04': 'ALREADY_EXISTS',
  '42P05': 'ALREADY_EXISTS',
  '42P06': 'ALREADY_EXISTS',
  '42P07': 'ALREADY_EXISTS',
  '42712': 'ALREADY_EXISTS',
  '42723': 'ALREADY_EXISTS',
  '42710': 'ALREADY_EXISTS',
  '58P02': 'ALREADY_EXISTS',
};

const statusByClass: Readonly<Record<string, Status>> = {
  '22': 'INVALID_DATA',
  '23': 'INTEGRITY',
  '28': 'UNAUTHENTICATED',
  '25': 'INVALID_STATE',
  '2D': 'INVALID_STATE',
  '2B': 'INVALID_STATE',
  '3B': 'INVALID_STATE',
  '55': 'INVALID_STATE',
  XX: 'INTERNAL',
  '42': 'INVALID_ARGUMENT',
};

/** ADBC's keys of details, as the C driver has them (`PG_DIAG_*`). */
const detailKeys: readonly (readonly [key: string, field: keyof ServerReport])[] = [
  ['PG_DIAG_SEVERITY_NONLOCALIZED', 'severity'],
  ['PG_DIAG_SQLSTATE', 'code'],
  ['PG_DIAG_MESSAGE_PRIMARY', 'message'],
  ['PG_DIAG_MESSAGE_DETAIL', 'detail'],
  ['PG_DIAG_MESSAGE_HINT', 'hint'],
  ['PG_DIAG_STATEMENT_POSITION', 'position'],
  ['PG_DIAG_INTERNAL_POSITION', 'internalPosition'],
  ['PG_DIAG_INTERNAL_QUERY', 'internalQuery'],
  ['PG_DIAG_CONTEXT', 'where'],
  ['PG_DIAG_SCHEMA_NAME', 'schema'],
  ['PG_DIAG_TABLE_NAME', 'table'],
  ['PG_DIAG_COLUMN_NAME', 'column'],
  ['PG_DIAG_DATATYPE_NAME', 'dataType'],
  ['PG_DIAG_CONSTRAINT_NAME', 'constraint'],
  ['PG_DIAG_SOURCE_FILE', 'file'],
  ['PG_DIAG_SOURCE_LINE', 'line'],
  ['PG_DIAG_SOURCE_FUNCTION', 'routine'],
];

/** The status of an SQLSTATE; IO for a class that says nothing of the statement. */
function statusOf(sqlState: string): Status {
  return statusByCode[sqlState] ?? statusByClass[sqlState.slice(0, 2)] ?? 'IO';
}

/** What the error is about, besides what the server says. */
export interface ErrorContext {
  /** The statement text, for line and column. */
  readonly sql?: string | undefined;
  readonly exitCode?: number | undefined;
}

/** The server's report as an error: one line, with the place in the statement, and every field among its details. */
export function toRecurveError(report: ServerReport, { sql, exitCode }: ErrorContext = {}): RecurveError {
  const { code, message, detail, hint, position } = report;
  const place = sql === undefined || position === undefined ? '' : describePlace(sql, Number(position));
  const details = detailKeys.flatMap(([key, field]) => {
    const text = report[field];
    return text === undefined ? [] : [[key, new TextEncoder().encode(text)] as const];
  });
  const text = detail === undefined ? message : `${message}: ${detail}`;
  return new RecurveError(statusOf(code), `${oneLine(text)}${place}`, {
    sqlState: code,
    hint: hint === undefined ? undefined : oneLine(hint),
    details,
    exitCode,
  });
}

/** Reads an ErrorResponse. */
export function readError(body: Uint8Array, context: ErrorContext = {}): RecurveError {
  return toRecurveError(readReport(body), context);
}

/** Rows that a command tag tells, e.g. `INSERT 0 5`; −1 for a command that counts none or whose rows are its result. */
export function readRowsAffected(body: Uint8Array): number {
  const tag = new BodyReader(body).text();
  const [, command, count] = /^(INSERT|UPDATE|DELETE|MERGE|COPY|SELECT)(?: \d+)? (\d+)$/.exec(tag) ?? [];
  return command === undefined || command === 'SELECT' ? -1 : Number(count);
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}

/** `position` counts characters, not UTF-16 units, from 1. */
function describePlace(sql: string, position: number): string {
  const before = [...sql].slice(0, position - 1).join('');
  const line = before.split('\n').length;
  const column = [...before.slice(before.lastIndexOf('\n') + 1)].length + 1;
  return line === 1 ? ` (at character ${column})` : ` (line ${line}, character ${column})`;
}
