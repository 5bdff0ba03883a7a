import type { RecordBatch } from '../../arrow/batch.ts';
import type { Schema } from '../../arrow/schema.ts';
import { type ByteBuffer, byteTable } from './byte-buffer.ts';
import { type CellStyle, cellWriters } from './cell.ts';
import type { RowFormat, WriteRow } from './row-writer.ts';

const newline = 0x0a;
const comma = 0x2c;
const tab = 0x09;
const quote = 0x22;
const backslash = 0x5c;

/**
 * CSV by RFC 4180 but for the line ends, which are LF as every other tool's here: a header of the names; text in quotes
 * when it holds a quote, a comma or a line end; a quote doubled. NULL is nothing at all, empty text is `""`.
 */
export const csv = (schema: Schema): RowFormat => new Delimited(schema, comma, csvStyle);

/** Tab-separated values: tab, line feed, carriage return and backslash in text are `\t`, `\n`, `\r`, `\\`; NULL is `\N`. */
export const tsv = (schema: Schema): RowFormat => new Delimited(schema, tab, tsvStyle);

class Delimited implements RowFormat {
  readonly #schema: Schema;
  readonly #delimiter: number;
  readonly #style: CellStyle;

  constructor(schema: Schema, delimiter: number, style: CellStyle) {
    this.#schema = schema;
    this.#delimiter = delimiter;
    this.#style = style;
  }

  begin(out: ByteBuffer): void {
    const { names } = this.#schema;
    if (names.length === 0) return;
    names.forEach((name, i) => {
      if (i > 0) out.writeByte(this.#delimiter);
      const bytes = new TextEncoder().encode(name);
      this.#style.writeText(out, bytes, 0, bytes.length);
    });
    out.writeByte(newline);
  }

  rows(batch: RecordBatch): WriteRow {
    const cells = cellWriters(batch, this.#style);
    const delimiter = this.#delimiter;
    return (out, row) => {
      for (let i = 0; i < cells.length; i++) {
        if (i > 0) out.writeByte(delimiter);
        cells[i]?.write(out, row);
      }
      if (cells.length > 0) out.writeByte(newline);
    };
  }

  end(): void {}
}

const csvStyle: CellStyle = {
  json: false,
  nullText: '',
  writeText(out, bytes, start, end) {
    let isSpecial = start === end;
    for (let i = start; i < end && !isSpecial; i++) isSpecial = inQuotes[bytes[i] ?? 0] === 1;
    if (!isSpecial) {
      out.writeBytes(bytes, start, end);
      return;
    }
    out.reserve(2 * (end - start) + 2);
    const target = out.bytes;
    let at = out.length;
    target[at++] = quote;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0;
      if (byte === quote) target[at++] = quote;
      target[at++] = byte;
    }
    target[at++] = quote;
    out.length = at;
  },
};

/** 1 for the bytes that ask for quotes. */
const inQuotes = byteTable('\n\r",', '\x01\x01\x01\x01');

const tsvStyle: CellStyle = {
  json: false,
  nullText: '\\N',
  writeText(out, bytes, start, end) {
    out.reserve(2 * (end - start));
    const target = out.bytes;
    let at = out.length;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0;
      const letter = tsvEscape[byte] ?? 0;
      if (letter !== 0) target[at++] = backslash;
      target[at++] = letter === 0 ? byte : letter;
    }
    out.length = at;
  },
};

/** The letter after the backslash for the bytes that are escaped, else 0. */
const tsvEscape = byteTable('\t\n\r\\', 'tnr\\');
