import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import { viewValues } from './fixed.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Money, an int64 of smallest units, as decimals of 128 bits. */
export class MoneyDecoder implements ColumnDecoder {
  readonly width = 8;
  readonly #context: DecoderContext;
  readonly #validity: Validity = new Validity();
  readonly #memory: ColumnMemory = new ColumnMemory();

  constructor(context: DecoderContext) {
    this.#context = context;
  }

  get byteLength(): number {
    return this.#memory.length + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#memory.expect(rowCount * 16);
  }

  append({ view }: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    let to = this.#memory.extend(count * 16) >>> 2;
    const { words } = this.#memory;
    for (let i = 0; i < count; i++, to += 4) {
      const place = places[first + i] ?? 0;
      const high = place === 0 ? 0 : view.getInt32(place);
      words[to] = place === 0 ? 0 : view.getInt32(place + 4);
      words[to + 1] = high;
      words[to + 2] = high >> 31;
      words[to + 3] = high >> 31;
    }
    this.#validity.append(places, first, count, nullCount);
  }

  finish(): Column {
    const { field } = this.#context;
    const values = viewValues(field.type, this.#memory.take());
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), values });
  }
}
