import type { DriverCall } from '../../../adbc/spi.ts';
import { makeStatisticsTable, type Statistic, type StatisticFilter, StatisticKey } from '../../../adbc/statistics.ts';
import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Table } from '../../../arrow/table.ts';
import { RecurveError } from '../../../error.ts';
import { quoteIdentifier } from '../quote.ts';
import { type CatalogReader, Conditions } from './catalog.ts';

/** The children of the statistics' union. */
type ValueChild = 'int64' | 'uint64' | 'float64' | 'binary';

/** What least and greatest values of a DuckDB type come as. Types that are not here have neither. */
const valueChildren: ReadonlyMap<string, ValueChild> = new Map([
  ['TINYINT', 'int64'],
  ['SMALLINT', 'int64'],
  ['INTEGER', 'int64'],
  ['BIGINT', 'int64'],
  ['UTINYINT', 'uint64'],
  ['USMALLINT', 'uint64'],
  ['UINTEGER', 'uint64'],
  ['UBIGINT', 'uint64'],
  ['FLOAT', 'float64'],
  ['DOUBLE', 'float64'],
  ['VARCHAR', 'binary'],
  ['BLOB', 'binary'],
]);

const castOf: { readonly [C in ValueChild]: string } = {
  int64: '::BIGINT',
  uint64: '::UBIGINT',
  float64: '::DOUBLE',
  binary: '',
};

interface TableOf {
  readonly catalog: string;
  readonly dbSchema: string;
  readonly tableName: string;
}

/**
 * Statistics of tables. Estimates are the catalog's, a row count a table; otherwise each table is read once, for the number
 * of rows and, by column, of nulls and of distinct values, the least and the greatest value.
 */
export async function readStatistics(reader: CatalogReader, filter: StatisticFilter, call: DriverCall): Promise<Table> {
  const where = new Conditions()
    .like('database_name', filter.catalog)
    .like('schema_name', filter.dbSchema)
    .like('table_name', filter.tableName);
  if (filter.catalog === '' || filter.dbSchema === '') where.among('schema_name', []);
  const tables = await reader.query(
    `SELECT database_name, schema_name, table_name, estimated_size::DOUBLE AS estimated_size
    FROM duckdb_tables() WHERE ${where} ORDER BY database_name, schema_name, table_name`,
    where.parameters,
    call,
  );
  const statistics: Statistic[] = [];
  const sizes = tables.column('estimated_size');
  for (let i = 0; i < tables.numRows; i++) {
    const table: TableOf = {
      catalog: textAt(tables, 'database_name', i),
      dbSchema: textAt(tables, 'schema_name', i),
      tableName: textAt(tables, 'table_name', i),
    };
    if (filter.approximate) statistics.push(rowCount(table, { child: 'float64', value: sizes.at(i) }, true));
    else statistics.push(...(await readExact(reader, table, call)));
  }
  return makeStatisticsTable(statistics);
}

async function readExact(reader: CatalogReader, table: TableOf, call: DriverCall): Promise<Statistic[]> {
  const { catalog, dbSchema, tableName } = table;
  const columns = await reader.query(
    `SELECT column_name, data_type FROM duckdb_columns()
    WHERE database_name = $1 AND schema_name = $2 AND table_name = $3 ORDER BY column_index`,
    [catalog, dbSchema, tableName],
    call,
  );
  const parts = ['count(*)'];
  const makers: ((row: RecordBatch, at: number) => Statistic)[] = [
    (row, at) => rowCount(table, { child: 'int64', value: row.column(at).at(0) }, false),
  ];
  const add = (columnName: string, key: StatisticKey, child: ValueChild, sql: string): void => {
    parts.push(sql);
    makers.push((row, at) => {
      const value = row.column(at).at(0);
      const bytes = typeof value === 'string' ? new TextEncoder().encode(value) : value;
      return { ...table, columnName, key, value: { child, value: bytes }, isApproximate: false };
    });
  };
  for (let i = 0; i < columns.numRows; i++) {
    const columnName = textAt(columns, 'column_name', i);
    const name = quoteIdentifier(columnName);
    const child = valueChildren.get(textAt(columns, 'data_type', i));
    add(columnName, StatisticKey.DistinctCount, 'int64', `count(DISTINCT ${name})`);
    if (child !== undefined) {
      add(columnName, StatisticKey.MaxValue, child, `max(${name})${castOf[child]}`);
      add(columnName, StatisticKey.MinValue, child, `min(${name})${castOf[child]}`);
    }
    add(columnName, StatisticKey.NullCount, 'int64', `count(*) - count(${name})`);
  }
  const path = [catalog, dbSchema, tableName].map(quoteIdentifier).join('.');
  const row = await reader.query(`SELECT ${parts.join(', ')} FROM ${path}`, [], call);
  // A least value of nothing is no statistic.
  return makers.map((make, at) => make(row, at)).filter((_, at) => row.column(at).isValid(0));
}

function rowCount(table: TableOf, value: Statistic['value'], isApproximate: boolean): Statistic {
  return { ...table, columnName: null, key: StatisticKey.RowCount, value, isApproximate };
}

function textAt(batch: RecordBatch, name: string, index: number): string {
  const value = batch.column(name).at(index);
  if (typeof value === 'string') return value;
  throw new RecurveError('INTERNAL', `${name} of the catalog is ${typeof value}, not text`);
}
