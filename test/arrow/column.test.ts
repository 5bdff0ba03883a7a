import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';
import { type Column, type ColumnLayout, type DataType, Field, makeColumn } from 'recurve/arrow';

interface Case {
  readonly name: string;
  readonly type: DataType;
  readonly layout: Partial<ColumnLayout>;
  readonly expected: readonly unknown[];
  readonly field?: (name: string) => Field;
}

/** Bits 0, 2, 3 set: value 1 is null. */
const validity = Uint8Array.of(0b1101);
const nulls = { validity, nullCount: 1 };

const int32s = makeColumn(new Field('item', a.int32()), {
  type: a.int32(),
  length: 6,
  values: Int32Array.of(1, 2, 3, 4, 5, 6),
});
const texts = makeColumn(new Field('t', a.utf8()), {
  type: a.utf8(),
  length: 6,
  offsets: Int32Array.of(0, 1, 2, 4, 4, 6, 7),
  data: new TextEncoder().encode('abccddf'),
});
const entryType = a.map(a.int32(), a.utf8());
const entries = makeColumn(entryType.child, {
  type: entryType.child.type,
  length: 6,
  nullCount: 0,
  children: [int32s, texts],
});

// Values by hand from the layouts of the columnar format.
const cases: readonly Case[] = [
  { name: 'null', type: a.nullType(), layout: {}, expected: [null, null, null, null] },
  {
    name: 'bool',
    type: a.bool(),
    layout: { ...nulls, values: Uint8Array.of(0b0101) },
    expected: [true, null, true, false],
  },
  { name: 'int8', type: a.int8(), layout: { values: Int8Array.of(-128, 127, 0, 1) }, expected: [-128, 127, 0, 1] },
  {
    name: 'uint8',
    type: a.uint8(),
    layout: { ...nulls, values: Uint8Array.of(255, 9, 0, 1) },
    expected: [255, null, 0, 1],
  },
  {
    name: 'int16',
    type: a.int16(),
    layout: { ...nulls, values: Int16Array.of(-32768, 9, 32767, 1) },
    expected: [-32768, null, 32767, 1],
  },
  { name: 'uint16', type: a.uint16(), layout: { values: Uint16Array.of(65535, 9, 0, 1) }, expected: [65535, 9, 0, 1] },
  {
    name: 'int32',
    type: a.int32(),
    layout: { ...nulls, values: Int32Array.of(-(2 ** 31), 9, 7, 1) },
    expected: [-(2 ** 31), null, 7, 1],
  },
  {
    name: 'uint32',
    type: a.uint32(),
    layout: { ...nulls, values: Uint32Array.of(2 ** 32 - 1, 9, 7, 1) },
    expected: [2 ** 32 - 1, null, 7, 1],
  },
  {
    name: 'int64',
    type: a.int64(),
    layout: { ...nulls, values: BigInt64Array.of(-(2n ** 63n), 9n, 2n ** 63n - 1n, 1n) },
    expected: [-(2n ** 63n), null, 2n ** 63n - 1n, 1n],
  },
  {
    name: 'uint64',
    type: a.uint64(),
    layout: { ...nulls, values: BigUint64Array.of(2n ** 64n - 1n, 9n, 0n, 1n) },
    expected: [2n ** 64n - 1n, null, 0n, 1n],
  },
  // IEEE 754 binary16: 1, −2, the smallest subnormal, the largest finite number.
  {
    name: 'float16',
    type: a.float16(),
    layout: { values: Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff) },
    expected: [1, -2, 2 ** -24, 65504],
  },
  {
    name: 'float32',
    type: a.float32(),
    layout: { ...nulls, values: Float32Array.of(0.5, 9, Number.NaN, -0) },
    expected: [0.5, null, Number.NaN, -0],
  },
  {
    name: 'float64',
    type: a.float64(),
    layout: { ...nulls, values: Float64Array.of(0.1, 9, -Infinity, 1e300) },
    expected: [0.1, null, -Infinity, 1e300],
  },
  {
    name: 'decimal32',
    type: a.decimal32(9, 2),
    layout: { ...nulls, values: Int32Array.of(-5, 9, 123456789, 100) },
    expected: ['-0.05', null, '1234567.89', '1.00'],
  },
  {
    name: 'decimal64',
    type: a.decimal64(18, 0),
    layout: { values: BigInt64Array.of(-5n, 0n, 10n ** 17n, 1n) },
    expected: ['-5', '0', '100000000000000000', '1'],
  },
  {
    name: 'decimal128',
    type: a.decimal128(38, 3),
    layout: { ...nulls, values: BigInt64Array.of(-1n, -1n, 9n, 9n, 0n, 1n, -1500n, -1n) },
    expected: ['-0.001', null, '18446744073709551.616', '-1.500'],
  },
  {
    name: 'decimal256',
    type: a.decimal256(76, -2),
    layout: { values: BigInt64Array.of(1n, 0n, 0n, 0n, 0n, 0n, 0n, 1n, -1n, -1n, -1n, -1n, 0n, 0n, 0n, 0n) },
    expected: ['100', `${2n ** 192n}00`, '-100', '0'],
  },
  {
    name: 'utf8',
    type: a.utf8(),
    layout: { ...nulls, offsets: Int32Array.of(2, 3, 4, 4, 7), data: new TextEncoder().encode('xxaxéb') },
    expected: ['a', null, '', 'éb'],
  },
  {
    name: 'binary',
    type: a.binary(),
    layout: { ...nulls, offsets: Int32Array.of(1, 2, 3, 3, 5), data: Uint8Array.of(9, 1, 9, 2, 3) },
    expected: [Uint8Array.of(1), null, Uint8Array.of(), Uint8Array.of(2, 3)],
  },
  {
    name: 'large binary',
    type: a.largeBinary(),
    layout: { offsets: BigInt64Array.of(0n, 1n, 1n, 2n, 3n), data: Uint8Array.of(1, 2, 3) },
    expected: [Uint8Array.of(1), Uint8Array.of(), Uint8Array.of(2), Uint8Array.of(3)],
  },
  {
    name: 'fixed-size binary',
    type: a.fixedSizeBinary(2),
    layout: { ...nulls, values: Uint8Array.of(1, 2, 9, 9, 3, 4, 5, 6) },
    expected: [Uint8Array.of(1, 2), null, Uint8Array.of(3, 4), Uint8Array.of(5, 6)],
  },
  {
    name: 'uuid',
    type: a.fixedSizeBinary(16),
    field: (name) => a.uuidField(name),
    layout: { ...nulls, values: Uint8Array.from({ length: 64 }, (_, i) => i * 4) },
    expected: [
      '0004080c-1014-181c-2024-282c3034383c',
      null,
      '8084888c-9094-989c-a0a4-a8acb0b4b8bc',
      'c0c4c8cc-d0d4-d8dc-e0e4-e8ecf0f4f8fc',
    ],
  },
  {
    name: 'date32',
    type: a.date32(),
    layout: { ...nulls, values: Int32Array.of(-1, 9, 15736, 0) },
    expected: [-1, null, 15736, 0],
  },
  {
    name: 'date64',
    type: a.date64(),
    layout: { values: BigInt64Array.of(-86400000n, 0n, 1n, 2n) },
    expected: [-86400000n, 0n, 1n, 2n],
  },
  {
    name: 'time32',
    type: a.time32('ms'),
    layout: { values: Int32Array.of(0, 1, 2, 86399999) },
    expected: [0, 1, 2, 86399999],
  },
  {
    name: 'timestamp',
    type: a.timestamp('ns', 'UTC'),
    layout: { ...nulls, values: BigInt64Array.of(-1n, 9n, 2n ** 60n, 0n) },
    expected: [-1n, null, 2n ** 60n, 0n],
  },
  {
    name: 'month-day-nano interval',
    type: a.interval('month-day-nano'),
    layout: {
      ...nulls,
      values: new Uint8Array(new Int32Array([14, -3, 1, 1, 9, 9, 9, 9, 0, 0, -1, -1, 0, 5, 0, 0]).buffer),
    },
    expected: [
      { months: 14, days: -3, nanoseconds: 2n ** 32n + 1n },
      null,
      { months: 0, days: 0, nanoseconds: -1n },
      { months: 0, days: 5, nanoseconds: 0n },
    ],
  },
  {
    name: 'day-time interval',
    type: a.interval('day-time'),
    layout: { values: new Uint8Array(new Int32Array([1, 2, -3, 4, 0, 0, 5, -6]).buffer) },
    expected: [
      { days: 1, milliseconds: 2 },
      { days: -3, milliseconds: 4 },
      { days: 0, milliseconds: 0 },
      { days: 5, milliseconds: -6 },
    ],
  },
  {
    name: 'list',
    type: a.list(a.int32()),
    layout: { ...nulls, offsets: Int32Array.of(0, 2, 2, 2, 6), children: [int32s] },
    expected: [[1, 2], null, [], [3, 4, 5, 6]],
  },
  {
    name: 'large list',
    type: a.largeList(a.utf8()),
    layout: { offsets: BigInt64Array.of(1n, 2n, 2n, 4n, 6n), children: [texts] },
    expected: [['b'], [], ['cc', ''], ['dd', 'f']],
  },
  {
    name: 'fixed-size list',
    type: a.fixedSizeList(a.utf8(), 1),
    layout: { ...nulls, children: [texts.slice(0, 4)] },
    expected: [['a'], null, ['cc'], ['']],
  },
  {
    name: 'struct',
    type: a.struct({ n: a.int32(), t: a.utf8() }),
    layout: { ...nulls, children: [int32s.slice(0, 4), texts.slice(2)] },
    expected: [{ n: 1, t: 'cc' }, null, { n: 3, t: 'dd' }, { n: 4, t: 'f' }],
  },
  {
    name: 'map',
    type: entryType,
    layout: { ...nulls, offsets: Int32Array.of(0, 2, 2, 3, 6), children: [entries] },
    expected: [
      [
        [1, 'a'],
        [2, 'b'],
      ],
      null,
      [[3, 'cc']],
      [
        [4, ''],
        [5, 'dd'],
        [6, 'f'],
      ],
    ],
  },
  {
    name: 'sparse union',
    type: a.union('sparse', { n: a.int32(), t: a.utf8() }, [5, 3]),
    layout: { values: Int8Array.of(5, 3, 3, 5), children: [int32s.slice(0, 4), texts.slice(0, 4)] },
    expected: [1, 'b', 'cc', 4],
  },
  {
    name: 'dense union',
    type: a.union('dense', { n: a.int32(), t: a.utf8() }, [5, 3]),
    layout: { values: Int8Array.of(3, 5, 3, 3), offsets: Int32Array.of(4, 1, 0, 3), children: [int32s, texts] },
    expected: ['dd', 2, 'a', ''],
  },
  {
    name: 'dictionary',
    type: a.dictionary(a.utf8(), a.uint8()),
    layout: { ...nulls, values: Uint8Array.of(2, 9, 0, 2), dictionary: texts },
    expected: ['cc', null, 'a', 'cc'],
  },
  {
    name: 'dictionary of 64-bit indices',
    type: a.dictionary(a.int32(), a.int64()),
    layout: { values: BigInt64Array.of(5n, 0n, 1n, 5n), dictionary: int32s },
    expected: [6, 1, 2, 6],
  },
];

/** Typed arrays that stand for arrays, as arrays; the bytes of binary stay. */
function plain(value: unknown): unknown {
  if (ArrayBuffer.isView(value) && !(value instanceof Uint8Array))
    return Array.from(value as unknown as Iterable<unknown>);
  return value;
}

function everyWay(column: Column): unknown[][] {
  const at = Array.from({ length: column.length }, (_, i) => column.at(i));
  const copied: unknown[] = ['kept'];
  column.copyTo(copied, 1);
  assert.equal(copied[0], 'kept');
  return [at, [...column], Array.from(column.toArray() as ArrayLike<unknown>), copied.slice(1)].map((values) =>
    values.map(plain),
  );
}

describe('column', () => {
  for (const { name, type, layout, expected, field = (n: string) => new Field(n, type) } of cases) {
    it(`${name}: every way of reading, slices of slices and places outside`, () => {
      const column = makeColumn(field('c'), { type, length: 4, ...layout });
      const binary = type.kind.endsWith('binary');
      const wanted = binary ? expected : expected.map(plain);
      for (const got of everyWay(column)) assert.deepEqual(got, wanted);
      assert.equal(column.nullCount, type.kind === 'union' ? 0 : expected.filter((value) => value === null).length);
      for (let start = 0; start <= 4; start++) {
        for (let end = start; end <= 4; end++) {
          const slice = column.slice(start, end);
          assert.equal(slice.length, end - start);
          for (const got of everyWay(slice)) assert.deepEqual(got, wanted.slice(start, end));
          for (const got of everyWay(slice.slice(1))) assert.deepEqual(got, wanted.slice(start, end).slice(1));
          for (const got of everyWay(slice.slice(-2, -1)))
            assert.deepEqual(got, wanted.slice(start, end).slice(-2, -1));
          assert.deepEqual([slice.at(-1), slice.at(end - start), slice.at(1000)], [null, null, null]);
          assert.deepEqual([slice.isValid(-1), slice.isValid(end - start)], [false, false]);
        }
      }
    });
  }

  it('a bitmap whose count of nulls is 0 is not looked at', () => {
    const column = makeColumn(new Field('c', a.int32()), {
      type: a.int32(),
      length: 2,
      validity: Uint8Array.of(0),
      nullCount: 0,
      values: Int32Array.of(1, 2),
    });
    assert.deepEqual([column.at(0), column.at(1), column.nullCount], [1, 2, 0]);
  });

  it('nulls are counted when nobody has', () => {
    const column = makeColumn(new Field('c', a.int32()), {
      type: a.int32(),
      length: 10,
      validity: Uint8Array.of(0xff, 0b01),
      nullCount: -1,
      values: new Int32Array(10),
    });
    assert.equal(column.nullCount, 1);
    assert.equal(column.slice(9).nullCount, 1);
    assert.equal(column.slice(0, 9).nullCount, 0);
  });

  it('plain numbers without nulls come as a view of the buffer, not a copy', () => {
    const values = Float64Array.of(1, 2, 3, 4);
    const column = makeColumn(new Field('c', a.float64()), { type: a.float64(), length: 4, values });
    assert.equal((column.toArray() as Float64Array).buffer, values.buffer);
    assert.equal((column.slice(1, 3).toArray() as Float64Array).byteOffset, 8);
  });

  it('a type id that is none of the union’s gives null', () => {
    const type = a.union('sparse', { n: a.int32() }, [5]);
    const column = makeColumn(new Field('u', type), {
      type,
      length: 2,
      values: Int8Array.of(4, -1),
      children: [int32s.slice(0, 2)],
    });
    assert.deepEqual([column.at(0), column.at(1)], [null, null]);
  });

  it('a struct’s child counts as null where its parent is', () => {
    const type = a.struct({ n: a.int32() });
    const column = makeColumn(new Field('s', type), { type, length: 4, ...nulls, children: [int32s.slice(0, 4)] });
    assert.equal(column.at(1), null);
    assert.equal((column.toArray() as unknown[])[1], null);
  });
});
