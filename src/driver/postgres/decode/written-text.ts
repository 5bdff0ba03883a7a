import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import { OffsetMemory } from './offset-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Gives the text of the value at `place`, of `length` bytes, as the server prints it. Throws {@link Source.fault}. */
export type TextWriter = (source: Source, place: number, length: number, path: string) => string;

/** Types whose Arrow form is the text that the server makes of them, written here from their bytes. */
export class WrittenTextDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #write: TextWriter;
  readonly #validity: Validity = new Validity();
  readonly #offsets: OffsetMemory = new OffsetMemory();
  readonly #data: ColumnMemory = new ColumnMemory();
  #rowByteLength = 16;

  constructor(context: DecoderContext, write: TextWriter) {
    this.#context = context;
    this.#write = write;
  }

  get byteLength(): number {
    return this.#data.length + this.#offsets.byteLength + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#offsets.expect(rowCount);
    this.#data.expect(Math.ceil(rowCount * this.#rowByteLength * 1.0625));
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const at = this.#offsets.extend(count);
    const { words } = this.#offsets;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place !== 0) this.#add(this.#write(source, place, source.view.getInt32(place - 4), this.#context.path));
      words[at + i] = this.#data.length;
    }
    this.#validity.append(places, first, count, nullCount);
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

  #add(text: string): void {
    const data = this.#data;
    data.reserve(text.length * 3);
    const { bytes } = data;
    let at = data.length;
    for (let i = 0; i < text.length; i++) {
      const unit = text.charCodeAt(i);
      if (unit > 0x7f) {
        at = data.length + encoder.encodeInto(text, bytes.subarray(data.length)).written;
        break;
      }
      bytes[at++] = unit;
    }
    data.length = at;
  }
}

const encoder = new TextEncoder();
