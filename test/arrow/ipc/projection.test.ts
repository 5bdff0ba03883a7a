import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type ColumnKeys,
  Field,
  FileRangeReader,
  FileReader,
  RecordBatch,
  RecurveError,
  Schema,
  StreamDecoder,
  StreamReader,
  type Table,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import {
  dictionaryColumn,
  dictionaryOf,
  int32,
  int32Column,
  mixedBatches,
  mixedSchema,
  textColumn,
} from './example.ts';
import { listMessages } from './message-list.ts';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

type Input = { schema: Schema; batches: readonly RecordBatch[] };

/** The table of these columns by every reader there is. */
async function readSelected(input: Input, columns: ColumnKeys): Promise<Table[]> {
  const stream = tableToIPC(input);
  const file = tableToIPC(input, { format: 'file' });
  const read = async (offset: number, length: number): Promise<Uint8Array> => file.slice(offset, offset + length);
  return [
    tableFromIPC(stream, { columns }),
    tableFromIPC(file, { columns }),
    FileReader.open(file, { columns }).table(),
    await (await StreamReader.from([stream], { columns })).table(),
    await (await FileRangeReader.open({ size: file.length, read }, { columns })).table(),
  ];
}

describe('selected columns', () => {
  it('are those of the whole, by name and position, in the order asked for', async () => {
    const input = { schema: mixedSchema, batches: mixedBatches() };
    const all = tableFromIPC(tableToIPC(input));
    for (const table of await readSelected(input, ['color', 0, 's'])) {
      assert.deepEqual(table.schema.names, ['color', 'i', 's']);
      assert.deepEqual([...table.schema.metadata], [['who', 'me']]);
      for (const name of table.schema.names) {
        assert.deepEqual(table.column(name).toArray(), all.column(name).toArray());
      }
    }
    for (const table of await readSelected(input, [])) assert.deepEqual([table.numCols, table.numRows], [0, 4]);
  });

  it('are those of the whole for any schema and batches', async () => {
    const inputs = arbitrarySchema.chain((schema) =>
      fc.record({ schema: fc.constant(schema), batches: arbitraryBatchesOf(schema, { minLength: 1, maxLength: 2 }) }),
    );
    await fc.assert(
      fc.asyncProperty(inputs, fc.infiniteStream(fc.boolean()), async (input, choice) => {
        const positions = input.schema.fields.map((_, i) => i).filter(() => choice.next().value);
        const all = tableFromIPC(tableToIPC(input));
        for (const table of await readSelected(input, positions)) {
          positions.forEach((position, i) => {
            const [column, whole] = [table, all].map(({ schema, batches }, k) => {
              const at = k === 0 ? i : position;
              const field = schema.field(at);
              const only = new Schema([field]);
              return tableToIPC({
                schema: only,
                batches: batches.map((batch) => new RecordBatch(only, [batch.column(at)], batch.numRows)),
              });
            });
            assert.deepEqual(column, whole);
          });
        }
      }),
      { numRuns: 60 },
    );
  });

  it('that are not there are refused', async () => {
    const stream = tableToIPC({ schema: mixedSchema, batches: mixedBatches() });
    const isNotFound = (error: unknown): boolean => RecurveError.is(error) && error.status === 'NOT_FOUND';
    assert.throws(() => tableFromIPC(stream, { columns: ['size'] }), isNotFound);
    assert.throws(() => new StreamDecoder({ columns: [4] }).push(stream), isNotFound);
    await assert.rejects(StreamReader.from([stream], { columns: ['size'] }), isNotFound);
  });

  it('are the first of their name, others have their position', () => {
    const schema = new Schema([new Field('a', int32), new Field('a', int32)]);
    const batch = new RecordBatch(schema, [int32Column([1]), int32Column([2])]);
    const bytes = tableToIPC({ schema, batches: [batch] });
    assert.equal(
      tableFromIPC(bytes, { columns: ['a'] })
        .column(0)
        .at(0),
      1,
    );
    assert.equal(
      tableFromIPC(bytes, { columns: [1] })
        .column(0)
        .at(0),
      2,
    );
  });

  it('are read though another column is malformed: its bytes are not looked at', () => {
    const batch = mixedBatches()[0] as RecordBatch;
    const bytes = tableToIPC({ schema: mixedSchema, batches: [batch] });
    const list = batch.column('l').layout.offsets as Int32Array;
    const needle = Buffer.from(list.buffer, list.byteOffset, list.byteLength);
    const at = Buffer.from(bytes.buffer).indexOf(needle);
    assert.ok(at > 0);
    new DataView(bytes.buffer).setInt32(at + 4, 99, true);
    assert.throws(() => tableFromIPC(bytes), /offset/);
    assert.equal(tableFromIPC(bytes, { columns: ['i', 's', 'color'] }).numRows, 3);
  });

  it('make up the whole batch or are refused', () => {
    const table = tableFromArrays({ a: Int32Array.of(1), b: Int32Array.of(2) });
    const bytes = tableToIPC(table);
    const wide = new Schema([...table.schema.fields, new Field('c', int32)]);
    const head = tableToIPC({ schema: wide, batches: [] }).subarray(0, -8);
    const batch = bytes.subarray(listMessages(bytes)[1]?.start);
    assert.throws(() => tableFromIPC([head, batch], { columns: ['a'] }), /2 nodes and 4 buffers, its schema 3 and 6/);
  });
});

describe('selected columns of a file that is read by ranges', () => {
  const rows = 40_000;
  const names = Array.from({ length: 10 }, (_, i) => `c${i}`);
  const color = new Field('color', dictionaryOf(1n));
  const shape = new Field('shape', dictionaryOf(2n));
  const table = tableFromArrays(
    Object.fromEntries(names.map((name, k) => [name, Float64Array.from({ length: rows }, (_, i) => i * 10 + k)])),
  );
  const schema = new Schema([...table.schema.fields, color, shape]);
  const indices = Array.from({ length: rows }, (_, i) => i % 3);
  const words = (letter: string) => textColumn([0, 1, 2].map((i) => letter.repeat(100_000 + i)));
  const [colors, shapes] = [words('c'), words('s')];
  const batches = [0, 1].map(
    () =>
      new RecordBatch(schema, [
        ...(table.batches[0]?.columns ?? []),
        dictionaryColumn(color, indices, colors),
        dictionaryColumn(shape, indices, shapes),
      ]),
  );
  const file = tableToIPC({ schema, batches }, { format: 'file' });

  async function open(columns?: ColumnKeys) {
    const ranges: [number, number][] = [];
    let pending = 0;
    let rounds = 0;
    const source = {
      size: file.length,
      read: async (offset: number, length: number) => {
        ranges.push([offset, length]);
        if (pending++ === 0) rounds++;
        await new Promise(setImmediate);
        pending--;
        return file.slice(offset, offset + length);
      },
    };
    const reader = await FileRangeReader.open(source, columns && { columns });
    const total = (): number => ranges.reduce((sum, [, length]) => sum + length, 0);
    return { reader, ranges, total, rounds: () => rounds };
  }

  it('are fetched in one round after the footer where all columns are of a fixed width, and little else', async () => {
    const { reader, ranges, total, rounds } = await open(['c7', 'c3', 'c4']);
    assert.deepEqual(ranges, [[file.length - 65_536, 65_536]]);
    const batch = await reader.batch(0);
    assert.equal(batch.column('c7').at(39_999), 399_997);
    assert.equal(batch.column('c4').at(1), 14);
    // The metadata, c3 and c4 as neighbours, and c7.
    assert.deepEqual([ranges.length, rounds()], [4, 2]);
    // Whether there are validity bitmaps is known too late: 1 bit to 64.
    assert.ok(total() < 65_536 + 1.15 * 3 * rows * 8, `${total()} bytes`);
    await reader.batch(1);
    assert.ok(total() < 65_536 + 1.15 * 6 * rows * 8);
  });

  it('bring along their dictionaries, and no others', async () => {
    const { reader, total, rounds } = await open(['shape']);
    assert.equal(reader.schema.names.join(), 'shape');
    assert.equal(String((await reader.batch(0)).column(0).at(1)).length, 100_001);
    assert.equal(rounds(), 3);
    assert.ok(total() < 65_536 + 300_003 + 3.5 * rows, `${total()} bytes`);
  });

  it('are fetched exactly, after the metadata, where others are of no fixed width', async () => {
    const text = textColumn(
      Array.from({ length: rows }, (_, i) => `text ${i}`),
      new Field('s', { kind: 'utf8', large: false }),
    );
    const fields = [...table.schema.fields, new Field('s', text.type)];
    const mixed = new Schema(fields);
    const columns = [...(table.batches[0]?.columns ?? []), text];
    const bytes = tableToIPC({ schema: mixed, batches: [new RecordBatch(mixed, columns)] }, { format: 'file' });
    let fetched = 0;
    const read = async (offset: number, length: number): Promise<Uint8Array> => {
      fetched += length;
      return bytes.slice(offset, offset + length);
    };
    const reader = await FileRangeReader.open({ size: bytes.length, read }, { columns: ['c1', 'c8'] });
    assert.equal((await reader.table()).column('c8').at(2), 28);
    assert.ok(fetched < 65_536 + 2 * rows * 8 + 2048, `${fetched} bytes`);
  });

  it('take two requests to the first batch when all are read, dictionaries included', async () => {
    const { reader, ranges } = await open();
    assert.equal((await reader.batch(0)).numRows, rows);
    assert.equal(ranges.length, 2);
    await reader.batch(1);
    assert.equal(ranges.length, 3);
  });
});
