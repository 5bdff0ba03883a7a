/**
 * Digits of `numeric` in its binary form, in 16-bit units: the number of digits to the base of 10000, the weight of the first
 * (its power of 10000), the sign, the scale that is shown, and the digits. Values are laid one behind the other, each in
 * as many units as the widest takes, and none makes an object or a BigInt.
 */
export class NumericDigits {
  /** Values of {@link stride} units each. */
  units: Uint16Array = new Uint16Array(0);
  readonly stride: number;
  /** Reused: digits of the value in work, the last first, and its words. */
  readonly #digits: Int32Array;
  readonly #limbs: Uint32Array;

  /** For integers of up to `wordCount` words of 32 bits, times up to 1000. */
  constructor(wordCount: number) {
    const digitCount = Math.ceil((wordCount * 32 * Math.log10(2) + 3) / 4) + 1;
    this.stride = headerUnits + digitCount;
    this.#digits = new Int32Array(digitCount);
    this.#limbs = new Uint32Array(wordCount + 1);
  }

  /** Makes room for `count` values. What was there is lost. */
  reserve(count: number): void {
    const length = count * this.stride;
    if (this.units.length < length) this.units = new Uint16Array(length + (length >>> 2));
  }

  /** Bytes of the value at `index`. */
  byteLength(index: number): number {
    return 2 * (headerUnits + (this.units[index * this.stride] ?? 0));
  }

  /** Puts `value` times 10 to the power of −`scale`, where `value` is whole and times 1000 at most 2^53. */
  putNumber(index: number, value: number, scale: number): void {
    const group = Math.ceil(scale / 4);
    const units = this.units;
    const at = index * this.stride;
    const first = at + headerUnits;
    const whole = Math.abs(value) * (powers[4 * group - scale] ?? 1);
    // Both halves are below 10^8, and so is their arithmetic that of small integers.
    const high = whole < 100_000_000 ? 0 : Math.floor(whole / 100_000_000);
    const low = (whole - high * 100_000_000) | 0;
    let end = first;
    if (high > 0) {
      const top = ((high | 0) / 10_000) | 0;
      if (top > 0) units[end++] = top;
      units[end++] = (high | 0) - top * 10_000;
    }
    const middle = (low / 10_000) | 0;
    if (high > 0 || middle > 0) units[end++] = middle;
    units[end++] = low - middle * 10_000;
    const weight = end - first - 1 - group;
    while (end > first && units[end - 1] === 0) end--;
    units[at] = end - first;
    units[at + 1] = end === first ? 0 : weight;
    units[at + 2] = value < 0 ? 0x4000 : 0;
    units[at + 3] = Math.max(scale, 0);
  }

  /**
   * Puts the integer in the `count` words from `start` on, low word first, times 10 to the power of −`scale`; two's complement
   * when `signed`.
   */
  putWords(index: number, words: Int32Array, start: number, count: number, signed: boolean, scale: number): void {
    const limbs = this.#limbs;
    const negative = signed && (words[start + count - 1] ?? 0) < 0;
    let carry = negative ? 1 : 0;
    for (let i = 0; i < count; i++) {
      const word = words[start + i] ?? 0;
      const sum = ((negative ? ~word : word) >>> 0) + carry;
      limbs[i] = sum;
      carry = sum > 0xffff_ffff ? 1 : 0;
    }
    limbs[count] = carry;
    const group = Math.ceil(scale / 4);
    const factor = powers[4 * group - scale] ?? 1;
    let overflow = 0;
    for (let i = 0; i <= count; i++) {
      const product = (limbs[i] ?? 0) * factor + overflow;
      overflow = Math.floor(product / 0x1_0000_0000);
      limbs[i] = product - overflow * 0x1_0000_0000;
    }
    const digits = this.#digits;
    let digitCount = 0;
    for (let top = count; ; ) {
      while (top >= 0 && limbs[top] === 0) top--;
      if (top < 0) break;
      let rest = 0;
      for (let i = top; i >= 0; i--) {
        const dividend = rest * 0x1_0000_0000 + (limbs[i] ?? 0);
        const quotient = Math.floor(dividend / 10_000);
        limbs[i] = quotient;
        rest = dividend - quotient * 10_000;
      }
      digits[digitCount++] = rest;
    }
    this.#finish(index, digitCount, digitCount - 1 - group, negative, scale);
  }

  /** Puts what has no digits: NaN and the infinities. */
  putSpecial(index: number, sign: number): void {
    this.units.fill(0, index * this.stride, index * this.stride + headerUnits);
    this.units[index * this.stride + 2] = sign;
  }

  /** Makes the value at `index` its negative, zero apart. */
  negate(index: number): void {
    const at = index * this.stride;
    if (this.units[at] !== 0) this.units[at + 2] = 0x4000;
  }

  /** Digits behind the point that the value at `index` needs; negative where it ends in zeros before it. */
  scaleOf(index: number): number {
    const at = index * this.stride;
    const count = this.units[at] ?? 0;
    if (count === 0) return Number.NEGATIVE_INFINITY;
    const weight = ((this.units[at + 1] ?? 0) << 16) >> 16;
    let last = this.units[at + headerUnits + count - 1] ?? 0;
    let zeros = 0;
    for (; last > 0 && last % 10 === 0; last /= 10) zeros++;
    return 4 * (count - 1 - weight) - zeros;
  }

  /** Writes the header and the digits, last first so far, without zeros at either end. */
  #finish(index: number, count: number, weight: number, negative: boolean, scale: number): void {
    const digits = this.#digits;
    const units = this.units;
    const at = index * this.stride;
    let first = 0;
    while (first < count && digits[first] === 0) first++;
    let end = count;
    while (end > first && digits[end - 1] === 0) end--;
    units[at] = end - first;
    units[at + 1] = end === first ? 0 : weight - (count - end);
    units[at + 2] = negative && end > first ? 0x4000 : 0;
    units[at + 3] = Math.max(scale, 0);
    for (let i = end - 1, to = at + headerUnits; i >= first; i--) units[to++] = digits[i] ?? 0;
  }
}

/** Units before the digits. */
const headerUnits = 4;

const powers = Float64Array.of(1, 10, 100, 1000);

/** Signs of what has no digits. */
export const specialSign = { nan: 0xc000, infinity: 0xd000, minusInfinity: 0xf000 } as const;
