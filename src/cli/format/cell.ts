import { isUtf8 } from 'node:buffer';
import type { RecordBatch } from '../../arrow/batch.ts';
import { getBit } from '../../arrow/bitmap.ts';
import { BoolColumn } from '../../arrow/column/bool.ts';
import { DictionaryColumn } from '../../arrow/column/dictionary.ts';
import { TextColumn } from '../../arrow/column/text.ts';
import type { Column } from '../../arrow/column.ts';
import { jsonReader } from '../../arrow/json.ts';
import { Field } from '../../arrow/schema.ts';
import { textReader } from '../../arrow/text.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import { integerWriter } from './integer.ts';
import { temporalWriter } from './temporal.ts';

/** How a text format writes values. */
export interface CellStyle {
  /** Whether values are JSON: numbers bare and all else in quotes, nested values as objects and arrays. */
  readonly json: boolean;
  /** What stands for NULL, in ASCII. */
  readonly nullText: string;
  /** Writes text, given as UTF-8, with the quotes and escapes of the format. */
  writeText(out: ByteBuffer, bytes: Uint8Array, start: number, end: number): void;
}

/** Writes the values of one column of one batch. */
export interface CellWriter {
  write(out: ByteBuffer, row: number): void;
}

/**
 * The writers of a batch's columns. The types that make up most results are written from their buffers, without a string or
 * a bigint per value; the text is that of `textReader` and `jsonReader` for every type.
 */
export function cellWriters(batch: RecordBatch, style: CellStyle): CellWriter[] {
  return batch.columns.map((column, i) => cellWriter(batch.schema.field(i), column, style));
}

/** The writer of one column. */
export function cellWriter(field: Field, column: Column, style: CellStyle): CellWriter {
  const writer = plainWriter(field, column, style);
  if (writer === undefined) return new ReadCell(field, column, style);
  return column.validity === null ? writer : new NullableCell(column, column.validity, writer, style);
}

/** A writer straight from the buffers, which need not look at validity; undefined for the types that have none. */
function plainWriter(field: Field, column: Column, style: CellStyle): CellWriter | undefined {
  if (column instanceof TextColumn) return isText(column) ? new TextCell(column, style) : undefined;
  if (column instanceof BoolColumn) return new BoolCell(column);
  if (column instanceof DictionaryColumn) {
    const valueField = new Field(field.name, column.dictionary.type, { metadata: field.metadata });
    return new DictionaryCell(column, cellWriter(valueField, column.dictionary, style));
  }
  const fallback = new ReadCell(field, column, style);
  return integerWriter(column.type, column) ?? temporalWriter(column.type, column, { json: style.json, fallback });
}

/** Whether the bytes may go out as they are: formats of text must not carry anything else than UTF-8. */
function isText({ data, offsets, length }: TextColumn): boolean {
  return isUtf8(data.subarray(Number(offsets[0] ?? 0), Number(offsets[length] ?? 0)));
}

class NullableCell implements CellWriter {
  readonly #validity: Uint8Array;
  readonly #bitOffset: number;
  readonly #writer: CellWriter;
  readonly #nullText: string;

  constructor(column: Column, validity: Uint8Array, writer: CellWriter, style: CellStyle) {
    this.#validity = validity;
    this.#bitOffset = column.bitOffset;
    this.#writer = writer;
    this.#nullText = style.nullText;
  }

  write(out: ByteBuffer, row: number): void {
    if (getBit(this.#validity, this.#bitOffset + row)) this.#writer.write(out, row);
    else out.writeAscii(this.#nullText);
  }
}

class TextCell implements CellWriter {
  readonly #offsets: TextColumn['offsets'];
  readonly #data: Uint8Array;
  readonly #style: CellStyle;

  constructor(column: TextColumn, style: CellStyle) {
    this.#offsets = column.offsets;
    this.#data = column.data;
    this.#style = style;
  }

  write(out: ByteBuffer, row: number): void {
    this.#style.writeText(out, this.#data, Number(this.#offsets[row]), Number(this.#offsets[row + 1]));
  }
}

class BoolCell implements CellWriter {
  readonly #column: BoolColumn;

  constructor(column: BoolColumn) {
    this.#column = column;
  }

  write(out: ByteBuffer, row: number): void {
    out.writeAscii(getBit(this.#column.values, this.#column.bitOffset + row) ? 'true' : 'false');
  }
}

class DictionaryCell implements CellWriter {
  readonly #indices: DictionaryColumn['indices'];
  readonly #values: CellWriter;

  constructor(column: DictionaryColumn, values: CellWriter) {
    this.#indices = column.indices;
    this.#values = values;
  }

  write(out: ByteBuffer, row: number): void {
    this.#values.write(out, Number(this.#indices[row]));
  }
}

const encoder = new TextEncoder();

/** The types whose text no format has to quote or escape: digits, letters, blanks and marks of ASCII. */
const bareKinds = new Set(['int', 'float', 'decimal', 'date', 'time', 'timestamp', 'duration', 'interval']);

/** Any type, by way of a string per value. */
class ReadCell implements CellWriter {
  readonly #read: (row: number) => string | null;
  readonly #style: CellStyle;
  readonly #isBare: boolean;

  constructor(field: Field, column: Column, style: CellStyle) {
    this.#isBare = bareKinds.has(field.type.kind);
    this.#read = style.json ? jsonReader(field, column) : textReader(field, column);
    this.#style = style;
  }

  write(out: ByteBuffer, row: number): void {
    const text = this.#read(row);
    if (text === null) out.writeAscii(this.#style.nullText);
    else if (this.#isBare) out.writeAscii(text);
    else if (this.#style.json) out.writeText(text);
    else {
      const bytes = encoder.encode(text);
      this.#style.writeText(out, bytes, 0, bytes.length);
    }
  }
}
