import { bitmapByteLength } from '../../../arrow/bitmap.ts';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Booleans: a byte a value in PostgreSQL, 0 or not, a bit in Arrow. */
export class BoolDecoder implements ColumnDecoder {
  readonly width = 1;
  readonly #context: DecoderContext;
  readonly #validity: Validity = new Validity();
  readonly #bits: ColumnMemory = new ColumnMemory();

  constructor(context: DecoderContext) {
    this.#context = context;
  }

  get byteLength(): number {
    return this.#bits.length + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#bits.expect(bitmapByteLength(rowCount));
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const bits = this.#bits;
    const from = this.#validity.length;
    const old = bits.length;
    bits.extend(bitmapByteLength(from + count) - old);
    bits.bytes.fill(0, old, bits.length);
    packBools(source.bytes, places, first, count, bits.bytes, from);
    this.#validity.append(places, first, count, nullCount);
  }

  finish(): Column {
    const { field } = this.#context;
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), values: this.#bits.take() });
  }
}

function packBools(
  bytes: Uint8Array,
  places: Int32Array,
  first: number,
  count: number,
  bits: Uint8Array,
  from: number,
): void {
  let at = from >>> 3;
  let shift = from & 7;
  let byte = bits[at] ?? 0;
  for (let i = 0; i < count; i++) {
    const place = places[first + i] ?? 0;
    // 1 where the byte and the place are not 0.
    const bit = -((bytes[place] ?? 0) & (-place >> 31)) >>> 31;
    byte |= bit << shift++;
    if (shift === 8) {
      bits[at++] = byte;
      byte = 0;
      shift = 0;
    }
  }
  if (shift !== 0) bits[at] = byte;
}
