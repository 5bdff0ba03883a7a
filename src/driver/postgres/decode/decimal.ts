import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { DecimalType } from '../../../arrow/type.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import { viewValues } from './fixed.ts';
import { checkNumeric, NumericSign, numericText, powersOfTen } from './numeric.ts';
import type { InfinityPolicy } from './option.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Digits of base 10,000 whose value a double holds exactly. */
const maxFastDigits = 3;

/**
 * Numerics as decimals of 128 or 256 bits. Exact or an error: a value with a digit behind the scale, or with more digits than
 * the precision, is INVALID_DATA; NaN and Infinity follow the policy.
 */
export class DecimalDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #policy: InfinityPolicy;
  readonly #precision: number;
  readonly #scale: number;
  /** 32-bit words of a value. */
  readonly #wordCount: number;
  /** Of a value that few digits make: the first number that the precision does not hold, at most 2^53. */
  readonly #limit: number;
  readonly #validity: Validity = new Validity();
  readonly #memory: ColumnMemory = new ColumnMemory();

  constructor(context: DecoderContext, policy: InfinityPolicy) {
    const { precision, scale, bitWidth } = context.field.type as DecimalType;
    this.#context = context;
    this.#policy = policy;
    this.#precision = precision;
    this.#scale = scale;
    this.#wordCount = bitWidth / 32;
    this.#limit = Math.min(10 ** precision, 2 ** 53);
  }

  get byteLength(): number {
    return this.#memory.length + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#memory.expect(rowCount * 4 * this.#wordCount);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const wordCount = this.#wordCount;
    const from = this.#validity.length;
    const word = this.#memory.extend(count * 4 * wordCount) >>> 2;
    const { words } = this.#memory;
    this.#validity.append(places, first, count, nullCount);
    for (let i = 0; i < count; i++) {
      i = this.#copy(source.view, places, first, i, count, words, word);
      if (i < count) this.#settle(source, places[first + i] ?? 0, from + i, words, word + i * wordCount);
    }
  }

  finish(): Column {
    const { field } = this.#context;
    const values = viewValues(field.type, this.#memory.take());
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), values });
  }

  /** Copies values `from` to `count` that are small and well formed; ends at, and gives, the first that may not be. */
  #copy(
    view: DataView,
    places: Int32Array,
    first: number,
    from: number,
    count: number,
    words: Int32Array,
    word: number,
  ): number {
    const wordCount = this.#wordCount;
    const scale = this.#scale;
    const limit = this.#limit;
    for (let i = from; i < count; i++) {
      const place = places[first + i] ?? 0;
      const to = word + i * wordCount;
      let value = 0;
      if (place !== 0) {
        const length = view.getInt32(place - 4);
        if (length < 8 || length > 8 + 2 * maxFastDigits) return i;
        const digitCount = view.getUint16(place);
        const sign = view.getUint16(place + 4);
        if (length !== 8 + 2 * digitCount || (sign !== 0 && sign !== NumericSign.Negative)) return i;
        if (digitCount > 0) {
          let bad = 0;
          const last = place + 6 + 2 * digitCount;
          for (let at = place + 8; at < last; at += 2) {
            const digit = view.getUint16(at);
            bad |= 9999 - digit;
            value = value * 10_000 + digit;
          }
          const digit = view.getUint16(last);
          if ((bad | (9999 - digit)) < 0) return i;
          // The last digit stands for 10^exponent.
          const exponent = 4 * (view.getInt16(place + 2) - digitCount + 1) + scale;
          if (exponent >= 0) {
            if (exponent > 12) return i;
            value = (value * 10_000 + digit) * (powersOfTen[exponent] ?? 1);
          } else {
            if (exponent <= -4) return i;
            const unit = powersOfTen[-exponent] ?? 1;
            const kept = (digit / unit) | 0;
            if (kept * unit !== digit) return i;
            value = value * (powersOfTen[4 + exponent] ?? 1) + kept;
          }
          if (value >= limit) return i;
          if (sign !== 0) value = -value;
        }
      }
      const low = value | 0;
      const fill = value < 0 ? -1 : 0;
      words[to] = low;
      words[to + 1] = low === value ? fill : Math.floor(value / 2 ** 32);
      words[to + 2] = fill;
      words[to + 3] = fill;
      if (wordCount === 8) words.fill(fill, to + 4, to + 8);
    }
    return count;
  }

  /** A value of many digits, or that is malformed, special or does not fit. */
  #settle(source: Source, place: number, index: number, words: Int32Array, word: number): void {
    const digitCount = checkNumeric(source, this.#context.path, place);
    const { view } = source;
    const sign = view.getUint16(place + 4);
    const wordCount = this.#wordCount;
    words.fill(0, word, word + wordCount);
    if (sign !== NumericSign.Positive && sign !== NumericSign.Negative) {
      this.#settleSpecial(source, place, index, words, word);
      return;
    }
    if (!this.#fill(view, place, digitCount, words, word)) {
      throw source.fault(
        this.#context.path,
        place,
        `${shorten(numericText(source, place))} is no decimal(${this.#precision}, ${this.#scale})`,
        'round it, declare its precision and scale, or set the option numeric',
      );
    }
    if (sign === NumericSign.Negative) negate(words, word, wordCount);
  }

  #settleSpecial(source: Source, place: number, index: number, words: Int32Array, word: number): void {
    const text = numericText(source, place);
    if (this.#policy === 'null') {
      this.#validity.unset(index);
      return;
    }
    if (this.#policy === 'clamp' && text !== 'NaN') {
      for (let i = 0; i < this.#precision; i++) multiplyAdd(words, word, this.#wordCount, 10, 9);
      if (text === '-Infinity') negate(words, word, this.#wordCount);
      return;
    }
    const hint = 'set the option infinity to null, or the option numeric or cast it to text';
    throw source.fault(this.#context.path, place, `numeric ${text} is no decimal`, hint);
  }

  /** Computes the magnitude. False when a digit would be lost. */
  #fill(view: DataView, place: number, digitCount: number, words: Int32Array, word: number): boolean {
    const weight = view.getInt16(place + 2);
    const wordCount = this.#wordCount;
    let lead = 0;
    while (lead < digitCount && view.getUint16(place + 8 + 2 * lead) === 0) lead++;
    if (lead === digitCount) return true;
    const leading = view.getUint16(place + 8 + 2 * lead);
    const leadingLength = leading >= 1000 ? 4 : leading >= 100 ? 3 : leading >= 10 ? 2 : 1;
    // What is known to fit cannot overflow the words on the way.
    if (4 * (weight - lead) + leadingLength + this.#scale > this.#precision) return false;
    let exponent = 4 * (weight - lead) + this.#scale;
    for (let i = lead; i < digitCount; i++, exponent -= 4) {
      const digit = view.getUint16(place + 8 + 2 * i);
      if (exponent >= 0) {
        multiplyAdd(words, word, wordCount, 10_000, digit);
      } else if (exponent > -4) {
        const unit = 10 ** -exponent;
        if (digit % unit !== 0) return false;
        multiplyAdd(words, word, wordCount, 10 ** (4 + exponent), digit / unit);
      } else if (digit !== 0) {
        return false;
      }
    }
    // Digits that are not sent are zeros.
    for (exponent += 4; exponent > 0; exponent -= 4) {
      multiplyAdd(words, word, wordCount, 10 ** Math.min(4, exponent), 0);
    }
    return true;
  }
}

function multiplyAdd(words: Int32Array, word: number, wordCount: number, factor: number, summand: number): void {
  let carry = summand;
  for (let i = word; i < word + wordCount; i++) {
    const product = ((words[i] ?? 0) >>> 0) * factor + carry;
    carry = Math.floor(product / 2 ** 32);
    words[i] = product - carry * 2 ** 32;
  }
}

function negate(words: Int32Array, word: number, wordCount: number): void {
  let carry = 1;
  for (let i = word; i < word + wordCount; i++) {
    const sum = (~(words[i] ?? 0) >>> 0) + carry;
    words[i] = sum;
    carry = sum > 0xffff_ffff ? 1 : 0;
  }
}

function shorten(text: string): string {
  return text.length > 60 ? `${text.slice(0, 50)}… (${text.length} characters)` : text;
}
