/** What the cells of the suite `postgres` read: tables that the server makes of row numbers, and a query each. */

/** What a column is, for the digest: each arm brings it in types of its own. */
export type ColumnKind = 'integer' | 'double' | 'float' | 'decimal' | 'text' | 'boolean' | 'date' | 'timestamp';

export interface Query {
  readonly sql: string;
  /** Of the result's columns, in order. */
  readonly kinds: readonly ColumnKind[];
  /** Names of the tables that it reads. */
  readonly tables: readonly string[];
}

/** Rows of the tables, and of `--quick`. */
const MILLION = { whole: 1_000_000, quick: 5_000 };

interface TableInput {
  readonly rows: { readonly whole: number; readonly quick: number };
  /** The select list, of a row number `i` from 0. */
  readonly columns: string;
}

/** Digits that look random and are the same everywhere. */
const mixed = '(i * 1103515245::int8 % 2147483648)';

/** Instants are whole milliseconds: the Date of JavaScript's drivers has no more. */
const factColumns = `i::int8 * 1000003 as id,
      timestamptz '2020-01-01 00:00:00Z' + i * interval '1.234 seconds' as created,
      (i % 1000)::int4 as product, ${mixed}::int4 as visit, ${mixed} / 64.0::float8 as score,
      (${mixed} % 10000000 / 100.0)::numeric(12,2) as amount, 'item-' || (i * 7919::int8 % 100000) as label,
      i % 3 = 0 as flag, date '2015-01-01' + (i % 3650)::int4 as day`;

const tables: Readonly<Record<string, TableInput>> = {
  fact: { rows: MILLION, columns: factColumns },
  small: { rows: { whole: 2600, quick: 2600 }, columns: factColumns },
  nums: {
    rows: MILLION,
    columns: `i::int4 as a, ${mixed}::int4 as b, i::int8 * 1000003 as c, i / 64.0::float8 as d, ${mixed} / 1024.0::float8 as e`,
  },
  bars: {
    rows: { whole: 2_000_000, quick: 5_000 },
    columns: `timestamp '2020-01-01' + i / 500 * interval '1 minute' as at, (i % 500)::int4 as symbol, ${mixed}::int4 as volume,
      ((${mixed} % 10000) / 64.0)::float4 as open, ((${mixed} % 10000) / 64.0 + 2)::float4 as high,
      ((${mixed} % 10000) / 64.0 - 2)::float4 as low, ((${mixed} % 9999) / 64.0)::float4 as close`,
  },
  events: {
    rows: { whole: 5_000_000, quick: 20_000 },
    columns: `(${mixed} % 1000)::int4 as kind, (i % 977)::int4 as value`,
  },
  sales: {
    rows: MILLION,
    columns: `date '2019-01-01' + (i % 1461)::int4 as day, (${mixed} % 1000)::int4 as product, (i * 31 % 100)::int4 as store,
      (1 + i % 12)::int4 as quantity, (${mixed} % 100000 / 100.0)::numeric(12,2) as amount`,
  },
  product: {
    rows: { whole: 1000, quick: 1000 },
    columns: `i::int4 as id, 'product ' || i as name, 'category ' || i % 20 as category`,
  },
  sales_by_store: {
    rows: { whole: 2600, quick: 2600 },
    columns: `(i % 100)::int4 as store, (i / 100)::int4 as month, (${mixed} % 100000)::int8 as quantity,
      (${mixed} % 100000000 / 100.0)::numeric(14,2) as amount, (1 + i % 400)::int8 as sales`,
  },
};

const factKinds: readonly ColumnKind[] = [
  ...(['integer', 'timestamp', 'integer', 'integer', 'double', 'decimal', 'text', 'boolean', 'date'] as const),
];

const queries: Readonly<Record<string, Query>> = {
  fact: { sql: 'select * from fact', kinds: factKinds, tables: ['fact'] },
  nums: {
    sql: 'select * from nums',
    kinds: ['integer', 'integer', 'integer', 'double', 'double'],
    tables: ['nums'],
  },
  bars: {
    sql: 'select * from bars',
    kinds: ['timestamp', 'integer', 'integer', 'float', 'float', 'float', 'float'],
    tables: ['bars'],
  },
  small: { sql: 'select * from small', kinds: factKinds, tables: ['small'] },
  one: { sql: 'select 1 as one', kinds: ['integer'], tables: [] },
  agg: {
    sql: 'select kind, sum(value) as value from events group by kind',
    kinds: ['integer', 'integer'],
    tables: ['events'],
  },
  scan: {
    sql: 'select product, store, quantity, amount from sales',
    kinds: ['integer', 'integer', 'integer', 'decimal'],
    tables: ['sales'],
  },
  grouped: {
    sql: 'select product, sum(quantity) as quantity from sales group by product',
    kinds: ['integer', 'integer'],
    tables: ['sales'],
  },
  'two-dimensions': {
    sql: 'select product, store, sum(quantity) as quantity from sales group by product, store',
    kinds: ['integer', 'integer', 'integer'],
    tables: ['sales'],
  },
  'time-filter': {
    sql: "select product, sum(quantity) as quantity from sales where day between '2020-03-01' and '2020-03-31' group by product",
    kinds: ['integer', 'integer'],
    tables: ['sales'],
  },
  'two-measures': {
    sql: 'select store, sum(quantity) as quantity, sum(amount) as amount from sales group by store',
    kinds: ['integer', 'integer', 'decimal'],
    tables: ['sales'],
  },
  join: {
    sql: `select p.category, s.store, sum(s.quantity) as quantity
      from sales s join product p on p.id = s.product group by p.category, s.store`,
    kinds: ['text', 'integer', 'integer'],
    tables: ['sales', 'product'],
  },
  'aggregate-table': {
    sql: 'select * from sales_by_store',
    kinds: ['integer', 'integer', 'integer', 'decimal', 'integer'],
    tables: ['sales_by_store'],
  },
  connect: { sql: 'select 1 as one', kinds: ['integer'], tables: [] },
  ingest: { sql: 'select * from fact', kinds: factKinds, tables: ['fact'] },
};

/** What a cell asks the server. Throws RangeError for no cell of this suite. */
export function queryOf(cell: string): Query {
  const query = queries[cell];
  if (query === undefined) throw new RangeError(`no cell ${cell}`);
  return query;
}

/** Makes a table and lets the server look at it, so that no arm pays for what is done once. */
export function tableSql(name: string, quick: boolean): readonly string[] {
  const table = tables[name];
  if (table === undefined) throw new RangeError(`no table ${name}`);
  const last = (quick ? table.rows.quick : table.rows.whole) - 1;
  return [
    `create unlogged table ${name} as select ${table.columns} from generate_series(0, ${last}) i`,
    `vacuum (freeze, analyze) ${name}`,
  ];
}

/** The table that the cell `ingest` fills: as `fact`, empty. */
export const TARGET = 'target';

/** What the server says of the filled table: the same whatever the order of its rows. */
export const targetDigestSql = `select count(*)::int8 as rows, coalesce(sum(hashtextextended(t::text, 0)), 0)::text as digest from ${TARGET} t`;

/** Tables of the cell `connect`, each of 30 columns: connecting must not take longer for them. */
export function wideCatalogSql(quick: boolean): string {
  const columns = Array.from({ length: 30 }, (_, i) => `c${i} ${['int4', 'text', 'numeric(12,2)'][i % 3]}`).join(', ');
  // A transaction locks what it makes, and the server has room for a few thousand locks.
  return `do $$ begin for i in 1..${quick ? 50 : 5000} loop
    execute format('create table wide_%s (${columns})', i);
    if i % 500 = 0 then commit; end if;
  end loop; end $$`;
}
