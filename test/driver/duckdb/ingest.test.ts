import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import type { Connection, IngestMode } from 'recurve';
import {
  batchFromArrays,
  dictionary,
  Field,
  field,
  int32,
  int64,
  nullType,
  Schema,
  Table,
  tableFromArrays,
  tableToIPC,
  utf8,
} from 'recurve/arrow';
import { connect, firstValue, rejects, rowsOf } from './fixture.ts';

const small = tableFromArrays({ id: Int32Array.of(1, 2, 3), name: ['a', null, 'c'] });

async function describeTable(connection: Connection, name: string): Promise<string[]> {
  const rows = await rowsOf(connection, `DESCRIBE ${name}`);
  return rows.map((row) => `${row.column_name} ${row.column_type}${row.null === 'NO' ? ' NOT NULL' : ''}`);
}

describe('the mode decides about a table', () => {
  const attempts: [IngestMode, missing: number | string, there: number | string][] = [
    ['create', 3, 'ALREADY_EXISTS'],
    ['append', 'NOT_FOUND', 5],
    ['replace', 3, 3],
    ['createAppend', 3, 5],
  ];
  for (const [mode, missing, there] of attempts) {
    test(mode, async (t) => {
      const connection = await connect(t);
      await connection.execute("CREATE TABLE there AS SELECT 7 AS id, 'x' AS name FROM range(2)");
      for (const [name, outcome] of [
        ['missing', missing],
        ['THERE', there],
      ] as const) {
        const work = connection.ingest(name, small, { mode });
        if (typeof outcome === 'string') await rejects(work, outcome, new RegExp(`"${name}"`));
        else {
          assert.equal(await work, 3);
          assert.equal(await firstValue(connection, `SELECT count(*) FROM ${name}`), BigInt(outcome));
        }
      }
      assert.equal(
        await firstValue(connection, 'SELECT count(*) FROM there WHERE id = 7'),
        mode === 'replace' ? 0n : 2n,
      );
    });
  }

  test('without the mode it is made, and what is there is not touched', async (t) => {
    const connection = await connect(t);
    assert.equal(await connection.ingest('t', small), 3);
    await rejects(connection.ingest('t', small), 'ALREADY_EXISTS', /there is a table "t" already/);
    await connection.execute('CREATE VIEW v AS SELECT 1 AS id');
    await rejects(connection.ingest('v', small), 'ALREADY_EXISTS', /a view "v"/);
    for (const mode of ['append', 'replace', 'createAppend'] as const) {
      await rejects(connection.ingest('v', small, { mode }), 'INVALID_ARGUMENT', /"v" is a view/);
    }
    assert.deepEqual(await rowsOf(connection, 'SELECT * FROM t'), small.toArray());
  });
});

describe('the table stands', () => {
  test('in the catalog and schema that are named, and else in those of the session', async (t) => {
    const connection = await connect(t);
    await connection.execute("ATTACH ':memory:' AS other; CREATE SCHEMA other.s; CREATE SCHEMA s2");
    await connection.ingest('t', small, { catalog: 'other', dbSchema: 's' });
    await connection.ingest('t', small, { catalog: 'other' });
    await connection.ingest('t', small, { dbSchema: 's2' });
    await connection.execute('USE other.s');
    await connection.ingest('u', small);
    const places = await rowsOf(
      connection,
      "SELECT concat_ws('.', database_name, schema_name, table_name) AS p FROM duckdb_tables() ORDER BY p",
    );
    assert.deepEqual(
      places.map(({ p }) => p),
      ['memory.s2.t', 'other.main.t', 'other.s.t', 'other.s.u'],
    );
    await rejects(connection.ingest('t', small, { dbSchema: 'nope' }), 'NOT_FOUND', /nope/);
    await rejects(connection.ingest('t', small, { catalog: 'nope' }), 'NOT_FOUND', /nope/);
  });

  test('for this connection alone when it is temporary, beside one of the same name', async (t) => {
    const connection = await connect(t);
    await connection.ingest('t', small);
    await connection.ingest('t', small.slice(0, 1), { temporary: true });
    await connection.ingest('t', small.slice(0, 1), { temporary: true, mode: 'append' });
    await connection.ingest('t', small, { mode: 'append' });
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM temp.main.t'), 2n);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM memory.main.t'), 6n);
    await rejects(connection.ingest('t', small, { temporary: true }), 'ALREADY_EXISTS', /"t"/);
  });

  test('under names that need quotes', async (t) => {
    const connection = await connect(t);
    const odd = tableFromArrays({ 'a "b"': Int32Array.of(1), "c'd;": ['x'], Größe: [true] });
    await connection.ingest(`t"'; DROP`, odd);
    await connection.ingest(`t"'; DROP`, odd, { mode: 'append' });
    assert.deepEqual(await rowsOf(connection, `FROM "t""'; DROP"`), [...odd.toArray(), ...odd.toArray()]);
  });
});

describe('a table that is made', () => {
  test('has the types of the data, extensions too, and NOT NULL where the schema says so', async (t) => {
    const connection = await connect(t);
    const sql =
      "SELECT i, uuid() u, '{}'::JSON j, '10110'::BIT b, (i * 12345678901234567890)::BIGNUM n, (-i)::BIGNUM m, '12:00:00+02:30'::TIMETZ z, [{'k': '1'::BIT}] l, MAP {'a': i} p FROM range(3000) r(i)";
    await connection.execute(`CREATE TABLE source AS ${sql}`);
    const sent = await (await connection.query('FROM source ORDER BY i')).table();
    await connection.ingest('copy', sent);
    assert.deepEqual(await describeTable(connection, 'copy'), await describeTable(connection, 'source'));
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM (FROM copy EXCEPT FROM source)'), 0n);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM (FROM source EXCEPT FROM copy)'), 0n);
    const schema = new Schema([field('a', int32(), { nullable: false }), field('b', utf8())]);
    await connection.ingest('strict', new Table(schema, []));
    assert.deepEqual(await describeTable(connection, 'strict'), ['a INTEGER NOT NULL', 'b VARCHAR']);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM strict'), 0n);
  });

  test('holds a dictionary as its values', async (t) => {
    const connection = await connect(t);
    const schema = new Schema([field('d', dictionary(utf8(), int32()))]);
    await connection.ingest('t', batchFromArrays(schema, { d: ['x', null, 'y', 'x'] }));
    assert.deepEqual(await describeTable(connection, 't'), ['d VARCHAR']);
    assert.deepEqual(await rowsOf(connection, 'FROM t'), [{ d: 'x' }, { d: null }, { d: 'y' }, { d: 'x' }]);
  });

  test('needs columns with one name each', async (t) => {
    const connection = await connect(t);
    const names = (...list: string[]) => new Table(new Schema(list.map((name) => field(name, int32()))), []);
    await rejects(connection.ingest('t', names()), 'INVALID_ARGUMENT', /no columns/);
    await rejects(connection.ingest('t', names('a', '')), 'INVALID_ARGUMENT', /column 2 of the data has no name/);
    await rejects(connection.ingest('t', names('a', 'A')), 'INVALID_ARGUMENT', /two columns "A"/);
  });

  test('comes from a result of another connection, and from bytes', async (t) => {
    const connection = await connect(t);
    const other = await connect(t);
    const rows = await other.query(
      "SELECT i, repeat('é', (i % 30)::INT) AS s, CASE WHEN i % 9 > 0 THEN [i, NULL] END AS l FROM range(300000) r(i)",
    );
    assert.equal(await connection.ingest('t', rows), 300_000);
    const wrong =
      "SELECT count(*) FROM t WHERE s <> repeat('é', (i % 30)::INT) OR l IS DISTINCT FROM CASE WHEN i % 9 > 0 THEN [i, NULL] END";
    assert.equal(await firstValue(connection, wrong), 0n);
    assert.equal(await firstValue(connection, 'SELECT count(DISTINCT i) FROM t'), 300_000n);
    assert.equal(await connection.ingest('u', tableToIPC(small)), 3);
  });
});

describe('rows that are appended', () => {
  test('go to the columns of their names, in any order, and the others get their defaults', async (t) => {
    const connection = await connect(t);
    await connection.execute(
      'CREATE TABLE t (name VARCHAR, n INTEGER DEFAULT 5, id INTEGER NOT NULL, twice INTEGER AS (id * 2), free DATE)',
    );
    await connection.ingest('t', tableFromArrays({ ID: Int32Array.of(1, 2), name: ['a', null] }), { mode: 'append' });
    assert.deepEqual(await rowsOf(connection, 'SELECT * FROM t ORDER BY id'), [
      { name: 'a', n: 5, id: 1, twice: 2, free: null },
      { name: null, n: 5, id: 2, twice: 4, free: null },
    ]);
  });

  test('are converted where no value can be changed by it', async (t) => {
    const connection = await connect(t);
    await connection.execute(
      "CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TABLE t (a BIGINT, b TINYINT, c DOUBLE, d DECIMAL(9, 2), e mood, f TIMESTAMP, g SMALLINT[], h JSON, n INTEGER[])",
    );
    const sql =
      "SELECT 1::INT a, 2::BIGINT b, 1.5::FLOAT c, 7::INT d, 'glad' e, DATE '2024-02-29' f, [1, NULL]::INT[] g, '[1]' h";
    const table = await (await connection.query(sql)).table();
    const [batch] = table.batches;
    assert.ok(batch !== undefined);
    assert.equal(await connection.ingest('t', batch, { mode: 'append' }), 1);
    await connection.ingest('t', new Table(new Schema([new Field('n', nullType())]), []), { mode: 'append' });
    await connection.ingest('t', batchFromArrays(new Schema([field('n', nullType())]), { n: [null] }), {
      mode: 'append',
    });
    const [row, nulls] = await rowsOf(connection, 'SELECT t::VARCHAR AS t FROM t');
    assert.equal(
      row?.t,
      "{'a': 1, 'b': 2, 'c': 1.5, 'd': 7.00, 'e': glad, 'f': '2024-02-29 00:00:00', 'g': [1, NULL], 'h': '[1]', 'n': NULL}",
    );
    assert.match(String(nulls?.t), /'a': NULL.*'n': NULL/);
  });

  test('of other columns or types are a clash that names the column, and nothing is written', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE t (id INTEGER, moment TIMESTAMP, must INTEGER NOT NULL, d DECIMAL(9, 2))');
    const attempts: [sql: string, message: RegExp][] = [
      ['SELECT 1 AS id, 2 AS other, 3 AS must', /it has no "other"/],
      ["SELECT 'x' AS id, 3 AS must", /column "id" is INTEGER, the data's VARCHAR/],
      ['SELECT 1.5::DOUBLE AS id, 3 AS must', /column "id" is INTEGER, the data's DOUBLE/],
      ['SELECT 1.555::DECIMAL(9, 3) AS d, 3 AS must', /column "d" is DECIMAL\(9, 2\), the data's DECIMAL\(9, 3\)/],
      ['SELECT now() AS moment, 3 AS must', /column "moment" is TIMESTAMP, the data's TIMESTAMP WITH TIME ZONE/],
      ['SELECT 1 AS id', /the data lacks "must", which is NOT NULL and has no default/],
    ];
    const other = await connect(t);
    for (const [sql, message] of attempts) {
      const data = await (await other.query(sql)).table();
      await rejects(connection.ingest('t', data, { mode: 'append' }), 'ALREADY_EXISTS', message);
    }
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
  });

  test('with a value that does not fit name column, row and value', async (t) => {
    const connection = await connect(t);
    await connection.execute("CREATE TABLE t (n TINYINT, m ENUM ('a'))");
    const schema = new Schema([field('n', int64())]);
    const batches = [5, 3000, 4000].map((size, k) =>
      batchFromArrays(schema, { n: Array.from({ length: size }, (_, i) => (k === 2 && i === 7 ? 300n : 1n)) }),
    );
    await rejects(
      connection.ingest('t', new Table(schema, batches), { mode: 'append' }),
      'INVALID_DATA',
      /^column "n", row 3013: 300 is no TINYINT$/,
    );
    await rejects(
      connection.ingest('t', tableFromArrays({ m: ['a', 'b'] }), { mode: 'append' }),
      'INVALID_DATA',
      /^column "m", row 2: b is no ENUM\('a'\)$/,
    );
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 0n);
    assert.equal(await firstValue(connection, "SELECT count(*) FROM duckdb_tables() WHERE database_name = 'temp'"), 0n);
  });
});

describe('an upsert', () => {
  test('changes the rows whose key is there and adds the others', async (t) => {
    const connection = await connect(t);
    await connection.execute(`CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR, note VARCHAR DEFAULT 'new');
      INSERT INTO item VALUES (2, 'old', 'kept'), (9, 'nine', 'kept')`);
    assert.equal(await connection.ingest('item', small, { mode: 'upsert', keys: ['id'] }), 3);
    assert.deepEqual(await rowsOf(connection, 'SELECT * FROM item ORDER BY id'), [
      { id: 1, name: 'a', note: 'new' },
      { id: 2, name: null, note: 'kept' },
      { id: 3, name: 'c', note: 'new' },
      { id: 9, name: 'nine', note: 'kept' },
    ]);
    const ids = tableFromArrays({ id: Int32Array.of(9, 10) });
    assert.equal(await connection.ingest('item', ids, { mode: 'upsert', keys: ['id'] }), 2);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM item WHERE name IS NULL'), 2n);
  });

  test('needs a table, and a unique constraint over the keys', async (t) => {
    const connection = await connect(t);
    const upsert = (keys: readonly string[]): Promise<number> =>
      connection.ingest('item', small, { mode: 'upsert', keys });
    await rejects(upsert(['id']), 'NOT_FOUND', /no table "item"/);
    await connection.execute('CREATE TABLE item (id INTEGER PRIMARY KEY, name VARCHAR)');
    await rejects(upsert(['name']), 'INVALID_ARGUMENT', /not referenced by a UNIQUE|name/i);
    await rejects(upsert(['other']), 'INVALID_ARGUMENT', /other/);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM item'), 0n);
  });
});
