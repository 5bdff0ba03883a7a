import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { type Column, type ColumnLayout, Field, makeColumn, RecordBatch, Schema } from 'recurve/arrow';
import { batchByteLength } from 'recurve/delivery';

function batchOf(...layouts: ColumnLayout[]): RecordBatch {
  const columns = layouts.map(columnOf);
  return new RecordBatch(new Schema(columns.map((column, i) => new Field(`c${i}`, column.type))), columns);
}

function columnOf(layout: ColumnLayout): Column {
  return makeColumn(new Field('', layout.type), layout);
}

const int32 = { kind: 'int', bitWidth: 32, signed: true } as const;
const utf8 = { kind: 'utf8', large: false } as const;

function text(...values: string[]): ColumnLayout {
  const data = new TextEncoder().encode(values.join(''));
  const offsets = Int32Array.from([0, ...values.map((_, i) => values.slice(0, i + 1).join('').length)]);
  return { type: utf8, length: values.length, offsets, data };
}

// Expected sizes are the columnar format's: offsets are (length + 1) x 4, validity is a bit a value.
describe('the bytes of a batch', () => {
  test('are those of validity and values', () => {
    const layout = { type: int32, length: 3, values: new Int32Array(3) };
    assert.equal(batchByteLength(batchOf(layout)), 12);
    assert.equal(batchByteLength(batchOf({ ...layout, validity: Uint8Array.of(0b101), nullCount: 1 })), 13);
    assert.equal(batchByteLength(batchOf(layout, layout)), 24);
  });

  test('are none without columns or values', () => {
    assert.equal(batchByteLength(new RecordBatch(new Schema([]), [], 7)), 0);
    assert.equal(batchByteLength(batchOf({ type: { kind: 'null' }, length: 5 })), 0);
  });

  test('of text are offsets and the bytes that they reach, also in a slice', () => {
    const batch = batchOf(text('a', 'bcd', 'ef', ''));
    assert.equal(batchByteLength(batch), 5 * 4 + 6);
    assert.equal(batchByteLength(batch.slice(1, 3)), 3 * 4 + 5);
  });

  test('of lists reach as far into the child as the offsets do', () => {
    const child = columnOf({ type: int32, length: 10, values: new Int32Array(10) });
    const type = { kind: 'list', child: new Field('item', int32), large: false } as const;
    const batch = batchOf({ type, length: 3, offsets: Int32Array.of(0, 2, 6, 10), children: [child] });
    assert.equal(batchByteLength(batch), 4 * 4 + 40);
    assert.equal(batchByteLength(batch.slice(1, 2)), 2 * 4 + 16);
  });

  test('of a dense union are its ids, offsets and whole children', () => {
    const children: Column[] = [columnOf({ type: int32, length: 2, values: new Int32Array(2) }), columnOf(text('x'))];
    const fields = [new Field('i', int32), new Field('s', utf8)];
    const type = { kind: 'union', mode: 'dense', typeIds: [0, 1], children: fields } as const;
    const layout = { type, length: 3, values: Int8Array.of(0, 1, 0), offsets: Int32Array.of(0, 0, 1), children };
    assert.equal(batchByteLength(batchOf(layout)), 3 + 12 + 8 + (8 + 1));
  });

  test('count a dictionary once for all that share it', () => {
    const dictionary = columnOf(text('red', 'green'));
    const index = { kind: 'int', bitWidth: 8, signed: true } as const;
    const type = { kind: 'dictionary', id: 0n, index, value: utf8, ordered: false } as const;
    const layout = { type, length: 4, values: new Int8Array(4), dictionary };
    const dictionaryBytes = 3 * 4 + 8;
    assert.equal(batchByteLength(batchOf(layout, layout)), 4 + 4 + dictionaryBytes);
    const seen = new WeakSet<Column>();
    assert.equal(batchByteLength(batchOf(layout), seen), 4 + dictionaryBytes);
    assert.equal(batchByteLength(batchOf(layout), seen), 4);
  });
});
