import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column, Values } from '../../../arrow/column.ts';
import { byteWidth, type DataType } from '../../../arrow/type.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Copies `count` values into `memory` from byte `at` on. */
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
  /** Of values without, and with NULLs. */
  readonly #copy: Copy;
  readonly #copyMasked: Copy;

  constructor(context: DecoderContext) {
    this.#context = context;
    this.width = byteWidth(context.field.type) ?? 0;
    this.#copy = copies[this.width] ?? copyBytes;
    this.#copyMasked = maskedCopies[this.width] ?? copyBytes;
  }

  get byteLength(): number {
    return this.#memory.length + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#memory.expect(rowCount * this.width);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const at = this.#memory.extend(count * this.width);
    const copy = nullCount === 0 ? this.#copy : this.#copyMasked;
    copy(source, places, first, count, this.#memory, at);
    this.#validity.append(places, first, count, nullCount);
  }

  finish(): Column {
    const { field } = this.#context;
    const values = viewValues(field.type, this.#memory.take());
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), values });
  }
}

const copies: Readonly<Record<number, Copy>> = { 2: copyHalves, 4: copyWords, 8: copyPairs };
const maskedCopies: Readonly<Record<number, Copy>> = { 2: copyHalves, 4: copyMaskedWords, 8: copyMaskedPairs };

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
    target.setInt16(at + 2 * i, view.getInt16(place) & (-place >> 31), true);
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
  for (let i = 0; i < count; i++) words[to + i] = view.getInt32(places[first + i] ?? 0);
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
    words[to] = view.getInt32(place + 4);
    words[to + 1] = view.getInt32(place);
  }
}

// NULLs, whose place is 0, are masked and not asked for: where they come at random, a branch would be guessed wrong.

function copyMaskedWords(
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
    words[to + i] = view.getInt32(place) & (-place >> 31);
  }
}

function copyMaskedPairs(
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
    const valid = -place >> 31;
    words[to] = view.getInt32(place + 4) & valid;
    words[to + 1] = view.getInt32(place) & valid;
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
    const valid = -place >> 31;
    for (let word = 0; word < 4; word++) words[to + word] = view.getInt32(place + 4 * word, true) & valid;
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
