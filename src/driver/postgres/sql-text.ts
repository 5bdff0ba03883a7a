/**
 * What the driver must know of a statement text without a grammar: where its statements end and which word it begins with.
 * Quotes, dollar quotes, comments (which nest) and the bodies of SQL-standard functions are passed over; "Lexical Structure".
 */

/** A piece of a text that is no comment. */
interface Piece {
  readonly kind: 'word' | 'semicolon' | 'parameter' | 'other';
  readonly start: number;
  readonly end: number;
}

const wordStart = /[A-Za-z_\u0080-\uffff]/;
const word = /[A-Za-z0-9_$\u0080-\uffff]*/y;
const digit = /[0-9]/;
const digits = /[0-9]+/y;
const dollarTag = /\$(?:[A-Za-z_\u0080-\uffff][A-Za-z0-9_\u0080-\uffff]*)?\$/y;

/** Its statements, without the semicolons between them, comments left where they are; none of an empty one. */
export function splitStatements(sql: string): string[] {
  const statements: string[] = [];
  let start = 0;
  let hasContent = false;
  // `BEGIN ATOMIC … END` of CREATE FUNCTION holds semicolons; so does CASE … END within it, without any.
  let depth = 0;
  let previous = '';
  for (const piece of pieces(sql)) {
    if (piece.kind === 'word') {
      const text = sql.slice(piece.start, piece.end).toLowerCase();
      if ((text === 'atomic' && previous === 'begin') || (depth > 0 && text === 'case')) depth++;
      else if (depth > 0 && text === 'end') depth--;
      previous = text;
    }
    if (piece.kind !== 'semicolon') hasContent = true;
    else if (depth === 0) {
      if (hasContent) statements.push(sql.slice(start, piece.start));
      start = piece.end;
      hasContent = false;
    }
  }
  if (hasContent) statements.push(sql.slice(start));
  return statements;
}

/** Its words outside of quotes and comments, in lower case. */
export function* words(sql: string): Generator<string> {
  for (const { kind, start, end } of pieces(sql)) if (kind === 'word') yield sql.slice(start, end).toLowerCase();
}

/** The highest parameter, `$3` being 3; 0 where there is none. */
export function countParameters(sql: string): number {
  let count = 0;
  for (const { kind, start, end } of pieces(sql)) {
    if (kind === 'parameter') count = Math.max(count, Number(sql.slice(start + 1, end)));
  }
  return count;
}

/** The first word, in lower case; empty where there is none. */
export function firstWord(sql: string): string {
  for (const text of words(sql)) return text;
  return '';
}

const reading = new Set(['select', 'values', 'table', 'show', 'explain', 'with']);
const writing = new Set(['insert', 'update', 'delete', 'merge', 'into', 'analyze', 'analyse']);

/**
 * Whether running a statement leaves the database as it is, by its kind: what its functions do is not looked at. Rather no
 * than yes: a SELECT with an alias `into` counts as one that may write, and so does EXPLAIN ANALYZE.
 */
export function isReading(sql: string): boolean {
  if (!reading.has(firstWord(sql))) return false;
  for (const text of words(sql)) if (writing.has(text)) return false;
  return true;
}

function* pieces(sql: string): Generator<Piece> {
  for (let at = 0; at < sql.length; ) {
    const character = sql[at] ?? '';
    const next = sql[at + 1];
    let end = at + 1;
    let kind: Piece['kind'] | undefined = 'other';
    if (character.trim() === '') kind = undefined;
    else if (character === '-' && next === '-') {
      kind = undefined;
      const newline = sql.indexOf('\n', at);
      end = newline < 0 ? sql.length : newline + 1;
    } else if (character === '/' && next === '*') {
      kind = undefined;
      end = endOfComment(sql, at);
    } else if (character === ';') kind = 'semicolon';
    else if (character === "'" || character === '"') end = endOfQuote(sql, at, character, false);
    else if (character === '$' && digit.test(next ?? '')) {
      digits.lastIndex = at + 1;
      digits.test(sql);
      end = digits.lastIndex;
      kind = 'parameter';
    } else if (character === '$') end = endOfDollarQuote(sql, at);
    else if (wordStart.test(character)) {
      word.lastIndex = at;
      word.test(sql);
      end = word.lastIndex;
      kind = 'word';
      const isEscapeString = end === at + 1 && (character === 'E' || character === 'e') && sql[end] === "'";
      if (isEscapeString) {
        end = endOfQuote(sql, end, "'", true);
        kind = 'other';
      }
    }
    if (kind !== undefined) yield { kind, start: at, end };
    at = end;
  }
}

function endOfQuote(sql: string, start: number, quote: string, backslash: boolean): number {
  for (let at = start + 1; at < sql.length; at++) {
    if (backslash && sql[at] === '\\') at++;
    else if (sql[at] === quote) {
      if (sql[at + 1] !== quote) return at + 1;
      at++;
    }
  }
  return sql.length;
}

function endOfComment(sql: string, start: number): number {
  let depth = 0;
  for (let at = start; at < sql.length; at++) {
    if (sql.startsWith('/*', at)) {
      depth++;
      at++;
    } else if (sql.startsWith('*/', at)) {
      at++;
      if (--depth === 0) return at + 1;
    }
  }
  return sql.length;
}

function endOfDollarQuote(sql: string, start: number): number {
  dollarTag.lastIndex = start;
  const [tag] = dollarTag.exec(sql) ?? [];
  if (tag === undefined) return start + 1;
  const end = sql.indexOf(tag, start + tag.length);
  return end < 0 ? sql.length : end + tag.length;
}
