import type { RecordBatch } from '../../arrow/batch.ts';
import type { Schema } from '../../arrow/schema.ts';
import { textReader } from '../../arrow/text.ts';
import type { ByteBuffer } from './byte-buffer.ts';
import type { RowFormat, WriteRow } from './row-writer.ts';
import { isNumber } from './table.ts';

/** A table of GitHub Flavored Markdown: numbers to the right, NULL as `NULL`, line ends as `<br>`, markup escaped. */
export const markdown = (schema: Schema): RowFormat => new Markdown(schema);

class Markdown implements RowFormat {
  readonly #schema: Schema;

  constructor(schema: Schema) {
    this.#schema = schema;
  }

  begin(out: ByteBuffer): void {
    const { fields } = this.#schema;
    if (fields.length === 0) return;
    out.writeText(`| ${fields.map((field) => escapeMarkup(field.name)).join(' | ')} |\n`);
    out.writeText(`| ${fields.map((field) => (isNumber(field.type) ? '---:' : '---')).join(' | ')} |\n`);
  }

  rows(batch: RecordBatch): WriteRow {
    const readers = batch.columns.map((column, i) => textReader(batch.schema.field(i), column));
    return (out, row) => {
      if (readers.length === 0) return;
      for (const read of readers) {
        const text = read(row);
        out.writeAscii('| ');
        if (text === null) out.writeAscii('NULL');
        else out.writeText(escapeMarkup(text));
        out.writeAscii(' ');
      }
      out.writeAscii('|\n');
    };
  }

  end(): void {}
}

function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll(/[\\|`*_~[\]]/g, '\\$&')
    .replaceAll(/\r\n|\r|\n/g, '<br>');
}
