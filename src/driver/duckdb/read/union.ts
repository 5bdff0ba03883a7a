import { bitmapByteLength, getBit, setBit } from '../../../arrow/bitmap.ts';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { ByteBuffer } from './byte-buffer.ts';
import type { NativeVector } from './native.ts';
import { readValidity } from './validity.ts';
import { type ReaderContext, readData, type VectorReader } from './vector-reader.ts';

/**
 * Unions: in DuckDB a struct of a tag and every member, which is a sparse union's layout. Arrow's union has no validity:
 * a null becomes a null of the first member.
 */
export class UnionReader implements VectorReader {
  readonly #context: ReaderContext;
  readonly #members: readonly VectorReader[];
  readonly #typeIds: ByteBuffer = new ByteBuffer();
  #tags: Uint8Array = new Uint8Array(0);

  constructor(context: ReaderContext, members: readonly VectorReader[]) {
    this.#context = context;
    this.#members = members;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    if (rowCount === 0) return;
    const { binding } = this.#context;
    const tagVector = binding.struct_vector_get_child(vector, 0);
    const valid = readValidity(binding, tagVector, rowCount, readValidity(binding, vector, rowCount, parents));
    const tags = readData(this.#context, tagVector, rowCount);
    const active = this.#members.map(() => new Uint8Array(bitmapByteLength(rowCount)));
    for (let i = 0; i < rowCount; i++) {
      if (valid !== null && !getBit(valid, i)) {
        tags[i] = 0;
        continue;
      }
      const bitmap = active[tags[i] ?? 0];
      if (bitmap !== undefined) setBit(bitmap, i);
    }
    this.#tags = tags;
    // Members that a row does not have count as lying under a null: what they hold there is nobody's.
    this.#members.forEach((member, k) => {
      member.load(binding.struct_vector_get_child(vector, k + 1), rowCount, active[k] ?? null);
    });
  }

  measure(start: number, end: number): number {
    let byteLength = end - start;
    for (const member of this.#members) byteLength += member.measure(start, end);
    return byteLength;
  }

  append(start: number, end: number): void {
    const ids = this.#typeIds;
    ids.reserve(end - start);
    ids.bytes.set(this.#tags.subarray(start, end), ids.length);
    ids.length += end - start;
    for (const member of this.#members) member.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    const ids = this.#typeIds.take(growth);
    return makeColumn(field, {
      type: field.type,
      length: ids.length,
      nullCount: 0,
      values: new Int8Array(ids.buffer, ids.byteOffset, ids.length),
      children: this.#members.map((member) => member.finish(growth)),
    });
  }
}
