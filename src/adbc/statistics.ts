import { batchFromRows } from '../arrow/build/batch.ts';
import type { UnionValue } from '../arrow/build/union.ts';
import { Field, Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import { binary, bool, float64, int16, int64, list, struct, uint64, union, utf8 } from '../arrow/type-factory.ts';
import { RecurveError } from '../error.ts';
import { readName } from './objects.ts';
import { checkKeys, describe } from './options.ts';

/** ADBC's keys of statistics (`ADBC_STATISTIC_*`). A driver's own begin at 1,024; `getStatisticNames` lists those. */
export const StatisticKey = {
  AverageByteWidth: 0,
  DistinctCount: 1,
  MaxByteWidth: 2,
  MaxValue: 3,
  MinValue: 4,
  NullCount: 5,
  RowCount: 6,
} as const;
/** See {@link StatisticKey}. */
export type StatisticKey = (typeof StatisticKey)[keyof typeof StatisticKey];

/** Of what statistics are wanted. Names are patterns as for `getObjects`. */
export interface StatisticOptions {
  readonly catalog?: string | null | undefined;
  readonly dbSchema?: string | null | undefined;
  readonly tableName?: string | null | undefined;
  /** Whether estimates will do, which cost no scan; otherwise tables are read. Default true. */
  readonly approximate?: boolean | undefined;
}

/** {@link StatisticOptions} with every default filled in; undefined is no filter. */
export interface StatisticFilter {
  readonly catalog: string | undefined;
  readonly dbSchema: string | undefined;
  readonly tableName: string | undefined;
  readonly approximate: boolean;
}

/** One statistic, of a column or, without a column's name, of a table. */
export interface Statistic {
  readonly catalog: string | null;
  readonly dbSchema: string | null;
  readonly tableName: string;
  readonly columnName: string | null;
  readonly key: number;
  /** Of the child `int64`, `uint64`, `float64` or `binary`. */
  readonly value: UnionValue;
  readonly isApproximate: boolean;
}

const required = { nullable: false };

const statisticFields: readonly Field[] = [
  new Field('table_name', utf8(), required),
  new Field('column_name', utf8()),
  new Field('statistic_key', int16(), required),
  new Field(
    'statistic_value',
    union('dense', [
      new Field('int64', int64()),
      new Field('uint64', uint64()),
      new Field('float64', float64()),
      new Field('binary', binary()),
    ]),
    required,
  ),
  new Field('statistic_is_approximate', bool(), required),
];

/** The schema of `getStatistics`' result (adbc.h, `AdbcConnectionGetStatistics`). */
export const statisticsSchema: Schema = new Schema([
  new Field('catalog_name', utf8()),
  new Field(
    'catalog_db_schemas',
    list(
      struct([
        new Field('db_schema_name', utf8()),
        new Field('db_schema_statistics', list(struct(statisticFields)), required),
      ]),
    ),
    required,
  ),
]);

/** The schema of `getStatisticNames`' result. */
export const statisticNamesSchema: Schema = new Schema([
  new Field('statistic_name', utf8(), required),
  new Field('statistic_key', int16(), required),
]);

/** The table of `getStatisticNames`: empty. */
export function makeStatisticNamesTable(): Table {
  return new Table(statisticNamesSchema, []);
}

/** Checks what `getStatistics` is given. Throws INVALID_ARGUMENT naming the key. */
export function readStatisticFilter(options: StatisticOptions | undefined): StatisticFilter {
  const given = checkKeys('key', options, ['catalog', 'dbSchema', 'tableName', 'approximate']);
  const approximate = given.approximate ?? true;
  if (typeof approximate !== 'boolean') {
    throw new RecurveError('INVALID_ARGUMENT', `approximate is ${describe(approximate)}, but must be true or false`);
  }
  return {
    catalog: readName('catalog', given.catalog),
    dbSchema: readName('dbSchema', given.dbSchema),
    tableName: readName('tableName', given.tableName),
    approximate,
  };
}

/** The table of `statisticsSchema` from statistics in the order of catalogs and schemas. */
export function makeStatisticsTable(statistics: Iterable<Statistic>): Table {
  const rows: { catalog_name: string | null; catalog_db_schemas: SchemaRow[] }[] = [];
  for (const statistic of statistics) {
    let catalog = rows.at(-1);
    if (catalog?.catalog_name !== statistic.catalog || catalog === undefined) {
      catalog = { catalog_name: statistic.catalog, catalog_db_schemas: [] };
      rows.push(catalog);
    }
    let dbSchema = catalog.catalog_db_schemas.at(-1);
    if (dbSchema?.db_schema_name !== statistic.dbSchema || dbSchema === undefined) {
      dbSchema = { db_schema_name: statistic.dbSchema, db_schema_statistics: [] };
      catalog.catalog_db_schemas.push(dbSchema);
    }
    dbSchema.db_schema_statistics.push({
      table_name: statistic.tableName,
      column_name: statistic.columnName,
      statistic_key: statistic.key,
      statistic_value: statistic.value,
      statistic_is_approximate: statistic.isApproximate,
    });
  }
  return new Table(statisticsSchema, [batchFromRows(statisticsSchema, rows)]);
}

interface SchemaRow {
  readonly db_schema_name: string | null;
  readonly db_schema_statistics: Readonly<Record<string, unknown>>[];
}
