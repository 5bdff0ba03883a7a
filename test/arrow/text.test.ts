import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as a from 'recurve/arrow';
import { type DataType, Field, jsonReader, makeBuilder, textReader } from 'recurve/arrow';

function columnOf(field: Field, values: readonly unknown[]): a.Column {
  const builder = makeBuilder(field);
  builder.appendAll(values);
  return builder.finish();
}

function text(type: DataType, ...values: unknown[]): (string | null)[] {
  const field = new Field('c', type);
  const column = columnOf(field, values);
  return values.map((_, i) => textReader(field, column)(i));
}

function json(type: DataType, ...values: unknown[]): string[] {
  const field = new Field('c', type);
  const column = columnOf(field, values);
  const read = jsonReader(field, column);
  return values.map((_, i) => {
    JSON.parse(read(i));
    return read(i);
  });
}

const us = (iso: string): bigint => BigInt(Date.parse(iso)) * 1000n;
const span = (months: number, days: number, nanoseconds: bigint) => ({ months, days, nanoseconds });

// The texts are those of DuckDB's cast to VARCHAR, but for the names of NaN and the infinities and for floats, which are JavaScript's.
describe('text of a value', () => {
  it('of numbers is their shortest exact text', () => {
    assert.deepEqual(text(a.int32(), -5, 0, null), ['-5', '0', null]);
    assert.deepEqual(
      text(a.int64(), 2n ** 63n - 1n, -(2n ** 63n), 2n ** 53n, -(2n ** 53n) - 1n, 0n, -1n, 2n ** 32n, null),
      [
        '9223372036854775807',
        '-9223372036854775808',
        '9007199254740992',
        '-9007199254740993',
        '0',
        '-1',
        '4294967296',
        null,
      ],
    );
    assert.deepEqual(text(a.uint64(), 2n ** 64n - 1n, 2n ** 63n, 1n), [
      '18446744073709551615',
      '9223372036854775808',
      '1',
    ]);
    assert.deepEqual(text(a.float64(), 0.1, 1, -0, 1e300, 5e-324, Number.NaN, Infinity, -Infinity), [
      '0.1',
      '1',
      '-0',
      '1e+300',
      '5e-324',
      'NaN',
      'Infinity',
      '-Infinity',
    ]);
    assert.deepEqual(text(a.float32(), 0.1, 16777216, 1e-45, 3.4028234663852886e38, -1.1, 123456792), [
      '0.1',
      '16777216',
      '1e-45',
      '3.4028235e+38',
      '-1.1',
      '123456792',
    ]);
    assert.deepEqual(text(a.decimal128(38, 2), '-0.05', '1e30'), ['-0.05', `1${'0'.repeat(30)}.00`]);
    assert.deepEqual(text(a.bool(), true, false, null), ['true', 'false', null]);
  });

  it('of a float32 reads back as the same float32, and none shorter of the same form does', () => {
    fc.assert(
      fc.property(fc.float({ noNaN: true }), (value) => {
        const [shown = ''] = text(a.float32(), value) as string[];
        assert.ok(Object.is(Math.fround(Number(shown)), value), `${shown} for ${value}`);
        assert.ok(shown.replace(/e.*|[-.]/g, '').replace(/^0+|0+$/g, '').length <= 9 || Number.isSafeInteger(value));
      }),
    );
  });

  it('of dates and timestamps is like DuckDB’s', () => {
    assert.deepEqual(text(a.date32(), 15736, -1, -719528, -719529, 2932897, 2 ** 31 - 1, null), [
      '2013-01-31',
      '1969-12-31',
      '0001-01-01 (BC)',
      '0002-12-31 (BC)',
      '10000-01-01',
      '5881580-07-11',
      null,
    ]);
    assert.deepEqual(
      text(
        a.timestamp('us'),
        us('2013-01-31T12:00:00Z'),
        us('2013-01-31T12:00:00Z') + 1n,
        -1n,
        us('2013-01-31T12:00:00Z') + 500000n,
      ),
      ['2013-01-31 12:00:00', '2013-01-31 12:00:00.000001', '1969-12-31 23:59:59.999999', '2013-01-31 12:00:00.5'],
    );
    assert.deepEqual(text(a.timestamp('s', 'UTC'), 0n, -62135596801n), [
      '1970-01-01 00:00:00+00',
      '0001-12-31 (BC) 23:59:59+00',
    ]);
    assert.deepEqual(text(a.timestamp('ns'), 2n ** 63n - 1n, -(2n ** 63n), 1000n), [
      '2262-04-11 23:47:16.854775807',
      '1677-09-21 00:12:43.145224192',
      '1970-01-01 00:00:00.000001',
    ]);
    assert.deepEqual(text(a.timestamp('us'), 2n ** 63n - 1n), ['294247-01-10 04:00:54.775807']);
    // Beyond any calendar: the count.
    assert.deepEqual(text(a.timestamp('s'), 2n ** 63n - 1n, -(2n ** 63n)), [
      '9223372036854775807',
      '-9223372036854775808',
    ]);
    assert.deepEqual(text(a.date64(), BigInt(86_400_000 * 15736)), ['2013-01-31']);
  });

  it('of any day that Date knows is Date’s, and of any instant', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: -(10 ** 8), max: 10 ** 8 }),
        fc.integer({ min: -8.64e15, max: 8.64e15 }),
        (days, ms) => {
          const iso = (value: number) => new Date(value).toISOString();
          assert.deepEqual(json(a.date32(), days), [JSON.stringify(iso(days * 86_400_000).split('T')[0])]);
          const shown = JSON.parse(json(a.timestamp('us', 'UTC'), BigInt(ms) * 1000n)[0] ?? '') as string;
          assert.equal(
            shown.replace(/(\.\d*)?Z$/, (digits) => `.${digits.slice(1, -1).padEnd(3, '0')}Z`),
            iso(ms),
          );
        },
      ),
      { numRuns: 500 },
    );
  });

  it('of times goes to the end of the day', () => {
    assert.deepEqual(text(a.time64('us'), 43200100000n, 0n, 86399999999n), [
      '12:00:00.1',
      '00:00:00',
      '23:59:59.999999',
    ]);
    assert.deepEqual(text(a.time32('ms'), 1), ['00:00:00.001']);
    // DuckDB has 24:00:00; beyond the day and before it is only the count.
    const field = new Field('t', a.time64('us'));
    const column = a.makeColumn(field, {
      type: field.type,
      length: 3,
      values: BigInt64Array.of(86400000000n, 86400000001n, -1n),
    });
    assert.deepEqual([0, 1, 2].map(textReader(field, column)), ['24:00:00', '86400000001', '-1']);
  });

  it('of intervals and durations is DuckDB’s', () => {
    const type = a.interval('month-day-nano');
    assert.deepEqual(
      text(
        type,
        span(1, 2, 1500000000n),
        span(14, -3, 0n),
        span(0, 0, -1500000000n),
        span(0, 0, 0n),
        span(-24, 0, 0n),
        span(-13, -1, 0n),
        span(0, 1, 1000n),
        span(0, 0, 360000000000000n),
        null,
      ),
      [
        '1 month 2 days 00:00:01.5',
        '1 year 2 months -3 days',
        '-00:00:01.5',
        '00:00:00',
        '-2 years',
        '-1 year -1 month -1 day',
        '1 day 00:00:00.000001',
        '100:00:00',
        null,
      ],
    );
    assert.deepEqual(text(a.interval('year-month'), 13, null), ['1 year 1 month', null]);
    assert.deepEqual(text(a.interval('day-time'), { days: 1, milliseconds: -500 }), ['1 day -00:00:00.5']);
    assert.deepEqual(text(a.duration('us'), 1n, 2n ** 63n - 1n), ['00:00:00.000001', '2562047788:00:54.775807']);
  });

  it('of bytes has ASCII as it is and hexadecimal digits for all else', () => {
    assert.deepEqual(text(a.binary(), Uint8Array.of(0, 0x61, 0x62, 0xff, 0x27, 0x5c, 0x22), new Uint8Array(0), null), [
      '\\x00ab\\xFF\\x27\\x5C\\x22',
      '',
      null,
    ]);
    const uuid = a.uuidField('u');
    const column = columnOf(uuid, ['0004080c-1014-181c-2024-282c3034383c', null]);
    assert.deepEqual([0, 1].map(textReader(uuid, column)), ['0004080c-1014-181c-2024-282c3034383c', null]);
  });

  it('of nested values quotes what could be misread', () => {
    const items = [
      'a',
      'b c',
      'd, e',
      null,
      'null',
      '',
      "it's",
      ' x',
      '[1]',
      'a"b',
      'a\\b',
      'x=y',
      'NULL',
      'a;b',
      'a:b',
      '(x',
    ];
    assert.deepEqual(text(a.list(a.utf8()), items, [], null), [
      String.raw`[a, b c, 'd, e', NULL, 'null', '', 'it\'s', ' x', '[1]', 'a"b', 'a\\b', 'x=y', 'NULL', a;b, 'a:b', '(x']`,
      '[]',
      null,
    ]);
    assert.deepEqual(
      text(
        a.struct({ a: a.int32(), 'b c': a.utf8(), c: a.int32(), "it's": a.utf8() }),
        { a: 1, 'b c': 'x', "it's": '{' },
        null,
      ),
      [String.raw`{'a': 1, 'b c': x, 'c': NULL, 'it\'s': '{'}`, null],
    );
    assert.deepEqual(
      text(a.map(a.int32(), a.utf8()), [
        [1, 'a, b'],
        [2, null],
      ]),
      ["{1='a, b', 2=NULL}"],
    );
    assert.deepEqual(text(a.list(a.list(a.int32())), [[1, 2], []]), ['[[1, 2], []]']);
    assert.deepEqual(text(a.list(a.timestamp('s')), [0n]), ["['1970-01-01 00:00:00']"]);
    assert.deepEqual(text(a.fixedSizeList(a.date32(), 1), [0]), ['[1970-01-01]']);
    const union = a.union('dense', { n: a.int32(), t: a.utf8() });
    assert.deepEqual(text(union, { child: 't', value: 'x, y' }, { child: 'n', value: 1 }, null), ['x, y', '1', null]);
    assert.deepEqual(text(a.list(union), [{ child: 't', value: 'x, y' }]), ["['x, y']"]);
    assert.deepEqual(text(a.dictionary(a.utf8()), 'a', null, 'a'), ['a', null, 'a']);
    assert.deepEqual(text(a.nullType(), null), [null]);
  });
});

describe('JSON of a value', () => {
  it('keeps every digit of a number', () => {
    assert.deepEqual(json(a.int64(), 2n ** 63n - 1n, null), ['9223372036854775807', 'null']);
    assert.deepEqual(json(a.decimal128(38, 2), '12345678901234567890.10', '-0.5'), [
      '12345678901234567890.10',
      '-0.50',
    ]);
    assert.deepEqual(json(a.float64(), 0.1, -0, 1e21, Number.NaN, Infinity, -Infinity), [
      '0.1',
      '-0',
      '1e+21',
      '"NaN"',
      '"Infinity"',
      '"-Infinity"',
    ]);
    assert.deepEqual(json(a.float32(), 0.1), ['0.1']);
    assert.deepEqual(json(a.bool(), true, null), ['true', 'null']);
  });

  it('is text for all that JSON has no form for', () => {
    assert.deepEqual(json(a.utf8(), 'a"\n\u0000é', null), ['"a\\"\\n\\u0000é"', 'null']);
    assert.deepEqual(json(a.date32(), 0, -719529, 2932897, null), [
      '"1970-01-01"',
      '"-000001-12-31"',
      '"+010000-01-01"',
      'null',
    ]);
    assert.deepEqual(json(a.timestamp('ms', 'UTC'), 1n), ['"1970-01-01T00:00:00.001Z"']);
    assert.deepEqual(json(a.timestamp('s'), 0n, 2n ** 63n - 1n), ['"1970-01-01T00:00:00"', '9223372036854775807']);
    assert.deepEqual(json(a.time32('s'), 1), ['"00:00:01"']);
    assert.deepEqual(json(a.interval('month-day-nano'), span(1, 0, 0n), span(0, 0, 0n)), ['"P1M"', '"PT0S"']);
    for (const length of [0, 1, 2, 3, 6143, 6144, 6145, 20_000]) {
      const bytes = Uint8Array.from({ length }, (_, i) => i * 7);
      assert.deepEqual(json(a.binary(), bytes), [JSON.stringify(Buffer.from(bytes).toString('base64'))]);
    }
    const uuid = a.uuidField('u');
    assert.equal(
      jsonReader(uuid, columnOf(uuid, ['0004080c-1014-181c-2024-282c3034383c']))(0),
      '"0004080c-1014-181c-2024-282c3034383c"',
    );
  });

  it('of nested values is nested', () => {
    assert.deepEqual(json(a.list(a.int64()), [1n, null], [], null), ['[1,null]', '[]', 'null']);
    const struct = a.struct([new Field('a', a.int32()), new Field('a', a.utf8()), new Field('"', a.date32())]);
    assert.deepEqual(json(struct, { a: 1, a_1: 'x' }, null), ['{"a":1,"a_1":"x","\\"":null}', 'null']);
    assert.deepEqual(json(a.map(a.utf8(), a.int32()), { k: 1, '"': null }, []), ['{"k":1,"\\"":null}', '{}']);
    assert.deepEqual(json(a.map(a.int32(), a.utf8()), [[1, 'a']], null), ['[[1,"a"]]', 'null']);
    assert.deepEqual(
      json(a.union('sparse', { n: a.int32(), t: a.utf8() }), { child: 't', value: 'x' }, { child: 'n', value: null }),
      ['"x"', 'null'],
    );
    assert.deepEqual(json(a.dictionary(a.utf8()), 'a', null, 'a'), ['"a"', 'null', '"a"']);
  });
});
