import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  type Column,
  type DataType,
  type Field,
  field,
  int16,
  int32,
  jsonReader,
  listView,
  makeBuilder,
  makeColumn,
  RecordBatch,
  RecurveError,
  runEndEncoded,
  Schema,
  tableFromIPC,
  tableToIPC,
  textReader,
  typeToString,
  union,
  utf8,
  utf8View,
} from 'recurve/arrow';
import { concatColumns } from '../../src/arrow/ipc/concat-nested.ts';

function build(type: DataType, values: readonly unknown[]): [Field, Column] {
  const of = field('c', type);
  const builder = makeBuilder(of);
  builder.appendAll(values);
  return [of, builder.finish()];
}

const refusal = (error: unknown): boolean => RecurveError.is(error) && error.status === 'INVALID_DATA';

describe('text views', () => {
  // Blocks end between these: 6,000 short values and some that are longer than a block.
  const values = Array.from({ length: 6000 }, (_, i) =>
    i % 7 === 3 ? null : i % 5 === 0 ? `größer als zwölf ${i}` : `${i}`,
  );
  values.splice(2500, 0, 'x'.repeat(20_000), 'y'.repeat(16_384), '');
  const [, column] = build(utf8View(), values);

  it('read the same in order, backwards and at once', () => {
    assert.deepEqual(Array.from(column), values);
    assert.deepEqual(Array.from(column.toArray()), values);
    for (let i = values.length - 1; i >= 0; i--) assert.equal(column.at(i), values[i]);
    assert.deepEqual(Array.from(column.toArray(2400, 2600)), values.slice(2400, 2600));
    assert.deepEqual(Array.from(column.slice(1234, 4321)), values.slice(1234, 4321));
    assert.equal(column.at(values.length), null);
  });

  it('with a view outside of its buffers are refused', () => {
    const type = utf8View();
    const bad = makeColumn(field('c', type), {
      type,
      length: 1,
      values: Int32Array.of(20, 0, 0, 5),
      buffers: [new Uint8Array(24)],
    });
    assert.throws(() => bad.at(0), refusal);
    assert.throws(() => bad.toArray(), refusal);
  });

  it('of a slice are written without the bytes of the others', () => {
    const schema = new Schema([field('c', utf8View())]);
    const table = { schema, batches: [new RecordBatch(schema, [column.slice(0, 3)], 3)] };
    const bytes = tableToIPC(table);
    assert.ok(bytes.length < 1000, `${bytes.length}`);
    assert.deepEqual(Array.from(tableFromIPC(bytes).batches[0]?.column(0) as Column), values.slice(0, 3));
  });
});

describe('runs', () => {
  it('of equal values are one, and nulls too', () => {
    const [of, column] = build(runEndEncoded(utf8()), ['a', 'a', null, null, 'b']);
    assert.deepEqual([...(column.layout.children?.[0]?.layout.values ?? [])], [2, 4, 5]);
    assert.deepEqual(Array.from(column), ['a', 'a', null, null, 'b']);
    assert.deepEqual([0, 4, 1, 2].map(textReader(of, column)), ['a', 'b', 'a', null]);
    assert.equal(jsonReader(of, column)(2), 'null');
    assert.deepEqual(Array.from(column.slice(1, 4).toArray(1)), [null, null]);
  });

  it('are counted up to what the run ends hold', () => {
    const builder = makeBuilder(field('c', runEndEncoded(int32(), int16())));
    for (let i = 0; i < 32_767; i++) builder.append(1);
    assert.throws(() => builder.append(1), refusal);
    assert.equal(builder.finish().length, 32_767);
  });

  it('in a list whose last item is refused are as before', () => {
    const builder = makeBuilder(field('c', listView(runEndEncoded(int32()))));
    builder.append([1, 1, 2]);
    assert.throws(() => builder.append([2, 2, 'no']), refusal);
    builder.append([2, 3]);
    const column = builder.finish();
    assert.deepEqual(
      Array.from(column, (value) => Array.from(value as ArrayLike<unknown>)),
      [
        [1, 1, 2],
        [2, 3],
      ],
    );
  });
});

describe('columns that are joined', () => {
  const cases: readonly [DataType, readonly unknown[]][] = [
    [utf8View(), ['short', 'longer than twelve bytes', null, '']],
    [listView(utf8View()), [['a'], null, [], ['longer than twelve bytes', null]]],
    [runEndEncoded(utf8View()), ['a', 'a', null, 'b']],
  ];
  for (const [type, values] of cases) {
    it(`${typeToString(type)}: have the values of each`, () => {
      const [of, column] = build(type, values);
      const joined = concatColumns(of, [column, column.slice(1, 3), column.slice(2)]);
      const plain = (list: Iterable<unknown>): unknown => JSON.parse(JSON.stringify(Array.from(list)));
      assert.deepEqual(plain(joined), [...values, ...values.slice(1, 3), ...values.slice(2)]);
    });
  }
});

describe('a union with nulls of its own, as metadata V4 has them', () => {
  for (const mode of ['sparse', 'dense'] as const) {
    it(`is written with them in its children: ${mode}`, () => {
      const type = union(mode, { a: int32(), b: utf8() });
      const [, a] = build(int32(), mode === 'sparse' ? [1, 2, 3, 4] : [1, 2]);
      const [, b] = build(utf8(), mode === 'sparse' ? ['p', 'q', 'r', 's'] : ['r', 's']);
      const schema = new Schema([field('c', type)]);
      const column = makeColumn(schema.field(0), {
        type,
        length: 4,
        values: Int8Array.of(0, 0, 1, 1),
        ...(mode === 'dense' && { offsets: Int32Array.of(0, 1, 0, 1) }),
        children: [a, b],
        validity: Uint8Array.of(0b0110),
        nullCount: 2,
      });
      const read = tableFromIPC(tableToIPC({ schema, batches: [new RecordBatch(schema, [column], 4)] }));
      assert.deepEqual(Array.from(read.batches[0]?.column(0) as Column), [null, 2, 'r', null]);
    });
  }
});
