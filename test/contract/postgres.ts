import { open } from 'recurve';
import type { Database } from 'recurve/adbc';
import {
  type DataType,
  date32,
  decimal128,
  float32,
  int16,
  int32,
  interval,
  list,
  time64,
  timestamp,
  utf8,
} from 'recurve/arrow';
import { testServer } from '../driver/postgres/server.ts';
import { type Harness, type ParameterCase, type Refusal, secret } from './harness.ts';
import { columnOf } from './parameter.ts';

const refusals: readonly Refusal[] = [
  { what: 'a syntax error', sql: 'SELEC 1', status: 'INVALID_ARGUMENT', sqlState: '42601' },
  { what: 'an unknown column', sql: 'SELECT nope', status: 'NOT_FOUND', sqlState: '42703' },
  { what: 'an unknown table', sql: 'SELECT * FROM nowhere', status: 'NOT_FOUND', sqlState: '42P01' },
  { what: 'an unknown function', sql: 'SELECT nowhere(1)', status: 'NOT_FOUND', sqlState: '42883' },
  { what: 'an unknown type', sql: "SELECT 'x'::nowhere", status: 'NOT_FOUND', sqlState: '42704' },
  {
    what: 'an unknown schema',
    sql: 'CREATE TABLE nowhere.t (a INTEGER)',
    status: 'NOT_FOUND',
    sqlState: '3F000',
  },
  {
    what: 'a table that is there',
    setup: ['CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0))'],
    sql: 'CREATE TABLE item (id INTEGER)',
    status: 'ALREADY_EXISTS',
    sqlState: '42P07',
  },
  {
    what: 'a key twice',
    setup: ['INSERT INTO item VALUES (1, 1)'],
    sql: 'INSERT INTO item VALUES (1, 1)',
    status: 'INTEGRITY',
    sqlState: '23505',
  },
  {
    what: 'a null where none may be',
    sql: 'INSERT INTO item VALUES (2, NULL)',
    status: 'INTEGRITY',
    sqlState: '23502',
  },
  { what: 'a failed check', sql: 'INSERT INTO item VALUES (2, -1)', status: 'INTEGRITY', sqlState: '23514' },
  {
    what: 'a key that nothing has',
    setup: ['CREATE TABLE part (item INTEGER REFERENCES item (id))'],
    sql: 'INSERT INTO part VALUES (9)',
    status: 'INTEGRITY',
    sqlState: '23503',
  },
  { what: 'too many values', sql: 'INSERT INTO item VALUES (1, 2, 3)', status: 'INVALID_ARGUMENT', sqlState: '42601' },
  { what: 'an unknown cursor', sql: 'CLOSE nowhere', status: 'NOT_FOUND', sqlState: '34000' },
  { what: 'an unknown prepared statement', sql: 'EXECUTE nowhere', status: 'NOT_FOUND', sqlState: '26000' },
  { what: 'text that is no JSON', sql: "SELECT '{'::json", status: 'INVALID_DATA', sqlState: '22P02' },
  { what: 'a date that is none', sql: "SELECT DATE '2020-13-01'", status: 'INVALID_DATA', sqlState: '22008' },
  { what: 'text that is no number', sql: "SELECT 'x'::INTEGER", status: 'INVALID_DATA', sqlState: '22P02' },
  { what: 'a number that is too large', sql: 'SELECT 70000::SMALLINT', status: 'INVALID_DATA', sqlState: '22003' },
  { what: 'a division by zero', sql: 'SELECT 1 / 0', status: 'INVALID_DATA', sqlState: '22012' },
  { what: 'what a read-only transaction may not', sql: 'FETCH 1 FROM nowhere', status: 'NOT_FOUND', sqlState: '34000' },
  {
    what: 'a savepoint outside of a transaction',
    sql: 'SAVEPOINT a',
    status: 'INVALID_STATE',
    sqlState: '25P01',
  },
];

/** An Arrow value that comes back as the same Arrow type. */
function same(type: DataType, value: unknown, back: unknown = value): ParameterCase {
  return {
    what: `a column of ${JSON.stringify(type, (_, v) => (typeof v === 'bigint' ? `${v}` : v))}`,
    value: columnOf(type, value),
    type,
    back,
  };
}

const parameterCases: readonly ParameterCase[] = [
  same(int16(), 32767),
  same(int32(), -2147483648),
  same(float32(), 1.5),
  same(date32(), -719162),
  same(time64('us'), 86_399_999_999n),
  same(timestamp('us'), -62_135_596_800_000_000n),
  same(timestamp('us', 'UTC'), 1_684_158_330_123_456n),
  same(interval('month-day-nano'), { months: -1, days: 2, nanoseconds: 3000n }),
  same(utf8(), null),
  same(utf8(), 'é'),
  { what: 'a decimal', value: columnOf(decimal128(10, 2), '-12.30'), type: utf8(), back: '-12.30' },
  { what: 'a list', value: columnOf(list(int32()), [1, null, 3]), type: null, back: [1, null, 3] },
  { what: 'a wide bigint', value: 2n ** 100n, type: utf8(), back: String(2n ** 100n) },
];

/** A database of its own on the tests' server, dropped when it is closed. */
async function openFresh(): Promise<Database> {
  const own = await (await testServer()).createDatabase();
  const database = await open(own.uri);

  const close = database.close.bind(database);
  let dropped: Promise<void> | undefined;
  database.close = async () => {
    await close();
    dropped ??= own.close();
    await dropped;
  };
  return database;
}

/** PostgreSQL: the one that comes with the tests, or the one that RECURVE_TEST_POSTGRES names. */
export const postgres: Harness = {
  name: 'postgres',
  open: openFresh,
  lacks: { 'named parameters': "PostgreSQL's parameters have no names" },
  skips: {},
  openWrongly: () => [
    () => open(`postgresql://user:${secret}@127.0.0.1:1/nowhere`).then((database) => database.connect()),
    () => open({ uri: 'postgresql://127.0.0.1:1', password: secret }).then((database) => database.connect()),
    () => open(`postgresql://127.0.0.1:1?password=${secret}&nonsense=1`),
    () => open(`postgresql://127.0.0.1:1?sslpassword=${secret}&sslmode=nonsense`),
    () => open(`postgresql://user:${secret}@127.0.0.1:port/nowhere`),
  ],
  dialect: {
    answer: { sql: 'SELECT 42 AS answer', value: 42 },
    empty: 'SELECT 1 AS a, 2 AS b WHERE false',
    rows: (count) => `SELECT i FROM generate_series(0::BIGINT, ${count - 1}) AS i`,
    texts: (count, length) => `SELECT lpad(i::TEXT, ${length}, 'x') AS s FROM generate_series(0, ${count - 1}) AS i`,
    endless: 'SELECT sum(a * b) FROM generate_series(1, 1000000) AS a, generate_series(1, 1000000) AS b',
    trickle: 'SELECT generate_series(0::BIGINT, 1000000000000000) AS i',
    failure: {
      sql: "SELECT CASE WHEN i < 1000000 THEN i ELSE ('x' || i)::BIGINT END AS i FROM (SELECT generate_series(0::BIGINT, 1499999) AS i) AS s",
      rows: 1_000_000,
      status: 'INVALID_DATA',
    },
    refusals,
    parameter: (position) => `$${position}`,
    namedParameter: (name) => `$${name}`,
    select: (expression) => `SELECT ${expression} AS value`,
    parameterCases,
    quote: (identifier) => `"${identifier.replaceAll('"', '""')}"`,
  },
};
