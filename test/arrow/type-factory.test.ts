import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';
import { Field, RecurveError, typeToString } from 'recurve/arrow';

describe('type factories', () => {
  it('make the types they are named after', () => {
    const list = [
      a.nullType(),
      a.bool(),
      a.int8(),
      a.int16(),
      a.int32(),
      a.int64(),
      a.uint8(),
      a.uint16(),
      a.uint32(),
      a.uint64(),
      a.float16(),
      a.float32(),
      a.float64(),
      a.decimal32(9, 2),
      a.decimal64(18),
      a.decimal128(38, -3),
      a.decimal256(76, 76),
      a.utf8(),
      a.largeUtf8(),
      a.binary(),
      a.largeBinary(),
      a.fixedSizeBinary(3),
      a.date32(),
      a.date64(),
      a.time32('s'),
      a.time32('ms'),
      a.time64('us'),
      a.time64('ns'),
      a.timestamp('s'),
      a.timestamp('ns', 'UTC'),
      a.duration('ms'),
      a.interval('year-month'),
      a.list(a.int8()),
      a.largeList(new Field('x', a.utf8(), { nullable: false })),
      a.fixedSizeList(a.bool(), 2),
      a.struct({ x: a.int32() }),
      a.map(a.utf8(), a.int32()),
      a.union('dense', { n: a.int32(), t: a.utf8() }, [5, 1]),
      a.union('sparse', [a.field('n', a.int32())]),
      a.dictionary(a.utf8(), a.uint16()),
    ];
    assert.deepEqual(list.map(typeToString), [
      'null',
      'bool',
      'int8',
      'int16',
      'int32',
      'int64',
      'uint8',
      'uint16',
      'uint32',
      'uint64',
      'float16',
      'float32',
      'float64',
      'decimal32(9, 2)',
      'decimal64(18, 0)',
      'decimal128(38, -3)',
      'decimal256(76, 76)',
      'utf8',
      'large_utf8',
      'binary',
      'large_binary',
      'fixed_size_binary[3]',
      'date32[day]',
      'date64[ms]',
      'time32[s]',
      'time32[ms]',
      'time64[us]',
      'time64[ns]',
      'timestamp[s]',
      'timestamp[ns, UTC]',
      'duration[ms]',
      'interval[year-month]',
      'list<item: int8>',
      'large_list<x: utf8 not null>',
      'fixed_size_list<item: bool>[2]',
      'struct<x: int32>',
      'map<key: utf8 not null, value: int32>',
      'dense_union<n: int32=5, t: utf8=1>',
      'sparse_union<n: int32=0>',
      'dictionary<values=utf8, indices=uint16>',
    ]);
  });

  it('give dictionaries ids of their own, or the one that is asked for', () => {
    assert.notEqual(a.dictionary(a.utf8()).id, a.dictionary(a.utf8()).id);
    assert.equal(a.dictionary(a.utf8(), a.int8(), { id: 7n, ordered: true }).id, 7n);
  });

  const refused: readonly (readonly [string, () => unknown])[] = [
    ['decimal32: precision 10 is not a whole number from 1 to 9', () => a.decimal32(10, 2)],
    ['decimal64: precision 19 is not a whole number from 1 to 18', () => a.decimal64(19, 2)],
    ['decimal128: precision 39 is not a whole number from 1 to 38', () => a.decimal128(39, 2)],
    ['decimal256: precision 0 is not a whole number from 1 to 76', () => a.decimal256(0)],
    ['decimal128: scale 0.5 is not a whole number from -2147483648 to 2147483647', () => a.decimal128(5, 0.5)],
    ['fixedSizeBinary: byteWidth -1 is not a whole number from 0 to 2147483647', () => a.fixedSizeBinary(-1)],
    [
      'fixedSizeList: listSize NaN is not a whole number from 0 to 2147483647',
      () => a.fixedSizeList(a.int8(), Number.NaN),
    ],
    ['time32: unit us is not one of s, ms', () => a.time32('us' as 's')],
    ['time64: unit ms is not one of us, ns', () => a.time64('ms' as 'us')],
    ['timestamp: unit h is not one of s, ms, us, ns', () => a.timestamp('h' as 's')],
    ['timestamp: timezone 5 is not a string or null', () => a.timestamp('s', 5 as never)],
    ['duration: unit undefined is not one of s, ms, us, ns', () => a.duration(undefined as never)],
    ['interval: unit day is not one of year-month, day-time, month-day-nano', () => a.interval('day' as 'day-time')],
    ['map: key k: utf8 is not a field that is not nullable', () => a.map(a.field('k', a.utf8()), a.int8())],
    [
      'union: typeIds [1,1] is not 2 distinct ids, one a child',
      () => a.union('dense', { n: a.int8(), t: a.utf8() }, [1, 1]),
    ],
    [
      'union: typeIds [1] is not 2 distinct ids, one a child',
      () => a.union('dense', { n: a.int8(), t: a.utf8() }, [1]),
    ],
    ['union: type id 128 is not a whole number from 0 to 127', () => a.union('dense', { n: a.int8() }, [128])],
    ['dictionary: index utf8 is not an integer type', () => a.dictionary(a.int8(), a.utf8() as never)],
    [
      'dictionary: value dictionary is not a type that is no dictionary itself',
      () => a.dictionary(a.dictionary(a.utf8())),
    ],
    ['field: name 5 is not a string', () => a.field(5 as never, a.int8())],
  ];
  for (const [message, make] of refused) {
    it(`refuse: ${message}`, () => {
      assert.throws(
        make,
        (error) => RecurveError.is(error) && error.status === 'INVALID_ARGUMENT' && error.message === message,
      );
    });
  }
});
