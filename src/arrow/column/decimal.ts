import { Column, type ColumnLayout } from '../column.ts';
import type { DecimalType } from '../type.ts';

/** Decimals of 32 to 256 bits, exact. `at` gives text such as `-12.50`, with as many digits as the scale says. */
export class DecimalColumn extends Column<string> {
  declare readonly type: DecimalType;
  /** One 32-bit or one, two or four 64-bit little-endian words a value; the last is signed. */
  declare readonly values: Int32Array | BigInt64Array;
  readonly #halves: Int32Array;
  readonly #halvesPerValue: number;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Int32Array | BigInt64Array;
    this.#halvesPerValue = this.type.bitWidth / 32;
    const { buffer, byteOffset, byteLength } = this.values;
    this.#halves = new Int32Array(buffer, byteOffset, byteLength / 4);
  }
  at(index: number): string | null {
    if (!this.isValid(index)) return null;
    const small = this.#small(index);
    return decimalToString(Number.isNaN(small) ? this.#unscaled(index) : small, this.type.scale);
  }
  /** The stored integer: the value times 10 to the power of the scale. */
  unscaled(index: number): bigint | null {
    return this.isValid(index) ? this.#unscaled(index) : null;
  }
  /** The stored integer where a double holds it exactly, as most do and without a BigInt; else NaN. */
  #small(index: number): number {
    const halves = this.#halves;
    const first = index * this.#halvesPerValue;
    const low = halves[first] ?? 0;
    if (this.#halvesPerValue === 1) return low;
    const high = halves[first + 1] ?? 0;
    for (let i = 2; i < this.#halvesPerValue; i++) if (halves[first + i] !== high >> 31) return Number.NaN;
    const value = high * 0x1_0000_0000 + (low >>> 0);
    return Number.isSafeInteger(value) ? value : Number.NaN;
  }
  #unscaled(index: number): bigint {
    const words = Math.max(1, this.type.bitWidth / 64);
    let value = BigInt(this.values[index * words + words - 1] ?? 0);
    for (let word = words - 2; word >= 0; word--) {
      value = (value << 64n) | BigInt.asUintN(64, BigInt(this.values[index * words + word] ?? 0));
    }
    return value;
  }
}

/** `unscaled`, a whole number, times 10 to the power of minus `scale`, exactly, without an exponent. */
function decimalToString(unscaled: bigint | number, scale: number): string {
  const text = `${unscaled}`;
  if (scale === 0) return text;
  if (scale < 0) return text === '0' ? text : text + '0'.repeat(-scale);
  const sign = text.startsWith('-') ? '-' : '';
  const digits = text.substring(sign.length).padStart(scale + 1, '0');
  const point = digits.length - scale;
  return `${sign}${digits.substring(0, point)}.${digits.substring(point)}`;
}

const decimalPattern = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,4}))?$/;

/** The inverse of {@link decimalToString}; undefined for what is no decimal text, and where a digit other than 0 is lost. */
export function parseDecimal(text: string, scale: number): bigint | undefined {
  const [, sign, whole = '', fraction = '', exponent = '0'] = decimalPattern.exec(text) ?? [];
  const digits = whole + fraction;
  if (digits === '') return undefined;
  const shift = scale + Number(exponent) - fraction.length;
  // Leading zeros may make a long text of a short number.
  const significant = digits.replace(/^0+/, '');
  if (significant === '') return 0n;
  if (shift > 200 || significant.length > 1000) return undefined;
  const kept = shift < 0 ? significant.slice(0, shift) : significant + '0'.repeat(shift);
  if (shift < 0 && /[1-9]/.test(significant.slice(shift))) return undefined;
  const value = BigInt(kept === '' ? 0 : kept);
  return sign === '-' ? -value : value;
}
