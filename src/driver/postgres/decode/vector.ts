import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { FixedSizeListType } from '../../../arrow/type.ts';
import type { Child } from './child.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Vectors of pgvector whose type says how many dimensions they have. */
export class VectorDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #child: Child;
  readonly #itemByteLength: number;
  readonly #size: number;
  readonly #validity: Validity = new Validity();

  constructor(context: DecoderContext, child: Child) {
    this.#context = context;
    this.#child = child;
    this.#itemByteLength = child.decoder.width;
    this.#size = (context.field.type as FixedSizeListType).listSize;
  }

  get byteLength(): number {
    return this.#validity.byteLength + this.#child.decoder.byteLength;
  }

  begin(rowCount: number): void {
    this.#child.begin(rowCount);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const { view } = source;
    const size = this.#size;
    const itemByteLength = this.#itemByteLength;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place === 0) {
        for (let k = 0; k < size; k++) this.#child.addNull();
        continue;
      }
      const byteLength = view.getInt32(place - 4);
      const dimensions = byteLength < 4 ? -1 : view.getInt16(place);
      if (dimensions !== size || byteLength !== 4 + size * itemByteLength) {
        const what = `a vector of ${dimensions} dimensions in ${byteLength} bytes, its type has ${size}`;
        throw source.fault(this.#context.path, place, what);
      }
      for (let k = 0; k < size; k++) this.#child.addAt(place + 4 + k * itemByteLength);
    }
    this.#validity.append(places, first, count, nullCount);
    this.#child.flush(source);
  }

  finish(): Column {
    const { field } = this.#context;
    const children = [this.#child.finish(this.#validity.length)];
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), children });
  }
}
