import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { tableFromIPC as foreignTable } from 'apache-arrow';
import {
  infoSchema,
  makeObjectsTable,
  objectsSchema,
  statisticNamesSchema,
  statisticsSchema,
  tableTypesSchema,
} from 'recurve/adbc';
import {
  batchFromArrays,
  Field,
  type Schema,
  Schema as SchemaClass,
  type Table,
  tableToIPC,
  utf8,
} from 'recurve/arrow';

// Each text is written from adbc.h of ADBC 1.1.0, whose tables mark what is not null.
const column = [
  'column_name: utf8 not null',
  'ordinal_position: int32',
  'remarks: utf8',
  'xdbc_data_type: int16',
  'xdbc_type_name: utf8',
  'xdbc_column_size: int32',
  'xdbc_decimal_digits: int16',
  'xdbc_num_prec_radix: int16',
  'xdbc_nullable: int16',
  'xdbc_column_def: utf8',
  'xdbc_sql_data_type: int16',
  'xdbc_datetime_sub: int16',
  'xdbc_char_octet_length: int32',
  'xdbc_is_nullable: utf8',
  'xdbc_scope_catalog: utf8',
  'xdbc_scope_schema: utf8',
  'xdbc_scope_table: utf8',
  'xdbc_is_autoincrement: bool',
  'xdbc_is_generatedcolumn: bool',
].join(', ');
const usage = 'fk_catalog: utf8, fk_db_schema: utf8, fk_table: utf8 not null, fk_column_name: utf8 not null';
const constraint = [
  'constraint_name: utf8',
  'constraint_type: utf8 not null',
  'constraint_column_names: list<item: utf8> not null',
  `constraint_column_usage: list<item: struct<${usage}>>`,
].join(', ');
const table = [
  'table_name: utf8 not null',
  'table_type: utf8 not null',
  `table_columns: list<item: struct<${column}>>`,
  `table_constraints: list<item: struct<${constraint}>>`,
].join(', ');
const dbSchema = `db_schema_name: utf8, db_schema_tables: list<item: struct<${table}>>`;
const infoValue = [
  'string_value: utf8=0',
  'bool_value: bool=1',
  'int64_value: int64=2',
  'int32_bitmask: int32=3',
  'string_list: list<item: utf8>=4',
  'int32_to_int32_list_map: map<key: int32 not null, value: list<item: int32>>=5',
].join(', ');
const statistic = [
  'table_name: utf8 not null',
  'column_name: utf8',
  'statistic_key: int16 not null',
  'statistic_value: dense_union<int64: int64=0, uint64: uint64=1, float64: float64=2, binary: binary=3> not null',
  'statistic_is_approximate: bool not null',
].join(', ');
const statisticsOfSchema = `db_schema_name: utf8, db_schema_statistics: list<item: struct<${statistic}>> not null`;

const expected: readonly (readonly [call: string, schema: Schema, text: string])[] = [
  ['getInfo', infoSchema, `info_name: uint32 not null\ninfo_value: dense_union<${infoValue}>`],
  ['getObjects', objectsSchema, `catalog_name: utf8\ncatalog_db_schemas: list<item: struct<${dbSchema}>>`],
  ['getTableTypes', tableTypesSchema, 'table_type: utf8 not null'],
  [
    'getStatistics',
    statisticsSchema,
    `catalog_name: utf8\ncatalog_db_schemas: list<item: struct<${statisticsOfSchema}>> not null`,
  ],
  ['getStatisticNames', statisticNamesSchema, 'statistic_name: utf8 not null\nstatistic_key: int16 not null'],
];

describe('the schemas of metadata are those of ADBC 1.1.0', () => {
  for (const [call, schema, text] of expected) test(call, () => assert.equal(`${schema}`, text));
});

describe('makeObjectsTable nests flat levels', () => {
  const texts = (...values: readonly string[]) => {
    return batchFromArrays(new SchemaClass([new Field('name', utf8())]), [values]).column(0);
  };
  const read = (objects: Table): unknown => {
    assert.ok(objects.schema.equals(objectsSchema));
    return JSON.parse(JSON.stringify(foreignTable(tableToIPC(objects)).toArray()));
  };

  test('parents may have many children, one or none', () => {
    const objects = makeObjectsTable({
      catalogs: texts('a', 'b', 'c'),
      dbSchemas: { columns: [texts('a1', 'a2', 'c1')], offsets: Int32Array.of(0, 2, 2, 3) },
      tables: {
        columns: [texts('t', 'u'), texts('TABLE', 'VIEW')],
        offsets: Int32Array.of(0, 0, 2, 2),
      },
    });
    const none = { table_columns: null, table_constraints: null };
    assert.deepEqual(read(objects), [
      {
        catalog_name: 'a',
        catalog_db_schemas: [
          { db_schema_name: 'a1', db_schema_tables: [] },
          {
            db_schema_name: 'a2',
            db_schema_tables: [
              { table_name: 't', table_type: 'TABLE', ...none },
              { table_name: 'u', table_type: 'VIEW', ...none },
            ],
          },
        ],
      },
      { catalog_name: 'b', catalog_db_schemas: [] },
      { catalog_name: 'c', catalog_db_schemas: [{ db_schema_name: 'c1', db_schema_tables: [] }] },
    ]);
  });

  test('a level that was not asked for is null', () => {
    const objects = makeObjectsTable({ catalogs: texts('a', 'b') });
    assert.deepEqual(read(objects), [
      { catalog_name: 'a', catalog_db_schemas: null },
      { catalog_name: 'b', catalog_db_schemas: null },
    ]);
  });

  test('nothing at all is a table without rows', () => {
    const objects = makeObjectsTable({
      catalogs: texts(),
      dbSchemas: { columns: [texts()], offsets: Int32Array.of(0) },
    });
    assert.deepEqual(read(objects), []);
  });

  test('offsets that do not fit their parents are refused', () => {
    const level = { columns: [texts('a1')], offsets: Int32Array.of(0, 1) };
    assert.throws(() => makeObjectsTable({ catalogs: texts('a', 'b'), dbSchemas: level }), /2 offsets for 2 parents/);
  });
});
