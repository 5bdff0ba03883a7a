import assert from 'node:assert/strict';
import { mkdtemp, open as openFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Connection, open, RecurveError } from 'recurve';
import { FileWriter } from 'recurve/arrow';
import { runPython } from './python.ts';

interface Case {
  readonly name: string;
  readonly sql: string;
  /** See `duckdb_oracle.py`. */
  readonly lossless?: true;
}

// Columns of DuckDB's test_all_types(): least value, greatest value, NULL.
const plainTypes = [
  ...['bool', 'tinyint', 'smallint', 'int', 'bigint', 'utinyint', 'usmallint', 'uint', 'ubigint', 'float', 'double'],
  ...[
    'date',
    'timestamp',
    'timestamp_s',
    'timestamp_ms',
    'timestamp_ns',
    'timestamp_tz',
    'interval',
    'varchar',
    'blob',
  ],
  ...['dec_4_1', 'dec_9_4', 'dec_18_6', 'dec38_10', 'small_enum', 'medium_enum', 'large_enum', 'bignum', 'geometry'],
  ...[
    'int_array',
    'double_array',
    'varchar_array',
    'nested_int_array',
    'struct',
    'struct_of_arrays',
    'array_of_structs',
  ],
  ...['map', 'union', 'fixed_int_array', 'fixed_varchar_array', 'fixed_nested_int_array', 'fixed_nested_varchar_array'],
  ...['fixed_struct_array', 'struct_of_fixed_array', 'fixed_array_of_int_list', 'list_of_fixed_int_array'],
];

// What Python's DuckDB exports only with arrow_lossless_conversion as what it is.
const losslessTypes = ['uuid', 'bit', 'time_tz'];

/** Columns of test_all_types() with a value that has no place in the Arrow type, and what the error names. */
const refused: Record<string, RegExp> = {
  hugeint: /HUGEINT -170141183460469231731687303715884105728/,
  uhugeint: /UHUGEINT 340282366920938463463374607431768211455/,
  time: /TIME 24:00:00/,
  time_ns: /TIME 24:00:00/,
  date_array: /DATE infinity/,
  timestamp_array: /TIMESTAMP infinity/,
  timestamptz_array: /TIMESTAMP infinity/,
};

const rowCounts = [0, 1, 2047, 2048, 2049, 10_000];

/** A column of each kind over `range`, NULL in every seventh row. */
const mixed = `
  i % 2 = 0 AS b, i::INTEGER AS i32, i AS i64, (i * 1.5)::DOUBLE AS f64, (i / 7)::FLOAT AS f32, i::HUGEINT * 1000000007 AS huge,
  (i::HUGEINT * 99991)::UHUGEINT AS uhuge, (i / 100)::DECIMAL(9, 2) AS d9, (i::DECIMAL(30, 0) * 123456789012) AS d38,
  DATE '1969-12-28' + i::INTEGER AS d, TIME '00:00:00' + INTERVAL (i) SECOND AS t, TIMESTAMP '1999-12-31' + INTERVAL (i) HOUR AS ts,
  (TIMESTAMP '1999-12-31' + INTERVAL (i) HOUR)::TIMESTAMP_S AS ts_s, (TIMESTAMP '1999-12-31' + INTERVAL (i) HOUR)::TIMESTAMP_MS AS ts_ms,
  (TIMESTAMP '1999-12-31' + INTERVAL (i) HOUR)::TIMESTAMP_NS AS ts_ns, (TIMESTAMP '1999-12-31' + INTERVAL (i) HOUR)::TIMESTAMPTZ AS tz,
  INTERVAL (i) MONTH + INTERVAL (i * 3) DAY + INTERVAL (i * 17) SECOND AS span,
  'v' || i AS s, repeat('é', (i % 20)::INTEGER) AS accents, (i::VARCHAR)::BLOB AS raw,
  (['red', 'green', 'blue'][(i % 3 + 1)::INTEGER])::ENUM('red', 'green', 'blue') AS e`;
const nested = `
  range(0, i % 5) AS l, [{'k': i, 'm': MAP {'a' || i: [i, NULL]}}, NULL] AS lsm, {'x': i, 'y': {'z': 's' || i}} AS st,
  [i, i + 1]::BIGINT[2] AS a2, MAP {i: 'v' || i, -1: NULL} AS m,
  CASE WHEN i % 2 = 0 THEN i::UNION(n BIGINT, t VARCHAR) ELSE ('s' || i)::UNION(n BIGINT, t VARCHAR) END AS u`;

/** Every column NULL in every seventh row. */
function withNulls(rows: number, from: string): string {
  return `SELECT t.* FROM range(${rows}) r(j) LEFT JOIN (${from}) t ON t.i = j AND j % 7 <> 3 ORDER BY j`;
}

function cases(directory: string): Case[] {
  const list: Case[] = [
    ...plainTypes.map((name) => ({ name, sql: `SELECT "${name}" AS x FROM test_all_types()` })),
    ...losslessTypes.map((name) => ({
      name,
      sql: `SELECT "${name}" AS x FROM test_all_types()`,
      lossless: true as const,
    })),
    {
      name: 'hugeint of 38 digits',
      sql: "SELECT unnest(['9'::HUGEINT, repeat('9', 38)::HUGEINT, -repeat('9', 38)::HUGEINT, NULL]) AS x",
    },
    { name: 'time', sql: "SELECT unnest([TIME '00:00:00', TIME '23:59:59.999999', NULL]) AS x" },
    { name: 'nothing but NULL', sql: 'SELECT NULL::INTEGER AS x, NULL::VARCHAR AS y FROM range(5000)' },
    { name: 'json', sql: `SELECT '{"a": [1, 2]}'::JSON AS x`, lossless: true },
    {
      name: 'strings of 0, 12, 13 and 1,000,000 bytes',
      sql: `SELECT repeat('x', n) AS x FROM (VALUES (0), (12), (13), (1000000), (NULL)) t(n)`,
    },
    {
      name: 'long strings with gaps',
      sql: `SELECT x FROM (SELECT i, repeat(chr(97 + (i % 26)::INTEGER), (10 + i % 9)::INTEGER) AS x FROM range(100000) t(i)) WHERE i % 3 = 0`,
    },
    { name: 'sorted', sql: `SELECT 'key number ' || (i * 7919 % 50000) AS x, i FROM range(50000) t(i) ORDER BY ALL` },
    { name: 'joined', sql: `SELECT a.x, b.x AS y FROM strings a JOIN strings b ON a.i = b.i + 1 ORDER BY ALL` },
    {
      name: 'aggregated',
      sql: `SELECT i % 10 AS k, count(*), sum(i), avg(i), min(x), list(i ORDER BY i) FROM strings GROUP BY ALL ORDER BY ALL`,
    },
    ...['parquet', 'csv'].map((kind) => ({
      name: `from ${kind}`,
      sql: `SELECT * FROM '${join(directory, `strings.${kind}`)}' ORDER BY ALL`,
    })),
    { name: 'from a database on disk', sql: 'SELECT * FROM disk.strings ORDER BY ALL' },
    { name: 'flat types from Parquet', sql: `SELECT * FROM '${join(directory, 'flat.parquet')}' ORDER BY ALL` },
  ];
  for (const rows of rowCounts) {
    const from = (columns: string): string => `SELECT i, ${columns} FROM range(${rows}) t(i)`;
    list.push(
      { name: `${rows} rows`, sql: from(mixed) },
      { name: `${rows} rows with NULLs`, sql: withNulls(rows, from(mixed)) },
    );
    list.push(
      { name: `${rows} nested rows`, sql: from(nested) },
      { name: `${rows} nested rows with NULLs`, sql: withNulls(rows, from(nested)) },
    );
  }
  return list;
}

// Both sides run these: the same threads for the order of rows, the same zone for TIMESTAMPTZ.
const settings = ['SET threads = 1', "SET TimeZone = 'Europe/Berlin'"];
const stringTable = `CREATE TABLE strings AS SELECT i, CASE WHEN i % 11 = 0 THEN NULL ELSE repeat('ab', (i % 15)::INTEGER) || i END AS x FROM range(20000) t(i)`;

test("results that recurve writes equal those of Python's DuckDB, in type and value, read by pyarrow", async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-oracle-'));
  t.after(() => rm(directory, { recursive: true }));
  const database = await open('duckdb:');
  t.after(() => database.close());
  const connection = await database.connect();
  for (const sql of [...settings, stringTable]) await connection.execute(sql);
  await connection.execute(`COPY strings TO '${join(directory, 'strings.parquet')}'`);
  await connection.execute(`COPY strings TO '${join(directory, 'strings.csv')}'`);
  await connection.execute(`COPY (SELECT ${mixed} FROM range(9000) t(i)) TO '${join(directory, 'flat.parquet')}'`);

  const disk = join(directory, 'disk.db');
  await connection.execute(`ATTACH '${disk}' AS disk`);
  await connection.execute('CREATE TABLE disk.strings AS SELECT * FROM strings');
  await connection.execute('DETACH disk');
  const attach = `ATTACH '${disk}' AS disk (READ_ONLY)`;
  await connection.execute(attach);

  const written = [];
  for (const [index, one] of cases(directory).entries()) {
    const file = join(directory, `${index}.arrow`);
    await writeArrowFile(connection, one.sql, file);
    written.push({ ...one, file });
  }
  const answer = (await runPython('duckdb_oracle.py', [], {
    setup: [...settings, stringTable, attach],
    cases: written,
  })) as {
    versions: Record<string, string>;
    results: Record<string, string | null>;
  };
  for (const [name, version] of Object.entries(answer.versions)) t.diagnostic(`peer: ${name} ${version}`);
  assert.equal(Object.keys(answer.results).length, written.length, 'every case has a name of its own');
  for (const [name, difference] of Object.entries(answer.results))
    await t.test(name, () => assert.equal(difference, null));
});

test('a value that the Arrow type cannot hold is refused by name, where Python loses it in silence', async (t) => {
  const database = await open('duckdb:');
  t.after(() => database.close());
  const connection = await database.connect();
  for (const [name, pattern] of Object.entries(refused)) {
    await t.test(name, async () => {
      const result = await connection.query(`SELECT "${name}" AS x FROM test_all_types()`);
      await assert.rejects(result.table(), (error: unknown) => {
        assert.ok(RecurveError.is(error));
        assert.equal(error.status, 'INVALID_DATA');
        assert.match(error.message, pattern);
        assert.match(error.message, /"x/);
        return true;
      });
    });
  }
});

async function writeArrowFile(connection: Connection, sql: string, path: string): Promise<void> {
  const result = await connection.query(sql, [], { batch: { maxRows: 3000 } });
  const writer = new FileWriter(result.schema);
  const file = await openFile(path, 'w');
  try {
    for (const chunk of writer.start()) await file.write(chunk);
    for await (const batch of result) for (const chunk of writer.write(batch)) await file.write(chunk);
    for (const chunk of writer.finish()) await file.write(chunk);
  } finally {
    await file.close();
  }
}
