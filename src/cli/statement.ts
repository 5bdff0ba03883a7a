import { stat } from 'node:fs/promises';
import { raceReason } from '../arrow/ipc/abort.ts';
import { RecurveError } from '../error.ts';
import { waitPatiently } from './abort.ts';
import { systemCode, usageError } from './failure.ts';
import type { Input } from './io.ts';
import { openInPlace } from './output.ts';

/** A statement and where to send it. */
export interface Statement {
  readonly uri: string;
  readonly sql: string;
}

/** The default source: an in-memory DuckDB. */
const defaultUri = 'duckdb:';

/** What begins a URI whatever follows, when an operand follows it. */
const knownScheme = /^(duckdb|postgres|postgresql|athena|grpc|grpc\+tls|grpc\+unix|profile):/i;

/** White space, semicolons and comments, where nothing else has begun. */
const blank = /\s+|;|--[^\n]*|\/\*[\s\S]*?\*\//gy;

/** What to say when there are more operands than a URI and a statement. */
const quoteHint = `put the statement in quotes: recurve query "select 1"`;

/** Whether an operand is a URI: a scheme, a colon, and no white space (which every longer statement has). */
export function looksLikeUri(operand: string): boolean {
  return /^[a-z][a-z0-9+.-]*:\S*$/i.test(operand) && !operand.includes("'");
}

/**
 * Finds the statement: the last operand, or the text of `file`, or standard input when the operand is `-` or when there
 * is none and input is not a terminal. A byte order mark is dropped. Throws usage errors.
 */
export async function readStatement(
  operands: readonly string[],
  file: string | undefined,
  stdin: Input,
  signal: AbortSignal,
): Promise<Statement> {
  const rest = [...operands];
  const first = rest[0];
  const isUri = first !== undefined && (looksLikeUri(first) || (rest.length > 1 && knownScheme.test(first)));
  const uri = isUri ? first : undefined;
  if (uri !== undefined) rest.shift();
  if (rest.length > 1) {
    const hint =
      uri === undefined && rest.length === 2 ? `a URI begins with its scheme, e.g. duckdb:; ${quoteHint}` : quoteHint;
    throw usageError(
      `one statement is wanted, and there are ${rest.length} operands: ${JSON.stringify(rest[0])}, …`,
      hint,
    );
  }
  const operand = rest[0];
  if (operand !== undefined && file !== undefined) {
    throw usageError('the statement is given twice: as an operand and by --file');
  }
  const text = await readText(operand, file, stdin, signal);
  const sql = text.replace(/^\uFEFF/, '');
  if (sql.replaceAll(blank, '') === '') throw usageError('the statement is empty');
  return { uri: uri ?? defaultUri, sql };
}

async function readText(
  operand: string | undefined,
  file: string | undefined,
  stdin: Input,
  signal: AbortSignal,
): Promise<string> {
  if (file !== undefined && file !== '-') {
    try {
      return decode(await waitPatiently(readWhole(file, signal), signal), JSON.stringify(file));
    } catch (error) {
      if (systemCode(error) === undefined) throw error;
      throw usageError(`cannot read the statement from ${JSON.stringify(file)}: ${(error as Error).message}`);
    }
  }
  if (operand !== undefined && operand !== '-') return operand;
  if (operand === undefined && file === undefined && stdin.isTerminal) {
    throw usageError('no statement', `recurve query "select 42", or by --file, or on standard input`);
  }
  return decode(await readAll(stdin, signal), 'standard input');
}

function decode(bytes: Uint8Array, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new RecurveError('INVALID_DATA', `the statement from ${where} is not UTF-8`, { cause, exitCode: 2 });
  }
}

async function readWhole(file: string, signal: AbortSignal): Promise<Uint8Array> {
  const isPipe = (await stat(file)).isFIFO();
  const handle = await openInPlace(file, 'r', isPipe ? signal : undefined);
  try {
    return await handle.readFile();
  } finally {
    await handle.close();
  }
}

async function readAll(input: Input, signal: AbortSignal): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const collect = async (): Promise<void> => {
    for await (const chunk of input) chunks.push(chunk);
  };
  await raceReason(collect(), signal);
  return Buffer.concat(chunks);
}
