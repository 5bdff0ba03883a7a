import { bitmapByteLength, getBit, setBits } from '../../../arrow/bitmap.ts';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { NativeVector } from './native.ts';
import { ValidityReader } from './validity.ts';
import type { ReaderContext, VectorReader } from './vector-reader.ts';

/** Arrays: lists of one length, whose children stand at their row times that length in both formats. */
export class ArrayReader implements VectorReader {
  readonly #context: ReaderContext;
  readonly #child: VectorReader;
  readonly #size: number;
  readonly #validity: ValidityReader = new ValidityReader();

  constructor(context: ReaderContext, child: VectorReader, size: number) {
    this.#context = context;
    this.#child = child;
    this.#size = size;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    const { binding } = this.#context;
    this.#validity.load(binding, vector, rowCount, parents);
    if (rowCount === 0) return;
    const { valid } = this.#validity;
    const childParents = valid === null ? null : widenBitmap(valid, rowCount, this.#size);
    this.#child.load(binding.array_vector_get_child(vector), rowCount * this.#size, childParents);
  }

  measure(start: number, end: number): number {
    const own = this.#validity.valid === null ? 0 : (end - start) / 8;
    return own + this.#child.measure(start * this.#size, end * this.#size);
  }

  append(start: number, end: number): void {
    this.#child.append(start * this.#size, end * this.#size);
    this.#validity.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    return makeColumn(field, {
      type: field.type,
      ...this.#validity.finish(growth),
      children: [this.#child.finish(growth)],
    });
  }
}

/** Each bit `size` times. */
function widenBitmap(bitmap: Uint8Array, bitCount: number, size: number): Uint8Array {
  const wide = new Uint8Array(bitmapByteLength(bitCount * size));
  for (let i = 0; i < bitCount; i++) if (getBit(bitmap, i)) setBits(wide, i * size, size);
  return wide;
}
