import type { Column } from '../../../arrow/column.ts';
import { specialSign } from './numeric-digits.ts';

const pattern = /^([+-]?)(\d*)\.?(\d*)(?:[eE]([+-]?\d{1,6}))?$/;
const specials: Readonly<Record<string, number>> = {
  NaN: specialSign.nan,
  Infinity: specialSign.infinity,
  '-Infinity': specialSign.minusInfinity,
};
/** Digits that `numeric` has before the point, and behind it. */
const maxWhole = 131_072;
const maxFraction = 16_383;

/**
 * Reads texts of numbers, as results have them of a `numeric` without declared precision, into its binary form, with all their
 * digits. A reader throws a RangeError for what is no number, or has more digits behind the point than `scale`.
 */
export function numericTextReader(scale: number | undefined): (column: Column) => (row: number) => Uint8Array {
  return (column) => (row) => numericBytes(String(column.at(row)), scale ?? maxFraction);
}

function numericBytes(text: string, maxScale: number): Uint8Array {
  const special = specials[text];
  if (special !== undefined) return pack([], 0, special, 0);
  const [, sign, whole = '', fraction = '', exponent = '0'] = pattern.exec(text) ?? [];
  const digits = whole + fraction;
  const shown = JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}…` : text);
  if (digits === '') throw new RangeError(`${shown} is no number`);
  const scale = fraction.length - Number(exponent);
  const significant = digits.replace(/^0+/, '');
  const needed = significant === '' ? 0 : scale - (/0*$/.exec(significant)?.[0].length ?? 0);
  if (needed > maxScale) {
    throw new RangeError(`${shown} has ${needed} digits behind the point and would be rounded to ${maxScale}`);
  }
  if (significant.length - scale > maxWhole) throw new RangeError(`${shown} is outside of the range of numeric`);
  // Whole groups of four on both sides of the point.
  const group = Math.ceil(scale / 4);
  const padded = significant + '0'.repeat(4 * group - scale);
  const head = padded.padStart(4 * Math.ceil(padded.length / 4), '0');
  const groups = head.match(/\d{4}/g)?.map(Number) ?? [];
  const weight = groups.length - 1 - group;
  while (groups.at(-1) === 0) groups.pop();
  if (groups.length === 0) return pack([], 0, 0, Math.max(0, scale));
  return pack(groups, weight, sign === '-' ? 0x4000 : 0, Math.max(0, Math.min(scale, maxFraction)));
}

function pack(groups: readonly number[], weight: number, sign: number, scale: number): Uint8Array {
  const bytes = new Uint8Array(8 + 2 * groups.length);
  const view = new DataView(bytes.buffer);
  view.setInt16(0, groups.length);
  view.setInt16(2, weight);
  view.setUint16(4, sign);
  view.setInt16(6, scale);
  groups.forEach((group, i) => {
    view.setInt16(8 + 2 * i, group);
  });
  return bytes;
}
