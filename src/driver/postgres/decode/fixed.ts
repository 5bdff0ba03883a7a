import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column, Values } from '../../../arrow/column.ts';
import { byteWidth, type DataType } from '../../../arrow/type.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Copies `count` values into `memory` from byte `at` on, those of nulls as zeros. */
type Copy = (
  source: Source,
  places: Int32Array,
  first: number,
  count: number,
  memory: ColumnMemory,
  at: number,
) => void;

/** Values whose bytes are Arrow's in the other order: integers and floats of 2, 4 and 8 bytes; and those of uuid, as they are. */
export class FixedDecoder implements ColumnDecoder {
  readonly width: number;
  readonly #context: DecoderContext;
  readonly #validity: Validity = new Validity();
  readonly #memory: ColumnMemory = new ColumnMemory();
  readonly #copy: Copy;

  constructor(context: DecoderContext) {
    this.#context = context;
    this.width = byteWidth(context.field.type) ?? 0;
    this.#copy = copies[this.width] ?? copyBytes;
  }

  get byteLength(): number {
    return this.#memory.length + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#memory.expect(rowCount * this.width);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const at = this.#memory.extend(count * this.width);
    this.#copy(source, places, first, count, this.#memory, at);
    this.#validity.append(places, first, count, nullCount);
  }

  finish(): Column {
    const { field } = this.#context;
    const values = viewValues(field.type, this.#memory.take());
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), values });
  }
}

const copies: Readonly<Record<number, Copy>> = { 2: copyHalves, 4: copyWords, 8: copyPairs };

function copyHalves(
  { view }: Source,
  places: Int32Array,
  first: number,
  count: number,
  memory: ColumnMemory,
  at: number,
): void {
  const target = memory.view;
  for (let i = 0; i < count; i++) {
    const place = places[first + i] ?? 0;
    target.setInt16(at + 2 * i, place === 0 ? 0 : view.getInt16(place), true);
  }
}

function copyWords(
  { view }: Source,
  places: Int32Array,
  first: number,
  count: number,
  memory: ColumnMemory,
  at: number,
): void {
  const { words } = memory;
  const to = at >>> 2;
  for (let i = 0; i < count; i++) {
    const place = places[first + i] ?? 0;
    words[to + i] = place === 0 ? 0 : view.getInt32(place);
  }
}

function copyPairs(
  { view }: Source,
  places: Int32Array,
  first: number,
  count: number,
  memory: ColumnMemory,
  at: number,
): void {
  const { words } = memory;
  for (let i = 0, to = at >>> 2; i < count; i++, to += 2) {
    const place = places[first + i] ?? 0;
    if (place === 0) {
      words[to] = 0;
      words[to + 1] = 0;
    } else {
      words[to] = view.getInt32(place + 4);
      words[to + 1] = view.getInt32(place);
    }
  }
}

/** Of 16 bytes. */
function copyBytes(
  { view }: Source,
  places: Int32Array,
  first: number,
  count: number,
  memory: ColumnMemory,
  at: number,
): void {
  const { words } = memory;
  for (let i = 0, to = at >>> 2; i < count; i++, to += 4) {
    const place = places[first + i] ?? 0;
    for (let word = 0; word < 4; word++) words[to + word] = place === 0 ? 0 : view.getInt32(place + 4 * word, true);
  }
}

/** A buffer as the values of a type, as a column's layout has them. */
export function viewValues(type: DataType, bytes: Uint8Array<ArrayBuffer>): Values {
  const { buffer, byteOffset, byteLength } = bytes;
  switch (type.kind) {
    case 'float':
      return type.bitWidth === 16
        ? new Uint16Array(buffer, byteOffset, byteLength >>> 1)
        : type.bitWidth === 32
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
