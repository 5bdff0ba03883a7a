import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column, ColumnLayout, Values } from '../../../arrow/column.ts';
import { byteWidth, type DataType } from '../../../arrow/type.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { NativeVector } from './native.ts';
import { ValidityReader, zeroNulls } from './validity.ts';
import { type ReaderContext, readData, type VectorReader } from './vector-reader.ts';

/**
 * Turns the values of a vector, nulls already zeroed, into Arrow's in place, or throws for one that Arrow cannot hold.
 * `words` are the same bytes by 32 bits.
 */
export type Prepare = (words: Int32Array, rowCount: number, path: string) => void;

/** Values whose bytes are the same in DuckDB and in Arrow, or can be made so in place. */
export class FixedReader implements VectorReader {
  readonly #context: ReaderContext;
  readonly #byteWidth: number;
  readonly #prepare: Prepare | null;
  readonly #dictionary: Column | null;
  readonly #validity: ValidityReader = new ValidityReader();
  readonly #values: ByteBuffer = new ByteBuffer({ zeroed: false });
  #raw: Uint8Array = new Uint8Array(0);

  constructor(context: ReaderContext, options: { prepare?: Prepare; dictionary?: Column } = {}) {
    this.#context = context;
    this.#byteWidth = byteWidth(context.field.type) ?? 0;
    this.#prepare = options.prepare ?? null;
    this.#dictionary = options.dictionary ?? null;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    const { binding, path } = this.#context;
    const validity = this.#validity;
    validity.load(binding, vector, rowCount, parents);
    if (rowCount === 0) return;
    const raw = readData(this.#context, vector, rowCount * this.#byteWidth);
    if (validity.valid !== null) zeroNulls(raw, this.#byteWidth, validity.valid, rowCount);
    this.#prepare?.(new Int32Array(raw.buffer, raw.byteOffset, raw.length >>> 2), rowCount, path);
    this.#raw = raw;
  }

  measure(start: number, end: number): number {
    return (end - start) * (this.#byteWidth + (this.#validity.valid === null ? 0 : 1 / 8));
  }

  append(start: number, end: number): void {
    const width = this.#byteWidth;
    const values = this.#values;
    const raw = this.#raw;
    const from = start * width;
    const to = end * width;
    values.reserve(to - from);
    values.bytes.set(from === 0 && to === raw.length ? raw : raw.subarray(from, to), values.length);
    values.length += to - from;
    this.#validity.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    const layout: ColumnLayout = {
      type: field.type,
      ...this.#validity.finish(growth),
      values: viewValues(field.type, this.#values.take(growth)),
      ...(this.#dictionary === null ? {} : { dictionary: this.#dictionary }),
    };
    return makeColumn(field, layout);
  }
}

/** A buffer as the values of a type, as a column's layout has them. */
export function viewValues(type: DataType, bytes: Uint8Array<ArrayBuffer>): Values {
  const { buffer, byteOffset, byteLength } = bytes;
  switch (type.kind) {
    case 'float':
      return type.bitWidth === 32
        ? new Float32Array(buffer, byteOffset, byteLength >>> 2)
        : new Float64Array(buffer, byteOffset, byteLength >>> 3);
    case 'dictionary':
      return viewValues(type.index, bytes);
    case 'fixed-size-binary':
    case 'interval':
      return bytes;
    default: {
      const signed = type.kind !== 'int' || type.signed;
      switch (byteWidth(type)) {
        case 1:
          return signed ? new Int8Array(buffer, byteOffset, byteLength) : bytes;
        case 2:
          return new (signed ? Int16Array : Uint16Array)(buffer, byteOffset, byteLength >>> 1);
        case 4:
          return new (signed ? Int32Array : Uint32Array)(buffer, byteOffset, byteLength >>> 2);
        default:
          return new (signed ? BigInt64Array : BigUint64Array)(buffer, byteOffset, byteLength >>> 3);
      }
    }
  }
}
