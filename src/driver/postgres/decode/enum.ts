import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import { Field } from '../../../arrow/schema.ts';
import type { DictionaryType } from '../../../arrow/type.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import { viewValues } from './fixed.ts';
import { OffsetMemory } from './offset-memory.ts';
import type { Source } from './source.ts';
import { checkUtf8 } from './utf8.ts';
import { Validity } from './validity.ts';

/**
 * Enums as indices into their labels, which come as text. Labels that were added to the type since it was looked up go
 * behind the known ones.
 */
export class EnumDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #labels: Uint8Array[];
  /** Open addressing: position in `labels` plus one, by a hash of length and bytes. */
  #slots: Int32Array = new Int32Array(0);
  #dictionary: Column | undefined;
  #dictionaryByteLength: number;
  readonly #validity: Validity = new Validity();
  readonly #memory: ColumnMemory = new ColumnMemory();

  constructor(context: DecoderContext, labels: readonly string[]) {
    const encoder = new TextEncoder();
    this.#context = context;
    this.#labels = labels.map((label) => encoder.encode(label));
    this.#dictionaryByteLength = this.#labels.reduce((sum, label) => sum + 4 + label.length, 4);
    this.#hashLabels();
  }

  get byteLength(): number {
    return this.#memory.length + this.#validity.byteLength + this.#dictionaryByteLength;
  }

  begin(rowCount: number): void {
    this.#memory.expect(rowCount * 4);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const to = this.#memory.extend(count * 4) >>> 2;
    const { words } = this.#memory;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      words[to + i] = place === 0 ? 0 : this.#find(source, place);
    }
    this.#validity.append(places, first, count, nullCount);
  }

  finish(): Column {
    const { field } = this.#context;
    const type = field.type as DictionaryType;
    this.#dictionary ??= makeDictionary(type, this.#labels);
    const values = viewValues(type, this.#memory.take());
    return makeColumn(field, { type, ...this.#validity.finish(), values, dictionary: this.#dictionary });
  }

  #find(source: Source, place: number): number {
    const { bytes } = source;
    const end = place + source.view.getInt32(place - 4);
    const slots = this.#slots;
    const mask = slots.length - 1;
    for (let slot = hash(bytes, place, end) & mask; ; slot = (slot + 1) & mask) {
      const position = (slots[slot] ?? 0) - 1;
      const label = this.#labels[position];
      if (label === undefined) {
        checkUtf8(source, this.#context.path, place, end);
        return this.#add(Uint8Array.from(bytes.subarray(place, end)), slot);
      }
      if (isAt(label, bytes, place, end)) return position;
    }
  }

  #add(label: Uint8Array, slot: number): number {
    this.#labels.push(label);
    this.#dictionary = undefined;
    this.#dictionaryByteLength += 4 + label.length;
    if (this.#labels.length * 2 < this.#slots.length) this.#slots[slot] = this.#labels.length;
    else this.#hashLabels();
    return this.#labels.length - 1;
  }

  #hashLabels(): void {
    const labels = this.#labels;
    this.#slots = new Int32Array(2 ** Math.ceil(Math.log2(labels.length * 4 + 4)));
    const mask = this.#slots.length - 1;
    labels.forEach((label, position) => {
      let slot = hash(label, 0, label.length) & mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
      this.#slots[slot] = position + 1;
    });
  }
}

function hash(bytes: Uint8Array, start: number, end: number): number {
  let value = end - start;
  for (let i = start; i < end; i++) value = (Math.imul(value, 31) + (bytes[i] ?? 0)) | 0;
  return value ^ (value >>> 15);
}

function isAt(label: Uint8Array, bytes: Uint8Array, start: number, end: number): boolean {
  if (label.length !== end - start) return false;
  for (let i = 0; i < label.length; i++) if (label[i] !== bytes[start + i]) return false;
  return true;
}

function makeDictionary(type: DictionaryType, labels: readonly Uint8Array[]): Column {
  const offsets = new OffsetMemory();
  const data = new ColumnMemory();
  const at = offsets.extend(labels.length);
  labels.forEach((label, i) => {
    const start = data.extend(label.length);
    data.bytes.set(label, start);
    offsets.words[at + i] = data.length;
  });
  const field = new Field('', type.value);
  const { length } = labels;
  return makeColumn(field, { type: type.value, length, nullCount: 0, offsets: offsets.take(), data: data.take() });
}
