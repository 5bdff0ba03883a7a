import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { ReaderContext, VectorReader } from './vector-reader.ts';

/** Columns of nothing but nulls: only their length is kept. */
export class NullReader implements VectorReader {
  readonly #context: ReaderContext;
  #length = 0;

  constructor(context: ReaderContext) {
    this.#context = context;
  }

  load(): void {}

  measure(): number {
    return 0;
  }

  append(start: number, end: number): void {
    this.#length += end - start;
  }

  finish(): Column {
    const { field } = this.#context;
    const length = this.#length;
    this.#length = 0;
    return makeColumn(field, { type: field.type, length, nullCount: length });
  }
}
