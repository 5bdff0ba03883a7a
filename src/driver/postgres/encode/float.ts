import { fromFloat16 } from '../../../arrow/column/float16.ts';
import type { Column, Values } from '../../../arrow/column.ts';
import type { FloatType, IntType } from '../../../arrow/type.ts';
import { ValueFault } from './fault.ts';
import { type FieldWriter, measureFixed, RowMask, wordsOf } from './field-writer.ts';
import { integerWords, isWide } from './integer.ts';
import type { Output } from './output.ts';

/**
 * Floats and integers into `float4` and `float8`, bit by bit where the width is the same. A value that the target would
 * round is a fault.
 */
export class FloatWriter implements FieldWriter {
  readonly #source: FloatType | IntType;
  readonly #byteWidth: 4 | 8;
  readonly #mask = new RowMask();
  /** Of the target's width, low word first. */
  #words = new Int32Array(0);
  /** Values that the target may not hold; null where it holds all. */
  #exact: Float64Array | null = null;
  #rows = new Int32Array(0);

  constructor(source: FloatType | IntType, byteWidth: 4 | 8) {
    this.#source = source;
    this.#byteWidth = byteWidth;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#exact = null;
    const source = this.#source;
    if (source.kind === 'float' && source.bitWidth === 8 * this.#byteWidth) {
      this.#words = wordsOf(column) as Int32Array<ArrayBuffer>;
      return;
    }
    const numbers = toNumbers(column, source);
    const held = source.kind === 'int' ? (this.#byteWidth === 8 ? 32 : 16) : 32;
    if (source.bitWidth > held) this.#exact = numbers;
    const values = this.#byteWidth === 8 ? numbers : new Float32Array(numbers);
    this.#words = new Int32Array(values.buffer);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    measureFixed(this.#rows, count, sizes, this.#byteWidth);
    const exact = this.#exact;
    if (exact === null) return;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      const value = row < 0 ? 0 : (exact[row] ?? 0);
      // An integer beyond 2^53 may have been rounded already.
      const known = this.#source.kind === 'float' || Number.isSafeInteger(value);
      const held = this.#byteWidth === 8 || Math.fround(value) === value || Number.isNaN(value);
      if (!known || !held) throw new ValueFault(i, `${value} has more digits than a float${this.#byteWidth} keeps`);
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    const rows = this.#rows;
    const words = this.#words;
    const wide = this.#byteWidth === 8;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      const at = positions[i] ?? 0;
      if (row < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
      } else if (wide) {
        view.setInt32(at, 8);
        view.setInt32(at + 4, words[2 * row + 1] ?? 0);
        view.setInt32(at + 8, words[2 * row] ?? 0);
        positions[i] = at + 12;
      } else {
        view.setInt32(at, 4);
        view.setInt32(at + 4, words[row] ?? 0);
        positions[i] = at + 8;
      }
    }
  }
}

/** The values as numbers; integers beyond 2^53 as the nearest. */
export function toNumbers(column: Column, type: FloatType | IntType): Float64Array<ArrayBuffer> {
  const values = column.layout.values as Values;
  if (type.kind === 'float') {
    if (type.bitWidth !== 16) return new Float64Array(values as Float32Array);
    const numbers = new Float64Array(values.length);
    for (let i = 0; i < numbers.length; i++) numbers[i] = fromFloat16((values as Uint16Array)[i] ?? 0);
    return numbers;
  }
  const words = integerWords(column, type);
  if (!isWide(type)) return new Float64Array(words);
  const numbers = new Float64Array(words.length / 2);
  for (let i = 0; i < numbers.length; i++) {
    const high = words[2 * i + 1] ?? 0;
    numbers[i] = (type.signed ? high : high >>> 0) * 2 ** 32 + ((words[2 * i] ?? 0) >>> 0);
  }
  return numbers;
}
