import assert from 'node:assert/strict';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { type Connection, open } from 'recurve';
import { connect, firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

async function changed(connection: Connection, sql: string): Promise<number> {
  return connection.execute(sql);
}

describe('running a statement text', () => {
  test('gives the last statement of several its say, once the others have run', async (t) => {
    const connection = await connect(t);
    const sql = "CREATE TABLE t (a INT); INSERT INTO t VALUES (1), (2); -- ;\nSELECT sum(a) AS s, ';' AS c FROM t; ;";
    assert.deepEqual(
      (await rowsOf(connection, sql)).map((row) => ({ ...row })),
      [{ s: '3', c: ';' }],
    );
    assert.equal(await firstValue(connection, "SELECT 'x'; SELECT $1 + $2", [1, 2]), 3n);
  });

  test('stops a script at the statement that fails', async (t) => {
    const connection = await connect(t);
    await rejects(
      connection.query("CREATE TABLE t AS SELECT 1 AS a; SELECT 'x'::INT FROM t; DROP TABLE t"),
      'INVALID_DATA',
      /Could not convert string 'x' to INT32/,
    );
    assert.equal(await firstValue(connection, 'FROM t'), 1);
  });

  test('gives timestamps the zone of the session, also one of a long name', async (t) => {
    const connection = await connect(t);
    const zone = 'America/Argentina/ComodRivadavia';
    await connection.execute(`SET TimeZone = '${zone}'`);
    for (let i = 0; i < 50; i++) {
      const { schema } = await (await connection.query("SELECT '2020-01-01'::TIMESTAMPTZ AS at")).table();
      const { type } = schema.fields[0] ?? {};
      assert.equal(type !== undefined && 'timezone' in type ? type.timezone : undefined, zone);
    }
  });

  test('refuses what is no statement', async (t) => {
    const connection = await connect(t);
    for (const sql of ['', '  \n', '-- only a comment', '/* */ ;;', '-- /dev/stdin']) {
      await rejects(connection.query(sql), 'INVALID_ARGUMENT', /^there is no statement in the text$/);
    }
    await rejects(connection.query("SELECT 'a\0b'"), 'INVALID_ARGUMENT', /holds a NUL, at position 9/);
    await rejects(connection.query("SELECT '\ud800'"), 'INVALID_ARGUMENT', /half of a surrogate pair/);
    await rejects(connection.query('SELECT $1; SELECT 2', [1]), 'INVALID_ARGUMENT', /statement 1 of 2 has parameters/);
    await rejects(connection.prepare('SELECT 1; SELECT 2'), 'INVALID_ARGUMENT', /has 2 statements/);
    await rejects(connection.query('SELECT 1', [], { path: 'copy' }), 'INVALID_ARGUMENT', /DuckDB has no path "copy"/);
  });

  test('tells the rows that changed, and no number for what changes none', async (t) => {
    const connection = await connect(t);
    assert.equal(await changed(connection, 'CREATE TABLE t (a INT, b INT)'), -1);
    assert.equal(await changed(connection, 'INSERT INTO t SELECT range, 0 FROM range(10)'), 10);
    assert.equal(await changed(connection, 'UPDATE t SET b = 1 WHERE a < 4'), 4);
    assert.equal(await changed(connection, 'DELETE FROM t WHERE a > 100'), 0);
    assert.equal(await changed(connection, 'INSERT INTO t VALUES (100, 1), (101, 1) RETURNING a'), 2);
    assert.equal(await changed(connection, 'UPDATE t SET b = 2 WHERE a >= 100 RETURNING *'), 2);
    assert.equal(await changed(connection, 'DELETE FROM t WHERE a >= 100 RETURNING *'), 2);
    assert.equal(
      await changed(connection, 'MERGE INTO t USING (SELECT 3 AS a) s ON t.a = s.a WHEN MATCHED THEN DELETE'),
      1,
    );
    assert.equal(await changed(connection, 'FROM t'), -1);
    assert.equal(await changed(connection, 'SET threads = 2'), -1);
    const file = join(scratchFolder(t), 't.csv');
    assert.equal(await changed(connection, `COPY t TO '${file}'`), 9);
  });

  test('returns the rows of RETURNING, and no columns for a statement without a result', async (t) => {
    const connection = await connect(t);
    const created = await connection.query('CREATE TABLE t (a INT)');
    assert.deepEqual([created.schema.names, (await created.table()).numRows], [[], 0]);
    const inserted = await connection.query('INSERT INTO t VALUES (1), (2)');
    assert.deepEqual([inserted.schema.names, (await inserted.table()).numRows], [[], 0]);
    assert.deepEqual(
      (await rowsOf(connection, 'INSERT INTO t VALUES (3), (4) RETURNING a * 2 AS b')).map((row) => row.b),
      [6, 8],
    );
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 4n);
  });

  test('does what DuckDB expands to several statements', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE t AS SELECT range AS a, range % 2 AS b FROM range(4)');
    assert.deepEqual(
      (await rowsOf(connection, 'PIVOT t ON b USING sum(a)')).map((row) => ({ ...row })),
      [{ 0: '2', 1: '4' }],
    );
  });
});

describe('a prepared statement', () => {
  test('runs many times, also after its tables have changed', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE t AS SELECT 1 AS a');
    const statement = await connection.prepare('SELECT a + $x AS v FROM t WHERE $y');
    assert.deepEqual(statement.parameterNames, ['x', 'y']);
    for (let i = 0; i < 20; i++) {
      const table = await (await statement.executeQuery({ x: i, y: true })).table();
      assert.deepEqual(table.column(0).toArray(), BigInt64Array.of(BigInt(1 + i)));
    }
    await connection.execute("DROP TABLE t; CREATE TABLE t AS SELECT 1.5::DOUBLE AS a, 'x' AS b");
    const table = await (await statement.executeQuery({ x: 1, y: true })).table();
    assert.deepEqual(table.column(0).toArray(), Float64Array.of(2.5));
    await statement.close();
  });

  test('names its parameters by position where they have no names', async (t) => {
    const connection = await connect(t);
    assert.deepEqual((await connection.prepare('SELECT ?, ?')).parameterNames, ['1', '2']);
    assert.deepEqual((await connection.prepare('SELECT $2, $1')).parameterNames, ['1', '2']);
    assert.deepEqual((await connection.prepare('SELECT 1')).parameterNames, []);
    await rejects(connection.prepare('SELECT $1, $3'), 'INVALID_ARGUMENT', /parameter \$2 is missing/);
  });
});

describe('a transaction', () => {
  test('is rolled back or committed, for its own connection first', async (t) => {
    const database = await open('duckdb:');
    t.after(() => database.close());
    const [one, two] = [await database.connect(), await database.connect()];
    await one.execute('CREATE TABLE t (a INT)');
    await one.setAutoCommit(false);
    await one.execute('INSERT INTO t VALUES (1)');
    assert.equal(await firstValue(one, 'SELECT count(*) FROM t'), 1n);
    assert.equal(await firstValue(two, 'SELECT count(*) FROM t'), 0n);
    await one.rollback();
    assert.equal(await firstValue(one, 'SELECT count(*) FROM t'), 0n);
    await one.execute('INSERT INTO t VALUES (1)');
    await one.commit();
    assert.equal(await firstValue(two, 'SELECT count(*) FROM t'), 1n);
  });

  test('survives a result that is not read to its end', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE t (a INT)');
    await connection.transaction(async () => {
      await connection.execute('INSERT INTO t VALUES (1)');
      const result = await connection.query('FROM range(10000000)', [], { windowBytes: 1 << 16 });
      for await (const batch of result) {
        assert.ok(batch.numRows > 0);
        break;
      }
      await connection.execute('INSERT INTO t VALUES (2)');
    });
    assert.equal(await firstValue(connection, 'SELECT sum(a) FROM t'), '3');
  });

  test('that another one was faster than fails as a conflict', async (t) => {
    const database = await open('duckdb:');
    t.after(() => database.close());
    const [one, two] = [await database.connect(), await database.connect()];
    await one.execute('CREATE TABLE t AS SELECT 1 AS a');
    await one.setAutoCommit(false);
    await two.setAutoCommit(false);
    await one.execute('UPDATE t SET a = 2');
    await rejects(two.execute('UPDATE t SET a = 3'), 'INTEGRITY', /[Cc]onflict/);
    await rejects(two.query('FROM t'), 'INVALID_STATE', /Current transaction is aborted/);
    await two.rollback();
    await one.commit();
    assert.equal(await firstValue(two, 'FROM t'), 2);
  });

  test('in SQL text is known too: a stream that is left in it does not end it', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE t (a INT)');
    await connection.execute('BEGIN; INSERT INTO t VALUES (1)');
    const result = await connection.query('FROM range(10000000)', [], { windowBytes: 1 << 16 });
    await result.close();
    await connection.execute('COMMIT');
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 1n);
  });
});

describe('the schema of a table', () => {
  test('has its types, and which columns are not null', async (t) => {
    const connection = await connect(t);
    await connection.execute(
      'CREATE TABLE t (id INT PRIMARY KEY, "a ""b" VARCHAR NOT NULL, c TIMESTAMPTZ[], d DECIMAL(5, 2))',
    );
    await connection.execute("SET TimeZone = 'Asia/Tokyo'");
    const schema = await connection.getTableSchema({ tableName: 't' });
    assert.equal(
      String(schema),
      'id: int32 not null\na "b: utf8 not null\nc: list<l: timestamp[us, Asia/Tokyo]>\nd: decimal128(5, 2)',
    );
  });

  test('is found by catalog and schema, with any name', async (t) => {
    const connection = await connect(t);
    const odd = 'o"d.d \'n';
    const quoted = `"${odd.replaceAll('"', '""')}"`;
    await connection.execute(`CREATE SCHEMA ${quoted}; CREATE TABLE ${quoted}.${quoted} (a INT)`);
    await connection.execute(
      `ATTACH ':memory:' AS other; CREATE TABLE other.t (b INT); CREATE VIEW v AS SELECT 1 AS c`,
    );
    const names = async (table: { catalog?: string; dbSchema?: string; tableName: string }) =>
      (await connection.getTableSchema(table)).names;
    assert.deepEqual(await names({ dbSchema: odd, tableName: odd }), ['a']);
    assert.deepEqual(await names({ catalog: 'memory', dbSchema: odd, tableName: odd }), ['a']);
    assert.deepEqual(await names({ catalog: 'other', tableName: 't' }), ['b']);
    assert.deepEqual(await names({ catalog: 'other', dbSchema: 'main', tableName: 't' }), ['b']);
    assert.deepEqual(await names({ tableName: 'v' }), ['c']);
    await rejects(connection.getTableSchema({ tableName: odd }), 'NOT_FOUND', /does not exist/);
    await rejects(connection.getTableSchema({ dbSchema: 'other', tableName: 't' }), 'NOT_FOUND', /does not exist/);
    await rejects(connection.getTableSchema({ catalog: 'no', tableName: 't' }), 'NOT_FOUND', /does not exist/);
  });
});
