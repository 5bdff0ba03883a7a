import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { type Connection, RecurveError } from 'recurve';
import { type Column, Field, makeColumn, RecordBatch, Schema, type Table, tableToIPC } from 'recurve/arrow';
import { connect, firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

/** Of each type that DuckDB writes to Arrow without loss and reads back as the same type. */
const expressions: Record<string, string> = {
  bool: 'i % 2 = 0',
  i8: '(i % 256 - 128)::TINYINT',
  u8: '(i % 256)::UTINYINT',
  i16: '(i * 7 % 65536 - 32768)::SMALLINT',
  u16: '(i * 7 % 65536)::USMALLINT',
  i32: '(i * 12345 - 1000000)::INTEGER',
  u32: '(i * 12345)::UINTEGER',
  i64: 'i * 1234567890123 - 1000',
  u64: '(i * 1234567890123)::UBIGINT',
  f32: '(i / 3)::FLOAT',
  f64: "CASE i % 5 WHEN 0 THEN 'nan'::DOUBLE WHEN 1 THEN '-inf'::DOUBLE ELSE i / 7 END",
  d4: '((i % 1000) / 10 - 50)::DECIMAL(4, 1)',
  d9: '(i * 1000 - 5)::DECIMAL(9, 2)',
  d18: '(i * 100000 - 5)::DECIMAL(18, 3)',
  d38: "('123456789012345678901234' || (i % 1000))::DECIMAL(38, 5)",
  date: "DATE '1969-12-01' + i::INTEGER",
  time: "TIME '00:00:00' + to_microseconds(i * 17)",
  time_ns: "('12:00:00.' || lpad((i * 12345)::VARCHAR, 9, '0'))::TIME_NS",
  ts: "TIMESTAMP '1969-12-31 23:59:59.5' + to_microseconds(i * 123457)",
  ts_s: "(TIMESTAMP '1969-12-31 23:59:59' + to_seconds(i))::TIMESTAMP_S",
  ts_ms: "(TIMESTAMP '1969-12-31 23:59:59' + to_milliseconds(i))::TIMESTAMP_MS",
  ts_ns: "('2024-01-01 00:00:00.' || lpad((i * 12345)::VARCHAR, 9, '0'))::TIMESTAMP_NS",
  ts_tz: "TIMESTAMPTZ '1969-12-31 23:59:59.5+00' + to_microseconds(i * 123457)",
  interval: 'to_months(i::INTEGER % 30 - 10) + to_days(i::INTEGER % 9 - 4) + to_microseconds(i * 1000003 - 77)',
  text: "CASE i % 6 WHEN 0 THEN '' WHEN 1 THEN 'twelve bytes' WHEN 2 THEN 'thirteen byte' WHEN 3 THEN repeat('é𝄞', (i % 40)::INTEGER) WHEN 4 THEN chr(0) || i ELSE i::VARCHAR END",
  json: "('{\"a\":' || i || '}')::JSON",
  blob: "CASE i % 3 WHEN 0 THEN ''::BLOB WHEN 1 THEN '\\xFF\\x00'::BLOB ELSE repeat('x', (i % 30)::INTEGER)::BLOB END",
  uuid: '(md5(i::VARCHAR))::UUID',
  list: 'CASE WHEN i % 4 = 0 THEN [] ELSE [i, NULL, -i] END',
  list_text: "[repeat('x', (i % 20)::INTEGER), NULL, '']",
  struct: "{'a': i, 'b c': CASE WHEN i % 3 = 0 THEN NULL ELSE 'b' || i END}",
  map: 'MAP {i: [i::VARCHAR], -i - 1: NULL}',
  deep: "[{'m': MAP {'k' || i: [i, NULL]}, 'l': NULL::INTEGER[]}, NULL]",
  list_of_array: '[[i, NULL]::BIGINT[2], NULL]',
  union:
    "CASE WHEN i % 2 = 0 THEN union_value(n := i)::UNION(n BIGINT, s VARCHAR) ELSE union_value(s := repeat('z', (i % 20)::INTEGER))::UNION(n BIGINT, s VARCHAR) END",
};

/** The same for ARRAY, which has no CASE: lists of the right length, and what to cast them to. */
const arrays: Record<string, [sql: string, type: string]> = {
  array: ['[i, NULL, i + 1]', 'INTEGER[3]'],
  array_of_list: ['[[i], NULL, []]', 'BIGINT[][3]'],
  array_of_struct: ["[{'s': repeat('y', (i % 20)::INTEGER)}, NULL]", 'STRUCT(s VARCHAR)[2]'],
};

/** Arrow's unions have no nulls: a null one comes as a null of the first member. */
function compared(side: string, name: string): string {
  return name === 'union' ? `[${side}."union".n::VARCHAR, ${side}."union".s]` : `${side}."${name}"`;
}

async function fetchTable(connection: Connection, sql: string): Promise<Table> {
  return (await connection.query(sql)).table();
}

describe('Arrow columns written to a DuckDB table', () => {
  test('are what DuckDB sent, for each type, with nulls, across chunks and in slices', async (t) => {
    const folder = scratchFolder(t);
    const connection = await connect(t);
    await connection.execute("SET TimeZone = 'UTC'");
    const withNulls = (sql: string, k: number) =>
      `CASE WHEN (i + ${k}) % 7 = 0 AND ${k} % 3 < 2 THEN NULL ELSE ${sql} END`;
    const list = [
      ...Object.entries(expressions).map(([name, sql], k) => `${withNulls(sql, k)} AS "${name}"`),
      ...Object.entries(arrays).map(([name, [sql, type]], k) => `(${withNulls(sql, k)})::${type} AS "${name}"`),
    ];
    await connection.execute(`CREATE TABLE source AS SELECT i, ${list.join(', ')} FROM range(5000) r(i)`);
    const sent = await fetchTable(connection, 'FROM source ORDER BY i');
    // Slices whose bitmaps start inside of a byte.
    const parts = [0, 3, 2050, 2051, 4999, 5000];
    const batches = parts.slice(1).flatMap((end, k) => sent.slice(parts[k], end).batches);
    const path = join(folder, 'x.arrow');
    writeFileSync(path, tableToIPC({ schema: sent.schema, batches }, { format: 'file' }));
    for (const name of Object.keys({ ...expressions, ...arrays })) {
      const sql = `SELECT count(*) n, count(*) FILTER (WHERE ${compared('a', name)} IS DISTINCT FROM ${compared('b', name)}) wrong, any_value(typeof(a."${name}")) ta, any_value(typeof(b."${name}")) tb, count(b."${name}") AS present FROM source a JOIN '${path}' b USING (i)`;
      const [row] = await rowsOf(connection, sql);
      assert.deepEqual([row?.n, row?.wrong, row?.tb], [5000n, 0n, row?.ta], name);
      assert.ok(Number(row?.present) > 0, `${name} has values`);
    }
  });

  test('keep nothing of a chunk in the next one', async (t) => {
    const folder = scratchFolder(t);
    const connection = await connect(t);
    // Nulls and long lists in the first chunk, none in the second, nulls again in the third.
    const list =
      "SELECT i, CASE WHEN i // 2048 = 1 THEN [i] WHEN i % 2 = 0 THEN NULL ELSE range(i % 50) END l, CASE WHEN i // 2048 = 1 THEN {'a': [i]} END s FROM range(6000) r(i)";
    const sent = await fetchTable(connection, list);
    const path = join(folder, 'x.arrows');
    writeFileSync(path, tableToIPC(sent));
    const wrong = `SELECT count(*) FROM (${list}) a JOIN '${path}' b USING (i) WHERE a.l IS DISTINCT FROM b.l OR a.s IS DISTINCT FROM b.s OR len(b.l) IS DISTINCT FROM len(a.l) OR b.s.a IS DISTINCT FROM a.s.a`;
    assert.equal(await firstValue(connection, wrong), 0n);
    assert.equal(await firstValue(connection, `SELECT count(*) FROM '${path}'`), 6000n);
    // Nulls inside of nested values in the first chunk only, of lists longer than a vector too.
    const inner = (value: string) => `CASE WHEN i // 2048 = 1 THEN ${value} ELSE NULL END`;
    const nested = `SELECT i, [${inner('i')}, ${inner('-i')}, ${inner('7')}] l, {'a': ${inner('i')}} s, [${inner('i')}]::BIGINT[1] f, MAP {i: ${inner('i')}} m FROM range(6000) r(i)`;
    await connection.ingest('nested', await fetchTable(connection, nested));
    const lost = `SELECT count(*) FROM (${nested}) a JOIN nested b USING (i) WHERE a.l IS DISTINCT FROM b.l OR a.s IS DISTINCT FROM b.s OR a.f IS DISTINCT FROM b.f OR a.m IS DISTINCT FROM b.m`;
    assert.equal(await firstValue(connection, lost), 0n);
  });

  test('have names that a table can have', async (t) => {
    const path = join(scratchFolder(t), 'x.arrow');
    const int = { kind: 'int', bitWidth: 32, signed: true } as const;
    const fields = ['a', 'A', '', 'a_1', 'q"'].map((name) => new Field(name, int));
    const column = (field: Field) => makeColumn(field, { type: int, length: 1, values: Int32Array.of(1) });
    const schema = new Schema(fields);
    writeFileSync(
      path,
      tableToIPC({ schema, batches: [new RecordBatch(schema, fields.map(column))] }, { format: 'file' }),
    );
    const connection = await connect(t);
    assert.deepEqual((await fetchTable(connection, `FROM '${path}'`)).schema.names, [
      'a',
      'A_1',
      'column2',
      'a_1_1',
      'q"',
    ]);
  });

  test('without rows make an empty table', async (t) => {
    const path = join(scratchFolder(t), 'x.arrows');
    const connection = await connect(t);
    const sent = await fetchTable(connection, "SELECT 1 AS a, ['x'] AS b WHERE false");
    writeFileSync(path, tableToIPC(sent));
    const table = await fetchTable(connection, `FROM '${path}'`);
    assert.deepEqual([String(table.schema), table.numRows], [String(sent.schema), 0]);
  });
});

describe('an Arrow column that DuckDB cannot hold', () => {
  const load = async (t: Parameters<typeof connect>[0], field: Field, column: Column): Promise<void> => {
    const path = join(scratchFolder(t), 'x.arrow');
    const schema = new Schema([field]);
    writeFileSync(path, tableToIPC({ schema, batches: [new RecordBatch(schema, [column])] }, { format: 'file' }));
    await (await connect(t)).execute(`FROM '${path}'`);
  };
  const one = (type: Field['type'], layout: object): [Field, Column] => {
    const field = new Field('v', type);
    return [field, makeColumn(field, { type, length: 1, ...layout })];
  };

  test('is refused by its type', async (t) => {
    const decimal = one({ kind: 'decimal', precision: 50, scale: 0, bitWidth: 256 }, { values: new BigInt64Array(4) });
    await rejects(load(t, ...decimal), 'NOT_IMPLEMENTED', /column "v" is decimal256\(50, 0\)/);
    await rejects(
      load(t, ...one({ kind: 'struct', children: [] }, { children: [] })),
      'NOT_IMPLEMENTED',
      /column "v" has a struct of the names \[\]/,
    );
  });

  test('is refused by its values, unless they are null', async (t) => {
    const int64 = (...values: bigint[]) => ({ values: BigInt64Array.from(values) });
    const max = 2n ** 63n - 1n;
    const cases: [[Field, Column], RegExp][] = [
      [one({ kind: 'timestamp', unit: 'us', timezone: null }, int64(max)), /means infinity/],
      [one({ kind: 'timestamp', unit: 's', timezone: 'UTC' }, int64(max / 1000n)), /is outside of the range/],
      [one({ kind: 'timestamp', unit: 'ns', timezone: 'UTC' }, int64(1001n)), /1001 ns is finer than the microseconds/],
      [one({ kind: 'duration', unit: 'ns' }, int64(-1n)), /-1 ns is finer/],
      [one({ kind: 'duration', unit: 's' }, int64(-max)), /outside of the range/],
      [one({ kind: 'time', unit: 'us' }, int64(86_400_000_001n)), /no time of day/],
      [one({ kind: 'time', unit: 's' }, { values: Int32Array.of(-1) }), /-1 s is no time of day/],
      [one({ kind: 'date', unit: 'day' }, { values: Int32Array.of(2 ** 31 - 1) }), /means infinity/],
      [one({ kind: 'date', unit: 'ms' }, int64(86_400_001n)), /86400001 ms is no DATE/],
      [
        one({ kind: 'decimal', precision: 4, scale: 1, bitWidth: 128 }, int64(10_000n, 0n)),
        /10000 has more digits than the precision 4/,
      ],
      [
        one({ kind: 'decimal', precision: 18, scale: 0, bitWidth: 128 }, int64(0n, 1n)),
        /18446744073709551616 has more digits than the precision 18/,
      ],
      [
        one({ kind: 'utf8', large: false }, { offsets: Int32Array.of(0, 2), data: Uint8Array.of(0xc3, 0x28) }),
        /the text is not UTF-8/,
      ],
    ];
    for (const [[field, column], message] of cases) {
      await rejects(load(t, field, column), 'INVALID_DATA', message);
      const layout = { ...column.layout, validity: Uint8Array.of(0), nullCount: 1 };
      await load(t, field, makeColumn(field, layout)).catch((error: unknown) => {
        assert.fail(`null: ${message}: ${RecurveError.is(error) ? error.message : error}`);
      });
    }
  });
});
