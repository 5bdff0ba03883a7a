import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as foreign from 'apache-arrow';
import {
  type Column,
  Field,
  FileReader,
  makeColumn,
  RecordBatch,
  RecurveError,
  Schema,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { columnValues, tableValues } from './column-value.ts';
import { dictionaryColumn, dictionaryOf, int32Column, listColumn, textColumn, utf8 } from './example.ts';
import { dictionaryMessages, withoutMessage } from './message-list.ts';

const color = new Field('color', dictionaryOf(1n));
const schema = new Schema([color]);

function batchOf(indices: readonly (number | null)[], dictionary: Column, of = schema): RecordBatch {
  return new RecordBatch(of, [dictionaryColumn(of.field(0), indices, dictionary)]);
}

describe('dictionaries', () => {
  it('are written once while the column is the same, before the batch that needs them', () => {
    const colors = textColumn(['red', 'green']);
    const bytes = tableToIPC({
      schema,
      batches: [batchOf([0, 1], colors), batchOf([1], colors), batchOf([0, 1, 0], colors).slice(1)],
    });
    assert.deepEqual(dictionaryMessages(bytes), ['schema', 'dictionary 1', 'batch', 'batch', 'batch']);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [['red', 'green', 'green', 'green', 'red']]);
  });

  it('are replaced in a stream, and batches that were handed out keep their values', () => {
    const bytes = tableToIPC({
      schema,
      batches: [batchOf([0, 1], textColumn(['a', 'b'])), batchOf([0, 1, null], textColumn(['x', 'y']))],
    });
    assert.deepEqual(dictionaryMessages(bytes), ['schema', 'dictionary 1', 'batch', 'dictionary 1', 'batch']);
    const table = tableFromIPC(bytes);
    assert.deepEqual(
      table.batches.map((batch) => columnValues(batch.column(0))),
      [
        ['a', 'b'],
        ['x', 'y', null],
      ],
    );
    // Again, from what was read: a foreign writer repeats the first dictionary here.
    assert.deepEqual(tableValues(tableFromIPC(tableToIPC(table))), [['a', 'b', 'x', 'y', null]]);
    assert.deepEqual(foreign.tableFromIPC(bytes).getChildAt(0)?.toJSON(), ['a', 'b', 'x', 'y', null]);
  });

  it('cannot be replaced in a file, which says what to do', () => {
    const batches = [batchOf([0], textColumn(['a'])), batchOf([0], textColumn(['b']))];
    assert.throws(
      () => tableToIPC({ schema, batches }, { format: 'file' }),
      (error) =>
        RecurveError.is(error) &&
        error.status === 'INVALID_ARGUMENT' &&
        /dictionary 1 of column "color" changes/.test(error.message) &&
        /write a stream/.test(error.hint ?? ''),
    );
  });

  it('grow by deltas of a foreign writer, are read so far as each batch could see, and go into a file as deltas', () => {
    const bytes = foreignDeltas();
    assert.deepEqual(dictionaryMessages(bytes), [
      'schema',
      'dictionary 0',
      'batch',
      'dictionary 0 delta',
      'batch',
      'dictionary 0 delta',
      'batch',
    ]);
    const table = tableFromIPC(bytes);
    const values = ['a', 'b', 'a', 'c', 'b', 'd', 'a', 'd'];
    assert.deepEqual(tableValues(table), [values]);
    assert.deepEqual(
      table.batches.map((batch) => batch.column(0).layout.dictionary?.length),
      [2, 3, 4],
    );
    for (const format of ['stream', 'file'] as const) {
      const again = tableToIPC(table, { format });
      assert.deepEqual(
        dictionaryMessages(again).filter((message) => message.startsWith('dictionary')),
        ['dictionary 0', 'dictionary 0 delta', 'dictionary 0 delta'],
      );
      assert.deepEqual(tableValues(tableFromIPC(again)), [values]);
    }
  });

  it('of a file are whole for each batch, in whatever order batches are read', () => {
    const file = FileReader.open(tableToIPC(tableFromIPC(foreignDeltas()), { format: 'file' }));
    assert.deepEqual(columnValues(file.batch(2).column(0)), ['d', 'a', 'd']);
    assert.deepEqual(columnValues(file.batch(0).column(0)), ['a', 'b', 'a']);
  });

  it('may lie inside of each other, inner ones being written first', () => {
    const inner = new Field('item', dictionaryOf(7n));
    const outer = new Field('o', dictionaryOf(3n, { kind: 'list', child: inner, large: false }));
    const words = textColumn(['a', 'b']);
    const lists = listColumn(
      new Field('', outer.type.kind === 'dictionary' ? outer.type.value : utf8),
      [0, 2, 3],
      dictionaryColumn(inner, [1, 0, 1], words),
    );
    const nested = new Schema([outer]);
    const bytes = tableToIPC({ schema: nested, batches: [batchOf([1, 0, null], lists, nested)] });
    assert.deepEqual(dictionaryMessages(bytes), ['schema', 'dictionary 7', 'dictionary 3', 'batch']);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [[['b'], ['b', 'a'], null]]);
    // A new inner dictionary makes a new outer one.
    const other = listColumn(
      new Field('', outer.type.kind === 'dictionary' ? outer.type.value : utf8),
      [0, 1],
      dictionaryColumn(inner, [0], textColumn(['z'])),
    );
    const both = [batchOf([1], lists, nested), batchOf([0], other, nested)];
    assert.deepEqual(tableValues(tableFromIPC(tableToIPC({ schema: nested, batches: both }))), [[['b'], ['z']]]);
  });

  it('may be shared by columns under one id, but not two under one', () => {
    const twice = new Schema([color, new Field('other', color.type)]);
    const colors = textColumn(['red', 'green']);
    const columns = [dictionaryColumn(color, [0], colors), dictionaryColumn(color, [1], colors)];
    const bytes = tableToIPC({ schema: twice, batches: [new RecordBatch(twice, columns)] });
    assert.deepEqual(dictionaryMessages(bytes), ['schema', 'dictionary 1', 'batch']);
    const table = tableFromIPC(bytes);
    assert.equal(table.batches[0]?.column(0).layout.dictionary, table.batches[0]?.column(1).layout.dictionary);
    const wrong = [dictionaryColumn(color, [0], colors), dictionaryColumn(color, [0], textColumn(['red', 'blue']))];
    assert.throws(
      () => tableToIPC({ schema: twice, batches: [new RecordBatch(twice, wrong)] }),
      /column "other" has another dictionary under id 1/,
    );
  });

  it('of values of two types under one id are refused', () => {
    const twice = new Schema([color, new Field('n', dictionaryOf(1n, { kind: 'bool' }))]);
    assert.throws(
      () => tableFromIPC(tableToIPC({ schema: twice, batches: [] })),
      /dictionary 1 has values of two types, utf8 and bool/,
    );
  });

  it('may come late when all indices so far are null, and not otherwise', () => {
    const colors = textColumn(['red']);
    const late = withoutMessage(tableToIPC({ schema, batches: [batchOf([null, null], colors)] }), 1);
    assert.deepEqual(tableValues(tableFromIPC(late)), [[null, null]]);
    const missing = withoutMessage(tableToIPC({ schema, batches: [batchOf([0], colors)] }), 1);
    assert.throws(() => tableFromIPC(missing), /message 1: column "color" needs dictionary 1, which has not come/);
    // What was read so can be written: the dictionary that came in between is no change.
    const then = tableFromIPC(late).batches.concat(batchOf([0], colors));
    assert.deepEqual(tableValues(tableFromIPC(tableToIPC({ schema, batches: then }, { format: 'file' }))), [
      [null, null, 'red'],
    ]);
  });

  it('have indices of any integer type, and values of any but a dictionary', () => {
    const wide = new Field('w', { ...dictionaryOf(2n), index: { kind: 'int', bitWidth: 64, signed: false } });
    const of = new Schema([wide]);
    const column = makeColumn(wide, {
      type: wide.type,
      length: 2,
      validity: null,
      values: BigUint64Array.of(1n, 0n),
      dictionary: int32Text(),
    });
    assert.deepEqual(tableValues(tableFromIPC(tableToIPC({ schema: of, batches: [new RecordBatch(of, [column])] }))), [
      ['b', 'a'],
    ]);
    const twice = new Schema([new Field('d', dictionaryOf(1n, dictionaryOf(2n)))]);
    assert.throws(
      () => tableToIPC({ schema: twice, batches: [] }),
      /column "d": the values of a dictionary cannot be a dictionary/,
    );
  });

  it('with a delta before the first are refused', () => {
    const bytes = withoutMessage(foreignDeltas(), 1);
    assert.throws(() => tableFromIPC(withoutMessage(bytes, 1)), /message 1: dictionary 0 begins with a delta/);
  });

  it('that are no column but are there nonetheless are refused', () => {
    const bytes = tableToIPC({ schema, batches: [batchOf([0], textColumn(['a']))] });
    const other = new Schema([new Field('i', { kind: 'int', bitWidth: 32, signed: true })]);
    const plain = tableToIPC({ schema: other, batches: [new RecordBatch(other, [int32Column([1], other.field(0))])] });
    const mixed = Buffer.concat([
      withoutMessage(withoutMessage(plain, 1), 1).subarray(0, -8),
      bytes.subarray(bytes.length - withoutMessage(bytes, 0).length),
    ]);
    assert.throws(() => tableFromIPC(mixed), /message 1: dictionary 1 belongs to no field of the schema/);
  });
});

function int32Text(): Column {
  return textColumn(['a', 'b']);
}

/** A stream in which a dictionary of a, b grows by c and by d, by apache-arrow's writer. */
function foreignDeltas(): Uint8Array {
  const type = new foreign.Dictionary(new foreign.Utf8(), new foreign.Int8(), 0);
  const builder = foreign.makeBuilder({ type, nullValues: [null] });
  const parts = [
    ['a', 'b', 'a'],
    ['c', 'b'],
    ['d', 'a', 'd'],
  ];
  const chunks = parts.map((part) => {
    for (const value of part) builder.append(value);
    return builder.flush();
  });
  const fields = new foreign.Schema([new foreign.Field('color', type, true)]);
  const batches = chunks.map(
    (data) =>
      new foreign.RecordBatch(
        fields,
        foreign.makeData({ type: new foreign.Struct(fields.fields), children: [data], length: data.length }),
      ),
  );
  return foreign.RecordBatchStreamWriter.writeAll(batches as never).toUint8Array(true);
}
