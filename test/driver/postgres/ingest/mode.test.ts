import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import type { IngestMode } from 'recurve';
import { Field, int32, Schema, Table, tableFromArrays } from 'recurve/arrow';
import { withoutPostgres } from '../server.ts';
import { connect, connectTo, firstValue, rejects, rowsOf, tableNames } from './fixture.ts';

const small = tableFromArrays({ id: Int32Array.of(1, 2, 3), name: ['a', null, 'c'] });

describe('the mode decides about a table', { skip: withoutPostgres }, () => {
  const attempts: [IngestMode, missing: number | string, there: number | string][] = [
    ['create', 3, 'ALREADY_EXISTS'],
    ['append', 'NOT_FOUND', 5],
    ['replace', 3, 3],
    ['createAppend', 3, 5],
  ];
  for (const [mode, missing, there] of attempts) {
    test(mode, async (t) => {
      const { connection } = await connect(t);
      await connection.execute("CREATE TABLE there AS SELECT 7 AS id, 'x' AS name FROM generate_series(1, 2)");
      for (const [name, outcome] of [
        ['missing', missing],
        ['there', there],
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

  test('and rows go to tables only', async (t) => {
    const { connection } = await connect(t);
    await connection.execute('CREATE VIEW v AS SELECT 1 AS id; CREATE SEQUENCE s');
    await rejects(connection.ingest('v', small), 'ALREADY_EXISTS', /a view "v" already/);
    for (const mode of ['append', 'replace', 'createAppend'] as const) {
      await rejects(connection.ingest('v', small, { mode }), 'INVALID_ARGUMENT', /"v" is a view/);
      await rejects(connection.ingest('s', small, { mode }), 'INVALID_ARGUMENT', /"s" is a sequence/);
    }
  });

  test('a partitioned table takes rows, also in place of one that is replaced', async (t) => {
    const { connection } = await connect(t);
    await connection.execute(`CREATE TABLE p (id int, name text) PARTITION BY RANGE (id);
      CREATE TABLE p1 PARTITION OF p FOR VALUES FROM (0) TO (2); CREATE TABLE p2 PARTITION OF p DEFAULT`);
    assert.equal(await connection.ingest('p', small, { mode: 'append' }), 3);
    assert.deepEqual(await rowsOf(connection, 'SELECT count(*)::int AS n FROM p1'), [{ n: 1 }]);
    assert.equal(await connection.ingest('p', small, { mode: 'replace' }), 3);
    assert.equal(await firstValue(connection, "SELECT relkind::text FROM pg_class WHERE relname = 'p'"), 'r');
  });
});

describe('the table stands', { skip: withoutPostgres }, () => {
  test('in the schema that is named, and else in that of the session', async (t) => {
    const { connection, database } = await connect(t);
    await connection.execute('CREATE SCHEMA "S 2"; CREATE SCHEMA s3');
    await connection.ingest('T "1"', small, { dbSchema: 'S 2' });
    await connection.ingest('t', small, { catalog: database.name });
    await connection.execute('SET search_path = s3, public');
    await connection.ingest('u', small);
    // One of the same name further along the search path is not meant.
    await rejects(connection.ingest('t', small, { mode: 'append' }), 'NOT_FOUND', /no table "t" in "s3"/);
    const places = await rowsOf(
      connection,
      `SELECT schemaname || '.' || tablename AS p FROM pg_tables WHERE schemaname !~ '^(pg_|information)' ORDER BY p`,
    );
    assert.deepEqual(
      places.map(({ p }) => p),
      ['S 2.T "1"', 'public.t', 's3.u'],
    );
  });

  test('nowhere without its schema or in another database', async (t) => {
    const { connection } = await connect(t);
    await rejects(connection.ingest('t', small, { dbSchema: 'none' }), 'NOT_FOUND', /no schema "none"/);
    await rejects(connection.ingest('t', small, { catalog: 'other' }), 'NOT_IMPLEMENTED', /catalog "other" is not/);
    await connection.execute("SET search_path = ''");
    await rejects(connection.ingest('t', small), 'NOT_FOUND', /names no schema/);
  });

  test('in the session alone when it is temporary, beside one of the same name', async (t) => {
    const { connection, database } = await connect(t);
    await connection.ingest('t', small);
    assert.equal(await connection.ingest('t', small, { temporary: true }), 3);
    assert.equal(await connection.ingest('t', small, { temporary: true, mode: 'append' }), 3);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM pg_temp.t'), 6n);
    assert.equal(await connection.ingest('t', small, { mode: 'append' }), 3);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM public.t'), 6n);
    const other = await connectTo(t, database);
    assert.equal(await firstValue(other, 'SELECT count(*) FROM t'), 6n);
    assert.equal(await connection.ingest('t', small, { temporary: true, mode: 'replace' }), 3);
  });

  test('and what cannot be a name is refused', async (t) => {
    const { connection, database } = await connect(t);
    const long = 'ä'.repeat(32);
    await rejects(connection.ingest(long, small), 'INVALID_ARGUMENT', /has 64 bytes, and PostgreSQL keeps 63/);
    const named = (...names: string[]): Table =>
      new Table(new Schema(names.map((name) => new Field(name, int32()))), []);
    await rejects(connection.ingest('t', named(long)), 'INVALID_ARGUMENT', /column 1.* has 64 bytes/);
    await rejects(connection.ingest('t', named('a', '')), 'INVALID_ARGUMENT', /column 2 of the data has no name/);
    await rejects(connection.ingest('t', named('a', 'a')), 'INVALID_ARGUMENT', /two columns "a"/);
    await rejects(connection.ingest('t', named('a\0')), 'INVALID_ARGUMENT', /zero character/);
    await rejects(connection.ingest('t', named()), 'INVALID_ARGUMENT', /no columns/);
    assert.deepEqual(await tableNames(database), []);
    // Upper and lower case are two names.
    assert.equal(await connection.ingest('t', named('a', 'A', 'select', '"')), 0);
  });
});

describe('an upsert', { skip: withoutPostgres }, () => {
  test('changes the rows whose key is there and adds the others', async (t) => {
    const { connection, database } = await connect(t);
    await connection.execute(`CREATE TABLE item (id int PRIMARY KEY, name text, note text DEFAULT 'new');
      INSERT INTO item VALUES (2, 'old', 'kept'), (9, 'nine', 'kept')`);
    assert.equal(await connection.ingest('item', small, { mode: 'upsert', keys: ['id'] }), 3);
    assert.deepEqual(await rowsOf(connection, 'SELECT * FROM item ORDER BY id'), [
      { id: 1, name: 'a', note: 'new' },
      { id: 2, name: null, note: 'kept' },
      { id: 3, name: 'c', note: 'new' },
      { id: 9, name: 'nine', note: 'kept' },
    ]);
    assert.deepEqual(await tableNames(database), ['item']);
  });

  test('by several keys, all of its columns, and a sliced table', async (t) => {
    const { connection } = await connect(t);
    await connection.execute('CREATE TABLE pair (a int8, "B" text, UNIQUE (a, "B"))');
    const rows = tableFromArrays({ B: ['x', 'y', 'x'], a: [1n, 1n, 2n] });
    assert.equal(await connection.ingest('pair', rows, { mode: 'upsert', keys: ['a', 'B'] }), 3);
    assert.equal(await connection.ingest('pair', rows.slice(1, 3), { mode: 'upsert', keys: ['a', 'B'] }), 2);
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM pair'), 3n);
  });

  test('needs a table, a unique constraint over the keys, and each key once', async (t) => {
    const { connection, database } = await connect(t);
    const upsert = (keys: readonly string[]): Promise<number> =>
      connection.ingest('item', small, { mode: 'upsert', keys });
    await rejects(upsert(['id']), 'NOT_FOUND', /no table "item"/);
    await connection.execute('CREATE TABLE item (id int PRIMARY KEY, name text)');
    await rejects(upsert(['name']), 'INVALID_ARGUMENT', /no unique or exclusion constraint/);
    await rejects(upsert(['other']), 'INVALID_ARGUMENT', /key "other" is no column of the data/);
    const twice = tableFromArrays({ id: Int32Array.of(1, 1), name: ['a', 'b'] });
    const error = await connection.ingest('item', twice, { mode: 'upsert', keys: ['id'] }).catch((thrown) => thrown);
    assert.equal(error.sqlState, '21000');
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM item'), 0n);
    assert.deepEqual(await tableNames(database), ['item']);
  });
});

test('appending needs no more than the right to insert, also into some columns only', {
  skip: withoutPostgres,
}, async (t) => {
  const { connection, database } = await connect(t);
  const role = `r_${database.name}`;
  await connection.execute(`CREATE ROLE ${role}; CREATE TABLE whole (id int, name text); CREATE TABLE part (id int, name text, more int);
    GRANT INSERT ON whole TO ${role}; GRANT INSERT (id, name) ON part TO ${role}`);
  t.after(() => database.server.query(`DROP ROLE IF EXISTS ${role}`));
  await connection.execute(`SET ROLE ${role}`);
  assert.equal(await connection.ingest('whole', small, { mode: 'append' }), 3);
  assert.equal(await connection.ingest('part', small, { mode: 'append' }), 3);
  const more = tableFromArrays({ more: Int32Array.of(1) });
  await rejects(connection.ingest('part', more, { mode: 'append' }), 'UNAUTHORIZED', /permission denied/);
  await rejects(connection.ingest('whole', small, { mode: 'replace' }), 'UNAUTHORIZED', /must be owner/);
  await connection.execute(`RESET ROLE; DROP OWNED BY ${role}`);
});
