import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import type pg from 'pg';
import {
  binary,
  binaryView,
  bool,
  type DataType,
  date32,
  date64,
  decimal32,
  decimal64,
  decimal128,
  decimal256,
  dictionary,
  duration,
  Field,
  fixedSizeBinary,
  fixedSizeList,
  float16,
  float32,
  float64,
  int8,
  int16,
  int32,
  int64,
  interval,
  largeBinary,
  largeList,
  largeUtf8,
  list,
  listView,
  map,
  nullType,
  runEndEncoded,
  struct,
  tableFromArrays,
  time32,
  time64,
  timestamp,
  uint8,
  uint16,
  uint32,
  uint64,
  utf8,
  utf8View,
  uuidField,
} from 'recurve/arrow';
import { testServer, withoutPostgres } from '../server.ts';
import { connectPlain, copiedTexts, defaultTypes } from './copy.ts';
import { oneColumn } from './one-column.ts';

type Case = readonly [type: DataType | Field, created: string, values: readonly unknown[], texts: readonly string[]];

const maxInt64 = 2n ** 63n - 1n;
const maxDecimal256 = 10n ** 76n - 1n;

/** Values, and the texts that PostgreSQL's manual has for them. */
const cases: readonly Case[] = [
  [bool(), 'boolean', [true, false], ['true', 'false']],
  [int8(), 'smallint', [-128, 0, 127], ['-128', '0', '127']],
  [uint8(), 'smallint', [0, 255], ['0', '255']],
  [int16(), 'smallint', [-32768, 32767], ['-32768', '32767']],
  [uint16(), 'integer', [0, 65535], ['0', '65535']],
  [int32(), 'integer', [-2147483648, 2147483647], ['-2147483648', '2147483647']],
  [uint32(), 'bigint', [0, 4294967295], ['0', '4294967295']],
  [int64(), 'bigint', [-maxInt64 - 1n, -1n, maxInt64], ['-9223372036854775808', '-1', '9223372036854775807']],
  [uint64(), 'numeric(20,0)', [0n, 10_000n, 2n ** 64n - 1n], ['0', '10000', '18446744073709551615']],
  [float16(), 'real', [1.5, -65504, Number.NaN], ['1.5', '-65504', 'NaN']],
  [float32(), 'real', [0.1, -0, 3.4028234663852886e38], ['0.1', '-0', '3.4028235e+38']],
  [
    float64(),
    'double precision',
    [0.1, Number.MAX_VALUE, 5e-324, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN],
    ['0.1', '1.7976931348623157e+308', '5e-324', 'Infinity', '-Infinity', 'NaN'],
  ],
  [decimal32(9, 4), 'numeric(9,4)', ['-99999.9999', '0.0001', '0'], ['-99999.9999', '0.0001', '0.0000']],
  [decimal64(18, 0), 'numeric(18,0)', ['999999999999999999', '-100000'], ['999999999999999999', '-100000']],
  [
    decimal128(38, 10),
    'numeric(38,10)',
    ['9999999999999999999999999999.9999999999', '-0.0000000001', '10000', '1230000.5'],
    ['9999999999999999999999999999.9999999999', '-0.0000000001', '10000.0000000000', '1230000.5000000000'],
  ],
  [decimal128(5, -3), 'numeric', ['12345000', '-1000'], ['12345000', '-1000']],
  [decimal128(3, 7), 'numeric', ['0.0000999', '-0.0000001'], ['0.0000999', '-0.0000001']],
  [
    decimal256(76, 0),
    'numeric(76,0)',
    [`${maxDecimal256}`, `-${maxDecimal256}`],
    [`${maxDecimal256}`, `-${maxDecimal256}`],
  ],
  [utf8(), 'text', ['', 'grün', 'x'.repeat(97), '🦆'.repeat(30)], ['', 'grün', 'x'.repeat(97), '🦆'.repeat(30)]],
  [largeUtf8(), 'text', ['', 'large'], ['', 'large']],
  [utf8View(), 'text', ['twelve bytes', 'more than twelve bytes'], ['twelve bytes', 'more than twelve bytes']],
  [binary(), 'bytea', [Uint8Array.of(), Uint8Array.of(0, 255)], ['\\x', '\\x00ff']],
  [largeBinary(), 'bytea', [Uint8Array.of(1)], ['\\x01']],
  [binaryView(), 'bytea', [Uint8Array.of(1), new Uint8Array(13)], ['\\x01', `\\x${'00'.repeat(13)}`]],
  [fixedSizeBinary(3), 'bytea', [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5, 6)], ['\\x010203', '\\x040506']],
  [uuidField('u'), 'uuid', ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'], ['a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11']],
  [
    date32(),
    'date',
    [0, -719_162, 10_957, -2_440_588, 2_145_042_905],
    ['1970-01-01', '0001-01-01', '2000-01-01', '4714-11-24 BC', '5874897-12-31'],
  ],
  [date64(), 'date', [86_400_000n, -86_400_000n], ['1970-01-02', '1969-12-31']],
  [time32('s'), 'time without time zone', [0, 86_399], ['00:00:00', '23:59:59']],
  [time32('ms'), 'time without time zone', [1], ['00:00:00.001']],
  [time64('us'), 'time without time zone', [86_399_999_999n], ['23:59:59.999999']],
  [time64('ns'), 'time without time zone', [1000n], ['00:00:00.000001']],
  [timestamp('s'), 'timestamp without time zone', [-1n, 946_684_800n], ['1969-12-31 23:59:59', '2000-01-01 00:00:00']],
  [timestamp('ms'), 'timestamp without time zone', [-62_135_596_800_001n], ['0001-12-31 23:59:59.999 BC']],
  [
    timestamp('us'),
    'timestamp without time zone',
    [-1n, 946_684_799_999_999n, -210_866_803_200_000_000n, maxInt64],
    [
      '1969-12-31 23:59:59.999999',
      '1999-12-31 23:59:59.999999',
      '4714-11-24 00:00:00 BC',
      '294247-01-10 04:00:54.775807',
    ],
  ],
  [timestamp('ns'), 'timestamp without time zone', [-1000n], ['1969-12-31 23:59:59.999999']],
  [timestamp('us', 'Europe/Berlin'), 'timestamp with time zone', [1n], ['1970-01-01 00:00:00.000001+00']],
  [duration('s'), 'interval', [90_061n, -1n], ['PT25H1M1S', 'PT-1S']],
  [duration('ns'), 'interval', [-1_000n], ['PT-0.000001S']],
  [interval('year-month'), 'interval', [14, -1], ['P1Y2M', 'P-1M']],
  [
    interval('day-time'),
    'interval',
    [
      { days: -3, milliseconds: -5 },
      { days: 1, milliseconds: 2_147_483_647 },
    ],
    ['P-3DT-0.005S', 'P1DT596H31M23.647S'],
  ],
  [interval('month-day-nano'), 'interval', [{ months: 13, days: -2, nanoseconds: -1_000n }], ['P1Y1M-2DT-0.000001S']],
  [dictionary(utf8(), int8()), 'text', ['b', 'a', 'b'], ['b', 'a', 'b']],
  [dictionary(decimal128(5, 1), int16()), 'numeric(5,1)', ['1.5', '2.5'], ['1.5', '2.5']],
  [runEndEncoded(utf8()), 'text', ['a', 'a', 'b'], ['a', 'a', 'b']],
  [list(int32()), 'integer[]', [[1, null, 3], [], [7]], ['{1,NULL,3}', '{}', '{7}']],
  [largeList(utf8()), 'text[]', [['a b', 'null', ''], ['"']], ['{"a b","null",""}', '{"\\""}']],
  [listView(int64()), 'bigint[]', [[1n], [2n, 3n]], ['{1}', '{2,3}']],
  [
    fixedSizeList(float64(), 2),
    'double precision[]',
    [
      [1, 2],
      [3, 4],
    ],
    ['{1,2}', '{3,4}'],
  ],
  [list(dictionary(utf8(), int8())), 'text[]', [['x', 'y'], ['x']], ['{x,y}', '{x}']],
  [
    list(list(int32())),
    'integer[]',
    [
      [
        [1, 2],
        [3, 4],
      ],
      [[5], [6]],
      [],
    ],
    ['{{1,2},{3,4}}', '{{5},{6}}', '{}'],
  ],
  [list(fixedSizeList(list(int16()), 1)), 'smallint[]', [[[[1, 2]], [[3, null]]]], ['{{{1,2}},{{3,NULL}}}']],
  [
    struct({ a: int32(), b: list(decimal128(3, 1)), t: timestamp('s', 'UTC') }),
    'jsonb',
    [{ a: 1, b: ['1.5', null], t: 0n }],
    ['{"a": 1, "b": [1.5, null], "t": "1970-01-01T00:00:00Z"}'],
  ],
  [map(utf8(), int64()), 'jsonb', [[['k', maxInt64]]], ['{"k": 9223372036854775807}']],
];

describe('values of every Arrow type are those that PostgreSQL shows', { skip: withoutPostgres }, () => {
  let client: pg.Client;
  before(async () => {
    client = await connectPlain((await testServer()).uri);
  });
  after(() => client.end());

  for (const [type, created, values, texts] of cases) {
    const field = type instanceof Field ? type : new Field('c', type);
    test(`${field} into ${created}`, async () => {
      assert.deepEqual(
        defaultTypes(oneColumn(field, []).schema).map((target) => target.text),
        [created],
      );
      const withNulls = [null, ...values, null];
      const expected = [null, ...texts, null];
      for (const table of [oneColumn(field, withNulls), oneColumn(field, values)]) {
        const got = (await copiedTexts(client, table)).map(([text]) => text);
        assert.deepEqual(got, table.numRows === values.length ? texts : expected);
      }
      // A slice starts inside of the buffers.
      const sliced = (await copiedTexts(client, oneColumn(field, withNulls, 1))).map(([text]) => text);
      assert.deepEqual(sliced, expected.slice(1));
    });
  }

  test('nulls without a type', async () => {
    const table = tableFromArrays({ c: [null, null] });
    assert.equal(table.schema.fields[0]?.type.kind, nullType().kind);
    assert.deepEqual(await copiedTexts(client, table), [[null], [null]]);
  });

  test('a timestamp that would mean an infinity or lies outside of the range is an error', async () => {
    const outside: [DataType, BigInt64Array | Int32Array][] = [
      [timestamp('us'), BigInt64Array.of(-maxInt64 - 1n)],
      [timestamp('us'), BigInt64Array.of(-maxInt64 - 1n + 946_684_800_000_000n)],
      [timestamp('us'), BigInt64Array.of(-210_866_803_260_000_001n)],
      [timestamp('s'), BigInt64Array.of(maxInt64)],
      [date32(), Int32Array.of(2_147_483_647)],
      [date32(), Int32Array.of(-2_147_483_648 + 10_957)],
      [date32(), Int32Array.of(-2_147_483_648)],
      [time64('us'), BigInt64Array.of(86_400_000_001n)],
      [time32('s'), Int32Array.of(-1)],
    ];
    for (const [type, values] of outside) {
      await assert.rejects(copiedTexts(client, oneColumn(new Field('when', type), values)), {
        status: 'INVALID_DATA',
        message: /^column "when", row 1: -?\d+ .*outside of the range of (date|time)/,
      });
    }
    const midnight = oneColumn(new Field('when', time64('us')), BigInt64Array.of(86_400_000_000n));
    assert.deepEqual(await copiedTexts(client, midnight), [['24:00:00']]);
  });
});
