import type { RecordBatch } from '../../arrow/batch.ts';
import { rowNames } from '../../arrow/row-name.ts';
import type { Schema } from '../../arrow/schema.ts';
import { type ByteBuffer, byteTable } from './byte-buffer.ts';
import { type CellStyle, cellWriters } from './cell.ts';
import type { RowFormat, WriteRow } from './row-writer.ts';

/** One array of objects, a line each: `[{…},` to `{…}]`. A name that repeats gets a number, so that no value is lost. */
export const json = (schema: Schema): RowFormat =>
  new Json(schema, { open: '[', between: ',\n', after: '', close: ']\n' });

/** JSON Lines: an object a line, nothing around them. */
export const jsonl = (schema: Schema): RowFormat => new Json(schema, { open: '', between: '', after: '\n', close: '' });

interface Marks {
  readonly open: string;
  readonly between: string;
  readonly after: string;
  readonly close: string;
}

class Json implements RowFormat {
  /** What stands before each value: brace or comma, and the name. */
  readonly #keys: readonly Uint8Array[];
  readonly #marks: Marks;
  #isFirst = true;

  constructor(schema: Schema, marks: Marks) {
    const encoder = new TextEncoder();
    const names = rowNames(schema.fields);
    this.#keys = names.map((name, i) => encoder.encode(`${i === 0 ? '{' : ','}${JSON.stringify(name)}:`));
    this.#marks = marks;
  }

  begin(out: ByteBuffer): void {
    out.writeAscii(this.#marks.open);
  }

  rows(batch: RecordBatch): WriteRow {
    const cells = cellWriters(batch, jsonStyle);
    const keys = this.#keys;
    const { between, after } = this.#marks;
    return (out, row) => {
      if (this.#isFirst) this.#isFirst = false;
      else out.writeAscii(between);
      if (cells.length === 0) out.writeByte(0x7b);
      for (let i = 0; i < cells.length; i++) {
        const key = keys[i];
        if (key !== undefined) out.writeBytes(key);
        cells[i]?.write(out, row);
      }
      out.writeByte(0x7d);
      out.writeAscii(after);
    };
  }

  end(out: ByteBuffer): void {
    out.writeAscii(this.#marks.close);
  }
}

const quote = 0x22;
const backslash = 0x5c;

/** The letter after the backslash (RFC 8259, section 7), else 0. */
const shortEscape = byteTable('"\\\b\f\n\r\t', '"\\bfnrt');

const jsonStyle: CellStyle = {
  json: true,
  nullText: 'null',
  writeText(out, bytes, start, end) {
    let isSpecial = false;
    for (let i = start; i < end && !isSpecial; i++) {
      const byte = bytes[i] ?? 0;
      isSpecial = byte < 0x20 || byte === quote || byte === backslash;
    }
    if (!isSpecial) {
      out.writeByte(quote);
      out.writeBytes(bytes, start, end);
      out.writeByte(quote);
      return;
    }
    out.reserve(6 * (end - start) + 2);
    const target = out.bytes;
    let at = out.length;
    target[at++] = quote;
    for (let i = start; i < end; i++) {
      const byte = bytes[i] ?? 0;
      if (byte >= 0x20 && byte !== quote && byte !== backslash) {
        target[at++] = byte;
        continue;
      }
      const letter = shortEscape[byte] ?? 0;
      target[at++] = backslash;
      if (letter !== 0) target[at++] = letter;
      else {
        target.set([0x75, 0x30, 0x30, 0x30 + (byte >> 4), hexDigits.charCodeAt(byte & 15)], at);
        at += 5;
      }
    }
    target[at++] = quote;
    out.length = at;
  },
};

const hexDigits = '0123456789abcdef';
