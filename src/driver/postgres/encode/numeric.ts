import type { Column } from '../../../arrow/column.ts';
import type { DecimalType, FloatType, IntType } from '../../../arrow/type.ts';
import { ValueFault } from './fault.ts';
import { type FieldWriter, RowMask, wordsOf } from './field-writer.ts';
import { toNumbers } from './float.ts';
import { integerWords, isWide } from './integer.ts';
import { NumericDigits, specialSign } from './numeric-digits.ts';
import type { Output } from './output.ts';

/** The greatest scale that `numeric` shows. */
const maxScale = 16_383;

/**
 * Integers, decimals and floats into `numeric`. Floats come as their shortest text, as JavaScript writes it. A value with
 * more digits behind the point than the column keeps is a fault, as the server would round it.
 */
export class NumericWriter implements FieldWriter {
  readonly #source: DecimalType | IntType | FloatType;
  /** Of the target column; undefined where it takes any. */
  readonly #scale: number | undefined;
  readonly #digits: NumericDigits;
  readonly #wordsPerValue: number;
  readonly #mask = new RowMask();
  #words = new Int32Array(0);
  #numbers = new Float64Array(0);
  readonly #unscaled = new BigInt64Array(1);
  readonly #unscaledWords = new Int32Array(this.#unscaled.buffer);
  #rows = new Int32Array(0);

  constructor(source: DecimalType | IntType | FloatType, scale: number | undefined) {
    this.#source = source;
    this.#scale = scale;
    this.#wordsPerValue =
      source.kind === 'decimal' ? source.bitWidth / 32 : source.kind === 'int' && isWide(source) ? 2 : 1;
    // A float's 17 digits are less than 2^64, and its exponent moves the weight only.
    this.#digits = new NumericDigits(source.kind === 'float' ? 2 : this.#wordsPerValue);
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    const source = this.#source;
    if (source.kind === 'float') this.#numbers = toNumbers(column, source);
    else if (source.kind === 'int') this.#words = integerWords(column, source);
    else this.#words = wordsOf(column) as Int32Array<ArrayBuffer>;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    this.#digits.reserve(count);
    if (this.#source.kind === 'float') this.#putFloats(count);
    else this.#putWords(count);
    const digits = this.#digits;
    const source = this.#source;
    const sourceScale = source.kind === 'decimal' ? source.scale : source.kind === 'int' ? 0 : maxScale;
    const scale = this.#scale !== undefined && sourceScale > this.#scale ? this.#scale : undefined;
    for (let i = 0; i < count; i++) {
      if ((this.#rows[i] ?? -1) < 0) {
        sizes[i] = (sizes[i] ?? 0) + 4;
        continue;
      }
      sizes[i] = (sizes[i] ?? 0) + 4 + digits.byteLength(i);
      if (scale !== undefined && digits.scaleOf(i) > scale) throw this.#rounded(i, scale);
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    const rows = this.#rows;
    const { units, stride } = this.#digits;
    for (let i = 0; i < count; i++) {
      let at = positions[i] ?? 0;
      if ((rows[i] ?? -1) < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const start = i * stride;
      const count = units[start] ?? 0;
      view.setInt32(at, 8 + 2 * count);
      // Two units of the header at once.
      view.setInt32(at + 4, (count << 16) | (units[start + 1] ?? 0));
      view.setInt32(at + 8, ((units[start + 2] ?? 0) << 16) | (units[start + 3] ?? 0));
      at += 12;
      for (let unit = start + 4, end = unit + count; unit < end; unit++, at += 2) view.setInt16(at, units[unit] ?? 0);
      positions[i] = at;
    }
  }

  #putWords(count: number): void {
    const source = this.#source;
    const scale = source.kind === 'decimal' ? source.scale : 0;
    const signed = source.kind !== 'int' || source.signed;
    const least = signed ? -1024 : 0;
    const digits = this.#digits;
    const rows = this.#rows;
    const words = this.#words;
    const per = this.#wordsPerValue;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      if (row < 0) continue;
      const start = row * per;
      const low = words[start] ?? 0;
      let number = low;
      if (per > 1) {
        const high = words[start + 1] ?? 0;
        const sign = high >> 31;
        let small = high >= least && high < 1024;
        if (per === 4) small = small && words[start + 2] === sign && words[start + 3] === sign;
        else for (let k = 2; k < per; k++) small = small && words[start + k] === sign;
        if (!small) {
          digits.putWords(i, words, start, per, signed, scale);
          continue;
        }
        number = high * 0x1_0000_0000 + (low >>> 0);
      }
      digits.putNumber(i, number, scale);
    }
  }

  #putFloats(count: number): void {
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      if (row >= 0) this.#putFloat(i, this.#numbers[row] ?? 0);
    }
  }

  #putFloat(index: number, value: number): void {
    const digits = this.#digits;
    if (!Number.isFinite(value)) {
      const sign = Number.isNaN(value) ? specialSign.nan : value > 0 ? specialSign.infinity : specialSign.minusInfinity;
      digits.putSpecial(index, sign);
      return;
    }
    const isDouble = this.#source.bitWidth === 64;
    const [mantissa = '0', exponent = '0'] = (isDouble ? value : shortestSingle(value)).toExponential().split('e');
    const [whole = '0', fraction = ''] = mantissa.replace('-', '').split('.');
    const scale = fraction.length - Number(exponent);
    // Up to 17 digits, which a number need not hold.
    this.#unscaled[0] = BigInt(whole + fraction);
    digits.putWords(index, this.#unscaledWords, 0, 2, true, scale);
    if (value < 0) digits.negate(index);
  }

  #rounded(index: number, scale: number): ValueFault {
    return new ValueFault(
      index,
      `a value with ${this.#digits.scaleOf(index)} digits behind the point would be rounded to the ${scale} of the column`,
    );
  }
}

/** Whether `numeric` has as many digits behind the point. */
export function isNumericScale(scale: number): boolean {
  return scale <= maxScale && scale >= -maxScale;
}

/** The double with the fewest digits that is this number when rounded to 32 bits. */
function shortestSingle(value: number): number {
  for (let digits = 1; digits < 9; digits++) {
    const shorter = Number(value.toPrecision(digits));
    if (Math.fround(shorter) === value) return shorter;
  }
  return Number(value.toPrecision(9));
}
