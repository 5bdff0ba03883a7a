import { batchFromArrays } from '../arrow/build/batch.ts';
import { Field, Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import type { DataType } from '../arrow/type.ts';
import { bool, int16, int32, list, struct, utf8 } from '../arrow/type-factory.ts';
import { RecurveError } from '../error.ts';
import { checkKeys, describe } from './options.ts';

/** How deep `getObjects` goes; deeper lists are null. ADBC's numbers (`ADBC_OBJECT_DEPTH_*`), the JavaScript manager's names. */
export const ObjectDepth = { All: 0, Catalogs: 1, Schemas: 2, Tables: 3 } as const;
/** See {@link ObjectDepth}. */
export type ObjectDepth = (typeof ObjectDepth)[keyof typeof ObjectDepth];

/** Which objects are wanted. A name is a pattern: `%` stands for any text, `_` for one character, without an escape. */
export interface ObjectOptions {
  /** Default {@link ObjectDepth}.All. */
  readonly depth?: ObjectDepth | undefined;
  /** Pattern. Null or left out: no filter. Empty: what has no catalog. */
  readonly catalog?: string | null | undefined;
  /** Pattern. Null or left out: no filter. Empty: what has no schema. */
  readonly dbSchema?: string | null | undefined;
  /** Pattern. Null or left out: no filter. */
  readonly tableName?: string | null | undefined;
  /** Types as `getTableTypes` gives them. Null or left out: no filter; one that the source does not know matches nothing. */
  readonly tableType?: readonly string[] | null | undefined;
  /** Pattern, for the columns that are listed; a table without such a column is listed all the same. */
  readonly columnName?: string | null | undefined;
}

/** {@link ObjectOptions} with every default filled in; undefined is no filter. */
export interface ObjectFilter {
  readonly depth: ObjectDepth;
  readonly catalog: string | undefined;
  readonly dbSchema: string | undefined;
  readonly tableName: string | undefined;
  readonly tableType: readonly string[] | undefined;
  readonly columnName: string | undefined;
}

const required = { nullable: false };

/** COLUMN_SCHEMA of adbc.h. */
const columnFields: readonly Field[] = [
  new Field('column_name', utf8(), required),
  new Field('ordinal_position', int32()),
  new Field('remarks', utf8()),
  new Field('xdbc_data_type', int16()),
  new Field('xdbc_type_name', utf8()),
  new Field('xdbc_column_size', int32()),
  new Field('xdbc_decimal_digits', int16()),
  new Field('xdbc_num_prec_radix', int16()),
  new Field('xdbc_nullable', int16()),
  new Field('xdbc_column_def', utf8()),
  new Field('xdbc_sql_data_type', int16()),
  new Field('xdbc_datetime_sub', int16()),
  new Field('xdbc_char_octet_length', int32()),
  new Field('xdbc_is_nullable', utf8()),
  new Field('xdbc_scope_catalog', utf8()),
  new Field('xdbc_scope_schema', utf8()),
  new Field('xdbc_scope_table', utf8()),
  new Field('xdbc_is_autoincrement', bool()),
  new Field('xdbc_is_generatedcolumn', bool()),
];

/** USAGE_SCHEMA of adbc.h: one column that a foreign key points at. */
const usageFields: readonly Field[] = [
  new Field('fk_catalog', utf8()),
  new Field('fk_db_schema', utf8()),
  new Field('fk_table', utf8(), required),
  new Field('fk_column_name', utf8(), required),
];

/** CONSTRAINT_SCHEMA of adbc.h. */
const constraintFields: readonly Field[] = [
  new Field('constraint_name', utf8()),
  new Field('constraint_type', utf8(), required),
  new Field('constraint_column_names', list(utf8()), required),
  new Field('constraint_column_usage', listOf(usageFields)),
];

/** TABLE_SCHEMA of adbc.h. */
const tableFields: readonly Field[] = [
  new Field('table_name', utf8(), required),
  new Field('table_type', utf8(), required),
  new Field('table_columns', listOf(columnFields)),
  new Field('table_constraints', listOf(constraintFields)),
];

/** DB_SCHEMA_SCHEMA of adbc.h. */
const dbSchemaFields: readonly Field[] = [
  new Field('db_schema_name', utf8()),
  new Field('db_schema_tables', listOf(tableFields)),
];

/** The schema of `getObjects`' result (adbc.h, `AdbcConnectionGetObjects`). */
export const objectsSchema: Schema = new Schema([
  new Field('catalog_name', utf8()),
  new Field('catalog_db_schemas', listOf(dbSchemaFields)),
]);

/** The schema of `getTableTypes`' result. */
export const tableTypesSchema: Schema = new Schema([new Field('table_type', utf8(), required)]);

/** The table of `getTableTypes`. */
export function makeTableTypesTable(types: readonly string[]): Table {
  return new Table(tableTypesSchema, [batchFromArrays(tableTypesSchema, [types])]);
}

function listOf(fields: readonly Field[]): DataType {
  return list(struct(fields));
}

const keys = ['depth', 'catalog', 'dbSchema', 'tableName', 'tableType', 'columnName'];

/** Checks what `getObjects` is given. Throws INVALID_ARGUMENT naming the key. */
export function readObjectFilter(options: ObjectOptions | undefined): ObjectFilter {
  const given = checkKeys('key', options, keys);
  const depth = given.depth ?? ObjectDepth.All;
  if (!Object.values(ObjectDepth).includes(depth)) {
    throw new RecurveError('INVALID_ARGUMENT', `depth is ${describe(depth)}, but must be 0, 1, 2 or 3`, {
      hint: 'ObjectDepth has names for them: All, Catalogs, Schemas, Tables',
    });
  }
  return {
    depth,
    catalog: readName('catalog', given.catalog),
    dbSchema: readName('dbSchema', given.dbSchema),
    tableName: readName('tableName', given.tableName),
    tableType: readTypes(given.tableType),
    columnName: readName('columnName', given.columnName),
  };
}

/** A name or pattern; undefined for none. Throws INVALID_ARGUMENT naming the key. */
export function readName(key: string, value: string | null | undefined): string | undefined {
  if (value === undefined || value === null || typeof value === 'string') return value ?? undefined;
  throw new RecurveError('INVALID_ARGUMENT', `${key} is ${describe(value)}, but must be a string or null`);
}

function readTypes(types: readonly string[] | null | undefined): readonly string[] | undefined {
  if (types === undefined || types === null) return undefined;
  if (Array.isArray(types) && types.every((type) => typeof type === 'string')) return [...types];
  throw new RecurveError('INVALID_ARGUMENT', `tableType is ${describe(types)}, but must be an array of strings`, {
    hint: 'getTableTypes() lists them',
  });
}
