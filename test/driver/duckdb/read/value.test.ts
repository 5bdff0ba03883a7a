import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { arrowColumn, officialValue } from './canonical.ts';
import { openSession, wide } from './session.ts';

/** One expression of `i` a type, over its range. */
const expressions: Readonly<Record<string, string>> = {
  BOOLEAN: 'i % 3 = 0',
  TINYINT: '(i % 256 - 128)::tinyint',
  SMALLINT: '(i % 65536 - 32768)::smallint',
  INTEGER: '(i * 1103515245 % 4294967296 - 2147483648)::integer',
  BIGINT: '(i * 1103515245 - 9223372036854775808)::bigint',
  UTINYINT: '(i % 256)::utinyint',
  USMALLINT: '(i % 65536)::usmallint',
  UINTEGER: '(4294967295 - i)::uinteger',
  UBIGINT: '(18446744073709551615 - i)::ubigint',
  HUGEINT: '(i - 50)::hugeint * 99999999999999999999999999999999',
  UHUGEINT: 'i::uhugeint * 99999999999999999999999999999999',
  FLOAT: "case i % 5 when 0 then 'nan' when 1 then '-inf' when 2 then '-0' else i / 3.0 end::float",
  DOUBLE: "case i % 5 when 0 then 'nan' when 1 then 'inf' when 2 then '-0' else i / 3.0 end::double",
  'DECIMAL(4,1)': '((i % 19998 - 9999) / 10)::decimal(4,1)',
  'DECIMAL(9,2)': '((i - 50) * 100.01)::decimal(9,2)',
  'DECIMAL(18,3)': '((i - 50) * 1234567.125)::decimal(18,3)',
  'DECIMAL(38,5)': '(i - 50)::decimal(38,5) * 1234567890123456789::decimal(19,0)',
  VARCHAR: "repeat('ä', (i % 9)::integer)",
  BLOB: "encode(repeat('ß', (i % 20)::integer))",
  BIT: "repeat('10', 1 + (i % 40)::integer)::bit",
  JSON: "('{\"i\":' || i || '}')::json",
  UUID: '(substr(md5(i::varchar), 1, 32))::uuid',
  DATE: "date '0001-01-01' + (i * 37 % 3000000)::integer",
  TIME: "time '00:00:00' + to_microseconds(i * 863999 % 86400000000)",
  TIME_NS: "('12:34:56.' || lpad((i * 7919 % 1000000000)::varchar, 9, '0'))::time_ns",
  TIMETZ: "('12:34:56.789' || case when i % 2 = 0 then '+' else '-' end || lpad((i % 16)::varchar, 2, '0'))::timetz",
  TIMESTAMP: 'make_timestamp((i - 50) * 123456789012345)',
  TIMESTAMP_S: 'make_timestamp((i - 50) * 1000000)::timestamp_s',
  TIMESTAMP_MS: 'make_timestamp((i - 50) * 1001000)::timestamp_ms',
  TIMESTAMP_NS: 'make_timestamp_ns((i - 50) * 123456789012)',
  TIMESTAMPTZ: 'make_timestamptz((i - 50) * 123456789012345)',
  INTERVAL: 'to_months((i % 24 - 12)::integer) + to_days((i - 50)::integer) - to_microseconds(i * 123456789012)',
  ENUM: "(case when i % 2 = 0 then 'even' else 'ödd' end)::enum('even', 'ödd', 'never')",
  'INTEGER[]': 'range((i % 4)::integer)::integer[]',
  'VARCHAR[]': "list_transform(range((i % 4)), x -> repeat('y', (x * 7)::integer))",
  'INTEGER[3]': '[i, null, i + 1]::integer[]',
  'VARCHAR[2]': "['short', 'not so short string ' || i]::varchar[]",
  STRUCT: "{'a': i, 'b': case when i % 3 = 0 then null else 'text of ' || i end}",
  MAP: "map {'k' || i: [i, null], 'a key of some length': []}",
  UNION:
    'case when i % 2 = 0 then union_value(num := i::integer)::union(num integer, str varchar) else i::varchar::union(num integer, str varchar) end',
  'LIST OF STRUCT OF MAP':
    "[{'m': map {i: 'value number ' || i}, 'n': case when i % 2 = 0 then i end}, null, {'m': null, 'n': 7}]",
};

/** Types that CASE does not take: cast after it. */
const arrays: ReadonlySet<string> = new Set(['INTEGER[3]', 'VARCHAR[2]']);

/** NULL in the first and last row of a chunk and beside them, and in every seventh. */
const nulls = 'i % 2048 in (0, 1, 2046, 2047) or i % 7 = 3';

describe('values of every type', async () => {
  const session = await openSession();

  for (const [type, expression] of Object.entries(expressions)) {
    for (const rows of [0, 1, 2047, 2048, 2049, 5000]) {
      it(`${type}, ${rows} rows, are those of the official API`, async () => {
        const cast = arrays.has(type) ? `::${type}` : '';
        const holed = `(case when ${nulls} then null else ${expression} end)${cast}`;
        const sql = `select (${expression})${cast} whole, ${holed} holed from range(${rows}) t(i)`;
        const expected = await session.columns(sql);
        for (const limit of [wide, { maxRows: 1500, maxBytes: 1 << 20, firstRows: 3 }]) {
          const { batches } = await session.read(sql, { limit });
          for (const column of [0, 1]) {
            assert.deepEqual(arrowColumn(batches, column), (expected[column] ?? []).map(officialValue));
          }
        }
      });
    }
    it(`${type} of nothing but NULL has no value left behind`, async () => {
      const cast = arrays.has(type) ? `::${type}` : '';
      const sql = `select (case when i < 0 then ${expression} end)${cast} c from range(3000) t(i)`;
      const { batches } = await session.read(sql);
      const column = batches[0]?.column(0);
      assert.equal(column?.length, 3000);
      assert.deepEqual(arrowColumn(batches, 0), new Array(3000).fill(null));
      if (type !== 'UNION') assert.equal(column?.nullCount, 3000);
    });
  }

  it('gives the columns of a materialised result as those of a stream', async () => {
    const sql = `select ${Object.values(expressions).join(', ')} from range(3000) t(i)`;
    const streamed = await session.read(sql);
    const materialised = await session.read(sql, { materialised: true });
    assert.ok(streamed.schema.equals(materialised.schema));
    streamed.schema.fields.forEach((_, i) => {
      assert.deepEqual(arrowColumn(materialised.batches, i), arrowColumn(streamed.batches, i));
    });
  });

  it('reads 100,000 rows across many chunks and batches', async () => {
    const sql = `select i, case when ${nulls} then null else 'text of the row ' || i end s, i % 3 = 0 b from range(100000) t(i)`;
    const { batches } = await session.read(sql, { limit: { maxRows: 10_001, maxBytes: 1 << 28, firstRows: 100 } });
    const expected = await session.columns(sql);
    for (const column of [0, 1, 2]) {
      assert.deepEqual(arrowColumn(batches, column), (expected[column] ?? []).map(officialValue));
    }
  });

  it('shares one dictionary column between all batches', async () => {
    const sql = "select (case when i % 2 = 0 then 'a' else 'b' end)::enum('a', 'b') e from range(5000) t(i)";
    const { batches } = await session.read(sql, { limit: { maxRows: 1000, maxBytes: 1 << 20, firstRows: 10 } });
    const dictionaries = new Set(batches.map((batch) => batch.column(0).layout.dictionary));
    assert.ok(batches.length >= 5);
    assert.equal(dictionaries.size, 1);
  });

  it('counts dictionaries over the whole schema', async () => {
    const { schema } = await session.read("select 'a'::enum('a') a, ['b'::enum('b')] b, {'c': 'c'::enum('c')} c");
    assert.deepEqual(schema.fields.map(String).length, 3);
    const ids = JSON.stringify(schema.fields, (_, value: unknown) =>
      typeof value === 'bigint' ? Number(value) : value,
    ).match(/"id":\d+/g);
    assert.deepEqual(ids, ['"id":0', '"id":1', '"id":2']);
  });
});
