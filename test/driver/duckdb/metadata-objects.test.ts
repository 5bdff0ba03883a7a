import assert from 'node:assert/strict';
import { describe, type TestContext, test } from 'node:test';
import { tableFromIPC as foreignTable } from 'apache-arrow';
import { type Connection, ObjectDepth, type ObjectOptions } from 'recurve';
import { objectsSchema } from 'recurve/adbc';
import { tableToIPC } from 'recurve/arrow';
import { connect, rejects } from './fixture.ts';
import { createFoodmart } from './metadata-foodmart.ts';

interface ColumnRow {
  readonly column_name: string;
  readonly [field: string]: unknown;
}
interface ConstraintRow {
  readonly constraint_name: string | null;
  readonly constraint_type: string;
  readonly constraint_column_names: readonly string[];
  readonly constraint_column_usage: readonly Readonly<Record<string, string>>[] | null;
}
interface TableRow {
  readonly table_name: string;
  readonly table_type: string;
  readonly table_columns: readonly ColumnRow[] | null;
  readonly table_constraints: readonly ConstraintRow[] | null;
}
interface CatalogRow {
  readonly catalog_name: string;
  readonly catalog_db_schemas:
    | readonly { readonly db_schema_name: string; readonly db_schema_tables: readonly TableRow[] | null }[]
    | null;
}

/** Read back by another implementation: what stands in the buffers, not what this one makes of its own objects. */
async function objectsOf(connection: Connection, options?: ObjectOptions): Promise<CatalogRow[]> {
  const table = await connection.getObjects(options);
  assert.ok(table.schema.equals(objectsSchema));
  return foreignTable(tableToIPC(table))
    .toArray()
    .map((row) => JSON.parse(JSON.stringify(row))) as CatalogRow[];
}

/** Names of catalogs, schemas and tables as paths; what has nothing below it ends there. */
function pathsOf(catalogs: readonly CatalogRow[]): string[] {
  return catalogs.flatMap(({ catalog_name, catalog_db_schemas }) => {
    if (catalog_db_schemas === null || catalog_db_schemas.length === 0) return [catalog_name];
    return catalog_db_schemas.flatMap(({ db_schema_name, db_schema_tables }) => {
      const path = `${catalog_name}.${db_schema_name}`;
      if (db_schema_tables === null || db_schema_tables.length === 0) return [path];
      return db_schema_tables.map((table) => `${path}.${table.table_name}`);
    });
  });
}

async function foodmart(t: TestContext): Promise<Connection> {
  const connection = await connect(t);
  await createFoodmart(connection);
  return connection;
}

async function tableOf(connection: Connection, tableName: string): Promise<TableRow> {
  const [catalog] = await objectsOf(connection, { catalog: 'memory', tableName });
  const table = catalog?.catalog_db_schemas?.flatMap((dbSchema) => dbSchema.db_schema_tables ?? [])[0];
  assert.ok(table, `${tableName} is not listed`);
  return table;
}

describe('getObjects: depth', () => {
  test('catalogs only: their lists are null', async (t) => {
    const catalogs = await objectsOf(await foodmart(t), { depth: ObjectDepth.Catalogs });
    assert.deepEqual(catalogs, [
      { catalog_name: 'archive', catalog_db_schemas: null },
      { catalog_name: 'memory', catalog_db_schemas: null },
      { catalog_name: 'system', catalog_db_schemas: null },
      { catalog_name: 'temp', catalog_db_schemas: null },
    ]);
  });

  test('schemas: lists of tables are null', async (t) => {
    const catalogs = await objectsOf(await foodmart(t), { depth: ObjectDepth.Schemas, catalog: 'memory' });
    assert.deepEqual(catalogs, [
      {
        catalog_name: 'memory',
        catalog_db_schemas: [
          { db_schema_name: 'hr', db_schema_tables: null },
          { db_schema_name: 'main', db_schema_tables: null },
        ],
      },
    ]);
  });

  test('tables: lists of columns and constraints are null', async (t) => {
    const catalogs = await objectsOf(await foodmart(t), { depth: ObjectDepth.Tables, catalog: 'archive' });
    assert.deepEqual(catalogs, [
      {
        catalog_name: 'archive',
        catalog_db_schemas: [
          {
            db_schema_name: 'main',
            db_schema_tables: [
              { table_name: 'sales_fact_1996', table_type: 'BASE TABLE', table_columns: null, table_constraints: null },
            ],
          },
        ],
      },
    ]);
  });

  test('everything is the default; tables, views, temporary tables and attached databases are there', async (t) => {
    const catalogs = await objectsOf(await foodmart(t));
    assert.deepEqual(
      pathsOf(catalogs).filter((path) => !path.startsWith('system.')),
      [
        'archive.main.sales_fact_1996',
        'memory.hr.salary',
        'memory.main.big_store',
        'memory.main.promotion',
        'memory.main.region',
        'memory.main.sales_fact_1997',
        'memory.main.store',
        'temp.main.basket',
      ],
    );
    const tables = catalogs
      .flatMap((catalog) => catalog.catalog_db_schemas ?? [])
      .flatMap((s) => s.db_schema_tables ?? []);
    for (const table of tables) {
      assert.ok(table.table_columns && table.table_columns.length > 0, table.table_name);
      assert.notEqual(table.table_constraints, null, table.table_name);
    }
  });
});

describe('getObjects: columns', () => {
  test('have all fields, in the numbers of ODBC', async (t) => {
    const { table_columns } = await tableOf(await foodmart(t), 'store');
    const store_sqft = table_columns?.find((column) => column.column_name === 'store_sqft');
    assert.deepEqual(store_sqft, {
      column_name: 'store_sqft',
      ordinal_position: 4,
      remarks: 'Square feet',
      xdbc_data_type: 4,
      xdbc_type_name: 'INTEGER',
      xdbc_column_size: 32,
      xdbc_decimal_digits: 0,
      xdbc_num_prec_radix: 2,
      xdbc_nullable: 1,
      xdbc_column_def: null,
      xdbc_sql_data_type: 4,
      xdbc_datetime_sub: null,
      xdbc_char_octet_length: null,
      xdbc_is_nullable: 'YES',
      xdbc_scope_catalog: null,
      xdbc_scope_schema: null,
      xdbc_scope_table: null,
      xdbc_is_autoincrement: false,
      xdbc_is_generatedcolumn: false,
    });
    assert.deepEqual(
      table_columns?.map((column) => [
        column.column_name,
        column.ordinal_position,
        column.xdbc_nullable,
        column.xdbc_is_nullable,
      ]),
      [
        ['store_id', 1, 0, 'NO'],
        ['region_id', 2, 0, 'NO'],
        ['store_name', 3, 0, 'NO'],
        ['store_sqft', 4, 1, 'YES'],
        ['opened', 5, 1, 'YES'],
      ],
    );
  });

  test('say which are generated, count themselves, or have a default', async (t) => {
    const connection = await foodmart(t);
    const flags = async (table: string): Promise<unknown[]> =>
      ((await tableOf(connection, table)).table_columns ?? [])
        .filter((column) => column.xdbc_column_def !== null || column.xdbc_is_generatedcolumn === true)
        .map((c) => [c.column_name, c.xdbc_column_def, c.xdbc_is_autoincrement, c.xdbc_is_generatedcolumn]);
    assert.deepEqual(await flags('salary'), [['payment_id', "nextval('payment_number')", true, false]]);
    assert.deepEqual(await flags('region'), [['sales_country', "'USA'", false, false]]);
    const [profit, ...others] = await flags('sales_fact_1997');
    assert.deepEqual(others, []);
    assert.deepEqual((profit as unknown[]).toSpliced(1, 1), ['profit', false, true]);
  });

  // sql.h and sqlext.h: SQL_BIT -7, SQL_DECIMAL 3, SQL_DOUBLE 8, SQL_VARCHAR 12, SQL_TYPE_DATE 91 …, SQL_DATETIME 9 with a subcode.
  const types: readonly (readonly [type: string, ...fields: unknown[]])[] = [
    ['BOOLEAN', -7, null, null, null, -7, null],
    ['UTINYINT', -6, 8, 0, 2, -6, null],
    ['BIGINT', -5, 64, 0, 2, -5, null],
    ['DECIMAL(10,4)', 3, 10, 4, 10, 3, null],
    ['DOUBLE', 8, 53, null, 2, 8, null],
    ['VARCHAR', 12, null, null, null, 12, null],
    ["ENUM('a', 'b')", 12, null, null, null, 12, null],
    ['BLOB', -3, null, null, null, -3, null],
    ['DATE', 91, 10, null, null, 9, 1],
    ['TIME', 92, 15, 6, null, 9, 2],
    ['TIMESTAMP', 93, 26, 6, null, 9, 3],
    ['TIMESTAMP_S', 93, 19, 0, null, 9, 3],
    ['TIMESTAMP WITH TIME ZONE', 93, 26, 6, null, 9, 3],
    ['INTEGER[]', 0, null, null, null, 0, null],
    ['DECIMAL(4,1)[]', 0, null, null, null, 0, null],
  ];
  test('of each type have its numbers', async (t) => {
    const connection = await connect(t);
    await connection.execute(`CREATE TABLE typed (${types.map(([type], i) => `c${i} ${type}`).join(', ')})`);
    const { table_columns } = await tableOf(connection, 'typed');
    const found = table_columns?.map((c) => [
      c.xdbc_type_name,
      ...[c.xdbc_data_type, c.xdbc_column_size, c.xdbc_decimal_digits, c.xdbc_num_prec_radix],
      ...[c.xdbc_sql_data_type, c.xdbc_datetime_sub],
    ]);
    assert.deepEqual(found, types);
  });

  test('of quoted names and of names that look like patterns are themselves', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE "we""ird %" ("a b" INTEGER, "ß_%" INTEGER GENERATED ALWAYS AS ("a b"))');
    const table = await tableOf(connection, 'we"ird %');
    assert.deepEqual(
      table.table_columns?.map((column) => [column.column_name, column.xdbc_is_generatedcolumn]),
      [
        ['a b', false],
        ['ß_%', true],
      ],
    );
  });
});

describe('getObjects: constraints', () => {
  test('of a primary key have the columns in the order of the key, not of the table', async (t) => {
    const { table_constraints } = await tableOf(await foodmart(t), 'promotion');
    assert.deepEqual(
      table_constraints?.map((c) => [c.constraint_type, c.constraint_column_names, c.constraint_column_usage]),
      [['PRIMARY KEY', ['promotion_id', 'start_date'], null]],
    );
  });

  test('of a foreign key pair each column with the one that it points at', async (t) => {
    const { table_constraints } = await tableOf(await foodmart(t), 'sales_fact_1997');
    const usage = (fk_table: string, fk_column_name: string): unknown => {
      return { fk_catalog: 'memory', fk_db_schema: 'main', fk_table, fk_column_name };
    };
    const keys = table_constraints?.filter((constraint) => constraint.constraint_type === 'FOREIGN KEY');
    assert.deepEqual(
      keys?.map((key) => [key.constraint_column_names, key.constraint_column_usage]),
      [
        [['store_id'], [usage('store', 'store_id')]],
        [
          ['promotion', 'begun'],
          [usage('promotion', 'promotion_id'), usage('promotion', 'start_date')],
        ],
      ],
    );
    const check = table_constraints?.filter((constraint) => constraint.constraint_type === 'CHECK');
    assert.deepEqual(
      check?.map((constraint) => [constraint.constraint_column_names, constraint.constraint_column_usage]),
      [[['store_sales', 'store_cost'], null]],
    );
  });

  test('are the four kinds of ADBC, named; NOT NULL is a matter of columns', async (t) => {
    const connection = await foodmart(t);
    const kinds = async (table: string): Promise<unknown[]> =>
      ((await tableOf(connection, table)).table_constraints ?? []).map((c) => c.constraint_type).sort();
    assert.deepEqual(await kinds('store'), ['CHECK', 'FOREIGN KEY', 'PRIMARY KEY', 'UNIQUE']);
    assert.deepEqual(await kinds('region'), ['PRIMARY KEY', 'UNIQUE']);
    assert.deepEqual(await kinds('salary'), []);
    assert.deepEqual(await kinds('big_store'), []);
    for (const { constraint_name } of (await tableOf(connection, 'store')).table_constraints ?? []) {
      assert.match(constraint_name ?? '', /^store_/);
    }
  });
});

describe('getObjects: filters', () => {
  const filters: readonly (readonly [what: string, options: ObjectOptions, expected: readonly string[]])[] = [
    ['a name', { catalog: 'memory', tableName: 'store' }, ['memory.hr', 'memory.main.store']],
    [
      '% for any text',
      { catalog: 'm%', dbSchema: 'm%', tableName: '%sto%' },
      ['memory.main.big_store', 'memory.main.store'],
    ],
    ['_ for one character', { catalog: 'memor_', dbSchema: 'h_', tableName: 'salar_' }, ['memory.hr.salary']],
    ['_ not for none', { catalog: 'memory_' }, []],
    ['a backslash is itself', { catalog: 'memory', dbSchema: 'main', tableName: 'big\\_store' }, ['memory.main']],
    ['upper and lower case differ', { catalog: 'memory', dbSchema: 'main', tableName: 'STORE' }, ['memory.main']],
    ['a quote is itself', { catalog: 'memory', dbSchema: 'main', tableName: "x' OR '1'='1" }, ['memory.main']],
    ['no such catalog', { catalog: 'nowhere' }, []],
    ['no such schema: the catalog stays', { catalog: 'memory', dbSchema: 'nowhere' }, ['memory']],
    ['no such table: the schemas stay', { catalog: 'memory', tableName: 'nothing' }, ['memory.hr', 'memory.main']],
    ['an empty catalog: nothing is without one', { catalog: '' }, []],
    ['an empty schema: nothing is without one', { catalog: 'memory', dbSchema: '' }, ['memory']],
    ['null: no filter', { catalog: 'archive', dbSchema: null, tableName: null }, ['archive.main.sales_fact_1996']],
    ['views', { catalog: 'memory', dbSchema: 'main', tableType: ['VIEW'] }, ['memory.main.big_store']],
    [
      'temporary tables',
      { catalog: '%e%', dbSchema: 'main', tableType: ['LOCAL TEMPORARY'] },
      ['archive.main', 'memory.main', 'system.main', 'temp.main.basket'],
    ],
    [
      'several types',
      { catalog: 'memory', tableName: '%st%re', tableType: ['VIEW', 'BASE TABLE'] },
      ['memory.hr', 'memory.main.big_store', 'memory.main.store'],
    ],
    ['no such type', { catalog: 'memory', tableType: ['TABLE'] }, ['memory.hr', 'memory.main']],
    ['no types', { catalog: 'memory', tableType: [] }, ['memory.hr', 'memory.main']],
  ];
  for (const [what, options, expected] of filters) {
    test(`${what}`, async (t) => {
      const connection = await foodmart(t);
      assert.deepEqual(pathsOf(await objectsOf(connection, options)), expected);
      assert.deepEqual(pathsOf(await objectsOf(connection, { ...options, depth: ObjectDepth.Tables })), expected);
    });
  }

  test('a column pattern leaves tables, and their constraints, as they are', async (t) => {
    const [catalog] = await objectsOf(await foodmart(t), { catalog: 'memory', dbSchema: 'main', columnName: '%_id' });
    const tables = catalog?.catalog_db_schemas?.[0]?.db_schema_tables;
    assert.deepEqual(
      tables?.map((table) => [
        table.table_name,
        table.table_columns?.map((c) => c.column_name),
        table.table_constraints?.length,
      ]),
      [
        ['big_store', ['store_id'], 0],
        ['promotion', ['promotion_id'], 1],
        ['region', ['region_id'], 2],
        ['sales_fact_1997', ['store_id'], 3],
        ['store', ['store_id', 'region_id'], 4],
      ],
    );
  });

  test('a type filter keeps each table with its own columns and constraints', async (t) => {
    const [temp] = await objectsOf(await foodmart(t), { catalog: 'temp', tableType: ['LOCAL TEMPORARY'] });
    const [basket] = temp?.catalog_db_schemas?.[0]?.db_schema_tables ?? [];
    assert.deepEqual([basket?.table_columns?.length, basket?.table_constraints?.length], [1, 1]);
  });

  test('text that DuckDB cannot hold is refused', async (t) => {
    const connection = await connect(t);
    await rejects(connection.getObjects({ tableName: '\ud800' }), 'INVALID_ARGUMENT', /surrogate/);
    assert.deepEqual(pathsOf(await objectsOf(connection, { catalog: 'mem\0ory' })), []);
  });
});

describe('getObjects: around it', () => {
  test('sees what an open transaction made, and leaves it open', async (t) => {
    const connection = await connect(t);
    await connection.setAutoCommit(false);
    await connection.execute('CREATE TABLE mine (i INTEGER)');
    assert.deepEqual(pathsOf(await objectsOf(connection, { catalog: 'memory' })), ['memory.main.mine']);
    await connection.rollback();
    assert.deepEqual(pathsOf(await objectsOf(connection, { catalog: 'memory' })), ['memory.main']);
  });

  test('leaves the connection in autocommit mode and ready, also when it is stopped', async (t) => {
    const connection = await foodmart(t);
    await rejects(connection.getObjects({}, { signal: AbortSignal.abort() }), 'CANCELLED', /signal/);
    const abort = new AbortController();
    const stopped = connection.getObjects({}, { signal: abort.signal });
    setTimeout(() => abort.abort(), 3);
    await stopped.catch((error: unknown) => assert.equal((error as { status?: string }).status, 'CANCELLED'));
    await connection.execute('CREATE TABLE after_it (i INTEGER)');
    await connection.execute('BEGIN');
    await connection.execute('ROLLBACK');
    const tables = pathsOf(await objectsOf(connection, { catalog: 'memory', tableName: 'after%' }));
    assert.deepEqual(tables, ['memory.hr', 'memory.main.after_it']);
  });

  test('a view whose table is gone does not stand in the way', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE base (i INTEGER); CREATE VIEW broken AS FROM base; DROP TABLE base');
    assert.deepEqual(pathsOf(await objectsOf(connection, { catalog: 'memory' })), ['memory.main.broken']);
  });

  test('getTableTypes gives the types that getObjects uses', async (t) => {
    const connection = await foodmart(t);
    const table = await connection.getTableTypes();
    assert.equal(`${table.schema}`, 'table_type: utf8 not null');
    const types = table.toArray().map((row) => row.table_type);
    assert.deepEqual(types, ['BASE TABLE', 'LOCAL TEMPORARY', 'VIEW']);
    const catalogs = await objectsOf(connection, { depth: ObjectDepth.Tables });
    const tables = catalogs
      .flatMap((catalog) => catalog.catalog_db_schemas ?? [])
      .flatMap((s) => s.db_schema_tables ?? []);
    assert.deepEqual([...new Set(tables.map((row) => row.table_type))].sort(), types);
  });
});
