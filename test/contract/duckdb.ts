import { open } from 'recurve';
import {
  type DataType,
  date32,
  decimal128,
  duration,
  fixedSizeList,
  float32,
  int8,
  int16,
  int32,
  interval,
  list,
  map,
  struct,
  time64,
  timestamp,
  uint8,
  uint16,
  uint32,
  uint64,
  utf8,
} from 'recurve/arrow';
import { type Harness, type ParameterCase, type Refusal, secret } from './harness.ts';
import { columnOf } from './parameter.ts';

const refusals: readonly Refusal[] = [
  { what: 'a syntax error', sql: 'SELEC 1', status: 'INVALID_ARGUMENT' },
  { what: 'an unknown column', sql: 'SELECT nope FROM range(1)', status: 'NOT_FOUND' },
  { what: 'an unknown table', sql: 'SELECT * FROM nowhere', status: 'NOT_FOUND' },
  { what: 'an unknown function', sql: 'SELECT nowhere(1)', status: 'NOT_FOUND' },
  { what: 'an unknown schema', sql: 'CREATE TABLE nowhere.t (a INTEGER)', status: 'NOT_FOUND' },
  {
    what: 'a table that is there',
    setup: ['CREATE TABLE item (id INTEGER PRIMARY KEY, n INTEGER NOT NULL CHECK (n > 0))'],
    sql: 'CREATE TABLE item (id INTEGER)',
    status: 'ALREADY_EXISTS',
  },
  {
    what: 'a key twice',
    setup: ['INSERT INTO item VALUES (1, 1)'],
    sql: 'INSERT INTO item VALUES (1, 1)',
    status: 'INTEGRITY',
  },
  { what: 'a null where none may be', sql: 'INSERT INTO item VALUES (2, NULL)', status: 'INTEGRITY' },
  { what: 'a failed check', sql: 'INSERT INTO item VALUES (2, -1)', status: 'INTEGRITY' },
  {
    what: 'a key that nothing has',
    setup: ['CREATE TABLE part (item INTEGER REFERENCES item (id))'],
    sql: 'INSERT INTO part VALUES (9)',
    status: 'INTEGRITY',
  },
  { what: 'a table that another one needs', sql: 'DROP TABLE item', status: 'INVALID_STATE' },
  { what: 'an unknown column to write to', sql: 'INSERT INTO item (nope) VALUES (1)', status: 'NOT_FOUND' },
  { what: 'too many values', sql: 'INSERT INTO item VALUES (1, 2, 3)', status: 'INVALID_ARGUMENT' },
  { what: 'a database that is there', sql: "ATTACH ':memory:' AS memory", status: 'ALREADY_EXISTS' },
  { what: 'an unknown database', sql: 'DETACH nowhere', status: 'NOT_FOUND' },
  { what: 'an unknown schema to use', sql: 'USE nowhere', status: 'NOT_FOUND' },
  { what: 'an unknown prepared statement', sql: 'EXECUTE nowhere', status: 'NOT_FOUND' },
  { what: 'text that is no JSON', sql: "SELECT json('{')", status: 'INVALID_DATA' },
  { what: 'a date that is none', sql: "SELECT DATE '2020-13-01'", status: 'INVALID_DATA' },
  { what: 'text that is no number', sql: "SELECT 'x'::INTEGER", status: 'INVALID_DATA' },
  { what: 'a number that is too large', sql: 'SELECT 300::TINYINT', status: 'INVALID_DATA' },
  { what: 'a sum that overflows', sql: 'SELECT 9223372036854775807 + 1::BIGINT', status: 'INVALID_DATA' },
  { what: 'a commit without a transaction', sql: 'COMMIT', status: 'INVALID_STATE' },
  { what: 'a file that is not there', sql: "SELECT * FROM read_csv('/nowhere/x.csv')", status: 'NOT_FOUND' },
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
  same(int8(), -128),
  same(int16(), 32767),
  same(int32(), -2147483648),
  same(uint8(), 255),
  same(uint16(), 65535),
  same(uint32(), 4294967295),
  same(uint64(), 2n ** 64n - 1n),
  same(float32(), 1.5),
  same(decimal128(10, 2), '-12.30'),
  same(decimal128(38, 0), '9'.repeat(38)),
  same(date32(), -719162),
  same(time64('us'), 86_399_999_999n),
  same(time64('ns'), 86_399_999_999_999n),
  same(timestamp('s'), -1n),
  same(timestamp('ms'), 1_684_158_330_123n),
  same(timestamp('us'), -62_135_596_800_000_000n),
  same(timestamp('ns'), 1_684_158_330_123_456_789n),
  same(interval('month-day-nano'), { months: -1, days: 2, nanoseconds: 3000n }),
  same(utf8(), null),
  {
    what: 'a duration',
    value: columnOf(duration('us'), 5n),
    type: null,
    back: { months: 0, days: 0, nanoseconds: 5000n },
  },
  { what: 'a list', value: columnOf(list(int32()), [1, null, 3]), type: null, back: [1, null, 3] },
  { what: 'an array', value: columnOf(fixedSizeList(utf8(), 2), ['a', 'b']), type: null, back: ['a', 'b'] },
  {
    what: 'a struct',
    value: columnOf(struct({ a: int32(), b: utf8() }), { a: 1, b: 'x' }),
    type: null,
    back: { a: 1, b: 'x' },
  },
  { what: 'a map', value: columnOf(map(utf8(), int32()), [['k', 1]]), type: null, back: [['k', 1]] },
  { what: 'a wide bigint', value: 2n ** 100n, type: decimal128(38, 0), back: String(2n ** 100n) },
];

/** DuckDB in this process. */
export const duckdb: Harness = {
  name: 'duckdb',
  open: () => open('duckdb:'),
  lacks: {},
  skips: {},
  openWrongly: () => [
    () => open({ uri: 'duckdb:', access_token: secret }),
    () => open(`duckdb:?secret_key=${secret}`),
    () => open({ uri: 'duckdb:', s3_secret_access_key: secret, nonsense: '1' }),
    () => open({ uri: `duckdb:?password=${secret}`, password: `${secret}2` }),
    () => open(`postgres-like://user:${secret}@host/db`),
  ],
  dialect: {
    answer: { sql: 'SELECT 42 AS answer', value: 42 },
    empty: 'SELECT 1 AS a, 2 AS b WHERE false',
    rows: (count) => `SELECT range AS i FROM range(${count})`,
    texts: (count, length) => `SELECT lpad(range::VARCHAR, ${length}, 'x') AS s FROM range(${count})`,
    endless: 'SELECT sum(a.range * b.range) FROM range(1e6::BIGINT) a, range(1e6::BIGINT) b',
    trickle: 'SELECT range AS i FROM range(1e15::BIGINT)',
    failure: {
      sql: "SELECT CASE WHEN range < 1000000 THEN range ELSE ('x' || range)::BIGINT END AS i FROM range(1500000)",
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
