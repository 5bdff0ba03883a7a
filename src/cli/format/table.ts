import type { RecordBatch } from '../../arrow/batch.ts';
import type { Schema } from '../../arrow/schema.ts';
import { textReader } from '../../arrow/text.ts';
import { type DataType, typeToString } from '../../arrow/type.ts';
import { print, type Sink } from '../io.ts';
import { formatCount } from '../progress.ts';
import { displayWidth, truncate, visible } from './display-width.ts';
import type { ResultWriter, WriterTarget } from './result-writer.ts';
import { layoutTable, type TableLayout } from './table-layout.ts';

/** Rows shown on a terminal; what comes after them is read and counted. */
const terminalRows = 40;

/** Rows, and characters in them, whose widths decide those of the columns. */
const sampleRows = 1000;
const sampleCharacters = 1 << 20;

/** Text collected before it goes out. */
const pieceCharacters = 1 << 16;

/**
 * A table with a frame, for people. On a terminal it fits the width and shows the first rows; in a file every row is whole,
 * and a value wider than its column, whose width the first rows decide, moves what is right of it.
 */
export async function openTable({ schema, sink, terminal }: WriterTarget): Promise<ResultWriter> {
  return new TableWriter(schema, sink, terminal);
}

/** A cell: null for NULL. */
type Cells = readonly (string | null)[];

class TableWriter implements ResultWriter {
  readonly #schema: Schema;
  readonly #sink: Sink;
  readonly #terminal: WriterTarget['terminal'];
  readonly #isNumber: readonly boolean[];
  #sample: Cells[] = [];
  #sampled = 0;
  #layout: TableLayout | undefined;
  #text = '';
  #rowCount = 0;
  #shown = 0;
  #isClosed = false;

  constructor(schema: Schema, sink: Sink, terminal: WriterTarget['terminal']) {
    this.#schema = schema;
    this.#sink = sink;
    this.#terminal = terminal;
    this.#isNumber = schema.fields.map(({ type }) => isNumber(type));
  }

  async write(batch: RecordBatch): Promise<void> {
    this.#rowCount += batch.numRows;
    const limit = this.#terminal === undefined ? Infinity : terminalRows;
    const readers = batch.columns.map((column, i) => textReader(batch.schema.field(i), column));
    for (let row = 0; row < batch.numRows && this.#shown < limit; row++) {
      this.#shown++;
      const cells = readers.map((read) => this.#cell(read(row)));
      if (this.#layout !== undefined) this.#addRow(cells, this.#layout);
      else {
        this.#sample.push(cells);
        for (const cell of cells) this.#sampled += cell?.length ?? 0;
        const isFull = this.#sample.length >= sampleRows || this.#sampled >= sampleCharacters;
        if (isFull || this.#shown === limit) this.#begin();
      }
      if (this.#shown === limit) this.#close();
      if (this.#text.length >= pieceCharacters) await this.#flush();
    }
    await this.#flush();
  }

  async end(): Promise<void> {
    const { fields } = this.#schema;
    // A statement without a result.
    if (fields.length === 0) return;
    this.#close();
    const left = layoutNote(fields.length, this.#layout);
    const rows = `${formatCount(this.#rowCount)} ${this.#rowCount === 1 ? 'row' : 'rows'}`;
    const more = this.#shown < this.#rowCount ? `… ${rows}, the first ${this.#shown} shown` : rows;
    this.#text += `${more}${left}\n`;
    await this.#flush();
  }

  /** The text of a value, not longer than a terminal can show. */
  #cell(text: string | null): string | null {
    if (text === null) return null;
    if (this.#terminal === undefined) return visible(text);
    const most = this.#terminal.columns;
    return visible(text.length > 4 * most ? `${text.slice(0, 4 * most)}…` : text);
  }

  #begin(): TableLayout {
    const { fields } = this.#schema;
    const names = fields.map((field) => visible(field.name));
    const types = fields.map((field) => visible(typeToString(field.type)));
    const widths = fields.map((_, i) => {
      let width = Math.max(displayWidth(names[i] ?? ''), displayWidth(types[i] ?? ''), 1);
      for (const cells of this.#sample) width = Math.max(width, displayWidth(cells[i] ?? 'NULL'));
      return width;
    });
    const layout = layoutTable(widths, this.#isNumber, this.#terminal?.columns);
    this.#layout = layout;
    this.#addRule(layout, '┌', '┬', '┐');
    this.#addRow(names, layout);
    this.#addRow(types, layout, 'dim');
    this.#addRule(layout, '├', '┼', '┤');
    for (const cells of this.#sample) this.#addRow(cells, layout);
    this.#sample = [];
    return layout;
  }

  /** Ends the frame, so that it stands while the rows that are not shown are counted. */
  #close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#addRule(this.#layout ?? this.#begin(), '└', '┴', '┘');
  }

  #addRule(layout: TableLayout, left: string, middle: string, right: string): void {
    this.#text += `${left}${layout.widths.map((width) => '─'.repeat(width + 2)).join(middle)}${right}\n`;
  }

  #addRow(cells: Cells, layout: TableLayout, style: 'plain' | 'dim' = 'plain'): void {
    let line = '│';
    layout.columns.forEach((column, i) => {
      const width = layout.widths[i] ?? 0;
      const cell = column < 0 ? '…' : (cells[column] ?? 'NULL');
      const text = this.#terminal === undefined ? cell : truncate(cell, width);
      const padding = ' '.repeat(Math.max(0, width - displayWidth(text)));
      const isDim = style === 'dim' || (column >= 0 && cells[column] === null);
      const shown = isDim && this.#terminal?.color === true ? `\u001b[2m${text}\u001b[22m` : text;
      line += ` ${this.#isNumber[column] ? padding + shown : shown + padding} │`;
    });
    this.#text += `${line}\n`;
  }

  async #flush(): Promise<void> {
    if (this.#text === '') return;
    const text = this.#text;
    this.#text = '';
    await print(this.#sink, text);
  }
}

/** Whether values stand to the right: numbers, also those behind a dictionary. */
export function isNumber(type: DataType): boolean {
  return type.kind === 'dictionary' ? isNumber(type.value) : ['int', 'float', 'decimal'].includes(type.kind);
}

function layoutNote(columnCount: number, layout: TableLayout | undefined): string {
  const shown = layout?.columns.filter((column) => column >= 0).length ?? columnCount;
  return shown < columnCount ? `, ${columnCount} columns, ${shown} shown` : '';
}
