import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';

interface Point {
  readonly x: number;
  readonly y: number;
}

const point = a.defineExtension<Point, { readonly crs: string }>({
  name: 'example.point',
  storage: (type) => type.kind === 'fixed-size-list' && type.listSize === 2,
  serialize: ({ crs }) => JSON.stringify({ crs }),
  deserialize(metadata) {
    const { crs } = JSON.parse(metadata);
    if (typeof crs !== 'string') throw new TypeError('crs is no text');
    return { crs };
  },
  decode(value) {
    const [x = 0, y = 0] = value as ArrayLike<number> as number[];
    if (Number.isNaN(x)) throw new RangeError('x is NaN\nand a second line');
    return { x, y };
  },
  encode({ x, y }) {
    if (y === undefined) throw new TypeError('has no y');
    return [x, y];
  },
});
const storage = a.fixedSizeList(a.float64(), 2);

function pointField(name: string, metadata?: string): a.Field {
  const extension = point.describe(storage, { crs: 'EPSG:4326' });
  return a.extensionField(name, storage, { ...extension, ...(metadata !== undefined && { metadata }) });
}

describe('an extension type that is defined', () => {
  const extensions = [point];

  it('gives and takes its own values where it is asked for, and only there', () => {
    const schema = new a.Schema([pointField('p'), a.field('n', a.int32())]);
    const rows = [
      { p: { x: 1, y: 2 }, n: 1 },
      { p: null, n: 2 },
    ];
    const table = a.tableFromIPC(a.tableToIPC(a.tableFromRows(rows, schema, { extensions })));
    assert.deepEqual(table.toArray({ extensions }), rows);
    assert.deepEqual([...table.rows({ extensions })], rows);
    assert.deepEqual([...a.viewRows(table, { extensions })], rows);
    assert.deepEqual(table.toArray()[0], { p: [1, 2], n: 1 });
    assert.deepEqual(point.parametersOf(table.schema.field('p')), { crs: 'EPSG:4326' });
  });

  it('is found inside of lists, structs, maps, unions and dictionaries', () => {
    const shapes: ReadonlyArray<readonly [a.DataType, unknown, unknown]> = [
      [a.list(pointField('item')), [{ x: 1, y: 2 }, null], undefined],
      [a.struct([pointField('q')]), { q: { x: 3, y: 4 } }, undefined],
      [a.map(a.utf8(), pointField('value')), [['k', { x: 5, y: 6 }]], undefined],
      [a.union('dense', [pointField('u')]), { child: 'u', value: { x: 7, y: 8 } }, { x: 7, y: 8 }],
    ];
    for (const [type, value, expected] of shapes) {
      const schema = new a.Schema([a.field('v', type)]);
      const table = a.tableFromRows([{ v: value }], schema, { extensions });
      assert.deepEqual(table.toArray({ extensions }), [{ v: expected ?? value }], a.typeToString(type));
    }
    const json = a.extensionField('j', a.dictionary(a.utf8()), { name: 'arrow.json', metadata: '' });
    const batch = a.batchFromArrays(new a.Schema([json]), [['{"a":1}', null, '{"a":1}']]);
    const values = batch.toArray({ extensions: [a.jsonExtension] });
    assert.deepEqual(values, [{ j: { a: 1 } }, { j: null }, { j: { a: 1 } }]);
  });

  it('that throws while it reads gives one error with column and row, and the hook’s own as cause', () => {
    const schema = new a.Schema([pointField('p')]);
    const batches = [
      [1, 2],
      [Number.NaN, 0],
    ].map((p) => a.batchFromRows(schema, [{ p }]));
    assert.throws(
      () => new a.Table(schema, batches).toArray({ extensions }),
      (error) =>
        a.RecurveError.is(error) &&
        error.status === 'INVALID_DATA' &&
        error.message === 'column "p", row 1: example.point: x is NaN' &&
        error.cause instanceof RangeError,
    );
  });

  it('that throws while it writes leaves the builder as it was', () => {
    const builder = a.makeBuilder(pointField('p'), { extensions });
    builder.append({ x: 1, y: 2 });
    assert.throws(() => builder.append({ x: 1 }), /^RecurveError: column "p", row 1: .* has no y$/);
    assert.equal(builder.finish().length, 1);
  });

  it('refuses metadata that it does not take, by column; without it they pass through whole', () => {
    for (const metadata of ['', '{', '{"crs": 1}', '\u0000']) {
      const schema = new a.Schema([pointField('p', metadata)]);
      const table = new a.Table(schema, [a.batchFromArrays(schema, [[[1, 2]]])]);
      assert.throws(
        () => table.toArray({ extensions }),
        (error) => a.RecurveError.is(error) && error.message.startsWith('column "p": example.point with metadata '),
      );
      assert.ok(a.tableFromIPC(a.tableToIPC(table)).schema.equals(schema));
      assert.deepEqual(table.toArray({ extensions: [a.jsonExtension] }), [{ p: Float64Array.of(1, 2) }]);
    }
  });

  it('needs a name', () => {
    assert.throws(() => a.defineExtension({ name: '' }), /needs a name/);
  });
});
