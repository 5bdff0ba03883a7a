import type { Table } from './table.ts';
import { typeToString } from './type.ts';

/** How much of a table is shown. */
export interface GridOptions {
  /** Default 10. */
  readonly maxRows?: number | undefined;
  /** Default 12. */
  readonly maxColumns?: number | undefined;
  /** Characters of a cell; what is longer ends with an ellipsis. Default 32. */
  readonly maxWidth?: number | undefined;
}

/** The text of a cell by its column's and row's number, or null. */
type CellReader = (column: number, row: number) => string | null;

/**
 * A table as a person reads it: how large it is, names and types, the first rows, and what was left out. `read` gives the
 * cells; without it they are the plain values.
 */
export function gridText(table: Table, options: GridOptions = {}, read: CellReader = plainReader(table)): string {
  const { maxRows = 10, maxColumns = 12, maxWidth = 32 } = options;
  const { numRows, numCols } = table;
  const fields = table.schema.fields.slice(0, maxColumns);
  const rows = Array.from({ length: Math.min(numRows, maxRows) }, (_, i) => i);
  const columns = fields.map(({ name, type, nullable }, c) => {
    const head = [name, `${typeToString(type)}${nullable ? '' : ' not null'}`];
    const cells = [...head, ...rows.map((row) => read(c, row) ?? 'null')].map((text) => shorten(text, maxWidth));
    const width = Math.max(...cells.map((cell) => cell.length));
    const isNumber = ['int', 'float', 'decimal'].includes(type.kind);
    const padded = cells.map((cell) => (isNumber ? cell.padStart(width) : cell.padEnd(width)));
    return [...padded.slice(0, 2), '-'.repeat(width), ...padded.slice(2)];
  });
  const lines = [`${numRows} row${numRows === 1 ? '' : 's'} x ${numCols} column${numCols === 1 ? '' : 's'}`];
  if (columns.length > 0) {
    for (let i = 0; i < rows.length + 3; i++) {
      lines.push(
        columns
          .map((column) => column[i])
          .join(i === 2 ? '-+-' : ' | ')
          .trimEnd(),
      );
    }
  }
  const rest = [
    numRows > rows.length ? `${numRows - rows.length} more rows` : '',
    numCols > fields.length ? `${numCols - fields.length} more columns` : '',
  ].filter((part) => part !== '');
  if (rest.length > 0) lines.push(`… ${rest.join(', ')}`);
  return lines.join('\n');
}

function plainReader(table: Table): CellReader {
  return (column, row) => plainText(table.column(column).at(row));
}

function plainText(value: unknown): string {
  return typeof value === 'object' && value !== null ? JSON.stringify(value, plainPart) : `${value}`;
}

function plainPart(_: string, part: unknown): unknown {
  if (typeof part === 'bigint') return `${part}`;
  return ArrayBuffer.isView(part) ? Array.from(part as Uint8Array, (item) => plainPart('', item)) : part;
}

/** On one line, and not longer than `maxWidth` characters. */
function shorten(text: string, maxWidth: number): string {
  // The controls, C1 and bidirectional ones too, would move the cursor or the rest of the line.
  const line = text.slice(0, 2 * maxWidth + 2).replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, escapeCharacter);
  const characters = [...line];
  return characters.length > maxWidth ? `${characters.slice(0, maxWidth - 1).join('')}…` : line;
}

function escapeCharacter(character: string): string {
  if (character === '\n') return '\\n';
  if (character === '\t') return '\\t';
  return `\\u{${character.codePointAt(0)?.toString(16)}}`;
}
