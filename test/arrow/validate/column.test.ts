import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';
import {
  Column,
  type ColumnLayout,
  type DataType,
  Field,
  makeColumn,
  RecordBatch,
  RecurveError,
  Schema,
  type ValidationLevel,
  validateBatch,
} from 'recurve/arrow';

/** A column of any layout, whose values are not asked for. */
class AnyColumn extends Column {
  at(): null {
    return null;
  }
}

type Parts = Omit<ColumnLayout, 'type' | 'length'>;

function columnOf(type: DataType, length: number, parts: Parts): Column {
  return new AnyColumn({ type, length, ...parts });
}

function refusal(column: Column, level: ValidationLevel): RecurveError | undefined {
  const field = new Field('c', column.type);
  try {
    validateBatch(new RecordBatch(new Schema([field]), [column]), level);
    return undefined;
  } catch (error) {
    assert.ok(RecurveError.is(error), `${error}`);
    assert.equal(error.status, 'INVALID_DATA');
    return error;
  }
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const int32s = (length: number): Column => columnOf(a.int32(), length, { values: new Int32Array(length) });
/** Row 1 is null. */
const secondNull = { validity: Uint8Array.of(0b1101), nullCount: 1 };
const kind = (type: object): DataType => type as DataType;
const utf8View = kind({ kind: 'utf8-view' });
const binaryView = kind({ kind: 'binary-view' });
const listView = kind({ kind: 'list-view', large: false, child: a.field('item', a.int32()) });

/** Views by hand: of 12 bytes at most inline, else prefix, buffer and offset ("Variable-size Binary View Layout"). */
function inlineView(value: Uint8Array, size = value.length): Int32Array {
  const words = new Int32Array(4);
  words[0] = size;
  new Uint8Array(words.buffer).set(value, 4);
  return words;
}
function bufferView(size: number, prefix: string, buffer: number, offset: number): Int32Array {
  const words = inlineView(bytes(prefix), size);
  words.set([buffer, offset], 2);
  return words;
}
const long = bytes('a text that is long: é');

function decimals(bitWidth: 32 | 64 | 128 | 256, precision: number, ...values: bigint[]): Column {
  const perValue = bitWidth / 32;
  const words = new Int32Array(values.length * perValue);
  values.forEach((value, i) => {
    for (let w = 0; w < perValue; w++) words[i * perValue + w] = Number(BigInt.asIntN(32, value >> BigInt(32 * w)));
  });
  const type: DataType = { kind: 'decimal', precision, scale: 0, bitWidth };
  return columnOf(type, values.length, {
    values: bitWidth === 32 ? words : new BigInt64Array(words.buffer),
  });
}

const dictionaryOf = (index: DataType, values: a.Values, parts: Parts = {}, size = 3): Column =>
  columnOf(kind({ kind: 'dictionary', id: 0n, index, value: a.int32(), ordered: false }), values.length, {
    values,
    dictionary: int32s(size),
    ...parts,
  });

const unionType: DataType = {
  kind: 'union',
  mode: 'dense',
  typeIds: [5, 7],
  children: [a.field('x', a.int32()), a.field('y', a.int32())],
};
const union = (ids: number[], offsets: number[]): Column =>
  columnOf(unionType, ids.length, {
    values: Int8Array.from(ids),
    offsets: Int32Array.from(offsets),
    children: [int32s(2), int32s(1)],
  });

const runs = (length: number, ends: number[], parts: Parts = {}): Column =>
  columnOf(
    kind({ kind: 'run-end-encoded', runEnds: a.field('run_ends', a.int32()), values: a.field('values', a.int32()) }),
    length,
    {
      children: [columnOf(a.int32(), ends.length, { values: Int32Array.from(ends) }), int32s(ends.length)],
      ...parts,
    },
  );

function mapOf(keys: Column, offsets: number[]): Column {
  const type = a.map(a.int32(), a.int32());
  const entries = columnOf(type.child.type, keys.length, { children: [keys, int32s(keys.length)] });
  return columnOf(type, offsets.length - 1, { offsets: Int32Array.from(offsets), children: [entries] });
}

/** What is wrong, the level that finds it first, and how it says so. */
const faults: ReadonlyArray<readonly [what: string, Column, ValidationLevel, RegExp]> = [
  ['too few values', columnOf(a.int32(), 3, { values: new Int32Array(2) }), 'minimal', /values of 2.* 3 rows need 3/],
  ['no values', columnOf(a.float64(), 1, {}), 'minimal', /values of 0/],
  [
    'too short a bitmap',
    columnOf(a.int8(), 9, { values: new Int8Array(9), validity: new Uint8Array(1) }),
    'minimal',
    /bytes of 1/,
  ],
  [
    'too few offsets',
    columnOf(a.utf8(), 2, { offsets: new Int32Array(2), data: bytes('') }),
    'minimal',
    /offsets of 2/,
  ],
  ['too short a child', columnOf(a.fixedSizeList(a.int32(), 2), 2, { children: [int32s(3)] }), 'minimal', /child of 3/],
  [
    'offsets past the data',
    columnOf(a.binary(), 1, { offsets: Int32Array.of(0, 4), data: bytes('abc') }),
    'default',
    /from 0 to 4, of 3/,
  ],
  [
    'a negative offset',
    columnOf(a.binary(), 1, { offsets: Int32Array.of(-1, 1), data: bytes('abc') }),
    'default',
    /byte 0 of its buffer/,
  ],
  [
    'a null key',
    mapOf(columnOf(a.int32(), 2, { values: new Int32Array(2), validity: Uint8Array.of(1) }), [0, 2]),
    'default',
    /"entries", row 1: the key/,
  ],
  ['runs that end early', runs(4, [1, 3]), 'default', /end at 3, 4 rows/],
  ['runs that a slice leaves', runs(2, [1, 3], { runOffset: 2 }), 'default', /end at 3, 4 rows/],
  [
    'falling offsets',
    columnOf(a.utf8(), 3, { offsets: Int32Array.of(0, 2, 1, 3), data: bytes('abc') }),
    'full',
    /row 1, byte 8 .*offset 1 follows 2/,
  ],
  [
    'an offset that overflows',
    columnOf(a.utf8(), 3, { offsets: Int32Array.of(0, 0x7fffffff, -0x80000000, 3), data: bytes('abc') }),
    'full',
    /row 1/,
  ],
  [
    'falling large offsets',
    columnOf(a.largeUtf8(), 3, { offsets: BigInt64Array.of(0n, 2n, 1n, 3n), data: bytes('abc') }),
    'full',
    /row 1, byte 16/,
  ],
  [
    'falling list offsets under a null',
    columnOf(a.list(a.int32()), 3, { ...secondNull, offsets: Int32Array.of(0, 2, 1, 3), children: [int32s(3)] }),
    'full',
    /row 1/,
  ],
  [
    'a byte that is no text',
    columnOf(a.utf8(), 2, { offsets: Int32Array.of(0, 1, 2), data: Uint8Array.of(0x61, 0xff) }),
    'full',
    /row 1, byte 1 .*not UTF-8/,
  ],
  [
    'a character in two values',
    columnOf(a.utf8(), 2, { offsets: Int32Array.of(0, 1, 2), data: bytes('é') }),
    'full',
    /row 0.*not UTF-8/,
  ],
  [
    'a surrogate in UTF-8',
    columnOf(a.utf8(), 1, { offsets: Int32Array.of(0, 3), data: Uint8Array.of(0xed, 0xa0, 0x80) }),
    'full',
    /not UTF-8/,
  ],
  [
    'a wrong null count',
    columnOf(a.int8(), 4, { values: new Int8Array(4), validity: Uint8Array.of(0b1101), nullCount: 2 }),
    'full',
    /has 1 nulls, .* say 2/,
  ],
  [
    'an index past the dictionary',
    dictionaryOf(a.int8(), Int8Array.of(0, 3)),
    'full',
    /row 1, byte 1 .*index 3 .* 3 values/,
  ],
  ['a negative index of a large dictionary', dictionaryOf(a.int8(), Int8Array.of(-1), {}, 300), 'full', /index -1/],
  ['an index past 2^32', dictionaryOf(a.uint64(), BigUint64Array.of(1n << 32n)), 'full', /index 4294967296/],
  [
    'a fault in a dictionary',
    columnOf(kind({ kind: 'dictionary', id: 9n, index: a.int8(), value: a.utf8(), ordered: false }), 0, {
      values: new Int8Array(0),
      dictionary: columnOf(a.utf8(), 1, { offsets: Int32Array.of(0, 1), data: Uint8Array.of(0x80) }),
    }),
    'full',
    /dictionary 9: .*row 0/,
  ],
  ['a type id of no member', union([5, 6], [0, 0]), 'full', /row 1, byte 1 .*type id 6 is none of 5, 7/],
  ['a negative type id', union([-1], [0]), 'full', /type id -1/],
  ['a union offset past its member', union([7], [1]), 'full', /offset 1 .* 1 values of member 7/],
  ['union offsets that fall', union([5, 5], [1, 0]), 'full', /offset 0 follows 1/],
  ['run ends that stay', runs(3, [1, 1, 3]), 'full', /row 1, .*run end 1 follows 1/],
  ['a run end of 0', runs(3, [0, 3]), 'full', /row 0/],
  [
    'a list view past its child',
    columnOf(listView, 2, { offsets: Int32Array.of(0, 2), sizes: Int32Array.of(3, 2), children: [int32s(3)] }),
    'full',
    /row 1, byte 4 .*2 values from 2/,
  ],
  [
    'a negative size under a null',
    columnOf(listView, 2, {
      ...secondNull,
      offsets: Int32Array.of(0, 0),
      sizes: Int32Array.of(0, -1),
      children: [int32s(3)],
    }),
    'full',
    /row 1/,
  ],
  [
    'a negative view length',
    columnOf(binaryView, 1, { values: Int32Array.of(-1, 0, 0, 0), buffers: [] }),
    'full',
    /length -1/,
  ],
  [
    'bytes behind an inline value',
    columnOf(binaryView, 1, { values: inlineView(bytes('abc'), 2), buffers: [] }),
    'full',
    /no zeroes/,
  ],
  [
    'inline bytes that are no text',
    columnOf(utf8View, 1, { values: inlineView(Uint8Array.of(0xff)), buffers: [] }),
    'full',
    /not UTF-8/,
  ],
  [
    'a view of no buffer',
    columnOf(binaryView, 1, { values: bufferView(13, 'a te', 1, 0), buffers: [long] }),
    'full',
    /buffer 1 is none of 1/,
  ],
  [
    'a view past its buffer',
    columnOf(binaryView, 1, { values: bufferView(22, 'a te', 0, 2), buffers: [long] }),
    'full',
    /bytes 2 to 24/,
  ],
  [
    'another prefix',
    columnOf(binaryView, 1, { values: bufferView(13, 'a to', 0, 0), buffers: [long] }),
    'full',
    /prefix/,
  ],
  [
    'a view that ends in a character',
    columnOf(utf8View, 1, { values: bufferView(22, 'a te', 0, 0), buffers: [long] }),
    'full',
    /not UTF-8/,
  ],
  ...([32, 64, 128, 256] as const).flatMap((bitWidth) =>
    [10n ** 9n, -(10n ** 9n)].map(
      (value) =>
        [
          `${value} in decimal${bitWidth}`,
          decimals(bitWidth, 9, 1n, value),
          'full',
          /row 1, .*000000000 has more digits/,
        ] as const,
    ),
  ),
  ['a decimal of 39 digits', decimals(128, 38, 10n ** 38n), 'full', /more digits than the precision 38/],
];

describe('validation', () => {
  for (const [what, column, level, message] of faults) {
    it(`${level} is the first level to find ${what}`, () => {
      const levels = ['none', 'minimal', 'default', 'full'] as const;
      for (const other of levels) {
        const error = refusal(column, other);
        assert.equal(error !== undefined, levels.indexOf(other) >= levels.indexOf(level), `${other}: ${error}`);
        if (error !== undefined) assert.match(error.message, message);
      }
    });
  }

  const valid: ReadonlyArray<readonly [what: string, Column]> = [
    [
      'any bytes under a null text',
      columnOf(a.utf8(), 3, {
        ...secondNull,
        validity: Uint8Array.of(0b101),
        offsets: Int32Array.of(0, 1, 2, 3),
        data: Uint8Array.of(0x61, 0xff, 0x62),
      }),
    ],
    ['any index under a null', dictionaryOf(a.int8(), Int8Array.of(0, -9, 1, 2), secondNull)],
    [
      'any view under a null',
      columnOf(utf8View, 2, {
        validity: Uint8Array.of(1),
        nullCount: 1,
        values: Int32Array.of(0, 0, 0, 0, -5, 1, 2, 3),
        buffers: [],
      }),
    ],
    [
      'texts beside those that a slice shows',
      columnOf(a.utf8(), 1, { offsets: Int32Array.of(1, 2), data: Uint8Array.of(0xff, 0x61, 0xff) }),
    ],
    ['characters of several bytes', columnOf(a.utf8(), 3, { offsets: Int32Array.of(0, 2, 2, 6), data: bytes('é🚲') })],
    [
      'views of text',
      columnOf(utf8View, 3, {
        values: Int32Array.of(
          ...bufferView(23, 'a te', 0, 0),
          ...inlineView(bytes('é')),
          ...bufferView(13, ' tex', 0, 1),
        ),
        buffers: [long],
      }),
    ],
    [
      'list views out of order',
      columnOf(listView, 2, { offsets: Int32Array.of(2, 0), sizes: Int32Array.of(1, 3), children: [int32s(3)] }),
    ],
    ['a dense union', union([5, 7, 5], [0, 0, 1])],
    ['runs with an offset', runs(2, [1, 4], { runOffset: 2 })],
    ['a map', mapOf(int32s(2), [0, 1, 2])],
    ...([32, 64, 128, 256] as const).map(
      (width) =>
        [`decimal${width} at its precision`, decimals(width, 9, 999_999_999n, -999_999_999n, 0n, -1n)] as const,
    ),
    ['decimals of 38 digits', decimals(128, 38, 10n ** 38n - 1n, 1n - 10n ** 38n)],
    ['decimals that reach into the second word', decimals(128, 10, 10n ** 10n - 1n, 1n - 10n ** 10n)],
  ];
  for (const [what, column] of valid) {
    it(`full passes ${what}`, () => assert.equal(refusal(column, 'full')?.message, undefined));
  }

  it('looks at columns inside of columns, by their path', () => {
    const inner = columnOf(a.utf8(), 1, { offsets: Int32Array.of(0, 1), data: Uint8Array.of(0xff) });
    const child = a.field('t"x', a.utf8());
    const column = makeColumn(new Field('c', a.struct([child])), {
      type: a.struct([child]),
      length: 1,
      children: [inner],
    });
    assert.match(refusal(column, 'full')?.message ?? '', /column "c"\."t\\"x", row 0/);
  });
});
