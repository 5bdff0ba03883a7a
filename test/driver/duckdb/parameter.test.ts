import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import * as arrow from 'apache-arrow';
import { type Connection, open, type Parameter, type Parameters } from 'recurve';
import { type Column, Field, makeColumn, tableFromIPC, uuidField } from 'recurve/arrow';
import { connect, firstValue, rejects, rowsOf } from './fixture.ts';

/** DuckDB's own word on a parameter: its type and its value as text. */
async function seen(connection: Connection, parameter: Parameter): Promise<[type: unknown, text: unknown]> {
  const [row] = await rowsOf(connection, 'SELECT $1::VARCHAR AS text, typeof($1) AS type', [parameter]);
  return [row?.type, row?.text];
}

/** A column of one value made by another Arrow library. */
function foreign(type: arrow.DataType, value: unknown): Column {
  const table = new arrow.Table({ v: arrow.vectorFromArray([value], type) });
  const column = tableFromIPC(arrow.tableToIPC(table)).batches[0]?.column(0);
  assert.ok(column);
  return column;
}

describe('a parameter', () => {
  test('of each JavaScript type has the documented DuckDB type and the same value', async (t) => {
    const connection = await connect(t);
    const cases: [Parameter, string, string | null][] = [
      [null, '"NULL"', null],
      [undefined, '"NULL"', null],
      [true, 'BOOLEAN', 'true'],
      [false, 'BOOLEAN', 'false'],
      [0, 'BIGINT', '0'],
      [-7, 'BIGINT', '-7'],
      [2 ** 31, 'BIGINT', '2147483648'],
      [Number.MAX_SAFE_INTEGER, 'BIGINT', '9007199254740991'],
      [2 ** 53, 'DOUBLE', '9007199254740992.0'],
      [-0, 'DOUBLE', '-0.0'],
      [1.5, 'DOUBLE', '1.5'],
      [Number.NaN, 'DOUBLE', 'nan'],
      [Number.POSITIVE_INFINITY, 'DOUBLE', 'inf'],
      [Number.NEGATIVE_INFINITY, 'DOUBLE', '-inf'],
      [5n, 'BIGINT', '5'],
      [2n ** 63n - 1n, 'BIGINT', '9223372036854775807'],
      [-(2n ** 63n), 'BIGINT', '-9223372036854775808'],
      [2n ** 63n, 'HUGEINT', '9223372036854775808'],
      [-(2n ** 127n), 'HUGEINT', '-170141183460469231731687303715884105728'],
      [2n ** 127n, 'UHUGEINT', '170141183460469231731687303715884105728'],
      [2n ** 128n - 1n, 'UHUGEINT', '340282366920938463463374607431768211455'],
      ['', 'VARCHAR', ''],
      ['a\0b é 𝄞 \' " ; $1', 'VARCHAR', 'a\0b é 𝄞 \' " ; $1'],
      ['x'.repeat(100_000), 'VARCHAR', 'x'.repeat(100_000)],
      [new Uint8Array([0, 65, 255]), 'BLOB', '\\x00A\\xFF'],
      [new Uint8Array(0), 'BLOB', ''],
      [new Date(Date.UTC(2024, 1, 29, 12, 0, 0, 123)), 'TIMESTAMP WITH TIME ZONE', '2024-02-29 12:00:00.123+00'],
      [new Date(-1), 'TIMESTAMP WITH TIME ZONE', '1969-12-31 23:59:59.999+00'],
    ];
    await connection.execute("SET TimeZone = 'UTC'");
    for (const [parameter, type, text] of cases) {
      assert.deepEqual(await seen(connection, parameter), [type, text], `${type} ${text?.slice(0, 40)}`);
    }
  });

  test('that is an Arrow value has its Arrow type', async (t) => {
    const connection = await connect(t);
    await connection.execute("SET TimeZone = 'UTC'");
    const struct = new arrow.Struct([
      new arrow.Field('a', new arrow.Int16(), true),
      new arrow.Field('b "q"', new arrow.Utf8(), true),
    ]);
    const list = (type: arrow.DataType) => new arrow.List(new arrow.Field('item', type, true));
    const cases: [arrow.DataType, unknown, string, string | null][] = [
      [new arrow.Bool(), true, 'BOOLEAN', 'true'],
      [new arrow.Int8(), -128, 'TINYINT', '-128'],
      [new arrow.Uint8(), 255, 'UTINYINT', '255'],
      [new arrow.Int16(), -32768, 'SMALLINT', '-32768'],
      [new arrow.Uint16(), 65535, 'USMALLINT', '65535'],
      [new arrow.Int32(), -(2 ** 31), 'INTEGER', '-2147483648'],
      [new arrow.Uint32(), 2 ** 32 - 1, 'UINTEGER', '4294967295'],
      [new arrow.Int64(), -(2n ** 63n), 'BIGINT', '-9223372036854775808'],
      [new arrow.Uint64(), 2n ** 64n - 1n, 'UBIGINT', '18446744073709551615'],
      [new arrow.Float32(), 0.1, 'FLOAT', '0.1'],
      [new arrow.Float64(), 0.1, 'DOUBLE', '0.1'],
      [new arrow.Utf8(), 'é', 'VARCHAR', 'é'],
      [new arrow.Binary(), new Uint8Array([1, 2]), 'BLOB', '\\x01\\x02'],
      [new arrow.FixedSizeBinary(3), new Uint8Array([1, 2, 3]), 'BLOB', '\\x01\\x02\\x03'],
      [new arrow.DateDay(), new Date('2024-02-29'), 'DATE', '2024-02-29'],
      [new arrow.TimeSecond(), 86399, 'TIME', '23:59:59'],
      [new arrow.TimeMillisecond(), 86399999, 'TIME', '23:59:59.999'],
      [new arrow.TimeMicrosecond(), 86399999999n, 'TIME', '23:59:59.999999'],
      [new arrow.TimeNanosecond(), 86399999999999n, 'TIME_NS', '23:59:59.999999999'],
      [new arrow.TimestampSecond(), 1_700_000_000_000, 'TIMESTAMP_S', '2023-11-14 22:13:20'],
      [new arrow.TimestampMillisecond(), 1_700_000_000_001, 'TIMESTAMP_MS', '2023-11-14 22:13:20.001'],
      [new arrow.TimestampMicrosecond(), 1_700_000_000_001, 'TIMESTAMP', '2023-11-14 22:13:20.001'],
      [new arrow.TimestampNanosecond(), 1_700_000_000_000, 'TIMESTAMP_NS', '2023-11-14 22:13:20'],
      [new arrow.TimestampMillisecond('Asia/Tokyo'), 1, 'TIMESTAMP WITH TIME ZONE', '1970-01-01 00:00:00.001+00'],
      [new arrow.DurationMillisecond(), 90_061_001n, 'INTERVAL', '25:01:01.001'],
      [
        new arrow.Decimal(2, 10, 128),
        new Uint32Array([4294966046, 0xffffffff, 0xffffffff, 0xffffffff]),
        'DECIMAL(10,2)',
        '-12.50',
      ],
      [new arrow.Dictionary(new arrow.Utf8(), new arrow.Int8()), 'word', 'VARCHAR', 'word'],
      [list(new arrow.Int32()), [1, null, 3], 'INTEGER[]', '[1, NULL, 3]'],
      [list(new arrow.Utf8()), [], 'VARCHAR[]', '[]'],
      [list(list(new arrow.Utf8())), [['a'], null], 'VARCHAR[][]', '[[a], NULL]'],
      [new arrow.FixedSizeList(2, new arrow.Field('item', new arrow.Int8(), true)), [1, 2], 'TINYINT[2]', '[1, 2]'],
      [struct, { a: 1, 'b "q"': null }, 'STRUCT(a SMALLINT, "b ""q""" VARCHAR)', "{'a': 1, 'b \"q\"': NULL}"],
      [list(struct), [{ a: 1, 'b "q"': 'x' }], 'STRUCT(a SMALLINT, "b ""q""" VARCHAR)[]', "[{'a': 1, 'b \"q\"': x}]"],
      [new arrow.Int16(), null, 'SMALLINT', null],
      [list(struct), null, 'STRUCT(a SMALLINT, "b ""q""" VARCHAR)[]', null],
      [new arrow.Decimal(2, 10, 128), null, 'DECIMAL(10,2)', null],
    ];
    for (const [type, value, name, text] of cases) {
      assert.deepEqual(await seen(connection, foreign(type, value)).catch(String), [name, text], `${type} ${value}`);
    }
  });

  test('of a type without a JavaScript value binds too: uuid, map, interval, union', async (t) => {
    const connection = await connect(t);
    const sql =
      "SELECT '12345678-9abc-def0-1234-56789abcdef0'::UUID u, MAP {'k': [1], 'l': NULL} m, INTERVAL '13 months -2 days 3 us' i, union_value(s := 'x') n, NULL::UUID z";
    const batch = (await (await connection.query(sql)).table()).batches[0];
    assert.ok(batch);
    const texts = await rowsOf(
      connection,
      `SELECT u::VARCHAR u, m::VARCHAR m, i::VARCHAR i, n::VARCHAR n FROM (${sql})`,
    );
    for (const name of ['u', 'm', 'i', 'n']) {
      const [, text] = await seen(connection, batch.column(name));
      assert.equal(text, texts[0]?.[name]);
    }
    assert.deepEqual(await seen(connection, batch.column('z')), ['UUID', null]);
    const bytes = Uint8Array.from({ length: 16 }, (_, i) => i * 17);
    const uuid = uuidField('u');
    const column = makeColumn(uuid, { type: uuid.type, length: 1, values: bytes });
    assert.deepEqual(await seen(connection, column), ['UUID', '00112233-4455-6677-8899-aabbccddeeff']);
  });

  test('that DuckDB has no value for is refused', async (t) => {
    const connection = await connect(t);
    const refuse = (parameter: Parameter, status: string, message: RegExp) =>
      rejects(connection.query('SELECT $1', [parameter]), status, message);
    await refuse(2n ** 128n, 'INVALID_ARGUMENT', /parameter \$1 has 129 bits, DuckDB's widest integer 128/);
    await refuse('\udc00', 'INVALID_ARGUMENT', /parameter \$1 holds half of a surrogate pair/);
    await refuse(new Date(Number.NaN), 'INVALID_ARGUMENT', /parameter \$?1 is an invalid Date/);
    const three = tableFromIPC(
      arrow.tableToIPC(arrow.tableFromArrays({ v: Int32Array.of(1, 2, 3) })),
    ).batches[0]?.column(0);
    assert.ok(three);
    await refuse(three, 'INVALID_ARGUMENT', /parameter \$?1 is a column of 3 values/);
    assert.equal(await firstValue(connection, 'SELECT $1', [three.slice(1, 2)]), 2);
    const wide = new Field('d', { kind: 'decimal', precision: 50, scale: 2, bitWidth: 256 });
    const decimal = makeColumn(wide, { type: wide.type, length: 1, values: new BigInt64Array(4) });
    await refuse(decimal, 'NOT_IMPLEMENTED', /parameter \$1 is decimal256\(50, 2\)/);
    const nanos = new Field('t', { kind: 'timestamp', unit: 'ns', timezone: 'UTC' });
    const instant = makeColumn(nanos, { type: nanos.type, length: 1, values: BigInt64Array.of(1_234_567_891n) });
    await refuse(instant, 'INVALID_DATA', /1234567891 ns is finer than the microseconds/);
  });

  test('that is a whole number works where DuckDB wants an INTEGER', async (t) => {
    const connection = await connect(t);
    assert.equal(await firstValue(connection, "SELECT (DATE '2024-02-28' + $1)::VARCHAR", [2]), '2024-03-01');
    assert.equal(await firstValue(connection, "SELECT lpad('x', $1, '-')", [3]), '--x');
    assert.equal(await firstValue(connection, 'SELECT [10, 20, 30][$1]', [2]), 20);
    assert.equal(
      await firstValue(connection, 'SELECT count(*) FROM (FROM range(100) LIMIT $1 OFFSET $2)', [10, 95]),
      5n,
    );
    const unfit = connection.query("SELECT lpad('x', $1, '-')", [2 ** 40]);
    await rejects(unfit, 'INVALID_ARGUMENT', /No function matches .*BIGINT/);
    await rejects(connection.query("SELECT lpad($1, $1, '-')", [1]), 'INVALID_ARGUMENT', /No function matches/);
  });
});

describe('parameters', () => {
  const refuse = async (sql: string, parameters: Parameters, message: RegExp): Promise<void> => {
    const database = await open('duckdb:');
    await rejects((await database.connect()).query(sql, parameters), 'INVALID_ARGUMENT', message);
    await database.close();
  };

  test('bind by position and by name', async (t) => {
    const connection = await connect(t);
    const values = async (sql: string, parameters: Parameters) =>
      Object.values((await rowsOf(connection, sql, parameters))[0] ?? {});
    assert.deepEqual(await values('SELECT ?, ?', ['a', 'b']), ['a', 'b']);
    assert.deepEqual(await values('SELECT $2, $1, $2', ['a', 'b']), ['b', 'a', 'b']);
    assert.deepEqual(await values('SELECT $y, $x, $y', { x: 'a', y: 'b' }), ['b', 'a', 'b']);
    assert.deepEqual(await values('SELECT $Name', { nAME: 'a' }), ['a']);
    assert.deepEqual(await values('SELECT $2, $1', { 1: 'a', 2: 'b' }), ['b', 'a']);
    assert.deepEqual(await values('SELECT $y, $x', ['first', 'second']), ['first', 'second']);
  });

  test('that do not fit the statement are refused with both numbers or the name', async () => {
    await refuse('SELECT ?, ?', ['a'], /has 2 parameters \(\$1, \$2\), and 1 was given/);
    await refuse('SELECT ?', ['a', 'b'], /has 1 parameter \(\$1\), and 2 were given/);
    await refuse('SELECT 1', ['a'], /has no parameters, and 1 was given/);
    await refuse('SELECT $x, $y', { x: 1 }, /parameter \$y is not given; the statement has 2 parameters \(\$x, \$y\)/);
    await refuse('SELECT $x', { x: 1, z: 2 }, /no parameter \$z/);
    await refuse('SELECT $x', { x: 1, X: 2 }, /differ in upper and lower case only/);
    await refuse('SELECT $1, $3', ['a', 'b', 'c'], /parameter \$2 is missing/);
  });

  test("of both kinds in one statement are DuckDB's to refuse", async (t) => {
    const connection = await connect(t);
    await rejects(connection.query('SELECT $a, ?', [1, 2]), 'NOT_IMPLEMENTED', /Mixing named and positional/);
  });
});
