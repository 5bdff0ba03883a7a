import type { Source } from './source.ts';

/** Signs of a numeric's form (utils/adt/numeric.c, `numeric_send`). */
export const NumericSign = { Positive: 0x0000, Negative: 0x4000, NaN: 0xc000, Infinity: 0xd000, MinusInfinity: 0xf000 };

/** Powers of ten that doubles hold exactly. */
export const powersOfTen: Float64Array = Float64Array.from({ length: 23 }, (_, i) => 10 ** i);

/**
 * Checks a numeric's form: 8 bytes of header (number of digits, weight of the first, sign, digits behind the point, 16 bits
 * each), then digits of base 10,000. Gives the number of digits. Throws INVALID_DATA.
 */
export function checkNumeric(source: Source, path: string, place: number): number {
  const { view } = source;
  const length = view.getInt32(place - 4);
  const count = length < 8 ? -1 : view.getUint16(place);
  if (count < 0 || length !== 8 + 2 * count) {
    throw source.fault(
      path,
      place,
      `a numeric of ${length} bytes${count < 0 ? '' : ` that says to have ${count} digits`}`,
    );
  }
  const sign = view.getUint16(place + 4);
  if (sign !== 0 && !Object.values(NumericSign).includes(sign)) {
    throw source.fault(path, place, `a numeric of sign 0x${sign.toString(16)}`);
  }
  const scale = view.getUint16(place + 6);
  if (scale > 0x3fff) throw source.fault(path, place, `a numeric of scale ${scale}`);
  for (let i = 0; i < count; i++) {
    const digit = view.getUint16(place + 8 + 2 * i);
    if (digit >= 10_000) throw source.fault(path, place, `a numeric with the digit ${digit} of base 10000`);
  }
  return count;
}

/** A checked numeric as the server prints it. */
export function numericText({ view }: Source, place: number): string {
  const sign = view.getUint16(place + 4);
  if (sign === NumericSign.NaN) return 'NaN';
  if (sign === NumericSign.Infinity) return 'Infinity';
  if (sign === NumericSign.MinusInfinity) return '-Infinity';
  const count = view.getUint16(place);
  const weight = view.getInt16(place + 2);
  const scale = view.getUint16(place + 6);
  const digit = (index: number): string =>
    index >= 0 && index < count ? `${view.getUint16(place + 8 + 2 * index)}`.padStart(4, '0') : '0000';
  let whole = '';
  for (let i = 0; i <= weight; i++) whole += digit(i);
  whole = whole.replace(/^0+(?=.)/, '') || '0';
  let fraction = '';
  for (let i = weight + 1; fraction.length < scale; i++) fraction += digit(i);
  const text = scale === 0 ? whole : `${whole}.${fraction.slice(0, scale)}`;
  return sign === NumericSign.Negative ? `-${text}` : text;
}
