import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { MapType } from '../../../arrow/type.ts';
import type { Child } from './child.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { OffsetMemory } from './offset-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Values of hstore: int32 count, then for each a key and a value as fields; only a value can be NULL. */
export class MapDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #key: Child;
  readonly #value: Child;
  readonly #validity: Validity = new Validity();
  readonly #offsets: OffsetMemory = new OffsetMemory();

  constructor(context: DecoderContext, key: Child, value: Child) {
    this.#context = context;
    this.#key = key;
    this.#value = value;
  }

  get byteLength(): number {
    const entries = this.#key.decoder.byteLength + this.#value.decoder.byteLength;
    return entries + this.#offsets.byteLength + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#offsets.expect(rowCount);
    this.#key.begin(rowCount);
    this.#value.begin(rowCount);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const at = this.#offsets.extend(count);
    const { words } = this.#offsets;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place !== 0) this.#find(source, place);
      words[at + i] = this.#key.total;
    }
    this.#validity.append(places, first, count, nullCount);
    this.#key.flush(source);
    this.#value.flush(source);
  }

  finish(): Column {
    const { type } = this.#context.field;
    const { child } = type as MapType;
    const length = this.#key.total;
    const rowCount = this.#validity.length;
    const children = [this.#key.finish(rowCount), this.#value.finish(rowCount)];
    const entries = makeColumn(child, { type: child.type, length, nullCount: 0, children });
    const validity = this.#validity.finish();
    return makeColumn(this.#context.field, { type, ...validity, offsets: this.#offsets.take(), children: [entries] });
  }

  #find(source: Source, place: number): void {
    const { view } = source;
    const { path } = this.#context;
    const end = place + view.getInt32(place - 4);
    const count = end - place < 4 ? -1 : view.getInt32(place);
    if (count < 0 || count > (end - place) / 8) {
      throw source.fault(path, place, `an hstore of ${count} pairs in ${end - place} bytes`);
    }
    let at = place + 4;
    for (let i = 0; i < count; i++) {
      if (end - at >= 4 && view.getInt32(at) === -1) throw source.fault(path, at, 'an hstore with a key that is NULL');
      at = this.#key.add(source, at, end);
      at = this.#value.add(source, at, end);
    }
    if (at !== end) throw source.fault(path, at, `${end - at} bytes behind an hstore`);
  }
}
