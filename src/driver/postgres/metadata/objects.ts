import { makeObjectsTable, type ObjectLevel } from '../../../adbc/object-levels.ts';
import { ObjectDepth, type ObjectFilter } from '../../../adbc/objects.ts';
import type { RecordBatch } from '../../../arrow/batch.ts';
import type { Table } from '../../../arrow/table.ts';
import type { PostgresSession } from '../session.ts';
import { Conditions, findOffsets, keyOf, readCatalog } from './catalog.ts';
import { nestUsage } from './usage.ts';
import { columnSize, datetimeSub, decimalDigits, octetLength, radix, sqlDataType, xdbcDataType } from './xdbc.ts';

/** What a table may be, in the words of the C driver, one spelling everywhere; with `pg_class.relkind`. */
const kindOfType: ReadonlyMap<string, string> = new Map([
  ['foreign_table', 'f'],
  ['materialized_view', 'm'],
  ['partitioned_table', 'p'],
  ['table', 'r'],
  ['toast_table', 't'],
  ['view', 'v'],
]);

/** The words of `getTableTypes`. */
export const tableTypes: readonly string[] = [...kindOfType.keys()];

const typeOfKind = `CASE c.relkind ${[...kindOfType].map(([type, kind]) => `WHEN '${kind}' THEN '${type}'`).join(' ')} END`;
const anyKind = `c.relkind IN (${[...kindOfType.values()].map((kind) => `'${kind}'`).join(', ')})`;

/** The order of every level, so that children stand in the order of their parents. Names alone would not tell all apart. */
const tableOrder = 'n.nspname, n.oid, c.relname, c.oid';

/**
 * Databases, schemas, tables, columns and constraints by one query a level. Of other databases the server tells the name only: their lists
 * are empty. Each level comes flat and in order; the lists are offsets over its columns, which stay as they were read.
 */
export async function readObjects(session: PostgresSession, filter: ObjectFilter, signal: AbortSignal): Promise<Table> {
  const { depth } = filter;
  const catalogs = await readCatalogs(session, filter, signal);
  const names = catalogs.column('name');
  if (depth === ObjectDepth.Catalogs) return makeObjectsTable({ catalogs: names });
  const hasCurrent = Array.from(catalogs.column('is_current').toArray()).includes(true);
  const dbSchemas = await readDbSchemas(session, filter, hasCurrent, signal);
  const schemaLevel: ObjectLevel = {
    columns: [dbSchemas.column('name')],
    offsets: offsetsOfCurrent(catalogs, dbSchemas.numRows),
  };
  if (depth === ObjectDepth.Schemas) return makeObjectsTable({ catalogs: names, dbSchemas: schemaLevel });
  const tables = await readTables(session, filter, hasCurrent, signal);
  const tableLevel: ObjectLevel = {
    columns: [tables.column('name'), tables.column('type')],
    offsets: findOffsets(keyOf(dbSchemas, 'schema_oid'), keyOf(tables, 'schema_oid')),
  };
  if (depth === ObjectDepth.Tables) {
    return makeObjectsTable({ catalogs: names, dbSchemas: schemaLevel, tables: tableLevel });
  }
  const tableKeys = keyOf(tables, 'table_oid');
  const level = (batch: RecordBatch): ObjectLevel => ({
    columns: batch.columns.slice(1),
    offsets: findOffsets(tableKeys, keyOf(batch, 'table_oid')),
  });
  return makeObjectsTable({
    catalogs: names,
    dbSchemas: schemaLevel,
    tables: tableLevel,
    columns: level(await readColumns(session, filter, hasCurrent, signal)),
    constraints: level(await readConstraints(session, filter, hasCurrent, signal)),
  });
}

function readCatalogs(session: PostgresSession, { catalog }: ObjectFilter, signal: AbortSignal): Promise<RecordBatch> {
  const where = new Conditions().like('datname', catalog);
  return readCatalog(
    session,
    `SELECT datname::text AS name, datname = pg_catalog.current_database() AS is_current
    FROM pg_catalog.pg_database WHERE ${where} ORDER BY datname`,
    where.parameters,
    signal,
  );
}

/** All schemas are the current database's. */
function offsetsOfCurrent(catalogs: RecordBatch, count: number): Int32Array {
  const offsets = new Int32Array(catalogs.numRows + 1);
  const current = Array.from(catalogs.column('is_current').toArray()).indexOf(true);
  if (current >= 0) offsets.fill(count, current + 1);
  return offsets;
}

function readDbSchemas(
  session: PostgresSession,
  filter: ObjectFilter,
  hasCurrent: boolean,
  signal: AbortSignal,
): Promise<RecordBatch> {
  const where = schemaConditions(filter, hasCurrent);
  return readCatalog(
    session,
    `SELECT n.oid AS schema_oid, n.nspname::text AS name FROM pg_catalog.pg_namespace n
    WHERE ${where} ORDER BY n.nspname, n.oid`,
    where.parameters,
    signal,
  );
}

function readTables(
  session: PostgresSession,
  filter: ObjectFilter,
  hasCurrent: boolean,
  signal: AbortSignal,
): Promise<RecordBatch> {
  const where = tableConditions(filter, hasCurrent);
  return readCatalog(
    session,
    `SELECT n.oid AS schema_oid, c.oid AS table_oid, c.relname::text AS name, ${typeOfKind}::text AS type
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    WHERE ${where} ORDER BY ${tableOrder}`,
    where.parameters,
    signal,
  );
}

function readColumns(
  session: PostgresSession,
  filter: ObjectFilter,
  hasCurrent: boolean,
  signal: AbortSignal,
): Promise<RecordBatch> {
  const where = tableConditions(filter, hasCurrent)
    .like('a.attname', filter.columnName)
    .and('a.attnum > 0 AND NOT a.attisdropped');
  // Positions are those that are left when columns were dropped, as readers count them. Generated columns came with PostgreSQL 12.
  const generated = session.serverVersion >= 120_000 ? "a.attgenerated <> ''" : 'false';
  return readCatalog(
    session,
    `SELECT c.oid AS table_oid, a.attname::text AS column_name, a.attnum::int4 AS ordinal_position,
      pg_catalog.col_description(c.oid, a.attnum) AS remarks,
      ${xdbcDataType} AS xdbc_data_type, t.typname::text AS xdbc_type_name, ${columnSize} AS xdbc_column_size,
      ${decimalDigits} AS xdbc_decimal_digits, ${radix} AS xdbc_num_prec_radix,
      (CASE WHEN a.attnotnull OR t.typnotnull THEN 0 ELSE 1 END)::int2 AS xdbc_nullable,
      pg_catalog.pg_get_expr(d.adbin, d.adrelid) AS xdbc_column_def,
      ${sqlDataType} AS xdbc_sql_data_type, ${datetimeSub} AS xdbc_datetime_sub, ${octetLength} AS xdbc_char_octet_length,
      CASE WHEN a.attnotnull OR t.typnotnull THEN 'NO' ELSE 'YES' END AS xdbc_is_nullable,
      NULL::text AS xdbc_scope_catalog, NULL::text AS xdbc_scope_schema, NULL::text AS xdbc_scope_table,
      (a.attidentity <> '' OR coalesce(pg_catalog.pg_get_expr(d.adbin, d.adrelid) LIKE 'nextval(%', false)) AS xdbc_is_autoincrement,
      ${generated} AS xdbc_is_generatedcolumn
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid
    JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef
    WHERE ${where} ORDER BY ${tableOrder}, a.attnum`,
    where.parameters,
    signal,
  );
}

/** The pairs of a foreign key by position in both arrays; a CHECK may be of no column. */
function readConstraints(
  session: PostgresSession,
  filter: ObjectFilter,
  hasCurrent: boolean,
  signal: AbortSignal,
): Promise<RecordBatch> {
  const where = tableConditions(filter, hasCurrent).and("k.contype IN ('c', 'f', 'p', 'u')");
  const namesOf = (table: string, numbers: string): string =>
    `ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(${numbers}) WITH ORDINALITY AS u(number, place)
      JOIN pg_catalog.pg_attribute a ON a.attrelid = ${table} AND a.attnum = u.number ORDER BY u.place)`;
  return readCatalog(
    session,
    `SELECT c.oid AS table_oid, k.conname::text AS constraint_name,
      CASE k.contype WHEN 'c' THEN 'CHECK' WHEN 'f' THEN 'FOREIGN KEY' WHEN 'p' THEN 'PRIMARY KEY' ELSE 'UNIQUE' END
        AS constraint_type,
      ${namesOf('k.conrelid', 'k.conkey')} AS constraint_column_names,
      CASE WHEN k.contype = 'f' THEN pg_catalog.current_database()::text END AS fk_catalog,
      fn.nspname::text AS fk_db_schema, fc.relname::text AS fk_table,
      CASE WHEN k.contype = 'f' THEN ${namesOf('k.confrelid', 'k.confkey')} END AS fk_column_names
    FROM pg_catalog.pg_constraint k
    JOIN pg_catalog.pg_class c ON c.oid = k.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
    LEFT JOIN pg_catalog.pg_class fc ON fc.oid = k.confrelid LEFT JOIN pg_catalog.pg_namespace fn ON fn.oid = fc.relnamespace
    WHERE ${where} ORDER BY ${tableOrder}, k.conname, k.oid`,
    where.parameters,
    signal,
  ).then(nestUsage);
}

function schemaConditions({ dbSchema }: ObjectFilter, hasCurrent: boolean): Conditions {
  const where = new Conditions().like('n.nspname', dbSchema);
  // An empty name asks for what has none, and all have one. Temporary schemas of other sessions are nobody's to see.
  where.and('(NOT pg_catalog.pg_is_other_temp_schema(n.oid))');
  return hasCurrent && dbSchema !== '' ? where : where.and('false');
}

function tableConditions(filter: ObjectFilter, hasCurrent: boolean): Conditions {
  const kinds = filter.tableType?.map((type) => kindOfType.get(type) ?? '');
  return schemaConditions(filter, hasCurrent)
    .like('c.relname', filter.tableName)
    .and(anyKind)
    .among('c.relkind::text', kinds);
}
