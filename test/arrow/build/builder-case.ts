import type { DataType } from 'recurve/arrow';
import * as a from 'recurve/arrow';

const day = 86_400_000;
const midnight = new Date('2013-01-31T00:00:00Z');
const noon = new Date('2013-01-31T12:00:00.123Z');

/** What goes in and what `at` then gives, by the table of `makeBuilder` and the type's definition. */
export const accepted: readonly (readonly [DataType, ReadonlyArray<readonly [put: unknown, got: unknown]>])[] = [
  [a.nullType(), [[null, null]]],
  [
    a.bool(),
    [
      [true, true],
      [false, false],
    ],
  ],
  [
    a.int8(),
    [
      [-128, -128],
      [127n, 127],
    ],
  ],
  [
    a.uint8(),
    [
      [255, 255],
      [0, 0],
    ],
  ],
  [
    a.int16(),
    [
      [-32768, -32768],
      [32767, 32767],
    ],
  ],
  [a.uint16(), [[65535, 65535]]],
  [
    a.int32(),
    [
      [-(2 ** 31), -(2 ** 31)],
      [2147483647n, 2147483647],
      [-0, 0],
    ],
  ],
  [a.uint32(), [[2 ** 32 - 1, 2 ** 32 - 1]]],
  [
    a.int64(),
    [
      [-(2n ** 63n), -(2n ** 63n)],
      [-(2 ** 53) + 1, -(2n ** 53n) + 1n],
      [-1, -1n],
      [2 ** 32, 2n ** 32n],
    ],
  ],
  [
    a.uint64(),
    [
      [2n ** 64n - 1n, 2n ** 64n - 1n],
      [2 ** 53 - 1, 2n ** 53n - 1n],
    ],
  ],
  [
    a.float64(),
    [
      [0.1, 0.1],
      [Number.NaN, Number.NaN],
      [-0, -0],
      [Infinity, Infinity],
    ],
  ],
  [
    a.float32(),
    [
      [0.5, 0.5],
      [0.1, Math.fround(0.1)],
      [-Infinity, -Infinity],
    ],
  ],
  // binary16: 0.1 is 0x2e66, 2049 lies between 2048 and 2050 (to even), 65519 rounds to the largest.
  [
    a.float16(),
    [
      [1, 1],
      [0.1, 0.0999755859375],
      [2049, 2048],
      [65519, 65504],
      [2 ** -25, 0],
      [2 ** -24, 2 ** -24],
      [-0, -0],
    ],
  ],
  [
    a.decimal32(9, 2),
    [
      ['-12.5', '-12.50'],
      [1, '1.00'],
      ['1234567.89', '1234567.89'],
    ],
  ],
  [
    a.decimal64(18, 0),
    [
      [10n ** 17n, '100000000000000000'],
      ['1.000', '1'],
    ],
  ],
  [
    a.decimal128(38, 3),
    [
      ['1e3', '1000.000'],
      [0.1, '0.100'],
      [-(10n ** 34n), `-1${'0'.repeat(34)}.000`],
      ['+.5', '0.500'],
    ],
  ],
  [
    a.decimal256(76, 76),
    [
      ['0.1', `0.1${'0'.repeat(75)}`],
      [0, `0.${'0'.repeat(76)}`],
    ],
  ],
  [
    a.decimal128(5, -2),
    [
      ['12300', '12300'],
      [-100n, '-100'],
    ],
  ],
  [
    a.utf8(),
    [
      ['', ''],
      ['naïve 中 😀', 'naïve 中 😀'],
      ['x'.repeat(100), 'x'.repeat(100)],
      ['é😀'.repeat(5000), 'é😀'.repeat(5000)],
    ],
  ],
  [
    a.largeUtf8(),
    [
      ['b', 'b'],
      ['é', 'é'],
    ],
  ],
  [
    a.binary(),
    [
      [Uint8Array.of(1, 2), Uint8Array.of(1, 2)],
      [new Uint8Array(0), new Uint8Array(0)],
    ],
  ],
  [a.fixedSizeBinary(2), [[Uint8Array.of(1, 2), Uint8Array.of(1, 2)]]],
  [
    a.date32(),
    [
      [-1, -1],
      [midnight, 15736],
      [5n, 5],
    ],
  ],
  [
    a.date64(),
    [
      [midnight, 15736n * BigInt(day)],
      [day, BigInt(day)],
      [-BigInt(day), -BigInt(day)],
    ],
  ],
  [
    a.time32('s'),
    [
      [0, 0],
      [86399, 86399],
    ],
  ],
  [a.time64('ns'), [[86399999999999n, 86399999999999n]]],
  [
    a.timestamp('s'),
    [
      [midnight, 1359590400n],
      [-5, -5n],
    ],
  ],
  [a.timestamp('ms', 'UTC'), [[noon, 1359633600123n]]],
  [a.timestamp('us'), [[noon, 1359633600123000n]]],
  [
    a.timestamp('ns'),
    [
      [noon, 1359633600123000000n],
      [2n ** 63n - 1n, 2n ** 63n - 1n],
    ],
  ],
  [
    a.duration('ms'),
    [
      [-1n, -1n],
      [7, 7n],
    ],
  ],
  [a.interval('year-month'), [[-13, -13]]],
  [
    a.interval('day-time'),
    [
      [
        { days: 1, milliseconds: -2 },
        { days: 1, milliseconds: -2 },
      ],
    ],
  ],
  [
    a.interval('month-day-nano'),
    [
      [
        { months: 1, days: -2, nanoseconds: 2n ** 62n },
        { months: 1, days: -2, nanoseconds: 2n ** 62n },
      ],
      [
        { months: 0, days: 0, nanoseconds: 5 },
        { months: 0, days: 0, nanoseconds: 5n },
      ],
    ],
  ],
  [
    a.list(a.int32()),
    [
      [
        [1, null, 2],
        [1, null, 2],
      ],
      [[], []],
      [Int16Array.of(7), [7]],
    ],
  ],
  [
    a.largeList(a.utf8()),
    [
      [
        ['a', 'b'],
        ['a', 'b'],
      ],
    ],
  ],
  [
    a.fixedSizeList(a.utf8(), 2),
    [
      [
        ['a', null],
        ['a', null],
      ],
    ],
  ],
  [
    a.struct({ x: a.int32(), y: a.list(a.utf8()) }),
    [
      [
        { x: 1, y: ['a'] },
        { x: 1, y: ['a'] },
      ],
      [{}, { x: null, y: null }],
    ],
  ],
  [
    a.map(a.utf8(), a.int32()),
    [
      [new Map([['a', 1]]), [['a', 1]]],
      [
        [
          ['a', 1],
          ['a', null],
        ],
        [
          ['a', 1],
          ['a', null],
        ],
      ],
      [{ b: 2 }, [['b', 2]]],
    ],
  ],
  [
    a.union('dense', { n: a.int32(), t: a.utf8() }, [7, 2]),
    [
      [{ child: 't', value: 'x' }, 'x'],
      [{ child: 0, value: 5 }, 5],
      [{ child: 't', value: null }, null],
    ],
  ],
  [
    a.union('sparse', { n: a.int32(), t: a.utf8() }),
    [
      [{ child: 't', value: 'x' }, 'x'],
      [{ child: 'n', value: 5 }, 5],
    ],
  ],
  [
    a.dictionary(a.utf8()),
    [
      ['a', 'a'],
      ['b', 'b'],
      ['a', 'a'],
    ],
  ],
  [
    a.dictionary(a.float64(), a.uint8()),
    [
      [0, 0],
      [-0, -0],
      [0, 0],
    ],
  ],
];

/** What is refused, and a word of the message. */
export const refused: readonly (readonly [DataType, readonly unknown[]])[] = [
  [a.nullType(), [0]],
  [a.bool(), [0, 'true', 1n]],
  [a.int8(), [128, -129, 1.5, Number.NaN, '1', true, 128n, new Date(0)]],
  [a.uint8(), [-1, 256]],
  [a.int16(), [32768]],
  [a.uint16(), [-1, 65536]],
  [a.int32(), [2 ** 31, -(2 ** 31) - 1, Infinity, 2n ** 31n]],
  [a.uint32(), [-1, 2 ** 32]],
  [a.int64(), [2 ** 53, 1.5, 2n ** 63n, -(2n ** 63n) - 1n, '1', Number.NaN, new Date(0)]],
  [a.uint64(), [-1, -1n, 2n ** 64n, 2 ** 53]],
  [a.float64(), ['1', 1n, true, new Date(0)]],
  [a.float32(), [1e39, -1e39]],
  [a.float16(), [65520, -65520]],
  [a.decimal32(4, 2), ['100', '1.234', '', '.', 'a', '1e', 100n, 0.001, Number.NaN, Infinity, true, '1 ', '0x1']],
  [a.decimal128(38, 0), [10n ** 38n, '-1e38', '1e-1', '1e99999']],
  [a.decimal128(5, -2), ['150', 10n ** 7n]],
  [a.utf8(), [1, Uint8Array.of(1), '\ud800', 'a\udc00b', '\ud800\ud800', `${'x'.repeat(100)}\ud800`]],
  [a.binary(), ['a', [1], new ArrayBuffer(1)]],
  [a.fixedSizeBinary(2), [Uint8Array.of(1), Uint8Array.of(1, 2, 3), 'ab']],
  [a.date32(), [noon, 1.5, 2 ** 31, new Date(Number.NaN), '2013-01-31']],
  [a.date64(), [noon, 1, 1n]],
  [a.time32('s'), [-1, 86400, 0.5]],
  [a.time32('ms'), [86_400_000]],
  [a.time64('us'), [-1n, 86_400_000_000n]],
  [a.timestamp('s'), [noon, 0.5, new Date(Number.NaN)]],
  [a.timestamp('ns'), [new Date('2300-01-01'), 2n ** 63n]],
  [a.duration('s'), [midnight]],
  [a.interval('year-month'), [2 ** 31]],
  [a.interval('day-time'), [{ days: 1 }, { days: 0.5, milliseconds: 0 }, 5]],
  [
    a.interval('month-day-nano'),
    [
      { months: 1, days: 1 },
      { months: 0, days: 0, nanoseconds: 2n ** 63n },
      { months: 0, days: 2 ** 31, nanoseconds: 0n },
    ],
  ],
  [a.list(a.int32()), ['ab', { length: 1 }, 5, [1, 'x']]],
  [a.fixedSizeList(a.int32(), 2), [[1], [1, 2, 3], [1, 'x']]],
  [a.struct({ x: a.int32() }), [5, [1], { x: 'a' }, { x: 1, y: 2 }, midnight]],
  [a.map(a.utf8(), a.int32()), [5, [['a']], [[null, 1]], { a: 'x' }, ['ab']]],
  [a.map(a.int32(), a.int32()), [{ a: 1 }]],
  [
    a.union('dense', { n: a.int32() }),
    [5, { child: 'x', value: 1 }, { child: 1, value: 1 }, { child: 'n', value: 'x' }],
  ],
  [a.dictionary(a.int32()), ['x', 2 ** 31]],
];
