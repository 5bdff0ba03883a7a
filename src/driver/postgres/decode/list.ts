import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Child } from './child.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { OffsetMemory } from './offset-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Finds the values of the list at `place`, which ends at `end`, for the child, and checks that they fill it. */
type FindItems = (source: Source, place: number, end: number, child: Child, path: string) => void;

/** Lists of what one level of nesting holds: multiranges and pgvector's vectors of any length. */
export class ListDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #child: Child;
  readonly #find: FindItems;
  readonly #validity: Validity = new Validity();
  readonly #offsets: OffsetMemory = new OffsetMemory();

  constructor(context: DecoderContext, child: Child, find: FindItems) {
    this.#context = context;
    this.#child = child;
    this.#find = find;
  }

  get byteLength(): number {
    return this.#offsets.byteLength + this.#validity.byteLength + this.#child.decoder.byteLength;
  }

  begin(rowCount: number): void {
    this.#offsets.expect(rowCount);
    this.#child.begin(rowCount);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const child = this.#child;
    const at = this.#offsets.extend(count);
    const { words } = this.#offsets;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place !== 0) {
        this.#find(source, place, place + source.view.getInt32(place - 4), child, this.#context.path);
      }
      words[at + i] = child.total;
    }
    this.#validity.append(places, first, count, nullCount);
    child.flush(source);
  }

  finish(): Column {
    const { field } = this.#context;
    const children = [this.#child.finish(this.#validity.length)];
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), offsets: this.#offsets.take(), children });
  }
}

/** Of a multirange: int32 count, then fields. */
export function findRanges(source: Source, place: number, end: number, child: Child, path: string): void {
  if (end - place < 4) throw source.fault(path, place, `a multirange of ${end - place} bytes`);
  const count = source.view.getInt32(place);
  if (count < 0 || count > (end - place) / 4) throw source.fault(path, place, `a multirange of ${count} ranges`);
  let at = place + 4;
  for (let i = 0; i < count; i++) at = child.add(source, at, end);
  if (at !== end) throw source.fault(path, at, `${end - at} bytes behind a multirange`);
}

/** Of a vector of pgvector: int16 count, int16 unused, then elements of `width` bytes. */
export function vectorFinder(width: number): FindItems {
  return (source, place, end, child, path) => {
    const count = end - place < 4 ? -1 : source.view.getInt16(place);
    if (count < 0 || end - place !== 4 + width * count) {
      throw source.fault(path, place, `a vector of ${count} dimensions in ${end - place} bytes`);
    }
    for (let i = 0; i < count; i++) child.addAt(place + 4 + width * i);
  };
}
