import type { Column, Values } from '../../../arrow/column.ts';
import type { IntType } from '../../../arrow/type.ts';
import { ValueFault } from './fault.ts';
import { type FieldWriter, measureFixed, RowMask, wordsOf } from './field-writer.ts';
import type { Output } from './output.ts';

/** An integer type of PostgreSQL: `oid` and `xid8` and their like are unsigned. */
export interface IntegerTarget {
  readonly name: string;
  readonly byteWidth: 2 | 4 | 8;
  readonly signed: boolean;
}

/**
 * Integers of any width into those of PostgreSQL, each checked against the target's range. Up to 32 bits they are read as
 * int32, what is wider, uint32 too, as two words.
 */
export class IntegerWriter implements FieldWriter {
  readonly #source: IntType;
  readonly #target: IntegerTarget;
  readonly #mask = new RowMask();
  #values = new Int32Array(0);
  #rows = new Int32Array(0);

  constructor(source: IntType, target: IntegerTarget) {
    this.#source = source;
    this.#target = target;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#values = integerWords(column, this.#source);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    const { byteWidth } = this.#target;
    measureFixed(this.#rows, count, sizes, byteWidth);
    if (isWide(this.#source)) {
      if (byteWidth < 8 || this.#target.signed !== this.#source.signed) this.#checkWide(count);
    } else if (!this.#target.signed || byteWidth < 4) this.#checkNarrow(count);
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { byteWidth } = this.#target;
    const wide = isWide(this.#source);
    if (byteWidth === 8) {
      if (wide) writeWide(out, positions, count, this.#rows, this.#values);
      else writeExtended(out, positions, count, this.#rows, this.#values);
    } else if (byteWidth === 4) writeInt32(out, positions, count, this.#rows, this.#values, wide ? 2 : 1);
    else writeInt16(out, positions, count, this.#rows, this.#values, wide ? 2 : 1);
  }

  #checkNarrow(count: number): void {
    const { byteWidth, signed } = this.#target;
    const least = signed ? -(2 ** (8 * byteWidth - 1)) : 0;
    const greatest = signed ? 2 ** (8 * byteWidth - 1) - 1 : 2 ** 32 - 1;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      if (row < 0) continue;
      const value = this.#values[row] ?? 0;
      if (value < least || value > greatest) throw this.#outside(i, BigInt(value));
    }
  }

  #checkWide(count: number): void {
    const { byteWidth, signed } = this.#target;
    const words = this.#values;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      if (row < 0) continue;
      const low = words[2 * row] ?? 0;
      const high = words[2 * row + 1] ?? 0;
      const fits =
        byteWidth === 8
          ? high >= 0
          : signed
            ? high === low >> 31 && (byteWidth === 4 || low === (low << 16) >> 16)
            : high === 0;
      if (!fits) throw this.#outside(i, (BigInt(high) << 32n) | BigInt(low >>> 0));
    }
  }

  #outside(index: number, value: bigint): ValueFault {
    const shown = this.#source.signed ? value : BigInt.asUintN(64, value);
    return new ValueFault(index, `${shown} is outside of the range of ${this.#target.name}`);
  }
}

/** Whether values of a type come as two words each. */
export function isWide({ bitWidth, signed }: IntType): boolean {
  return bitWidth === 64 || (bitWidth === 32 && !signed);
}

/** The values of an integer column as int32, or as two words each where the type {@link isWide}. */
export function integerWords(column: Column, type: IntType): Int32Array<ArrayBuffer> {
  const values = column.layout.values as Values;
  if (values instanceof Uint32Array) {
    const words = new Int32Array(2 * values.length);
    for (let i = 0; i < values.length; i++) words[2 * i] = values[i] ?? 0;
    return words;
  }
  if (isWide(type) || values instanceof Int32Array) return wordsOf(column) as Int32Array<ArrayBuffer>;
  // A conversion by the engine: loops over each of the narrow kinds would make every one of them slow.
  return new Int32Array(values as Int8Array);
}

function writeWide(out: Output, positions: Int32Array, count: number, rows: Int32Array, words: Int32Array): void {
  const { view } = out;
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? -1;
    const at = positions[i] ?? 0;
    if (row < 0) {
      view.setInt32(at, -1);
      positions[i] = at + 4;
    } else {
      view.setInt32(at, 8);
      view.setInt32(at + 4, words[2 * row + 1] ?? 0);
      view.setInt32(at + 8, words[2 * row] ?? 0);
      positions[i] = at + 12;
    }
  }
}

function writeExtended(out: Output, positions: Int32Array, count: number, rows: Int32Array, values: Int32Array): void {
  const { view } = out;
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? -1;
    const at = positions[i] ?? 0;
    if (row < 0) {
      view.setInt32(at, -1);
      positions[i] = at + 4;
    } else {
      const value = values[row] ?? 0;
      view.setInt32(at, 8);
      view.setInt32(at + 4, value >> 31);
      view.setInt32(at + 8, value);
      positions[i] = at + 12;
    }
  }
}

function writeInt32(
  out: Output,
  positions: Int32Array,
  count: number,
  rows: Int32Array,
  values: Int32Array,
  stride: number,
): void {
  const { view } = out;
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? -1;
    const at = positions[i] ?? 0;
    if (row < 0) {
      view.setInt32(at, -1);
      positions[i] = at + 4;
    } else {
      view.setInt32(at, 4);
      view.setInt32(at + 4, values[row * stride] ?? 0);
      positions[i] = at + 8;
    }
  }
}

function writeInt16(
  out: Output,
  positions: Int32Array,
  count: number,
  rows: Int32Array,
  values: Int32Array,
  stride: number,
): void {
  const { view } = out;
  for (let i = 0; i < count; i++) {
    const row = rows[i] ?? -1;
    const at = positions[i] ?? 0;
    if (row < 0) {
      view.setInt32(at, -1);
      positions[i] = at + 4;
    } else {
      view.setInt32(at, 2);
      view.setInt16(at + 4, values[row * stride] ?? 0);
      positions[i] = at + 6;
    }
  }
}
