import { isAscii, isUtf8 } from '#platform';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import { OffsetMemory } from './offset-memory.ts';
import type { Source } from './source.ts';
import { checkUtf8 } from './utf8.ts';
import { Validity } from './validity.ts';

/** Up to here words are copied one by one; from here on a call of `set` costs less. */
const maxWordCopyByteLength = 64;

/** Text and bytes as they are. UTF-8 is checked: a database of encoding SQL_ASCII sends anything. */
export class BytesDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #isText: boolean;
  /** Bytes before the value: the version 1 of jsonb, jsonpath and ltree. */
  readonly #skip: 0 | 1;
  readonly #validity: Validity = new Validity();
  readonly #offsets: OffsetMemory = new OffsetMemory();
  readonly #data: ColumnMemory = new ColumnMemory();
  #rowByteLength = 32;

  constructor(context: DecoderContext, { versioned }: { readonly versioned: boolean }) {
    this.#context = context;
    this.#isText = context.field.type.kind === 'utf8';
    this.#skip = versioned ? 1 : 0;
  }

  get byteLength(): number {
    return this.#data.length + this.#offsets.byteLength + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#offsets.expect(rowCount);
    this.#data.expect(Math.ceil(rowCount * this.#rowByteLength * 1.0625));
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const data = this.#data;
    const skip = this.#skip;
    if (skip > 0) this.#checkVersions(source, places, first, count);
    const start = data.length;
    const offsets = this.#offsets;
    const at = offsets.extend(count);
    const total = writeOffsets(source.view, places, first, count, skip, start, offsets.words, at);
    data.reserve(total - start);
    copyValues(source, places, first, count, skip, offsets.words, at, data);
    data.length = total;
    this.#validity.append(places, first, count, nullCount);
    if (this.#isText) this.#checkText(source, places, first, count, start);
  }

  finish(): Column {
    const { field } = this.#context;
    const validity = this.#validity.finish();
    if (validity.length > 0) this.#rowByteLength = this.#data.length / validity.length;
    return makeColumn(field, {
      type: field.type,
      ...validity,
      offsets: this.#offsets.take(),
      data: this.#data.take(),
    });
  }

  #checkVersions(source: Source, places: Int32Array, first: number, count: number): void {
    const { view, bytes } = source;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place === 0 || (view.getInt32(place - 4) > 0 && bytes[place] === 1)) continue;
      const length = view.getInt32(place - 4);
      const what = length === 0 ? 'no version byte' : `version ${bytes[place]}, only 1 is known`;
      throw source.fault(this.#context.path, place, what);
    }
  }

  #checkText(source: Source, places: Int32Array, first: number, count: number, start: number): void {
    const { bytes, length } = this.#data;
    const block = bytes.subarray(start, length);
    if (isAscii(block)) return;
    const skip = this.#skip;
    // A block can be UTF-8 as a whole where a value ends in the middle of a character.
    if (isUtf8(block) && startsCharacters(source, places, first, count, skip)) return;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place === 0) continue;
      checkUtf8(source, this.#context.path, place + skip, place + source.view.getInt32(place - 4));
    }
  }
}

function startsCharacters(
  { view, bytes }: Source,
  places: Int32Array,
  first: number,
  count: number,
  skip: number,
): boolean {
  for (let i = 0; i < count; i++) {
    const place = places[first + i] ?? 0;
    if (place !== 0 && view.getInt32(place - 4) > skip && ((bytes[place + skip] ?? 0) & 0xc0) === 0x80) return false;
  }
  return true;
}

/** Writes where each value ends, from `at` on; gives the last. */
function writeOffsets(
  view: DataView,
  places: Int32Array,
  first: number,
  count: number,
  skip: number,
  start: number,
  offsets: Int32Array,
  at: number,
): number {
  let end = start;
  for (let i = 0; i < count; i++) {
    const place = places[first + i] ?? 0;
    const valid = -place >> 31;
    end += (view.getInt32((place - 4) & valid) - skip) & valid;
    offsets[at + i] = end;
  }
  return end;
}

function copyValues(
  source: Source,
  places: Int32Array,
  first: number,
  count: number,
  skip: number,
  offsets: Int32Array,
  at: number,
  data: ColumnMemory,
): void {
  const { view, bytes } = source;
  const target = data.view;
  for (let i = 0; i < count; i++) {
    const to = offsets[at + i - 1] ?? 0;
    const length = (offsets[at + i] ?? 0) - to;
    const from = (places[first + i] ?? 0) + skip;
    if (length >= 4) {
      if (length > maxWordCopyByteLength) {
        data.bytes.set(bytes.subarray(from, from + length), to);
      } else {
        // The last word may overlap the one before.
        const tail = length - 4;
        for (let k = 0; k < tail; k += 4) target.setInt32(to + k, view.getInt32(from + k, true), true);
        target.setInt32(to + tail, view.getInt32(from + tail, true), true);
      }
    } else {
      for (let k = 0; k < length; k++) target.setUint8(to + k, view.getUint8(from + k));
    }
  }
}
