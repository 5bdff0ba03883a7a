import { makeObjectsTable, type ObjectLevel } from '../../../adbc/object-levels.ts';
import { ObjectDepth, type ObjectFilter } from '../../../adbc/objects.ts';
import type { DriverCall } from '../../../adbc/spi.ts';
import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Values } from '../../../arrow/column.ts';
import type { Table } from '../../../arrow/table.ts';
import { RecurveError } from '../../../error.ts';
import { type CatalogReader, Conditions } from './catalog.ts';
import { columnSize, datetimeSub, decimalDigits, radix, sqlDataType, xdbcDataType } from './xdbc.ts';

/** The types of tables, in the words of DuckDB's `information_schema.tables`. */
export const tableTypes: readonly string[] = ['BASE TABLE', 'LOCAL TEMPORARY', 'VIEW'];

/** Tables and views under one set of names. */
const tablesAndViews = `(
  SELECT database_name, database_oid, schema_name, schema_oid, table_name, table_oid,
    CASE WHEN temporary THEN 'LOCAL TEMPORARY' ELSE 'BASE TABLE' END AS table_type FROM duckdb_tables()
  UNION ALL
  SELECT database_name, database_oid, schema_name, schema_oid, view_name, view_oid, 'VIEW' FROM duckdb_views()
)`;

/** The order of every level, so that children stand in the order of their parents. */
const tableOrder = 'database_name, schema_name, table_name';

/**
 * Catalogs, schemas, tables, columns and constraints by one query a level. Each comes flat and in order; the lists are
 * offsets over its columns, which stay as they were read.
 */
export async function readObjects(reader: CatalogReader, filter: ObjectFilter, call: DriverCall): Promise<Table> {
  const { depth } = filter;
  const catalogs = await readCatalogs(reader, filter, call);
  const names = catalogs.column('database_name');
  if (depth === ObjectDepth.Catalogs) return makeObjectsTable({ catalogs: names });
  const dbSchemas = await readDbSchemas(reader, filter, call);
  const schemaLevel: ObjectLevel = {
    columns: [dbSchemas.column('schema_name')],
    offsets: findOffsets(keysOf(catalogs, ['database_oid']), keysOf(dbSchemas, ['database_oid'])),
  };
  if (depth === ObjectDepth.Schemas) return makeObjectsTable({ catalogs: names, dbSchemas: schemaLevel });
  const tables = await readTables(reader, filter, call);
  const schemaKey = ['database_oid', 'schema_oid'];
  const tableLevel: ObjectLevel = {
    columns: [tables.column('table_name'), tables.column('table_type')],
    offsets: findOffsets(keysOf(dbSchemas, schemaKey), keysOf(tables, schemaKey)),
  };
  if (depth === ObjectDepth.Tables) {
    return makeObjectsTable({ catalogs: names, dbSchemas: schemaLevel, tables: tableLevel });
  }
  const tableKeys = keysOf(tables, tableKey);
  const level = (batch: RecordBatch): ObjectLevel => ({
    columns: batch.columns.slice(tableKey.length),
    offsets: findOffsets(tableKeys, keysOf(batch, tableKey)),
  });
  return makeObjectsTable({
    catalogs: names,
    dbSchemas: schemaLevel,
    tables: tableLevel,
    columns: level(await readColumns(reader, filter, call)),
    constraints: level(await readConstraints(reader, filter, call)),
  });
}

/** What tells tables apart; the first columns of the queries for what tables have. Numbers: names would be compared by row. */
const tableKey = ['database_oid', 'table_oid'];

function readCatalogs(reader: CatalogReader, filter: ObjectFilter, call: DriverCall): Promise<RecordBatch> {
  const where = new Conditions().like('database_name', filter.catalog);
  // An empty name asks for what has none, and all have one.
  if (filter.catalog === '') where.among('database_name', []);
  const sql = `SELECT database_name, database_oid::DOUBLE AS database_oid FROM duckdb_databases() WHERE ${where} ORDER BY 1`;
  return reader.query(sql, where.parameters, call);
}

function readDbSchemas(reader: CatalogReader, filter: ObjectFilter, call: DriverCall): Promise<RecordBatch> {
  const where = schemaConditions(filter);
  return reader.query(
    `SELECT database_oid::DOUBLE AS database_oid, oid::DOUBLE AS schema_oid, schema_name
    FROM duckdb_schemas() WHERE ${where} ORDER BY database_name, schema_name`,
    where.parameters,
    call,
  );
}

function readTables(reader: CatalogReader, filter: ObjectFilter, call: DriverCall): Promise<RecordBatch> {
  const where = tableConditions(filter);
  return reader.query(
    `SELECT database_oid::DOUBLE AS database_oid, schema_oid::DOUBLE AS schema_oid, table_oid::DOUBLE AS table_oid,
      table_name, table_type
    FROM ${tablesAndViews} WHERE ${where} ORDER BY ${tableOrder}`,
    where.parameters,
    call,
  );
}

function readColumns(reader: CatalogReader, filter: ObjectFilter, call: DriverCall): Promise<RecordBatch> {
  const where = tableConditions({ ...filter, tableType: undefined }, 'c.').like('column_name', filter.columnName);
  const ofType = new Conditions(where).among('table_type', filter.tableType);
  const wanted =
    filter.tableType === undefined
      ? ''
      : `AND (c.database_oid, c.table_oid) IN (SELECT (database_oid, table_oid) FROM ${tablesAndViews} WHERE ${ofType})`;
  return reader.query(
    `SELECT c.database_oid::DOUBLE AS database_oid, c.table_oid::DOUBLE AS table_oid,
      column_name, column_index AS ordinal_position, comment AS remarks,
      ${xdbcDataType} AS xdbc_data_type, data_type AS xdbc_type_name,
      ${columnSize} AS xdbc_column_size, ${decimalDigits} AS xdbc_decimal_digits,
      ${radix} AS xdbc_num_prec_radix, is_nullable::SMALLINT AS xdbc_nullable,
      column_default AS xdbc_column_def, ${sqlDataType} AS xdbc_sql_data_type, ${datetimeSub} AS xdbc_datetime_sub,
      character_maximum_length AS xdbc_char_octet_length, CASE WHEN is_nullable THEN 'YES' ELSE 'NO' END AS xdbc_is_nullable,
      NULL::VARCHAR AS xdbc_scope_catalog, NULL::VARCHAR AS xdbc_scope_schema, NULL::VARCHAR AS xdbc_scope_table,
      coalesce(starts_with(column_default, 'nextval('), false) AS xdbc_is_autoincrement,
      ${isGenerated} AS xdbc_is_generatedcolumn
    FROM duckdb_columns() c LEFT JOIN (
      SELECT database_oid, table_oid, sql FROM duckdb_tables() WHERE contains(sql, 'GENERATED ALWAYS AS')
    ) t ON c.database_oid = t.database_oid AND c.table_oid = t.table_oid
    WHERE ${where} ${wanted} ORDER BY c.database_name, c.schema_name, c.table_name, column_index`,
    where.parameters,
    call,
  );
}

/**
 * The catalog does not say which columns are generated; the table's text, which DuckDB writes anew from its catalog, does.
 * A default that quotes such a text would be taken for one.
 */
const isGenerated = `(column_default IS NOT NULL AND t.sql IS NOT NULL AND (
  contains(t.sql, '(' || column_name || ' ' || data_type || ' GENERATED ALWAYS AS') OR
  contains(t.sql, ' ' || column_name || ' ' || data_type || ' GENERATED ALWAYS AS') OR
  contains(t.sql, '"' || replace(column_name, '"', '""') || '" ' || data_type || ' GENERATED ALWAYS AS')))`;

function readConstraints(reader: CatalogReader, filter: ObjectFilter, call: DriverCall): Promise<RecordBatch> {
  const where = tableConditions({ ...filter, tableType: undefined })
    .among(`CASE WHEN database_name = 'temp' THEN 'LOCAL TEMPORARY' ELSE 'BASE TABLE' END`, filter.tableType)
    .among('constraint_type', ['CHECK', 'FOREIGN KEY', 'PRIMARY KEY', 'UNIQUE']);
  // Only tables have constraints, and a key never leaves its schema. A CHECK's columns come in no order: by position then.
  return reader.query(
    `SELECT database_oid::DOUBLE AS database_oid, table_oid::DOUBLE AS table_oid, constraint_name, constraint_type,
      CASE WHEN constraint_type = 'CHECK'
        THEN list_transform(list_sort(list_zip(constraint_column_indexes, constraint_column_names)), lambda pair: pair[2])
        ELSE constraint_column_names END AS constraint_column_names,
      CASE WHEN constraint_type = 'FOREIGN KEY'
        THEN list_transform(referenced_column_names, lambda name: {
          'fk_catalog': database_name, 'fk_db_schema': schema_name, 'fk_table': referenced_table, 'fk_column_name': name
        }) END AS constraint_column_usage
    FROM duckdb_constraints() WHERE ${where} ORDER BY ${tableOrder}, constraint_index`,
    where.parameters,
    call,
  );
}

function schemaConditions({ catalog, dbSchema }: ObjectFilter, prefix = ''): Conditions {
  const where = new Conditions().like(`${prefix}database_name`, catalog).like(`${prefix}schema_name`, dbSchema);
  return catalog === '' || dbSchema === '' ? where.among(`${prefix}schema_name`, []) : where;
}

function tableConditions(filter: ObjectFilter, prefix = ''): Conditions {
  return schemaConditions(filter, prefix)
    .like(`${prefix}table_name`, filter.tableName)
    .among('table_type', filter.tableType);
}

/** The columns of a key, as numbers. */
function keysOf(batch: RecordBatch, names: readonly string[]): readonly Values[] {
  return names.map((name) => {
    const { view } = batch.column(name);
    if (view === null) throw new RecurveError('INTERNAL', `${name} of the catalog has nulls`);
    return view;
  });
}

/** Where the children of each parent begin, both in the same order. */
function findOffsets(parents: readonly Values[], children: readonly Values[]): Int32Array {
  const count = parents[0]?.length ?? 0;
  const total = children[0]?.length ?? 0;
  const offsets = new Int32Array(count + 1);
  let at = 0;
  for (let parent = 0; parent < count; parent++) {
    while (at < total && sameKey(parents, parent, children, at)) at++;
    offsets[parent + 1] = at;
  }
  if (at < total) throw new RecurveError('INTERNAL', `${total - at} objects of the catalog have no parent`);
  return offsets;
}

function sameKey(parents: readonly Values[], parent: number, children: readonly Values[], child: number): boolean {
  for (let i = 0; i < parents.length; i++) if (parents[i]?.[parent] !== children[i]?.[child]) return false;
  return true;
}
