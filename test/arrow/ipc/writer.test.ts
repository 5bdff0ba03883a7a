import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as foreign from 'apache-arrow';
import {
  Field,
  FileRangeReader,
  FileReader,
  FileWriter,
  makeColumn,
  RecordBatch,
  RecurveError,
  Schema,
  StreamWriter,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { batchValues, tableValues } from './column-value.ts';
import { int32, int32Batch, int32Column, mixedBatches, mixedSchema, textColumn, utf8 } from './example.ts';
import { dictionaryMessages, listMessages } from './message-list.ts';

const endMarker = [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0];

describe('a stream', () => {
  const bytes = tableToIPC({ schema: mixedSchema, batches: mixedBatches() });

  it('ends with the end-of-stream marker, also without batches', () => {
    assert.deepEqual([...bytes.subarray(-8)], endMarker);
    const empty = tableToIPC({ schema: mixedSchema, batches: [] });
    assert.deepEqual([...empty.subarray(-8)], endMarker);
    assert.ok(tableFromIPC(empty).schema.equals(mixedSchema));
    assert.equal(foreign.tableFromIPC(empty).schema.fields.length, 4);
  });

  it('has every body, and every buffer in it, at a multiple of 64 bytes, or of the alignment asked for', () => {
    for (const alignment of [8, 16, 32, 64] as const) {
      const aligned = tableToIPC({ schema: mixedSchema, batches: mixedBatches() }, { alignment });
      for (const { end } of listMessages(aligned)) assert.equal(end % alignment, 0);
      for (const batch of tableFromIPC(aligned).batches) {
        for (const { values, offsets, data } of batch.columns.map((column) => column.layout)) {
          for (const view of [values, offsets, data])
            if (view !== undefined && view.length > 0) assert.equal(view.byteOffset % alignment, 0);
        }
      }
    }
    assert.throws(
      () => tableToIPC({ schema: mixedSchema, batches: [] }, { alignment: 4 as 8 }),
      /alignment 4 is none of/,
    );
  });

  it('is read in place when aligned', () => {
    const [batch] = tableFromIPC(bytes).batches;
    for (const { values, offsets, data, validity } of batch?.columns.map((column) => column.layout) ?? []) {
      for (const view of [values, offsets, data, validity]) if (view) assert.equal(view.buffer, bytes.buffer);
    }
  });

  it('has no byte that was not written: padding and the bits after the last value are zero', () => {
    const dirty = { schema: mixedSchema, batches: mixedBatches() };
    const first = tableToIPC(dirty);
    // Memory that was freed just now is what comes next.
    for (let i = 0; i < 20; i++) {
      new Uint8Array(first.length).fill(0xee);
      assert.deepEqual(tableToIPC(dirty), first);
    }
    const values = Uint8Array.of(0xff);
    const field = new Field('b', { kind: 'bool' });
    const column = makeColumn(field, { type: field.type, length: 3, validity: Uint8Array.of(0xfd), values });
    const schema = new Schema([field]);
    const [read] = tableFromIPC(tableToIPC({ schema, batches: [new RecordBatch(schema, [column])] })).batches;
    const { values: bits, validity } = read?.column(0).layout ?? {};
    assert.deepEqual([bits?.[0], validity?.[0]], [0b111, 0b101]);
  });

  it('keeps rows of batches without columns, and batches without rows', () => {
    const none = new Schema([]);
    const batches = [
      new RecordBatch(none, [], 5),
      new RecordBatch(none, [], 0),
      new RecordBatch(none, [], 7, [['a', 'b']]),
    ];
    for (const format of ['stream', 'file'] as const) {
      const read = tableFromIPC(tableToIPC({ schema: none, batches }, { format })).batches;
      assert.deepEqual(
        read.map((batch) => batch.numRows),
        [5, 0, 7],
      );
      assert.deepEqual([...(read[2]?.metadata ?? [])], [['a', 'b']]);
    }
    const empty = tableToIPC({ schema: mixedSchema, batches: mixedBatches().map((batch) => batch.slice(1, 1)) });
    assert.deepEqual(
      tableFromIPC(empty).batches.map((batch) => batch.numRows),
      [0, 0],
    );
    assert.equal(foreign.tableFromIPC(empty).numRows, 0);
  });

  it('keeps metadata of schema, field and batch: order, repeated keys, NULs, empty ones', () => {
    const pairs: [string, string][] = [
      ['b', '1'],
      ['a', ''],
      ['b', '2\u0000'],
      ['', 'ß'],
    ];
    const schema = new Schema([new Field('i', int32, { metadata: pairs })], pairs);
    const batch = new RecordBatch(schema, [int32Column([1])], 1, pairs);
    const table = tableFromIPC(tableToIPC({ schema, batches: [batch] }));
    assert.deepEqual([...table.schema.metadata], pairs);
    assert.deepEqual([...table.schema.field(0).metadata], pairs);
    assert.deepEqual([...(table.batches[0]?.metadata ?? [])], pairs);
  });

  it('keeps nulls of a field that is said to have none, and columns of one name apart', () => {
    const schema = new Schema([new Field('a', int32, { nullable: false }), new Field('a', utf8)]);
    const batch = new RecordBatch(schema, [int32Column([1, null], schema.field(0)), textColumn(['x', 'y'])]);
    const table = tableFromIPC(tableToIPC({ schema, batches: [batch] }));
    assert.ok(table.schema.equals(schema));
    assert.deepEqual(tableValues(table), [
      [1, null],
      ['x', 'y'],
    ]);
  });

  it('holds only the bytes of a slice', () => {
    const long = int32Batch(Array.from({ length: 10_000 }, (_, i) => (i % 7 === 0 ? null : i)));
    const slice = long.slice(5003, 5010);
    const sliced = tableToIPC({ schema: long.schema, batches: [slice] });
    assert.ok(sliced.length < 1000);
    assert.deepEqual(tableValues(tableFromIPC(sliced)), batchValues(slice));
    assert.deepEqual(foreign.tableFromIPC(sliced).getChildAt(0)?.toJSON(), batchValues(slice)[0]);
  });

  it('writes offsets of the width that the type says, whichever the column has', () => {
    const large = new Field('s', { kind: 'utf8', large: true });
    const text = textColumn(['ab', 'c', 'def']);
    for (const column of [
      makeColumn(large, { ...text.layout, type: large.type }),
      makeColumn(large, { ...text.layout, type: large.type, offsets: BigInt64Array.of(0n, 2n, 3n, 6n) }),
    ]) {
      const schema = new Schema([large]);
      const whole = new RecordBatch(schema, [column]);
      const bytes = tableToIPC({ schema, batches: [whole, whole.slice(1)] });
      assert.deepEqual(tableValues(tableFromIPC(bytes)), [['ab', 'c', 'def', 'c', 'def']]);
      assert.deepEqual(foreign.tableFromIPC(bytes).getChildAt(0)?.toJSON(), ['ab', 'c', 'def', 'c', 'def']);
    }
  });

  it('refuses columns that are not what their field says, and batches of another schema', () => {
    const schema = new Schema([new Field('x', utf8)]);
    const wrong = (column: ReturnType<typeof int32Column>) => () =>
      tableToIPC({ schema, batches: [new RecordBatch(schema, [column])] });
    assert.throws(wrong(int32Column([1])), /column "x" is of type int32, its field of utf8/);
    const text = textColumn(['abc']);
    assert.throws(
      wrong(makeColumn(schema.field(0), { ...text.layout, data: new Uint8Array(2) })),
      /column "x" has 2 bytes of data, but its length needs 3/,
    );
    assert.throws(
      wrong(makeColumn(schema.field(0), { ...text.layout, length: 2 })),
      /column "x" has 2 offsets for 2 values/,
    );
    const writer = new StreamWriter(schema);
    assert.throws(() => writer.write(int32Batch([1])), /the batch has another schema/);
    // A batch that was refused leaves no trace.
    const good = new RecordBatch(schema, [text]);
    const chunks = [...writer.start(), ...writer.write(good), ...writer.finish()];
    assert.deepEqual(new Uint8Array(Buffer.concat(chunks)), tableToIPC({ schema, batches: [good] }));
  });

  it('borrows large buffers and copies small ones together', () => {
    const values = Int32Array.from({ length: 10_000 }, (_, i) => i);
    const field = new Field('i', int32);
    const column = makeColumn(field, { type: int32, length: values.length, validity: null, values });
    const chunks = new StreamWriter(new Schema([field])).write(new RecordBatch(new Schema([field]), [column]));
    assert.equal(chunks.filter((chunk) => chunk.buffer === values.buffer).length, 1);
    assert.ok(new StreamWriter(mixedSchema).write(mixedBatches()[0] as RecordBatch).length <= 3);
  });

  it('takes no batch after its end, and ends once', () => {
    for (const writer of [new StreamWriter(mixedSchema), new FileWriter(mixedSchema)]) {
      assert.ok(writer.finish().length > 0);
      assert.deepEqual(writer.finish(), []);
      assert.deepEqual(writer.start(), []);
      assert.throws(
        () => writer.write(mixedBatches()[0] as RecordBatch),
        (error) => RecurveError.is(error) && error.status === 'INVALID_STATE',
      );
    }
  });
});

describe('a file', () => {
  const bytes = tableToIPC(
    { schema: mixedSchema, batches: mixedBatches() },
    {
      format: 'file',
      metadata: [
        ['a', '1'],
        ['a', '2'],
      ],
    },
  );

  it('holds a complete stream, schema and end marker included, between magic and footer', () => {
    assert.equal(Buffer.from(bytes.subarray(0, 8)).toString(), 'ARROW1\0\0');
    assert.equal(Buffer.from(bytes.subarray(-6)).toString(), 'ARROW1');
    assert.deepEqual(dictionaryMessages(bytes), ['schema', 'dictionary 1', 'batch', 'batch']);
    const end = 8 + (listMessages(bytes.subarray(8)).at(-1)?.end ?? 0);
    assert.deepEqual([...bytes.subarray(end, end + 8)], endMarker);
    assert.equal(foreign.tableFromIPC(bytes).numRows, 4);
  });

  it('has its own metadata, and those of the schema', () => {
    const file = FileReader.open(bytes);
    assert.deepEqual(
      [...file.metadata],
      [
        ['a', '1'],
        ['a', '2'],
      ],
    );
    assert.ok(file.schema.equals(mixedSchema));
    assert.equal(file.batchCount, 2);
    assert.throws(
      () => file.batch(2),
      (error) => RecurveError.is(error) && error.status === 'NOT_FOUND',
    );
  });

  it('is read by ranges: all at once when it is small', async () => {
    const ranges: [number, number][] = [];
    const source = {
      size: bytes.length,
      read: async (offset: number, length: number) => {
        ranges.push([offset, length]);
        return bytes.slice(offset, offset + length);
      },
    };
    const file = await FileRangeReader.open(source);
    assert.ok(file.schema.equals(mixedSchema));
    assert.deepEqual(
      [...file.metadata],
      [
        ['a', '1'],
        ['a', '2'],
      ],
    );
    assert.deepEqual(batchValues(await file.batch(1)), batchValues(mixedBatches()[1] as RecordBatch));
    assert.deepEqual(ranges, [[0, bytes.length]]);
    assert.equal((await file.table()).numRows, 4);
    await assert.rejects(file.batch(-1), /no batch -1 in a file of 2/);
  });

  it('with a footer larger than the first read, or a source that changes, is handled', async () => {
    const wide = new Schema(Array.from({ length: 2000 }, (_, i) => new Field(`column ${i}`, int32)));
    const big = tableToIPC({ schema: wide, batches: [] }, { format: 'file' });
    const read = async (offset: number, length: number) => big.slice(offset, offset + length);
    assert.ok((await FileRangeReader.open({ size: big.length, read })).schema.equals(wide));
    await assert.rejects(FileRangeReader.open({ size: big.length + 1, read }), /INVALID|gave/);
  });

  it('is told apart from a stream', () => {
    const stream = tableToIPC({ schema: mixedSchema, batches: mixedBatches() });
    assert.deepEqual(tableValues(tableFromIPC(bytes)), tableValues(tableFromIPC(stream)));
    assert.throws(
      () => FileReader.open(stream),
      (error) => RecurveError.is(error) && /no Arrow file/.test(error.message) && /StreamReader/.test(error.hint ?? ''),
    );
  });
});
