/** Digits from which on a whole number may be beyond what a JavaScript number holds exactly. */
const longInteger = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * JSON as `JSON.parse` gives it, but for whole numbers of 16 digits and more, which come as text with all of their digits:
 * the integration format has 64-bit counts that stand as bare numbers. One pass, whatever the size.
 */
export function parseExactJson(text: string): unknown {
  return JSON.parse(quoteLongIntegers(text)) as unknown;
}

function quoteLongIntegers(text: string): string {
  const parts: string[] = [];
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf('"', at);
    const end = open < 0 ? text.length : open;
    parts.push(text.slice(at, end).replace(longInteger, '"$&"'));
    if (open < 0) break;
    at = stringEnd(text, open);
    parts.push(text.slice(open, at));
  }
  return parts.join('');
}

/** The place after the quotation mark that closes the string at `open`; an odd number of backslashes escapes one. */
function stringEnd(text: string, open: number): number {
  for (let close = text.indexOf('"', open + 1); close >= 0; close = text.indexOf('"', close + 1)) {
    let backslashes = 0;
    while (text[close - 1 - backslashes] === '\\') backslashes++;
    if (backslashes % 2 === 0) return close + 1;
  }
  return text.length;
}
