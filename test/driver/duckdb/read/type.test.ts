import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { extensionOf } from '../../../../src/arrow/extension.ts';
import { typeToString } from '../../../../src/arrow/type.ts';
import { openSession } from './session.ts';

/**
 * Types as Python's DuckDB 1.5.6 gives them from `to_arrow_table` (pyarrow 26), in recurve's spelling, with the extension
 * that it adds under `arrow_lossless_conversion`. The deviations of `docs/duckdb-types.md` stand below.
 */
const oracle: ReadonlyArray<readonly [expression: string, type: string, extension?: string]> = [
  ['true', 'bool'],
  ['1::tinyint', 'int8'],
  ['1::smallint', 'int16'],
  ['1', 'int32'],
  ['1::bigint', 'int64'],
  ['1::utinyint', 'uint8'],
  ['1::usmallint', 'uint16'],
  ['1::uinteger', 'uint32'],
  ['1::ubigint', 'uint64'],
  ['1::hugeint', 'decimal128(38, 0)'],
  ['sum(1)', 'decimal128(38, 0)'],
  ['1::uhugeint', 'decimal128(38, 0)'],
  ['1::float', 'float32'],
  ['1::double', 'float64'],
  ['1.5::decimal(4,1)', 'decimal128(4, 1)'],
  ['1.5::decimal(38,1)', 'decimal128(38, 1)'],
  ["'a'", 'utf8'],
  ["'a'::blob", 'binary'],
  ["'101'::bit", 'binary', 'arrow.opaque {"type_name":"bit","vendor_name":"DuckDB"}'],
  ['1::bignum', 'binary', 'arrow.opaque {"type_name":"bignum","vendor_name":"DuckDB"}'],
  ["'{}'::json", 'utf8', 'arrow.json '],
  ['uuid()', 'fixed_size_binary[16]', 'arrow.uuid '],
  ["date '2020-01-01'", 'date32[day]'],
  ["time '12:00:00'", 'time64[us]'],
  ["'12:00:00'::time_ns", 'time64[ns]'],
  ["'12:00:00+02'::timetz", 'fixed_size_binary[8]', 'arrow.opaque {"type_name":"time_tz","vendor_name":"DuckDB"}'],
  ["timestamp '2020-01-01'", 'timestamp[us]'],
  ["'2020-01-01'::timestamp_s", 'timestamp[s]'],
  ["'2020-01-01'::timestamp_ms", 'timestamp[ms]'],
  ["'2020-01-01'::timestamp_ns", 'timestamp[ns]'],
  ["'2020-01-01'::timestamptz", 'timestamp[us, Europe/Berlin]'],
  ['interval 1 month', 'interval[month-day-nano]'],
  ["'a'::enum('a', 'b')", 'dictionary<values=utf8, indices=uint8>'],
  ['[1, 2]', 'list<l: int32>'],
  ['[1, 2]::integer[2]', 'fixed_size_list<: int32>[2]'],
  ["{'a': 1, 'b': 'x'}", 'struct<a: int32, b: utf8>'],
  ['row(1, 2)', 'struct<: int32, : int32>'],
  ["map {'a': 1}", 'map<key: utf8 not null, value: int32>'],
  ['union_value(num := 1)::union(num integer, str varchar)', 'sparse_union<num: int32=0, str: utf8=1>'],
  ["[{'a': map {'k': [1]}}]", 'list<l: struct<a: map<key: utf8 not null, value: list<l: int32>>>>'],
  ["'POINT(1 2)'::geometry", 'binary', 'geoarrow.wkb {}'],
];

describe('types', async () => {
  const session = await openSession();

  for (const [expression, type, extension] of oracle) {
    it(`${expression} is ${type}${extension === undefined ? '' : ` as ${extension}`}`, async () => {
      const { schema } = await session.read(`select ${expression} as c`, { timezone: 'Europe/Berlin' });
      const field = schema.field(0);
      assert.equal(field.name, 'c');
      assert.ok(field.nullable);
      assert.equal(typeToString(field.type), type);
      const found = extensionOf(field);
      assert.equal(found && `${found.name} ${found.metadata}`, extension);
    });
  }

  for (const [count, index] of [
    [255, 'uint8'],
    [256, 'uint16'],
    [65_536, 'uint32'],
  ] as const) {
    it(`an ENUM of ${count} values has indices of ${index}`, async () => {
      const name = `enum_${count}`;
      await session.official.run(`create type ${name} as enum (select 'value ' || i from range(${count}) t(i))`);
      const { schema, batches } = await session.read(
        `select 'value ' || (i % ${count}) as s, s::${name} e from range(${count}) t(i)`,
      );
      assert.equal(typeToString(schema.field('e').type), `dictionary<values=utf8, indices=${index}>`);
      assert.deepEqual(batches[0]?.column('e').toArray(), batches[0]?.column('s').toArray());
    });
  }

  it('a geometry with a coordinate reference system carries it', async () => {
    const { schema } = await session.read("select 'POINT(1 2)'::geometry('OGC:CRS84') g");
    assert.equal(extensionOf(schema.field(0))?.metadata, '{"crs_type":"authority_code","crs":"OGC:CRS84"}');
  });

  it('a geometry is well-known binary', async () => {
    const { batches } = await session.read("select 'POINT(1 2)'::geometry g");
    const wkb = Buffer.alloc(21);
    wkb.writeUInt8(1, 0);
    wkb.writeUInt32LE(1, 1);
    wkb.writeDoubleLE(1, 5);
    wkb.writeDoubleLE(2, 13);
    assert.deepEqual(Buffer.from(batches[0]?.column(0).at(0) as Uint8Array), wkb);
  });

  it('a BIGNUM is the bytes that Python gives', async () => {
    const { batches } = await session.read('select 123456789012345678901234567890::bignum b');
    assert.equal(
      Buffer.from(batches[0]?.column(0).at(0) as Uint8Array).toString('hex'),
      '80000d018ee90ff6c373e0ee4e3f0ad2',
    );
  });

  it('a VARIANT is what DuckDB keeps of it, as an opaque struct', async () => {
    const sql =
      "select case when i % 3 = 0 then null else {'key': 'a text, row ' || i}::variant end v from range(3000) t(i)";
    const { schema, batches } = await session.read(sql);
    assert.equal(extensionOf(schema.field(0))?.metadata, '{"type_name":"variant","vendor_name":"DuckDB"}');
    const column = batches[0]?.column(0);
    assert.equal(column?.nullCount, 1000);
    const value = column?.at(2999) as { keys: string[]; data: Uint8Array };
    assert.deepEqual(value.keys, ['key']);
    assert.ok(Buffer.from(value.data).includes('a text, row 2999'));
  });

  it('a UNION of more members than Arrow can number is refused, and named', async () => {
    const members = Array.from({ length: 128 }, (_, i) => `m${i} integer`).join(', ');
    await assert.rejects(
      session.read(`select union_value(m0 := 1)::union(${members}) u`),
      /column "u" is a UNION of 128 members/,
    );
  });
});
