import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { NativeVector } from './native.ts';
import { ValidityReader } from './validity.ts';
import type { ReaderContext, VectorReader } from './vector-reader.ts';

/** Structs, and the types that DuckDB keeps as one: the entries of a map, VARIANT. */
export class StructReader implements VectorReader {
  readonly #context: ReaderContext;
  readonly #children: readonly VectorReader[];
  readonly #validity: ValidityReader = new ValidityReader();

  constructor(context: ReaderContext, children: readonly VectorReader[]) {
    this.#context = context;
    this.#children = children;
  }

  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void {
    const { binding } = this.#context;
    this.#validity.load(binding, vector, rowCount, parents);
    this.#children.forEach((child, i) => {
      child.load(binding.struct_vector_get_child(vector, i), rowCount, this.#validity.valid);
    });
  }

  measure(start: number, end: number): number {
    let byteLength = this.#validity.valid === null ? 0 : (end - start) / 8;
    for (const child of this.#children) byteLength += child.measure(start, end);
    return byteLength;
  }

  append(start: number, end: number): void {
    for (const child of this.#children) child.append(start, end);
    this.#validity.append(start, end);
  }

  finish(growth: number): Column {
    const { field } = this.#context;
    const children = this.#children.map((child) => child.finish(growth));
    return makeColumn(field, { type: field.type, ...this.#validity.finish(growth), children });
  }
}
