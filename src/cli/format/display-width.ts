/**
 * Columns that text takes on a terminal: two for East Asian wide and fullwidth characters (UAX #11) and for emoji, none for
 * marks that join the character before them. An approximation where terminals differ, as for joined emoji.
 */
export function displayWidth(text: string): number {
  if (isPlain(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** The longest start of `text` that takes at most `columns`, an ellipsis in place of what was cut off. */
export function truncate(text: string, columns: number): string {
  if (isPlain(text)) return text.length <= columns ? text : `${text.slice(0, Math.max(0, columns - 1))}…`;
  if (displayWidth(text) <= columns) return text;
  let out = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    const wider = width + graphemeWidth(segment);
    if (wider > columns - 1) break;
    out += segment;
    width = wider;
  }
  return `${out}…`;
}

/** Text with control characters written as escapes, since they would break the lines or command the terminal. */
export function visible(text: string): string {
  return control.test(text) ? text.replaceAll(controls, escapeControl) : text;
}

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });
// C0, DEL and C1, line and paragraph separators, and the marks that turn the direction of writing.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what it looks for.
const control = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]/;
const controls = new RegExp(control, 'g');
const named: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeControl(character: string): string {
  const code = character.charCodeAt(0).toString(16);
  return named[character] ?? (code.length > 2 ? `\\u${code.padStart(4, '0')}` : `\\x${code.padStart(2, '0')}`);
}

/** Printable ASCII: a column a character. */
function isPlain(text: string): boolean {
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) > 0x7e) return false;
  return true;
}

const emoji = /\p{Emoji_Presentation}|\ufe0f/u;
const joining = /^[\p{Mn}\p{Me}\p{Cf}]+$/u;

function graphemeWidth(grapheme: string): number {
  const point = grapheme.codePointAt(0) ?? 0;
  if (point < 0x300 && grapheme.length === 1) return 1;
  if (joining.test(grapheme)) return 0;
  return isWide(point) || emoji.test(grapheme) ? 2 : 1;
}

/** First and last code points of the wide and fullwidth blocks of EastAsianWidth.txt, joined where only gaps lie between. */
const wideBlocks = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18dff],
  [0x1aff0, 0x1b2ff],
  [0x1f200, 0x1f2ff],
  [0x20000, 0x3fffd],
] as const;

function isWide(point: number): boolean {
  return point >= 0x1100 && wideBlocks.some(([first, last]) => point >= first && point <= last);
}
