import { Int64Column, Uint64Column } from '../../arrow/column/bigint.ts';
import {
  Int8Column,
  Int16Column,
  Int32Column,
  Uint8Column,
  Uint16Column,
  Uint32Column,
} from '../../arrow/column/number.ts';
import type { Column } from '../../arrow/column.ts';
import type { DataType } from '../../arrow/type.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { CellWriter } from './cell.ts';

/**
 * The writer of an integer column, digits straight from the buffer; undefined for other columns. Validity is the caller's.
 */
export function integerWriter(type: DataType, column: Column): CellWriter | undefined {
  if (type.kind !== 'int') return undefined;
  if (column instanceof Int64Column) return new Int64Cell(column.values);
  if (column instanceof Uint64Column) return new Int64Cell(column.values);
  if (column instanceof Int32Column) return new IntegerCell(column.values);
  // One kind of array keeps the element access monomorphic; the copy is a native loop.
  if (column instanceof Uint32Column) return new WideCell(new Float64Array(column.values));
  if (
    column instanceof Int8Column ||
    column instanceof Int16Column ||
    column instanceof Uint8Column ||
    column instanceof Uint16Column
  ) {
    return new IntegerCell(new Int32Array(column.values));
  }
  return undefined;
}

class IntegerCell implements CellWriter {
  readonly #values: Int32Array;

  constructor(values: Int32Array) {
    this.#values = values;
  }

  write(out: ByteBuffer, row: number): void {
    out.writeInteger(this.#values[row] ?? 0);
  }
}

class WideCell implements CellWriter {
  readonly #values: Float64Array;

  constructor(values: Float64Array) {
    this.#values = values;
  }

  write(out: ByteBuffer, row: number): void {
    out.writeInteger(this.#values[row] ?? 0);
  }
}

class Int64Cell implements CellWriter {
  readonly #values: BigInt64Array | BigUint64Array;
  readonly #words: WordReader;

  constructor(values: BigInt64Array | BigUint64Array) {
    this.#values = values;
    this.#words = new WordReader(values);
  }

  write(out: ByteBuffer, row: number): void {
    const value = this.#words.read(row);
    if (Number.isNaN(value)) out.writeAscii(`${this.#values[row]}`);
    else out.writeInteger(value);
  }
}

/** Reads 64-bit integers as numbers where those are exact, without a bigint in between. */
export class WordReader {
  readonly #words: Int32Array;
  readonly #isSigned: boolean;

  constructor(values: BigInt64Array | BigUint64Array) {
    this.#words = new Int32Array(values.buffer, values.byteOffset, values.length * 2);
    this.#isSigned = values instanceof BigInt64Array;
  }

  /** The value, or NaN when its size is 2^53 or more. Little-endian, as every platform of Node is. */
  read(index: number): number {
    const high = this.#words[index * 2 + 1] ?? 0;
    if (high < (this.#isSigned ? -0x20_0000 : 0) || high >= 0x20_0000) return Number.NaN;
    return high * 0x1_0000_0000 + ((this.#words[index * 2] ?? 0) >>> 0);
  }
}
