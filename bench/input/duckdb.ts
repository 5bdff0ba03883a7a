import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** What a cell of the suite `duckdb` reads. */
export interface Query {
  /** Makes what the query reads; run once a process, not timed. */
  readonly setup?: string;
  readonly sql: string;
}

/** The flights of the package vega-datasets: 3M rows of a timestamp, two bigints and two strings of three letters. */
function flightsFile(): string {
  const main = createRequire(import.meta.url).resolve('vega-datasets');
  return join(dirname(main), '..', 'data', 'flights-3m.parquet');
}

/** Text that looks random and is the same everywhere: the first `length`, at most 64, of the hexadecimal digits of MD5. */
function text(length: string, salt: number): string {
  return `left(repeat(md5((i + ${salt})::varchar), 2), (${length})::integer)`;
}

const tables: Readonly<Record<string, string>> = {
  numeric:
    'i::integer a, (i * 1103515245 % 4294967296 - 2147483648)::bigint b, i / 64.0::double c, (i % 1000)::smallint d',
  mixed: `i::integer a, (i * 1103515245 % 2147483648) / 64.0::double b, ${text('1 + i % 12', 0)} c, ${text('24', 7)} d`,
  strings: `${text('i % 13', 0)} a, ${text('20 + i % 41', 7)} b, case when i % 10 = 0 then null else ${text('3', 11)} end c`,
  'edge-strings': `${text('11 + i % 4', 0)} a, ${text('14 - i % 4', 7)} b`,
};

/** The statement of a cell. Tables are made in memory, so that what is timed is the way of a result, not a scan of a file. */
export function queryOf(cell: string, quick: boolean): Query {
  if (cell === 'flights' || cell === 'flights-to-file') {
    return { sql: `select * from '${flightsFile().replaceAll("'", "''")}'${quick ? ' limit 20000' : ''}` };
  }
  const columns = tables[cell];
  if (columns === undefined) throw new RangeError(`no cell ${cell}`);
  const table = `bench_${cell.replaceAll('-', '_')}`;
  return {
    setup: `create table ${table} as select ${columns} from range(${quick ? 20_000 : 1_000_000}) t(i)`,
    sql: `select * from ${table}`,
  };
}
