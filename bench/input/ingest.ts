import { join } from 'node:path';

/** Text that looks random and is the same everywhere, 1 to 64 hexadecimal digits. */
function text(length: string, salt: number): string {
  return `left(repeat(md5((i + ${salt})::varchar), 2), (${length})::integer)`;
}

/** What the columns of a cell are called, what they are in DuckDB, and what makes them of a row number `i`. */
export interface IngestColumn {
  readonly name: string;
  readonly type: 'INTEGER' | 'BIGINT' | 'DOUBLE' | 'SMALLINT' | 'VARCHAR' | 'TIMESTAMP' | 'BOOLEAN';
  readonly sql: string;
}

const numeric: readonly IngestColumn[] = [
  { name: 'a', type: 'INTEGER', sql: 'i' },
  { name: 'b', type: 'BIGINT', sql: 'i * 1103515245 % 4294967296 - 2147483648' },
  { name: 'c', type: 'DOUBLE', sql: 'i / 64.0' },
  { name: 'd', type: 'SMALLINT', sql: 'i % 1000' },
];

const mixed: readonly IngestColumn[] = [
  { name: 'a', type: 'INTEGER', sql: 'i' },
  { name: 'b', type: 'DOUBLE', sql: '(i * 1103515245 % 2147483648) / 64.0' },
  { name: 'c', type: 'VARCHAR', sql: text('1 + i % 12', 0) },
  { name: 'd', type: 'VARCHAR', sql: text('24', 7) },
  {
    name: 'e',
    type: 'TIMESTAMP',
    sql: "CASE WHEN i % 10 = 0 THEN NULL ELSE TIMESTAMP '2020-01-01' + to_seconds(i) END",
  },
  { name: 'f', type: 'BOOLEAN', sql: 'i % 3 = 0' },
];

/** The columns of a cell of the suite `ingest`. */
export function columnsOf(cell: string): readonly IngestColumn[] {
  if (cell === 'mixed') return mixed;
  if (cell === 'numeric') return numeric;
  throw new RangeError(`no cell ${cell}`);
}

/** The query that makes a cell's rows. */
export function rowsSql(cell: string, quick: boolean): string {
  const list = columnsOf(cell).map(({ name, type, sql }) => `(${sql})::${type} ${name}`);
  return `select ${list.join(', ')} from range(${quick ? 20_000 : 1_000_000}) t(i)`;
}

/** Where the rows of a cell lie, in each arm's format. */
export function inputFile(folder: string, cell: string, format: 'parquet' | 'arrows'): string {
  return join(folder, `${cell}.${format}`);
}
