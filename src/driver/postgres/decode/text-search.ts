import { decodeUtf8 } from '#platform';
import type { Source } from './source.ts';
import { checkUtf8 } from './utf8.ts';
import type { TextWriter } from './written-text.ts';

const weights = ['', 'C', 'B', 'A'];

function quote(source: Source, start: number, end: number, path: string): string {
  checkUtf8(source, path, start, end);
  const text = decodeUtf8(source.bytes, start, end);
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}

/** Where the text at `at` ends, which a zero byte does. */
function textEnd(source: Source, at: number, end: number, path: string): number {
  const stop = source.bytes.indexOf(0, at);
  if (stop < 0 || stop >= end) throw source.fault(path, at, 'a lexeme without an end');
  return stop;
}

/** `tsvector` (utils/adt/tsvector.c, `tsvectorsend`): int32 count; a lexeme each, uint16 count, positions of 14 bits and a weight. */
export const writeVector: TextWriter = (source, place, length, path) => {
  const { view } = source;
  const end = place + length;
  const count = length < 4 ? -1 : view.getInt32(place);
  if (count < 0 || count > length / 3)
    throw source.fault(path, place, `a tsvector of ${count} lexemes in ${length} bytes`);
  const parts: string[] = [];
  let at = place + 4;
  for (let i = 0; i < count; i++) {
    const stop = textEnd(source, at, end, path);
    const lexeme = quote(source, at, stop, path);
    const positions = end - stop < 3 ? -1 : view.getUint16(stop + 1);
    if (positions < 0 || end - stop - 3 < 2 * positions)
      throw source.fault(path, stop, `${positions} positions of a lexeme`);
    at = stop + 3;
    const shown = Array.from({ length: positions }, (_, k) => {
      const position = view.getUint16(at + 2 * k);
      return `${position & 0x3fff}${weights[position >>> 14]}`;
    });
    parts.push(positions === 0 ? lexeme : `${lexeme}:${shown.join(',')}`);
    at += 2 * positions;
  }
  if (at !== end) throw source.fault(path, at, `${end - at} bytes behind a tsvector`);
  return parts.join(' ');
};

/** A part of a query: an operand, or an operator with its operands. */
interface Term {
  readonly text: string;
  readonly priority: number;
  readonly isPhrase: boolean;
}

const operandPriority = 5;
/** By code: NOT, AND, OR, PHRASE. */
const priorities = [0, 4, 2, 1, 3];

/** The items of a `tsquery` by kind: an operand as its text, an operator as its code and distance. */
type Item = string | { readonly code: number; readonly distance: number };

/**
 * `tsquery` (utils/adt/tsquery.c, `tsquerysend`): int32 count, then items, each operator before its right and its left operand.
 * From the end they are in postfix order.
 */
export const writeQuery: TextWriter = (source, place, length, path) => {
  const items = readItems(source, place, length, path);
  const stack: Term[] = [];
  for (const item of items.reverse()) {
    if (typeof item === 'string') {
      stack.push({ text: item, priority: operandPriority, isPhrase: false });
      continue;
    }
    const priority = priorities[item.code] ?? 0;
    const right = stack.pop();
    const left = item.code === 1 ? right : stack.pop();
    if (right === undefined || left === undefined) throw source.fault(path, place, 'a tsquery without an operand');
    const isPhrase = item.code === 4;
    const rightText = wrap(right, priority, isPhrase);
    stack.push({
      text: item.code === 1 ? `!${rightText}` : `${wrap(left, priority, false)} ${sign(item)} ${rightText}`,
      priority,
      isPhrase,
    });
  }
  if (stack.length > 1) throw source.fault(path, place, 'a tsquery without an operator');
  return stack[0]?.text ?? '';
};

function wrap(term: Term, parentPriority: number, besidePhrase: boolean): string {
  return term.priority < parentPriority || (term.isPhrase && besidePhrase) ? `( ${term.text} )` : term.text;
}

function sign({ code, distance }: { readonly code: number; readonly distance: number }): string {
  if (code === 2) return '&';
  if (code === 3) return '|';
  return distance === 1 ? '<->' : `<${distance}>`;
}

function readItems(source: Source, place: number, length: number, path: string): Item[] {
  const { view, bytes } = source;
  const end = place + length;
  const count = length < 4 ? -1 : view.getInt32(place);
  if (count < 0 || count > length / 2)
    throw source.fault(path, place, `a tsquery of ${count} items in ${length} bytes`);
  const items: Item[] = [];
  let at = place + 4;
  for (let i = 0; i < count; i++) {
    const kind = end - at < 2 ? 0 : bytes[at];
    if (kind === 1 && end - at >= 4) {
      const stop = textEnd(source, at + 3, end, path);
      items.push(`${quote(source, at + 3, stop, path)}${suffix(bytes[at + 1] ?? 0, bytes[at + 2] !== 0)}`);
      at = stop + 1;
    } else if (kind === 2) {
      const code = bytes[at + 1] ?? 0;
      const isPhrase = code === 4;
      if (code < 1 || code > 4 || (isPhrase && end - at < 4))
        throw source.fault(path, at, `a tsquery's operator ${code}`);
      items.push({ code, distance: isPhrase ? view.getUint16(at + 2) : 0 });
      at += isPhrase ? 4 : 2;
    } else {
      throw source.fault(path, at, `a tsquery's item of kind ${kind}`);
    }
  }
  if (at !== end) throw source.fault(path, at, `${end - at} bytes behind a tsquery`);
  return items;
}

function suffix(weight: number, isPrefix: boolean): string {
  if (weight === 0 && !isPrefix) return '';
  const letters = ['D', 'C', 'B', 'A'].filter((_, i) => (weight & (1 << i)) !== 0).reverse();
  return `:${isPrefix ? '*' : ''}${letters.join('')}`;
}
