import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as foreign from 'apache-arrow';
import fc from 'fast-check';
import {
  type Column,
  type DataType,
  Field,
  makeColumn,
  RecordBatch,
  RecurveError,
  Schema,
  tableFromIPC,
  tableToIPC,
  unifyDictionaries,
} from 'recurve/arrow';
import { batchValues, columnValues, tableValues } from './column-value.ts';
import { dictionaryColumn, dictionaryOf, int32Column, listColumn, textColumn, utf8 } from './example.ts';
import { dictionaryMessages } from './message-list.ts';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

const color = new Field('color', dictionaryOf(1n));
const schema = new Schema([color]);

function batchOf(indices: readonly (number | null)[], values: Column, of = schema): RecordBatch {
  return new RecordBatch(of, [dictionaryColumn(of.field(0), indices, values)]);
}

function dictionaryValues(batch: RecordBatch | undefined, column = 0): unknown[] {
  return columnValues(batch?.column(column).layout.dictionary as Column);
}

describe('unifying dictionaries', () => {
  it('gives all batches one dictionary, of each value once, that a file can hold', () => {
    const batches = [
      batchOf([0, 1, null], textColumn(['a', 'b'])),
      batchOf([2, 0, 1], textColumn(['b', null, 'c'])),
      batchOf([0, 0], textColumn(['c', 'c'])).withMetadata({ k: 'v' }),
    ];
    const table = unifyDictionaries({ schema, batches });
    assert.deepEqual(table.batches.map(batchValues), batches.map(batchValues));
    assert.deepEqual(
      table.batches.map((batch) => dictionaryValues(batch)),
      Array(3).fill(['a', 'b', null, 'c']),
    );
    assert.deepEqual([...(table.batches[2]?.metadata ?? [])], [['k', 'v']]);
    const bytes = tableToIPC(table, { format: 'file' });
    assert.deepEqual(dictionaryMessages(bytes), ['schema', 'dictionary 1', 'batch', 'batch', 'batch']);
    const values = ['a', 'b', null, 'c', 'b', null, 'c', 'c'];
    assert.deepEqual(foreign.tableFromIPC(bytes).getChildAt(0)?.toJSON(), values);
  });

  it('leaves a dictionary that is one already, and columns without one, as they are', () => {
    const of = new Schema([color, new Field('i', { kind: 'int', bitWidth: 32, signed: true })]);
    const colors = textColumn(['a', 'a']);
    const batches = [1, 0].map((i) => new RecordBatch(of, [dictionaryColumn(color, [i], colors), int32Column([i])]));
    const table = unifyDictionaries({ schema: of, batches });
    table.batches.forEach((batch, i) => {
      assert.equal(batch.column(0), batches[i]?.column(0));
      assert.equal(batch.column(1), batches[i]?.column(1));
    });
  });

  it('brings columns that share an id together', () => {
    const twice = new Schema([color, new Field('other', color.type)]);
    const columns = [
      dictionaryColumn(color, [0, 1], textColumn(['a', 'b'])),
      dictionaryColumn(color, [1, 0], textColumn(['b', 'c'])),
    ];
    const batches = [new RecordBatch(twice, columns)];
    assert.throws(() => tableToIPC({ schema: twice, batches }), /another dictionary under id 1/);
    const bytes = tableToIPC(unifyDictionaries({ schema: twice, batches }));
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [
      ['a', 'b'],
      ['c', 'b'],
    ]);
  });

  it('tells values apart that only look the same: NaN, −0, bytes that are no UTF-8', () => {
    const check = (type: DataType, one: Column, other: Column, count: number): void => {
      const of = new Schema([new Field('d', dictionaryOf(1n, type))]);
      const { batches } = unifyDictionaries({ schema: of, batches: [batchOf([0], one, of), batchOf([0], other, of)] });
      assert.equal(dictionaryValues(batches[0]).length, count);
      assert.deepEqual(batches.map(batchValues), [[columnValues(one)], [columnValues(other)]]);
    };
    const float: DataType = { kind: 'float', bitWidth: 64 };
    const number = (value: number): Column =>
      makeColumn(new Field('', float), { type: float, length: 1, validity: null, values: Float64Array.of(value) });
    check(float, number(0), number(-0), 2);
    check(float, number(Number.NaN), number(Number.NaN), 1);
    const text = (...bytes: number[]): Column =>
      makeColumn(new Field('', utf8), {
        type: utf8,
        length: 1,
        validity: null,
        offsets: Int32Array.of(0, bytes.length),
        data: Uint8Array.from(bytes),
      });
    check(utf8, text(0xff), text(0xfe), 2);
    check(utf8, text(0xff), text(0xff), 1);
    check(utf8, text(0xef, 0xbf, 0xbd), text(0xff), 2);
  });

  it('reaches dictionaries inside of dictionaries, lists and structs', () => {
    const inner = new Field('item', dictionaryOf(7n));
    const lists = new Field('', { kind: 'list', child: inner, large: false });
    const outer = new Field('o', dictionaryOf(3n, lists.type));
    const nested = new Schema([outer]);
    const make = (indices: number[], words: string[]): RecordBatch =>
      batchOf([0, 1], listColumn(lists, [0, 2, 3], dictionaryColumn(inner, indices, textColumn(words))), nested);
    const batches = [make([0, 1, 1], ['a', 'b']), make([1, 0, 0], ['b', 'a']), make([0, 1, 2], ['a', 'b', 'c'])];
    const table = unifyDictionaries({ schema: nested, batches });
    assert.deepEqual(table.batches.map(batchValues), batches.map(batchValues));
    assert.deepEqual(dictionaryValues(table.batches[0]), [['a', 'b'], ['b'], ['c']]);
    const bytes = tableToIPC(table, { format: 'file' });
    assert.deepEqual(dictionaryMessages(bytes), ['schema', 'dictionary 7', 'dictionary 3', 'batch', 'batch', 'batch']);
    assert.deepEqual(tableFromIPC(bytes).batches.map(batchValues), batches.map(batchValues));
  });

  it('refuses more values than the index type can count, and indices that point nowhere', () => {
    const words = (from: number): Column => textColumn(Array.from({ length: 100 }, (_, i) => `${from + i}`));
    assert.throws(
      () => unifyDictionaries({ schema, batches: [batchOf([0], words(0)), batchOf([0], words(100))] }),
      (error) =>
        RecurveError.is(error) &&
        error.status === 'INVALID_ARGUMENT' &&
        /dictionary 1 has 200 values in all, more than its index type int8 can count/.test(error.message),
    );
    assert.throws(
      () => unifyDictionaries({ schema, batches: [batchOf([0], words(0)), batchOf([2], textColumn(['a', 'b']))] }),
      /column "color" has index 2, outside of its dictionary/,
    );
  });

  it('changes no value of any batch, and lets a file hold them', () => {
    const cases = arbitrarySchema.chain((of) =>
      fc
        .array(arbitraryBatchesOf(of, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
        .map((parts) => ({ of, batches: parts.flat() })),
    );
    fc.assert(
      fc.property(cases, ({ of, batches }) => {
        const table = unifyDictionaries({ schema: of, batches });
        assert.deepEqual(table.batches.map(batchValues), batches.map(batchValues));
        const read = tableFromIPC(tableToIPC(table, { format: 'file' }));
        assert.deepEqual(read.batches.map(batchValues), batches.map(batchValues));
      }),
      { numRuns: 300 },
    );
  });
});
