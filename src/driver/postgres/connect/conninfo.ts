import { usageError } from './usage-error.ts';

/** Keywords and values as they are given, in order; a keyword may come twice. */
export type KeywordValue = readonly [keyword: string, value: string];

const space = /[ \t\n\v\f\r]/;

/**
 * Reads `host=localhost port=5432 dbname='my db'` (the manual, "Keyword/Value Connection Strings"): pairs apart by white space,
 * which may also stand around the sign; values with spaces, or empty, stand in single quotes; a backslash takes the next character as it is.
 *
 * Throws INVALID_ARGUMENT for a keyword without a sign and for a quote that is not closed. No message shows a value.
 */
export function readConninfo(text: string): KeywordValue[] {
  const pairs: KeywordValue[] = [];
  let at = 0;
  const skipSpace = (): void => {
    while (at < text.length && space.test(text.charAt(at))) at++;
  };
  for (skipSpace(); at < text.length; skipSpace()) {
    const start = at;
    while (at < text.length && text[at] !== '=' && !space.test(text.charAt(at))) at++;
    const keyword = text.slice(start, at);
    skipSpace();
    if (text[at] !== '=') {
      // What stands there may be the end of a value that should have been quoted.
      throw usageError(
        `a word at position ${start + 1} of the connection string has no value`,
        "write keyword=value; values with spaces stand in quotes: 'two words'",
      );
    }
    at++;
    skipSpace();
    const isQuoted = text[at] === "'";
    if (isQuoted) at++;
    let value = '';
    for (;;) {
      const character = text[at];
      if (character === undefined) {
        if (!isQuoted) break;
        throw usageError(
          `the quote of ${JSON.stringify(keyword)} in the connection string is not closed`,
          "inside of quotes write \\' for ' and \\\\ for \\",
        );
      }
      if (isQuoted ? character === "'" : space.test(character)) break;
      at++;
      if (character !== '\\') value += character;
      else if (at < text.length) value += text.charAt(at++);
    }
    if (isQuoted) at++;
    pairs.push([keyword, value]);
  }
  return pairs;
}
