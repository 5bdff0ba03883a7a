import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DictionaryColumn } from '../../../../src/arrow/column/dictionary.ts';
import { assertInvalid, field, fileOf, int8, int16, int32, readAll, readColumn, wire } from './wire.ts';

/** An array of int4: its dimensions, each a length and a lower bound, then its elements. */
function array(
  dimensions: readonly (readonly [length: number, lower: number])[],
  ...items: (number | null)[]
): Uint8Array {
  return wire(
    int32(dimensions.length),
    int32(0),
    int32(23),
    ...dimensions.map(([length, lower]) => wire(int32(length), int32(lower))),
    ...items.map((item) => field(item === null ? null : int32(item))),
  );
}

describe('arrays', () => {
  it('are lists in lists by their dimensions', async () => {
    const values = [
      array(
        [
          [2, 1],
          [3, 1],
        ],
        1,
        2,
        3,
        null,
        5,
        6,
      ),
      null,
      array([]),
      array(
        [
          [1, 1],
          [1, 1],
        ],
        7,
      ),
    ];
    const [got] = await readAll(fileOf(...values), [{ name: 'a', type: 'int4[][]' }]);
    assert.ok(got);
    const lists = Array.from(got.column(0), (value) =>
      JSON.parse(JSON.stringify(value, (_, v) => (ArrayBuffer.isView(v) ? Array.from(v as Int32Array) : v))),
    );
    assert.deepEqual(lists, [
      [
        [1, 2, 3],
        [null, 5, 6],
      ],
      null,
      [],
      [[7]],
    ]);
  });

  it('of another number of dimensions than the column are refused, and by option are of it', async () => {
    const square = array(
      [
        [1, 1],
        [2, 1],
      ],
      1,
      2,
    );
    await assertInvalid(readColumn('int4[]', [square]), /an array of 2 dimensions in a column of 1/);
    await assertInvalid(readColumn('int4[][]', [array([[1, 1]], 1)]), /an array of 1 dimensions in a column of 2/);
    const [batch] = await readAll(fileOf(square), [{ name: 'a', oid: 1007 }], { arrayDimensions: 2 });
    assert.equal(
      JSON.stringify(batch?.column(0).at(0), (_, v) => (ArrayBuffer.isView(v) ? Array.from(v as Int32Array) : v)),
      '[[1,2]]',
    );
  });

  it('whose first index is not 1 are refused, or lose it by option', async () => {
    const shifted = array([[2, 5]], 1, 2);
    await assertInvalid(readColumn('int4[]', [shifted]), /an array whose first index is 5: Arrow's lists have none/);
    await assertInvalid(readColumn('int4[]', [array([[1, 0]], 1)]), /first index is 0/);
    const [value] = await readColumn('int4[]', [shifted], { arrayBounds: 'drop' });
    assert.deepEqual(Array.from(value as Int32Array), [1, 2]);
  });

  it('with a dimension of no elements are empty', async () => {
    const [value] = await readColumn('int4[]', [array([[0, 1]])]);
    assert.deepEqual(Array.from(value as Int32Array), []);
  });
});

describe('enums', () => {
  const types = [
    { oid: 20_000, name: 'mood', schema: 'public', kind: 'enum', hasBinary: true, labels: ['sad', 'ok'] },
  ] as const;
  const dictionaries = async (...values: (Uint8Array | null)[]): Promise<readonly [unknown[], unknown[]]> => {
    const [batch] = await readAll(fileOf(...values), [{ name: 'a', type: 'mood' }], { types });
    const column = batch?.column(0) as DictionaryColumn;
    return [Array.from(column), Array.from(column.dictionary)];
  };

  it('are indices into the labels, in their order', async () => {
    assert.deepEqual(await dictionaries(wire('ok'), null, wire('sad')), [
      ['ok', null, 'sad'],
      ['sad', 'ok'],
    ]);
  });

  it('take labels that were added to the type meanwhile', async () => {
    const labels = Array.from({ length: 100 }, (_, i) => `new ${i}`);
    const values = ['ok', ...labels, 'sad', 'new 7'];
    assert.deepEqual(await dictionaries(...values.map((value) => wire(value))), [values, ['sad', 'ok', ...labels]]);
  });
});

describe('composites', () => {
  const types = [
    {
      oid: 20_000,
      name: 'pair',
      schema: 'public',
      kind: 'composite',
      hasBinary: true,
      attributes: [
        { name: 'x', oid: 23, typmod: -1 },
        { name: 'y', oid: 25, typmod: -1 },
      ],
    },
    { oid: 20_001, name: '_pair', schema: 'public', kind: 'array', hasBinary: true, element: 20_000 },
  ] as const;
  const pair = (x: number | null, y: string | null): Uint8Array =>
    wire(int32(2), int32(23), field(x === null ? null : int32(x)), int32(25), field(y === null ? null : wire(y)));

  it('tell a NULL from one whose members are NULL', async () => {
    const got = await readColumn('pair', [pair(1, 'a'), null, pair(null, null), pair(2, '')], { types });
    assert.deepEqual(got, [{ x: 1, y: 'a' }, null, { x: null, y: null }, { x: 2, y: '' }]);
  });

  it('stand in arrays', async () => {
    const items = wire(int32(1), int32(1), int32(20_000), int32(2), int32(1), field(pair(1, 'a')), field(null));
    assert.deepEqual(await readColumn('pair[]', [items], { types }), [[{ x: 1, y: 'a' }, null]]);
  });
});

describe('types of extensions', () => {
  const base = { schema: 'public', kind: 'base', hasBinary: true } as const;
  const types = [
    { oid: 20_000, name: 'hstore', ...base },
    { oid: 20_001, name: 'vector', ...base },
    { oid: 20_002, name: 'cube', ...base },
  ];
  const vector = wire(int16(2), int16(0), Uint8Array.of(0x3f, 0x80, 0, 0, 0xc0, 0, 0, 0));

  it('hstore is a map', async () => {
    const value = wire(int32(2), field(wire('a')), field(wire('1')), field(wire('')), field(null));
    const got = await readColumn('hstore', [value, null, int32(0)], { types });
    assert.deepEqual(got, [
      [
        ['a', '1'],
        ['', null],
      ],
      null,
      [],
    ]);
    await assertInvalid(
      readColumn('hstore', [wire(int32(1), field(null), field(null))], { types }),
      /a key that is NULL/,
    );
    await assertInvalid(readColumn('hstore', [int32(2 ** 30)], { types }), /1073741824 pairs in 4 bytes/);
  });

  it('vector is a list of its declared length, or of any', async () => {
    for (const type of ['vector(2)', 'vector']) {
      const [value, none] = await readColumn(type, [vector, null], { types });
      assert.deepEqual(Array.from(value as Float32Array), [1, -2]);
      assert.equal(none, null);
    }
    await assertInvalid(
      readColumn('vector(3)', [vector], { types }),
      /a vector of 2 dimensions in 12 bytes, its type has 3/,
    );
    await assertInvalid(
      readColumn('vector', [wire(int16(3), int16(0))], { types }),
      /a vector of 3 dimensions in 4 bytes/,
    );
  });

  it('any other keeps its bytes, where text cannot be asked for', async () => {
    assert.deepEqual(await readColumn('cube', [wire(int8(1), int8(2))], { types }), [Uint8Array.of(1, 2)]);
  });
});
