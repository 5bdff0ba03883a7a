import { RecurveError } from '../../error.ts';
import type { Status } from '../../status.ts';

/** What a prefix of DuckDB's messages means. `exitCode` where it differs from the status's own. */
export interface ErrorClass {
  readonly prefix: string;
  readonly status: Status;
  readonly exitCode?: number;
}

/** DuckDB's exception types by the prefix of their messages: the table of `docs/errors.md`. */
export const errorClasses: readonly ErrorClass[] = [
  { prefix: 'Parser Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Syntax Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Binder Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Catalog Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Invalid Input Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Invalid Configuration Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Mismatch Type Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Invalid type Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Parameter Not Resolved Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Parameter Not Allowed Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Expression Error', status: 'INVALID_ARGUMENT' },
  { prefix: 'Conversion Error', status: 'INVALID_DATA' },
  { prefix: 'Out of Range Error', status: 'INVALID_DATA' },
  { prefix: 'Decimal Error', status: 'INVALID_DATA' },
  { prefix: 'Divide by Zero Error', status: 'INVALID_DATA' },
  { prefix: 'Object Size Error', status: 'INVALID_DATA' },
  { prefix: 'Serialization Error', status: 'INVALID_DATA' },
  { prefix: 'Constraint Error', status: 'INTEGRITY' },
  { prefix: 'TransactionContext Error', status: 'INVALID_STATE' },
  { prefix: 'Dependency Error', status: 'INVALID_STATE' },
  { prefix: 'Connection Error', status: 'INVALID_STATE' },
  { prefix: 'Sequence Error', status: 'INVALID_STATE' },
  { prefix: 'Permission Error', status: 'UNAUTHORIZED', exitCode: 1 },
  { prefix: 'Not implemented Error', status: 'NOT_IMPLEMENTED' },
  { prefix: 'Missing Extension Error', status: 'NOT_FOUND' },
  { prefix: 'Extension Autoloading Error', status: 'NOT_FOUND' },
  { prefix: 'IO Error', status: 'IO' },
  { prefix: 'HTTP Error', status: 'IO' },
  { prefix: 'Network Error', status: 'IO' },
  { prefix: 'Out of Memory Error', status: 'IO', exitCode: 4 },
  { prefix: 'INTERRUPT Error', status: 'CANCELLED' },
  { prefix: 'INTERNAL Error', status: 'INTERNAL' },
  { prefix: 'FATAL Error', status: 'INTERNAL' },
];

/** Where the words of a message say more than its prefix. The first that matches counts. */
const exceptions: ReadonlyArray<readonly [prefix: string, words: RegExp, status: Status]> = [
  ['Catalog Error', /already exists!/, 'ALREADY_EXISTS'],
  ['Catalog Error', /does not exist|unrecognized|^SET .* found\./, 'NOT_FOUND'],
  ['Catalog Error', /^(Could not|Cannot) drop/, 'INVALID_STATE'],
  ['Binder Error', /already exists/, 'ALREADY_EXISTS'],
  ['Binder Error', /^Referenced (column|table) .* not found|does not have a column|: database not found/, 'NOT_FOUND'],
  ['Binder Error', /^Prepared statement .* does not exist/, 'NOT_FOUND'],
  ['Invalid Input Error', /attached in read-only mode/, 'INVALID_STATE'],
  ['Invalid Input Error', /^(Malformed JSON|No magic bytes)/, 'INVALID_DATA'],
  ['IO Error', /No files found|No such file|does not exist|not found/, 'NOT_FOUND'],
  ['TransactionContext Error', /[Cc]onflict/, 'INTEGRITY'],
];

/** In UTF-16 units: about three lines of a terminal. */
const maxHintLength = 240;

/** What is known besides the message. */
export interface ErrorContext {
  /** The statement text: gives the column of an error where DuckDB shows a part of a long line only. */
  readonly sql?: string | undefined;
  /** The exit code for an error that has none of its own. */
  readonly exitCode?: number | undefined;
  readonly cause?: unknown;
}

/**
 * The error for a message of DuckDB: the status by {@link errorClasses}, the first paragraph as one line with the place
 * in the statement, what DuckDB proposes as the hint. Nothing is lost: the detail `duckdb.message` holds the whole text.
 */
export function toRecurveError(message: string, context: ErrorContext = {}): RecurveError {
  const { rest, place } = cutPlace(message.replace(/\n+Stack Trace:[\s\S]*$/, ''), context.sql);
  const [, prefix = '', body = rest] = /^([A-Za-z ]+ Error): ([\s\S]*)$/.exec(rest) ?? [];
  const [first = '', ...more] = splitParagraphs(body);
  const known = errorClasses.find((entry) => entry.prefix === prefix);
  const status = exceptions.find((entry) => entry[0] === prefix && entry[1].test(body))?.[2] ?? known?.status;
  const line = `${prefix === '' ? '' : `${prefix}: `}${first}${place}`;
  return new RecurveError(status ?? 'UNKNOWN', line === '' ? 'DuckDB failed without a message' : line, {
    hint: more.length === 0 ? undefined : shorten(more.join(' ')),
    exitCode: known?.exitCode ?? context.exitCode,
    details: [['duckdb.message', new TextEncoder().encode(message)]],
    cause: context.cause,
  });
}

/** The error for whatever a native call threw. */
export function fromNative(error: unknown, context: ErrorContext = {}): RecurveError {
  if (RecurveError.is(error)) return error;
  return toRecurveError(error instanceof Error ? error.message : String(error), { ...context, cause: error });
}

/** The first paragraph and the others, each as one line; what DuckDB proposes starts a paragraph of its own. */
function splitParagraphs(text: string): string[] {
  return text
    .split(/\n\s*\n|\n\s*(?=Did you mean|Candidate |Possible solutions)/)
    .map((paragraph) => paragraph.replace(/\s*\n\s*/g, ' ').trim())
    .filter((paragraph) => paragraph !== '');
}

/** Of proposals there may be dozens; the detail has them all. */
function shorten(hint: string): string {
  return hint.length <= maxHintLength ? hint : `${hint.slice(0, maxHintLength).trimEnd()} …`;
}

/** Takes out the lines that show the place, `LINE 1: …` and a caret below, and says it as `(line 1, column 8)`. */
function cutPlace(message: string, sql: string | undefined): { rest: string; place: string } {
  const shown = /\n+LINE (\d+): (.*)\n( *)\^/.exec(message);
  if (shown === null) return { rest: message, place: '' };
  const [whole, line = '', text = '', indent = ''] = shown;
  const rest = message.slice(0, shown.index) + message.slice(shown.index + whole.length);
  const caret = indent.length - `LINE ${line}: `.length;
  const column = text.startsWith('...') ? columnInLine(text, caret, sql?.split('\n')[Number(line) - 1]) : caret;
  return { rest, place: column < 0 ? ` (line ${line})` : ` (line ${line}, column ${column + 1})` };
}

/** The column behind a caret under a part of a line; −1 where the part is not found, or twice. */
function columnInLine(text: string, caret: number, line: string | undefined): number {
  const part = text.slice(3).replace(/\.\.\.$/, '');
  const start = line?.indexOf(part) ?? -1;
  return start < 0 || line?.includes(part, start + 1) ? -1 : start + caret - 3;
}
