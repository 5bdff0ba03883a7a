import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as foreign from 'apache-arrow';
import {
  type Column,
  type DataType,
  Field,
  FileReader,
  Metadata,
  makeColumn,
  RecordBatch,
  RecurveError,
  Schema,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import type { TableSlots } from '../../../src/arrow/flatbuffer/writer.ts';
import { planBody } from '../../../src/arrow/ipc/column-writer.ts';
import { type EncodedMessage, MessageEncoder, writeMessageInto } from '../../../src/arrow/ipc/encoder.ts';
import { headerType, writeMessage } from '../../../src/arrow/ipc/message.ts';
import { writeBody } from '../../../src/arrow/ipc/piece.ts';
import { batchSlots } from '../../../src/arrow/ipc/record-batch.ts';
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

  it('inside of others are read with deltas and replacements of either, as of the batch they come before', () => {
    const inner = new Field('item', dictionaryOf(7n));
    const type: DataType = { kind: 'list', child: inner, large: false };
    const outer = new Field('o', dictionaryOf(3n, type));
    const nested = new Schema([outer]);
    const lists = (offsets: number[], indices: number[]): Column =>
      listColumn(new Field('', type), offsets, dictionaryColumn(inner, indices, textColumn(['never written'])));
    const encoder = new MessageEncoder(nested, 0);
    const chunks: Uint8Array[] = [encode(encoder.schema())];
    const add = (id: bigint, field: Field, values: Column, isDelta = false): void => {
      chunks.push(dictionaryMessage(id, field, values, isDelta));
    };
    const point = (...indices: number[]): void => {
      const field = new Field('o', { kind: 'int', bitWidth: 8, signed: true });
      const { layout } = dictionaryColumn(outer, indices, textColumn([]));
      chunks.push(batchMessage(field, makeColumn(field, { ...layout, type: field.type })));
    };
    const words = new Field('', utf8);
    const items = new Field('', type);
    // The outer one first: it is read when a batch needs it.
    add(3n, items, lists([0, 2], [0, 1]));
    add(7n, words, textColumn(['a', 'b']));
    point(0);
    add(7n, words, textColumn(['c']), true);
    add(3n, items, lists([0, 1, 1], [2]), true);
    point(0, 1, 2);
    add(3n, items, lists([0, 3], [2, 1, 0]), true);
    point(3);
    add(7n, words, textColumn(['x', 'y', 'z']));
    point(0, 3);
    add(3n, items, lists([0, 1], [1]));
    point(0);
    const bytes = new Uint8Array(Buffer.concat(chunks));
    assert.deepEqual(
      tableFromIPC(bytes).batches.map((batch) => columnValues(batch.column(0))),
      [
        [['a', 'b']],
        [['a', 'b'], ['c'], []],
        [['c', 'b', 'a']],
        [
          ['x', 'y'],
          ['z', 'y', 'x'],
        ],
        [['y']],
      ],
    );
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

/** A `DictionaryBatch` of its own, whatever was sent before. */
function dictionaryMessage(id: bigint, field: Field, column: Column, isDelta: boolean): Uint8Array {
  const plan = planBody([field], [column], column.length, 8);
  const header: TableSlots = [
    ['int64', id],
    ['table', batchSlots(plan)],
    ['int8', isDelta ? 1 : 0],
  ];
  return withBody(writeMessage(headerType.dictionaryBatch, header, messageOptions(plan.bodyLength)), plan);
}

/** A `RecordBatch` of one column. */
function batchMessage(field: Field, column: Column): Uint8Array {
  const plan = planBody([field], [column], column.length, 8);
  return withBody(writeMessage(headerType.recordBatch, batchSlots(plan), messageOptions(plan.bodyLength)), plan);
}

function messageOptions(bodyLength: number): Parameters<typeof writeMessage>[2] {
  return { bodyLength, metadata: Metadata.empty, position: 0, alignment: 8 };
}

function withBody(head: Uint8Array, { pieces, bodyLength }: ReturnType<typeof planBody>): Uint8Array {
  const bytes = new Uint8Array(head.length + bodyLength);
  bytes.set(head);
  writeBody(pieces, bodyLength, bytes, head.length);
  return bytes;
}

function encode(message: EncodedMessage): Uint8Array {
  const bytes = new Uint8Array(message.head.length + message.bodyLength);
  writeMessageInto(message, bytes, 0);
  return bytes;
}
