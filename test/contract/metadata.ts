import assert from 'node:assert/strict';
import type { Connection } from 'recurve/adbc';
import type { DataType, Field, Row, Schema } from 'recurve/arrow';
import type { Area, Contract } from './behaviour.ts';
import { assertUsable, fails } from './behaviour.ts';

const needs = ['metadata', 'tables'] as const;

/** A schema in the notation of ADBC's documents: `!` is not null, names of list items are left out. */
function write(schema: Schema): string {
  return schema.fields.map(writeField).join(', ');
}

function writeField({ name, type, nullable }: Field): string {
  return `${name} ${writeType(type)}${nullable ? '' : '!'}`;
}

function writeType(type: DataType): string {
  switch (type.kind) {
    case 'int':
      return `${type.signed ? '' : 'u'}int${type.bitWidth}`;
    case 'float':
      return `float${type.bitWidth}`;
    case 'list':
      return `list<${writeType(type.child.type)}${type.child.type.kind === 'struct' && !type.child.nullable ? '!' : ''}>`;
    case 'struct':
      return `struct<${type.children.map(writeField).join(', ')}>`;
    case 'map':
      return `map<${type.child.type.kind === 'struct' ? type.child.type.children.map((child) => writeType(child.type)).join(', ') : '?'}>`;
    case 'union':
      return `${type.mode}_union<${type.children.map((child, i) => `${type.typeIds[i]} ${writeField(child)}`).join(', ')}>`;
    default:
      return type.kind;
  }
}

const column =
  'column_name utf8!, ordinal_position int32, remarks utf8, xdbc_data_type int16, xdbc_type_name utf8, ' +
  'xdbc_column_size int32, xdbc_decimal_digits int16, xdbc_num_prec_radix int16, xdbc_nullable int16, ' +
  'xdbc_column_def utf8, xdbc_sql_data_type int16, xdbc_datetime_sub int16, xdbc_char_octet_length int32, ' +
  'xdbc_is_nullable utf8, xdbc_scope_catalog utf8, xdbc_scope_schema utf8, xdbc_scope_table utf8, ' +
  'xdbc_is_autoincrement bool, xdbc_is_generatedcolumn bool';
const constraint =
  'constraint_name utf8, constraint_type utf8!, constraint_column_names list<utf8>!, constraint_column_usage ' +
  'list<struct<fk_catalog utf8, fk_db_schema utf8, fk_table utf8!, fk_column_name utf8!>>';
const objects =
  'catalog_name utf8, catalog_db_schemas list<struct<db_schema_name utf8, db_schema_tables list<struct<' +
  `table_name utf8!, table_type utf8!, table_columns list<struct<${column}>>, table_constraints list<struct<${constraint}>>>>>>`;
const info =
  'info_name uint32!, info_value dense_union<0 string_value utf8, 1 bool_value bool, 2 int64_value int64, ' +
  '3 int32_bitmask int32, 4 string_list list<utf8>, 5 int32_to_int32_list_map map<int32, list<int32>>>';

/** A table as `getObjects` tells it. */
interface FoundTable {
  readonly catalog: unknown;
  readonly schema: unknown;
  readonly name: unknown;
  readonly type: unknown;
  readonly columns: readonly Row[] | null;
  readonly constraints: readonly Row[] | null;
}

async function findTables(
  connection: Connection,
  options: Parameters<Connection['getObjects']>[0] = {},
): Promise<FoundTable[]> {
  const found = await connection.getObjects(options);
  return found.toArray().flatMap((catalog) =>
    (catalog.catalog_db_schemas as Row[]).flatMap((schema) =>
      ((schema.db_schema_tables as Row[] | null) ?? []).map((table) => ({
        catalog: catalog.catalog_name,
        schema: schema.db_schema_name,
        name: table.table_name,
        type: table.table_type,
        columns: table.table_columns as Row[] | null,
        constraints: table.table_constraints as Row[] | null,
      })),
    ),
  );
}

async function makeTables({ connection }: Contract): Promise<void> {
  await connection.execute('CREATE TABLE parent (a INTEGER, b INTEGER, c VARCHAR UNIQUE, PRIMARY KEY (b, a))');
  await connection.execute(
    'CREATE TABLE child (id BIGINT NOT NULL, x INTEGER, y INTEGER DEFAULT 7, CHECK (id > 0), FOREIGN KEY (x, y) REFERENCES parent (b, a))',
  );
  await connection.execute('CREATE TABLE "pa_ent" (a INTEGER)');
  await connection.execute('CREATE VIEW seen AS SELECT a AS z FROM parent');
}

/** Names of the tables that stand where the tests' own do: sources list their system tables too. */
function ownNames(tables: readonly FoundTable[], place: FoundTable | undefined): unknown[] {
  return tables
    .filter((table) => table.catalog === place?.catalog && table.schema === place?.schema)
    .map((table) => table.name)
    .sort();
}

/** What the catalog says, by ADBC's schemas and rules. */
export const metadataArea: Area = {
  name: 'metadata',
  behaviours: [
    {
      name: 'have the schemas of adbc.h, to the nullability',
      because: 'clients of other languages read them by position',
      needs,
      check: async ({ connection }) => {
        assert.equal(write((await connection.getInfo()).schema), info);
        assert.equal(write((await connection.getObjects()).schema), objects);
        assert.equal(write((await connection.getTableTypes()).schema), 'table_type utf8!');
      },
    },
    {
      name: 'tell vendor and driver; codes that are unknown are left out, known ones are all that was asked for',
      because: 'ADBC says so',
      needs,
      check: async ({ connection }) => {
        const all = new Map((await connection.getInfo()).toArray().map((row) => [row.info_name, row.info_value]));
        for (const code of [0, 1, 100, 101]) {
          assert.ok(typeof all.get(code) === 'string' && all.get(code) !== '', `code ${code} is ${all.get(code)}`);
        }
        assert.equal(all.get(103), 1001000n);
        assert.equal(all.get(3), true);
        const some = (await connection.getInfo([100, 999_999, 0])).toArray();
        assert.deepEqual(some.map((row) => row.info_name).sort(), [0, 100]);
        await fails(connection.getInfo([-1]), 'INVALID_ARGUMENT', /-1/);
      },
    },
    {
      name: 'list every table with every column, in order, and the type names that the filter takes',
      because: 'tools draw their trees from it',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await makeTables(contract);
        const found = await findTables(connection);
        const child = found.find((table) => table.name === 'child');
        assert.deepEqual(ownNames(found, child), ['child', 'pa_ent', 'parent', 'seen']);
        assert.deepEqual(
          child?.columns?.map((one) => [
            one.column_name,
            one.ordinal_position,
            one.xdbc_nullable,
            one.xdbc_is_nullable,
          ]),
          [
            ['id', 1, 0, 'NO'],
            ['x', 2, 1, 'YES'],
            ['y', 3, 1, 'YES'],
          ],
        );
        assert.match(String(child?.columns?.[2]?.xdbc_column_def), /7/);
        const types = (await connection.getTableTypes()).toArray().map((row) => row.table_type);
        for (const table of found) assert.ok(types.includes(table.type), `${table.type} is none of ${types}`);
        const view = found.find((table) => table.name === 'seen');
        const views = await findTables(connection, { tableType: [String(view?.type)] });
        assert.deepEqual(ownNames(views, child), ['seen']);
        assert.deepEqual(await findTables(connection, { tableType: ['no such type'] }), []);
      },
    },
    {
      name: 'list constraints with their columns in the order of the constraint, and foreign keys pair by pair',
      because: 'a pair that is swapped joins other rows',
      needs,
      check: async (contract) => {
        await makeTables(contract);
        const found = await findTables(contract.connection);
        const of = (table: string, type: string): Row[] =>
          (found.find(({ name }) => name === table)?.constraints ?? []).filter((one) => one.constraint_type === type);
        assert.deepEqual(
          of('parent', 'PRIMARY KEY').map((one) => one.constraint_column_names),
          [['b', 'a']],
        );
        assert.deepEqual(
          of('parent', 'UNIQUE').map((one) => one.constraint_column_names),
          [['c']],
        );
        assert.equal(of('child', 'CHECK').length, 1);
        const [foreign, ...more] = of('child', 'FOREIGN KEY');
        assert.equal(more.length, 0);
        assert.deepEqual(foreign?.constraint_column_names, ['x', 'y']);
        assert.deepEqual(
          ((foreign?.constraint_column_usage ?? []) as Row[]).map((usage) => [usage.fk_table, usage.fk_column_name]),
          [
            ['parent', 'b'],
            ['parent', 'a'],
          ],
        );
        for (const table of found) {
          for (const one of table.constraints ?? []) {
            assert.ok(['CHECK', 'FOREIGN KEY', 'PRIMARY KEY', 'UNIQUE'].includes(String(one.constraint_type)));
            if (one.constraint_type !== 'FOREIGN KEY')
              assert.ok(!(one.constraint_column_usage as Row[] | null)?.length);
          }
        }
      },
    },
    {
      name: 'filter by patterns at every level: % and _, without an escape',
      because: 'ADBC says so',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await makeTables(contract);
        const cases: [Parameters<Connection['getObjects']>[0], string[]][] = [
          [{ tableName: 'parent' }, ['parent']],
          [{ tableName: 'pa_ent' }, ['pa_ent', 'parent']],
          [{ tableName: 'pa%' }, ['pa_ent', 'parent']],
          [{ tableName: '%' }, ['child', 'pa_ent', 'parent', 'seen']],
          [{ tableName: 'pa\\_ent' }, []],
          [{ tableName: 'nowhere' }, []],
          [{ dbSchema: 'nowhere' }, []],
          [{ catalog: 'nowhere' }, []],
          [{ catalog: '' }, []],
          [{ tableName: null, tableType: null }, ['child', 'pa_ent', 'parent', 'seen']],
        ];
        const [place] = await findTables(connection, { tableName: 'child' });
        for (const [filter, expected] of cases) {
          const found = await findTables(connection, filter);
          assert.deepEqual(ownNames(found, place), expected, JSON.stringify(filter));
        }
        const there = { catalog: String(place?.catalog), dbSchema: String(place?.schema), tableName: 'child' };
        assert.equal((await findTables(connection, there)).length, 1);
        const columns = await findTables(connection, { tableName: 'parent', columnName: 'a' });
        assert.deepEqual(
          columns[0]?.columns?.map((one) => [one.column_name, one.ordinal_position]),
          [['a', 1]],
        );
      },
    },
    {
      name: 'go as deep as asked for: deeper lists are null, and empty where there is nothing',
      because: 'ADBC says so; null and empty mean different things',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await makeTables(contract);
        const catalogs = (await connection.getObjects({ depth: 1 })).toArray();
        assert.ok(catalogs.length > 0 && catalogs.every((row) => row.catalog_db_schemas === null));
        const schemas = (await connection.getObjects({ depth: 2 })).toArray();
        for (const catalog of schemas) {
          for (const schema of catalog.catalog_db_schemas as Row[]) assert.equal(schema.db_schema_tables, null);
        }
        for (const table of await findTables(connection, { depth: 3 })) {
          assert.deepEqual([table.columns, table.constraints], [null, null]);
        }
        const none = (await connection.getObjects({ dbSchema: 'nowhere' })).toArray();
        assert.ok(none.every((row) => Array.isArray(row.catalog_db_schemas) && row.catalog_db_schemas.length === 0));
        await fails(connection.getObjects({ depth: 9 as 0 }), 'INVALID_ARGUMENT', /9/);
      },
    },
    {
      name: 'are of the transaction, and see what it made',
      because: 'a table that was made just now is there',
      needs,
      check: async (contract) => {
        const { connection } = contract;
        await connection.transaction(async (tx) => {
          await tx.execute('CREATE TABLE made (a INTEGER)');
          assert.equal((await findTables(tx, { tableName: 'made' })).length, 1);
        });
        await assertUsable(contract);
      },
    },
    {
      name: 'have statistics whose exact counts are right',
      because: 'a planner believes them',
      needs,
      check: async ({ connection, dialect }) => {
        await connection.execute(`CREATE TABLE counted AS ${dialect.rows(1000)}`);
        const table = await connection.getStatistics({ tableName: 'counted', approximate: false });
        const statistics = table
          .toArray()
          .flatMap((catalog) =>
            (catalog.catalog_db_schemas as Row[]).flatMap((schema) => schema.db_schema_statistics as Row[]),
          );
        assert.ok(statistics.every((one) => one.table_name === 'counted'));
        const exact = (key: number, of: string | null): Row[] =>
          statistics.filter(
            (one) => one.statistic_key === key && one.column_name === of && one.statistic_is_approximate === false,
          );
        for (const one of exact(6, null)) assert.equal(Number(one.statistic_value), 1000);
        for (const one of exact(5, 'i')) assert.equal(Number(one.statistic_value), 0);
        for (const one of exact(4, 'i')) assert.equal(Number(one.statistic_value), 0);
        for (const one of exact(3, 'i')) assert.equal(Number(one.statistic_value), 999);
        const rows = statistics.filter((one) => one.statistic_key === 6 && one.column_name === null);
        assert.equal(rows.length, 1, 'no row count');
        const statisticNames = await connection.getStatisticNames();
        assert.equal(write(statisticNames.schema), 'statistic_name utf8!, statistic_key int16!');
      },
    },
  ],
};
