import { makeStatisticsTable, type Statistic, type StatisticFilter, StatisticKey } from '../../../adbc/statistics.ts';
import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Table } from '../../../arrow/table.ts';
import { quoteIdentifier } from '../quote.ts';
import type { PostgresSession } from '../session.ts';
import { Conditions, readCatalog } from './catalog.ts';

/** The children of the statistics' union that values come as. */
type ValueChild = 'int64' | 'float64' | 'binary';

/** What least and greatest values of a type come as, by OID. Types that are not here have neither. */
const valueChildren: ReadonlyMap<number, ValueChild> = new Map([
  [20, 'int64'],
  [21, 'int64'],
  [23, 'int64'],
  [26, 'int64'],
  [700, 'float64'],
  [701, 'float64'],
  [25, 'binary'],
  [1042, 'binary'],
  [1043, 'binary'],
  [1082, 'binary'],
  [1083, 'binary'],
  [1114, 'binary'],
  [1184, 'binary'],
  [1700, 'binary'],
]);

/** Types that can be told apart by `=`: the others (json, xml, point …) have no distinct count. */
const comparable = `EXISTS (SELECT FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod
  WHERE m.amname = 'btree' AND o.opcdefault AND (o.opcintype = a.atttypid
    OR (t.typtype = 'd' AND o.opcintype = t.typbasetype) OR t.typtype IN ('e', 'r') OR a.atttypid = 1043))`;

interface TableOf {
  readonly catalog: string;
  readonly dbSchema: string;
  readonly tableName: string;
}

/**
 * Statistics of tables and materialized views. Estimates are those of the last ANALYZE and cost no scan; otherwise each table is
 * read once, for the number of rows and, by column, of nulls and of distinct values, the least and the greatest value.
 * Values that are neither whole nor floating numbers come as their text.
 */
export async function readStatistics(
  session: PostgresSession,
  filter: StatisticFilter,
  signal: AbortSignal,
): Promise<Table> {
  const rows = await readTables(session, filter, signal);
  const statistics = filter.approximate
    ? readEstimates(rows, await readColumnEstimates(session, filter, signal))
    : await readExact(session, rows, await readColumnNames(session, filter, signal), signal);
  return makeStatisticsTable(statistics);
}

function conditionsOf(filter: StatisticFilter, tables: string): Conditions {
  const where = new Conditions()
    .like('pg_catalog.current_database()', filter.catalog)
    .like('n.nspname', filter.dbSchema)
    .like('c.relname', filter.tableName)
    .and(tables);
  return filter.catalog === '' || filter.dbSchema === '' ? where.and('false') : where;
}

const anyTable = "c.relkind IN ('r', 'p', 'm') AND NOT pg_catalog.pg_is_other_temp_schema(n.oid)";
const fromTables = 'FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace';

function readTables(session: PostgresSession, filter: StatisticFilter, signal: AbortSignal): Promise<RecordBatch> {
  const where = conditionsOf(filter, anyTable);
  return readCatalog(
    session,
    `SELECT pg_catalog.current_database()::text AS catalog, n.nspname::text AS schema, c.relname::text AS name,
      c.reltuples::float8 AS rows ${fromTables} WHERE ${where} ORDER BY n.nspname, c.relname`,
    where.parameters,
    signal,
  );
}

/** `pg_stats` shows what the user may read. Bounds of a histogram leave out the most common values: both are looked through. */
function readColumnEstimates(
  session: PostgresSession,
  filter: StatisticFilter,
  signal: AbortSignal,
): Promise<RecordBatch> {
  const where = conditionsOf(filter, anyTable);
  return readCatalog(
    session,
    `SELECT s.schemaname::text AS schema, s.tablename::text AS table, s.attname::text AS name, s.null_frac::float8 AS nulls,
      s.n_distinct::float8 AS distinct, s.avg_width::float8 AS width
    FROM pg_catalog.pg_stats s
    JOIN pg_catalog.pg_namespace n ON n.nspname = s.schemaname
    JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = s.tablename
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attname = s.attname
    WHERE ${where} ORDER BY s.schemaname, s.tablename, a.attnum, s.inherited DESC`,
    where.parameters,
    signal,
  );
}

function readEstimates(tables: RecordBatch, columns: RecordBatch): Statistic[] {
  const byTable = new Map<string, Statistic[]>();
  const places = tableList(tables);
  const rowCounts = new Map(places.map((table, i) => [keyOfTable(table), numberAt(tables, 'rows', i)]));
  const catalog = places[0]?.catalog ?? '';
  for (let i = 0; i < columns.numRows; i++) {
    const table = { catalog, dbSchema: textAt(columns, 'schema', i), tableName: textAt(columns, 'table', i) };
    const key = keyOfTable(table);
    const rows = rowCounts.get(key) ?? -1;
    const columnName = textAt(columns, 'name', i);
    const list = byTable.get(key) ?? [];
    byTable.set(key, list);
    // The statistics of a whole hierarchy come first, those of the table alone after them.
    if (list.some((one) => one.columnName === columnName)) continue;
    const add = (statistic: StatisticKey, value: number): void => {
      list.push({ ...table, columnName, key: statistic, value: { child: 'float64', value }, isApproximate: true });
    };
    add(StatisticKey.AverageByteWidth, numberAt(columns, 'width', i));
    const distinct = numberAt(columns, 'distinct', i);
    // Below zero it is a share of the rows.
    if (distinct >= 0) add(StatisticKey.DistinctCount, distinct);
    else if (rows >= 0) add(StatisticKey.DistinctCount, -distinct * rows);
    if (rows >= 0) add(StatisticKey.NullCount, numberAt(columns, 'nulls', i) * rows);
  }
  return places.flatMap((table) => {
    const rows = rowCounts.get(keyOfTable(table)) ?? -1;
    const own = byTable.get(keyOfTable(table)) ?? [];
    // Never analysed: not known.
    return rows < 0 ? own : [rowCount(table, { child: 'float64', value: rows }, true), ...own];
  });
}

function readColumnNames(session: PostgresSession, filter: StatisticFilter, signal: AbortSignal): Promise<RecordBatch> {
  const where = conditionsOf(filter, anyTable);
  return readCatalog(
    session,
    `SELECT n.nspname::text AS schema, c.relname::text AS table, a.attname::text AS name,
      CASE WHEN t.typtype = 'd' THEN t.typbasetype ELSE a.atttypid END AS type, ${comparable} AS comparable
    ${fromTables}
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    WHERE ${where} ORDER BY n.nspname, c.relname, a.attnum`,
    where.parameters,
    signal,
  );
}

async function readExact(
  session: PostgresSession,
  tables: RecordBatch,
  columns: RecordBatch,
  signal: AbortSignal,
): Promise<Statistic[]> {
  const statistics: Statistic[] = [];
  const columnRows = new Map<string, number[]>();
  for (let i = 0; i < columns.numRows; i++) {
    const key = `${textAt(columns, 'schema', i)}\0${textAt(columns, 'table', i)}`;
    columnRows.set(key, [...(columnRows.get(key) ?? []), i]);
  }
  for (const table of tableList(tables)) {
    const key = `${table.dbSchema}\0${table.tableName}`;
    statistics.push(...(await readExactOf(session, table, columns, columnRows.get(key) ?? [], signal)));
  }
  return statistics;
}

async function readExactOf(
  session: PostgresSession,
  table: TableOf,
  columns: RecordBatch,
  rows: readonly number[],
  signal: AbortSignal,
): Promise<Statistic[]> {
  const parts = ['pg_catalog.count(*)'];
  const makers: ((value: unknown) => Statistic)[] = [(value) => rowCount(table, { child: 'int64', value }, false)];
  const add = (columnName: string, key: StatisticKey, child: ValueChild, sql: string): void => {
    parts.push(sql);
    makers.push((value) => {
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      return { ...table, columnName, key, value: { child, value: bytes }, isApproximate: false };
    });
  };
  for (const i of rows) {
    const columnName = textAt(columns, 'name', i);
    const name = quoteIdentifier(columnName);
    const child = valueChildren.get(numberAt(columns, 'type', i));
    if (columns.column('comparable').at(i) === true) {
      add(columnName, StatisticKey.DistinctCount, 'int64', `pg_catalog.count(DISTINCT ${name})`);
    }
    if (child !== undefined) {
      const cast = { int64: '::int8', float64: '::float8', binary: '::text' }[child];
      add(columnName, StatisticKey.MaxValue, child, `pg_catalog.max(${name})${cast}`);
      add(columnName, StatisticKey.MinValue, child, `pg_catalog.min(${name})${cast}`);
    }
    add(columnName, StatisticKey.NullCount, 'int64', `pg_catalog.count(*) - pg_catalog.count(${name})`);
  }
  const list = parts.map((part, i) => `${part} AS s${i}`).join(', ');
  const path = `${quoteIdentifier(table.dbSchema)}.${quoteIdentifier(table.tableName)}`;
  const row = await readCatalog(session, `SELECT ${list} FROM ${path}`, [], signal);
  // A least value of nothing is no statistic.
  return makers.map((make, at) => make(row.column(at).at(0))).filter((_, at) => row.column(at).isValid(0));
}

function rowCount(table: TableOf, value: Statistic['value'], isApproximate: boolean): Statistic {
  return { ...table, columnName: null, key: StatisticKey.RowCount, value, isApproximate };
}

function tableList(tables: RecordBatch): TableOf[] {
  return Array.from({ length: tables.numRows }, (_, i) => ({
    catalog: textAt(tables, 'catalog', i),
    dbSchema: textAt(tables, 'schema', i),
    tableName: textAt(tables, 'name', i),
  }));
}

function keyOfTable({ dbSchema, tableName }: TableOf): string {
  return `${dbSchema}\0${tableName}`;
}

function textAt(batch: RecordBatch, name: string, index: number): string {
  return String(batch.column(name).at(index));
}

function numberAt(batch: RecordBatch, name: string, index: number): number {
  return Number(batch.column(name).at(index));
}
