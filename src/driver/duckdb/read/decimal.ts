import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { viewValues } from './fixed.ts';
import type { NativeVector } from './native.ts';
import { ValidityReader, zeroNulls } from './validity.ts';
import { type ReaderContext, readData, type VectorReader } from './vector-reader.ts';

/** Decimals that DuckDB keeps in 16, 32 or 64 bits, widened to decimal128. Those of 128 bits need no widening. */
export class DecimalReader implements VectorReader {
  readonly #context: ReaderContext;
  /** Bytes of a value in DuckDB. */
  readonly #byteWidth: 2 | 4 | 8;
  readonly #validity: ValidityReader = new ValidityReader();
  readonly #values: ByteBuffer = new ByteBuffer({ zeroed: false });
  #raw: Int16Array | Int32Array = new Int32Array(0);

  constructor(context: ReaderContext, byteWidth: 2 | 4 | 8) {
    this.#context = context;
    this.#byteWidth = byteWidth;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    const width = this.#byteWidth;
    this.#validity.load(this.#context.binding, vector, rowCount, parents);
    if (rowCount === 0) return;
    const raw = readData(this.#context, vector, rowCount * width);
    if (this.#validity.valid !== null) zeroNulls(raw, width, this.#validity.valid, rowCount);
    this.#raw =
      width === 2
        ? new Int16Array(raw.buffer, raw.byteOffset, rowCount)
        : new Int32Array(raw.buffer, raw.byteOffset, rowCount * (width >>> 2));
  }

  measure(start: number, end: number): number {
    return (end - start) * (16 + (this.#validity.valid === null ? 0 : 1 / 8));
  }

  append(start: number, end: number): void {
    const values = this.#values;
    values.reserve((end - start) * 16);
    const at = values.length >>> 2;
    if (this.#byteWidth === 8) widenPairs(values.words, at, this.#raw, start, end);
    else if (this.#raw instanceof Int16Array) widenShorts(values.words, at, this.#raw, start, end);
    else widenWords(values.words, at, this.#raw, start, end);
    values.length += (end - start) * 16;
    this.#validity.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    const values = viewValues(field.type, this.#values.take(growth));
    return makeColumn(field, { type: field.type, ...this.#validity.finish(growth), values });
  }
}

// One loop a width: each sees one kind of array.

function widenShorts(target: Int32Array, at: number, source: Int16Array, start: number, end: number): void {
  for (let i = start, to = at; i < end; i++, to += 4) {
    const value = source[i] ?? 0;
    const sign = value >> 31;
    target[to] = value;
    target[to + 1] = sign;
    target[to + 2] = sign;
    target[to + 3] = sign;
  }
}

function widenWords(target: Int32Array, at: number, source: Int32Array | Int16Array, start: number, end: number): void {
  for (let i = start, to = at; i < end; i++, to += 4) {
    const value = source[i] ?? 0;
    const sign = value >> 31;
    target[to] = value;
    target[to + 1] = sign;
    target[to + 2] = sign;
    target[to + 3] = sign;
  }
}

function widenPairs(target: Int32Array, at: number, source: Int32Array | Int16Array, start: number, end: number): void {
  for (let i = start, to = at; i < end; i++, to += 4) {
    const high = source[2 * i + 1] ?? 0;
    const sign = high >> 31;
    target[to] = source[2 * i] ?? 0;
    target[to + 1] = high;
    target[to + 2] = sign;
    target[to + 3] = sign;
  }
}
