import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import {
  binary,
  bool,
  type DataType,
  decimal128,
  dictionary,
  Field,
  float64,
  int8,
  int32,
  int64,
  list,
  map,
  Schema,
  struct,
  Table,
  timestamp,
  utf8,
} from 'recurve/arrow';
import { oneColumn } from '../encode/one-column.ts';
import { withoutPostgres } from '../server.ts';
import { connect, connectTo, firstValue, rejects, rowsOf } from './fixture.ts';

/** Types that a table may be of, each with values that are hard on it. */
const columns: readonly (readonly [type: string, ...literals: string[]])[] = [
  ['bool', "'t'", "'f'"],
  ['int2', '-32768', '32767'],
  ['int4', '-2147483648'],
  ['int8', '-9223372036854775808'],
  ['oid', "'4294967295'"],
  ['regclass', "'pg_class'"],
  ['xid', "'4294967295'"],
  ['pg_lsn', "'FFFFFFFF/FFFFFFFF'"],
  ['float4', "'-0'", "'NaN'", '3.4028235e38'],
  ['float8', "'Infinity'", '5e-324'],
  ['numeric(12,2)', '-9999999999.99', '0'],
  ['numeric(76,3)', '1e72', '-0.001'],
  ['numeric', '1e-20', "'NaN'", '12345678901234567890.000'],
  ['numeric[]', "'{0.00,-10000,99990001.0001}'"],
  ['money', "'$-12.34'"],
  ['text', "''", "'grün 🦆'"],
  ['varchar(5)', "'abcde'"],
  ['bpchar(5)', "'a'"],
  ['name', "'n'"],
  ['xml', "'<a/>'"],
  ['json', `'{"b" : 1,"b":2}'`],
  ['jsonb', `'{"b" : 1}'`],
  ['bytea', "'\\x00ff'"],
  ['uuid', "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"],
  ['date', "'4713-01-01 BC'", "'5874897-12-31'"],
  ['time', "'23:59:59.999999'", "'00:00:00.000001'"],
  ['timetz', "'12:34:56.789+05:30'"],
  ['timestamp', "'4713-01-01 BC'", "'2024-02-29 23:59:59.999999'"],
  ['timestamptz', "'2024-02-29 23:59:59.999999+01'"],
  ['interval', "'-1 year 3 days -00:00:00.000001'"],
  ['inet', "'10.1.2.3/8'", "'::1'"],
  ['cidr', "'10.0.0.0/8'"],
  ['macaddr', "'08:00:2b:01:02:03'"],
  ['bit(3)', "B'101'"],
  ['varbit', "B''", "B'10101010101'"],
  ['point', "'(1.5,-2)'"],
  ['box', "'(1,2),(3,4)'"],
  ['tsvector', "'a:1A b'"],
  ['int4range', "'[1,5)'", "'empty'", "'(,)'", "'[3,)'"],
  ['numrange', "'[1.5,2.50]'"],
  ['tstzrange', `'["2024-01-01 00:00+00",)'`],
  ['int8multirange', "'{}'", "'{[1,3),[5,9)}'"],
  ['int4[]', "'{1,NULL,3}'", "'{}'"],
  ['text[]', `'{"a b",NULL,"null"}'`],
  ['numeric(5,1)[]', "'{1.5,-2.0}'"],
  ['inet[]', "'{10.1.2.3,NULL}'"],
  ['int4range[]', `'{"[1,2)",empty}'`],
  ['mood', "'sad'", "'happy'"],
  ['mood[]', "'{sad,happy}'"],
  ['"My type"', `'(1,"x, y","{2.5}")'`],
];

describe('what was read is written as what it was', { skip: withoutPostgres }, () => {
  test('into a table that is made, and into one that is there', async (t) => {
    const { connection, database } = await connect(t);
    await connection.execute(
      `CREATE TYPE mood AS ENUM ('sad', 'happy'); CREATE TYPE "My type" AS (a int4, b text, c numeric(3,1)[])`,
    );
    const definitions = columns.map(([type], i) => `c${i} ${type}`);
    await connection.execute(`CREATE TABLE source (n int4, ${definitions.join(', ')})`);
    const rowCount = Math.max(...columns.map((column) => column.length)) - 1;
    for (let row = 0; row < rowCount; row++) {
      const values = columns.map(([, ...literals]) => literals[row] ?? 'NULL');
      await connection.execute(`INSERT INTO source VALUES (${row}, ${values.join(', ')})`);
    }
    await connection.execute('CREATE TABLE there (LIKE source)');
    const other = await connectTo(t, database);
    for (const [name, mode] of [
      ['made', 'create'],
      ['there', 'append'],
    ] as const) {
      const result = await connection.query('SELECT * FROM source');
      assert.equal(await other.ingest(name, result, { mode }), rowCount);
      const types = (table: string): Promise<Record<string, unknown>[]> =>
        database.query(
          `SELECT attname, format_type(atttypid, atttypmod) AS type FROM pg_attribute
           WHERE attrelid = '${table}'::regclass AND attnum > 0 ORDER BY attnum`,
        );
      assert.deepEqual(await types(name), await types('source'));
      const texts = (table: string): Promise<Record<string, unknown>[]> =>
        database.query(`SELECT ${columns.map((_, i) => `c${i}::text`).join(', ')} FROM ${table} ORDER BY n`);
      assert.deepEqual(await texts(name), await texts('source'));
    }
  });

  test('also its extensions, where they are', async (t) => {
    const { connection, database } = await connect(t);
    const [available] = await database.query("SELECT 1 FROM pg_available_extensions WHERE name = 'hstore'");
    if (available === undefined) return t.skip('the server has no hstore');
    await connection.execute(`CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE TABLE source (h hstore, c citext);
      INSERT INTO source VALUES ('a=>1, b=>NULL', 'Text'), ('', NULL), (NULL, '')`);
    const other = await connectTo(t, database);
    await other.ingest('made', await connection.query('SELECT * FROM source'));
    assert.deepEqual(
      await database.query('SELECT h::text, c::text, pg_typeof(h)::text AS th, pg_typeof(c)::text AS tc FROM made'),
      await database.query('SELECT h::text, c::text, pg_typeof(h)::text AS th, pg_typeof(c)::text AS tc FROM source'),
    );
    const twice = new Field('h', map(utf8(), utf8()));
    const rows = oneColumn(twice, [
      [
        ['a', '1'],
        ['a', '2'],
      ],
    ]);
    await rejects(
      connection.ingest('source', rows, { mode: 'append' }),
      'INVALID_DATA',
      /row 1: the key "a" comes twice/,
    );
  });

  test('a type that is named but not there, or that the values no longer fit, is left out', async (t) => {
    const { connection } = await connect(t);
    const field = (name: string, type: DataType, declared: string): Field =>
      new Field(name, type, { metadata: { 'POSTGRESQL:type': declared } });
    const schema = new Schema([
      field('a', int32(), 'public.gone'),
      field('b', utf8(), 'int4'),
      field('c', utf8(), 'text); DROP TABLE pg_class; --'),
      field('d', int64(), 'serial'),
      field('e', utf8(), 'varchar(7)'),
      field('f', int32(), 'numeric(5,1)'),
      field('g', decimal128(5, 1), 'numeric(9,3)'),
      field('h', decimal128(5, 1), 'numeric(4,1)'),
    ]);
    await connection.ingest('t', new Table(schema, []));
    const rows = await rowsOf(
      connection,
      "SELECT format_type(atttypid, atttypmod) AS type FROM pg_attribute WHERE attrelid = 't'::regclass AND attnum > 0 ORDER BY attnum",
    );
    assert.deepEqual(
      rows.map(({ type }) => type),
      ['integer', 'text', 'text', 'bigint', 'character varying(7)', 'integer', 'numeric(9,3)', 'numeric(5,1)'],
    );
  });
});

describe('a table that is there decides about types', { skip: withoutPostgres }, () => {
  test('text becomes what only the server can read of it, also in lists and dictionaries', async (t) => {
    const { connection } = await connect(t);
    await connection.execute('CREATE TABLE t (a inet, b macaddr[], c tsquery, d int4range, e interval)');
    const schema = new Schema([
      new Field('c', dictionary(utf8(), int8())),
      new Field('a', utf8()),
      new Field('b', list(utf8())),
      new Field('d', utf8()),
    ]);
    const table = new Table(schema, [
      oneBatch(schema, [
        ['a & b', 'a & b'],
        ['10.0.0.1', null],
        [['08:00:2b:01:02:03'], []],
        ['[1,3)', null],
      ]),
    ]);
    assert.equal(await connection.ingest('t', table, { mode: 'append' }), 2);
    assert.equal(
      await firstValue(connection, "SELECT string_agg(t::text, ' ') FROM t"),
      ['(10.0.0.1,{08:00:2b:01:02:03},"\'a\' & \'b\'","[1,3)",)', "(,{},\"'a' & 'b'\",,)"].join(' '),
    );
    const wrong = oneColumn(new Field('a', utf8()), ['10.0.0.1', 'nowhere']);
    const error = await rejects(connection.ingest('t', wrong, { mode: 'append' }), 'INVALID_DATA', /"nowhere"/);
    assert.equal(error.sqlState, '22P02');
    assert.equal(await firstValue(connection, 'SELECT count(*) FROM t'), 2n);
    // ISO 8601 and "1 mon" alike: not guessed at.
    const span = oneColumn(new Field('e', utf8()), ['1 day']);
    await rejects(
      connection.ingest('t', span, { mode: 'append' }),
      'ALREADY_EXISTS',
      /"e" is interval, the data's utf8/,
    );
  });

  test('columns that do not fit, are missing or too many are a clash that names them', async (t) => {
    const { connection } = await connect(t);
    await connection.execute(
      'CREATE TABLE t (a int4 NOT NULL, b text, c date DEFAULT now(), d int8 GENERATED ALWAYS AS IDENTITY)',
    );
    const clashes: [Field, RegExp][] = [
      [new Field('a', utf8()), /column "a" is int4, the data's utf8/],
      [new Field('b', int32()), /column "b" is text, the data's int32/],
      [new Field('c', timestamp('us')), /column "c" is date, the data's timestamp\[us\]/],
      [new Field('A', int32()), /has no "A"/],
      [new Field('b', utf8()), /lacks "a", which is NOT NULL/],
      [new Field('b', binary()), /column "b"/],
      [new Field('a', bool()), /column "a"/],
      [new Field('a', float64()), /column "a" is int4, the data's float64/],
      [new Field('a', struct({ x: int32() })), /column "a"/],
    ];
    for (const [field, message] of clashes) {
      const work = connection.ingest('t', oneColumn(field, []), { mode: 'append' });
      await rejects(work, 'ALREADY_EXISTS', message);
    }
    const rows = oneColumn(new Field('a', int64()), [7n]);
    assert.equal(await connection.ingest('t', rows, { mode: 'append' }), 1);
    assert.deepEqual(await rowsOf(connection, 'SELECT a, b, c = current_date AS c, d FROM t'), [
      { a: 7, b: null, c: true, d: 1n },
    ]);
  });

  test('decimals go to money by the server’s cast', async (t) => {
    const { connection } = await connect(t);
    await connection.execute("SET lc_monetary = 'C'; CREATE TABLE t (a money)");
    await connection.ingest('t', oneColumn(new Field('a', decimal128(6, 2)), ['1.25']), { mode: 'append' });
    assert.equal(await firstValue(connection, 'SELECT (a * 100)::numeric::int4 FROM t'), 125);
    await rejects(
      connection.ingest('t', oneColumn(new Field('a', int64()), [1n]), { mode: 'append' }),
      'ALREADY_EXISTS',
      /column "a" is money/,
    );
  });
});

function oneBatch(schema: Schema, values: readonly (readonly unknown[])[]): Table['batches'][number] {
  const tables = schema.fields.map((field, i) => oneColumn(field, values[i] ?? []));
  const made = tables.map((table) => table.batches[0]?.columns[0]);
  const [first] = tables;
  if (first === undefined) throw new Error('no columns');
  const Batch = first.batches[0]?.constructor as new (schema: Schema, columns: unknown) => Table['batches'][number];
  return new Batch(schema, made);
}
