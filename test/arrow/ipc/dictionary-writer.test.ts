import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as foreign from 'apache-arrow';
import fc from 'fast-check';
import {
  type Column,
  childFields,
  dictionary,
  dictionaryMetadata,
  Field,
  FileReader,
  FileWriter,
  field,
  int32,
  Metadata,
  makeBuilder,
  makeColumn,
  RecordBatch,
  RecurveError,
  Schema,
  StreamReader,
  StreamWriter,
  tableFromIPC,
  tableToIPC,
  utf8,
} from 'recurve/arrow';
import { batchValues, columnValues, tableValues } from './column-value.ts';
import { dictionaryColumn, dictionaryOf, int32Column, listColumn, textColumn } from './example.ts';
import { dictionaryMessages } from './message-list.ts';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

const color = new Field('color', dictionaryOf(1n));
const schema = new Schema([color]);

function batchOf(indices: readonly (number | null)[], values: Column, of = schema): RecordBatch {
  return new RecordBatch(of, [dictionaryColumn(of.field(0), indices, values)]);
}

/** Batches written one by one, each with buffers of its own that are overwritten as soon as its chunks have been taken. */
function writeFresh(of: Schema, batches: readonly RecordBatch[], options = {}): Uint8Array {
  const writer = new StreamWriter(of, options);
  const chunks: Uint8Array[] = [];
  for (const batch of batches) {
    const scratch = tableToIPC({ schema: of, batches: [batch] });
    const [copy] = tableFromIPC(scratch).batches;
    for (const chunk of writer.write(copy as RecordBatch)) chunks.push(chunk.slice());
    scratch.fill(0x2e);
  }
  return new Uint8Array(Buffer.concat([...chunks, ...writer.finish()]));
}

function updates(bytes: Uint8Array): string[] {
  return dictionaryMessages(bytes).slice(1);
}

describe('a dictionary that is written batch by batch', () => {
  it('is not sent again when another column has the same values', () => {
    const batches = [['a', 'b'], ['a', 'b'], ['a', null], ['a', null], []].map((values) =>
      batchOf(values.length === 0 ? [] : [0, 1], textColumn(values)),
    );
    const bytes = writeFresh(schema, batches.slice(0, 4));
    assert.deepEqual(updates(bytes), ['dictionary 1', 'batch', 'batch', 'dictionary 1', 'batch', 'batch']);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [['a', 'b', 'a', 'b', 'a', null, 'a', null]]);
    // A slice has other offsets and bits, and the same values.
    const slice = textColumn(['x', 'a', null, 'y']).slice(1, 3);
    assert.deepEqual(updates(tableToIPC({ schema, batches: [batches[2] as RecordBatch, batchOf([0, 1], slice)] })), [
      'dictionary 1',
      'batch',
      'batch',
    ]);
  });

  it('is sent as a delta when it has grown, and whole when it is shorter or another', () => {
    const steps = [['a'], ['a', 'bc'], ['a', 'bc', null, 'd'], ['a', 'bc', null, 'd'], ['a'], ['b', 'bc'], ['b', 'b']];
    const bytes = writeFresh(
      schema,
      steps.map((values) => batchOf([values.length - 1], textColumn(values))),
    );
    assert.deepEqual(updates(bytes), [
      ...['dictionary 1', 'batch', 'dictionary 1 delta', 'batch', 'dictionary 1 delta', 'batch', 'batch'],
      ...['dictionary 1', 'batch', 'dictionary 1', 'batch', 'dictionary 1', 'batch'],
    ]);
    const last = steps.map((values) => values.at(-1));
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [last]);
    assert.deepEqual(foreign.tableFromIPC(bytes).getChildAt(0)?.toJSON(), last);
    assert.deepEqual(
      tableFromIPC(bytes).batches.map((batch) => columnValues(batch.column(0).layout.dictionary as Column)),
      steps,
    );
  });

  it('is seen to have changed when its typed arrays were written to, in the same column or in another over them', () => {
    const values = Int32Array.of(1, 2, 3);
    const numbers = new Field('n', dictionaryOf(1n, int32()));
    const of = new Schema([numbers]);
    const column = (): Column =>
      makeColumn(new Field('', int32()), { type: int32(), length: 3, validity: null, nullCount: 0, values });
    const same = column();
    const writer = new StreamWriter(of);
    const chunks: Uint8Array[] = [];
    const write = (dictionary: Column): void => {
      for (const chunk of writer.write(batchOf([0, 1, 2], dictionary, of))) chunks.push(chunk.slice());
    };
    write(same);
    values[1] = 20;
    write(same);
    values[2] = 30;
    write(column());
    write(same);
    const bytes = new Uint8Array(Buffer.concat([...chunks, ...writer.finish()]));
    assert.deepEqual(updates(bytes), [
      ...['dictionary 1', 'batch', 'dictionary 1', 'batch', 'dictionary 1', 'batch', 'batch'],
    ]);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [[1, 2, 3, 1, 20, 3, 1, 20, 30, 1, 20, 30]]);
  });

  it('is the same for slices of what one builder made, without a look at its values', () => {
    const origin = field('origin', dictionary(utf8()));
    const builder = makeBuilder(origin);
    builder.appendAll(['a', 'b', 'a']);
    const column = builder.finish();
    const of = new Schema([origin]);
    const batches = [0, 1, 2].map((i) => new RecordBatch(of, [column.slice(i, i + 1)]));
    const bytes = tableToIPC({ schema: of, batches });
    assert.equal(updates(bytes).filter((name) => name.startsWith('dictionary')).length, 1);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [['a', 'b', 'a']]);
  });

  it('is written whole each time that it grows when deltas are not wanted', () => {
    const batches = [['a'], ['a', 'b'], ['a', 'b']].map((values) => batchOf([0], textColumn(values)));
    assert.deepEqual(updates(writeFresh(schema, batches, { dictionaryDeltas: false })), [
      ...['dictionary 1', 'batch', 'dictionary 1', 'batch', 'batch'],
    ]);
    assert.throws(
      () => tableToIPC({ schema, batches }, { format: 'file', dictionaryDeltas: false }),
      /changes between batches/,
    );
  });

  it('may be written before its batch, which then comes alone', () => {
    const writer = new StreamWriter(schema);
    const batch = batchOf([0], textColumn(['a']));
    const early = writer.writeDictionaries(batch, { metadata: { of: 'dictionary' } });
    const late = writer.write(batch, { metadata: { of: 'batch' } });
    assert.deepEqual(writer.writeDictionaries(batch), []);
    const parts = [...early, ...late, ...writer.write(batch), ...writer.finish()];
    const bytes = new Uint8Array(Buffer.concat(parts));
    assert.deepEqual(updates(bytes), ['dictionary 1', 'batch', 'batch']);
    const [first, second] = tableFromIPC(bytes).batches;
    assert.deepEqual([...(first?.metadata ?? [])], [['of', 'batch']]);
    assert.deepEqual([...(second?.metadata ?? [])], []);
    const own = dictionaryMetadata(first?.column(0).layout.dictionary as Column);
    assert.deepEqual([...own], [['of', 'dictionary']]);
  });

  it('of another batch than the one that was prepared is written with that one', () => {
    const writer = new StreamWriter(schema);
    const chunks = [
      ...writer.writeDictionaries(batchOf([0], textColumn(['a']))),
      ...writer.write(batchOf([0], textColumn(['b']))),
      ...writer.finish(),
    ];
    const bytes = new Uint8Array(Buffer.concat(chunks));
    assert.deepEqual(updates(bytes), ['dictionary 1', 'dictionary 1', 'batch']);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [['b']]);
  });

  it('is left as it was by a batch that is refused', () => {
    const of = new Schema([color, new Field('i', int32())]);
    const writer = new StreamWriter(of);
    const make = (values: string[], numbers: Column): RecordBatch =>
      new RecordBatch(of, [dictionaryColumn(color, [0], textColumn(values)), numbers]);
    const chunks = writer.write(make(['a'], int32Column([1])));
    assert.throws(() => writer.write(make(['b'], textColumn(['x']))), /is of type utf8/);
    chunks.push(...writer.write(make(['a'], int32Column([2]))), ...writer.finish());
    const bytes = new Uint8Array(Buffer.concat(chunks));
    assert.deepEqual(updates(bytes), ['dictionary 1', 'batch', 'batch']);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [
      ['a', 'a'],
      [1, 2],
    ]);
  });

  it('never carries the metadata of the batch that follows it, nor loses its own', async () => {
    const pairs = [
      ['k', 'v\u0000'],
      ['k', ''],
    ] as const;
    const batches = [['a'], ['a', 'b']].map((values) => batchOf([0], textColumn(values)).withMetadata(pairs));
    const writer = new StreamWriter(schema, { metadata: { of: 'schema message' } });
    const chunks = batches.flatMap((batch, i) => [
      ...writer.writeDictionaries(batch, { metadata: { part: `${i}` } }),
      ...writer.write(batch),
    ]);
    const reader = await StreamReader.from([...chunks, ...writer.finish()]);
    assert.deepEqual([...reader.metadata], [['of', 'schema message']]);
    const own: string[][] = [];
    for await (const batch of reader) {
      assert.deepEqual([...batch.metadata], pairs);
      own.push(Array.from(dictionaryMetadata(batch.column(0).layout.dictionary as Column), ([, value]) => value));
    }
    assert.deepEqual(own, [['0'], ['0', '1']]);
    const [first] = tableFromIPC(tableToIPC({ schema, batches })).batches;
    assert.equal(dictionaryMetadata(first?.column(0).layout.dictionary as Column), Metadata.empty);
  });

  it('under one id may be two columns of equal values, of which one may have more', () => {
    const twice = new Schema([color, new Field('other', color.type)]);
    const make = (one: string[], other: string[]): RecordBatch =>
      new RecordBatch(twice, [
        dictionaryColumn(color, [one.length - 1], textColumn(one)),
        dictionaryColumn(color, [other.length - 1], textColumn(other)),
      ]);
    const bytes = writeFresh(twice, [make(['a', 'b'], ['a', 'b']), make(['a'], ['a', 'b', 'c'])]);
    assert.deepEqual(updates(bytes), ['dictionary 1', 'batch', 'dictionary 1 delta', 'batch']);
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [
      ['b', 'a'],
      ['b', 'c'],
    ]);
  });

  it('inside of another is sent when it changes, and the outer one with it', () => {
    const inner = new Field('item', dictionaryOf(7n));
    const outer = new Field('o', dictionaryOf(3n, { kind: 'list', child: inner, large: false }));
    const lists = new Field('', { kind: 'list', child: inner, large: false });
    const nested = new Schema([outer]);
    const make = (offsets: number[], words: string[]): RecordBatch =>
      batchOf(
        [0, offsets.length - 2],
        listColumn(lists, offsets, dictionaryColumn(inner, [0, 1, 0].slice(0, offsets.at(-1)), textColumn(words))),
        nested,
      );
    const bytes = writeFresh(nested, [
      make([0, 2], ['a', 'b']),
      make([0, 2], ['a', 'b']),
      make([0, 2, 3], ['a', 'b', 'c']),
      make([0, 2, 3], ['x', 'y']),
    ]);
    assert.deepEqual(updates(bytes), [
      ...['dictionary 7', 'dictionary 3', 'batch', 'batch'],
      // Not as a delta, which Arrow C++ does not read of a dictionary that holds another.
      ...['dictionary 7 delta', 'dictionary 3', 'batch', 'dictionary 7', 'dictionary 3', 'batch'],
    ]);
    const values = [['a', 'b'], ['a', 'b'], ['a', 'b'], ['a', 'b'], ['a', 'b'], ['a'], ['x', 'y'], ['x']];
    assert.deepEqual(tableValues(tableFromIPC(bytes)), [values]);
  });
});

describe('1,000 batches of 2,048 rows over a dictionary of 10,000 strings', () => {
  const word = new Field('word', { ...dictionaryOf(1n), index: { kind: 'int', bitWidth: 32, signed: true } });
  const of = new Schema([word]);
  const strings = textColumn(Array.from({ length: 26_000 }, (_, i) => `string ${i}`.padEnd(21, '.')));
  /** Bytes of the stream; the dictionary of each batch is another column, over buffers that are not the writer's. */
  const streamBytes = (growth: number): number => {
    const values = Int32Array.from({ length: 2048 }, (_, i) => (i * 7919) % 10_000);
    const writer = new StreamWriter(of);
    let byteLength = 0;
    const count = (chunks: readonly Uint8Array[]): void => {
      for (const chunk of chunks) byteLength += chunk.length;
    };
    for (let i = 0; i < 1000; i++) {
      const dictionary = strings.slice(0, 10_000 + growth * i);
      const layout = { type: word.type, length: 2048, nullCount: 0, validity: null, values, dictionary };
      const batch = new RecordBatch(of, [makeColumn(word, layout)]);
      count(writer.writeDictionaries(batch));
      count(writer.write(batch));
    }
    count(writer.finish());
    return byteLength;
  };

  it('take at most 8.7 MB when the strings stay the same', () => {
    const byteLength = streamBytes(0);
    assert.ok(byteLength > 8_400_000 && byteLength <= 8_700_000, `${byteLength} bytes`);
  });

  it('take at most 9.3 MB when each has 16 strings more', () => {
    const byteLength = streamBytes(16);
    assert.ok(byteLength > 8_700_000 && byteLength <= 9_300_000, `${byteLength} bytes`);
  });
});

describe('a dictionary in a file', () => {
  it('grows by deltas of fresh columns, and need not be whole in each batch', () => {
    const writer = new FileWriter(schema);
    const steps = [['a'], ['a', 'b'], ['a'], ['a', 'b', 'c']];
    const chunks = steps.flatMap((values) => {
      const batch = batchOf([values.length - 1], textColumn(values));
      return [...writer.writeDictionaries(batch), ...writer.write(batch, { metadata: { n: `${values.length}` } })];
    });
    const bytes = new Uint8Array(Buffer.concat([...chunks, ...writer.finish()]));
    assert.deepEqual(updates(bytes), [
      ...['dictionary 1', 'batch', 'dictionary 1 delta', 'batch', 'batch', 'dictionary 1 delta', 'batch'],
    ]);
    const file = FileReader.open(bytes);
    assert.deepEqual(columnValues(file.batch(3).column(0)), ['c']);
    assert.deepEqual(columnValues(file.batch(2).column(0)), ['a']);
    assert.equal(file.batch(1).metadata.get('n'), '2');
  });

  it('is refused when it changes, with the call that brings the batches together', () => {
    const writer = new FileWriter(schema);
    writer.write(batchOf([0], textColumn(['a'])));
    assert.throws(
      () => writer.write(batchOf([0], textColumn(['b']))),
      (error) =>
        RecurveError.is(error) &&
        error.status === 'INVALID_ARGUMENT' &&
        /dictionary 1 of column "color" changes/.test(error.message) &&
        /unifyDictionaries/.test(error.hint ?? ''),
    );
  });
});

describe('batches of any type', () => {
  it('are read as they were written, whatever their dictionaries are to those before', () => {
    const cases = arbitrarySchema.chain((of) =>
      fc
        .array(arbitraryBatchesOf(of, { minLength: 1, maxLength: 2 }), { minLength: 2, maxLength: 3 })
        .map((parts) => ({ of, batches: parts.flat() })),
    );
    fc.assert(
      fc.property(cases, ({ of, batches }) => {
        const table = tableFromIPC(writeFresh(of, [...batches, ...batches]));
        assert.deepEqual(table.batches.map(batchValues), [...batches, ...batches].map(batchValues));
      }),
      { numRuns: 300 },
    );
  });

  it('have dictionaries that grow by deltas, over nulls and bits too, and with nested values', () => {
    const cases = arbitrarySchema
      .filter((of) => of.fields.length > 0 && !/dictionary/.test(`${of}`))
      .chain((of) => arbitraryBatchesOf(of, { minLength: 1, maxLength: 1 }).map(([batch]) => ({ of, batch })))
      .chain(({ of, batch }) => {
        const length = batch?.numRows ?? 0;
        return fc.array(fc.integer({ min: 0, max: length }), { minLength: 2, maxLength: 5 }).map((ends) => ({
          type: of.field(0),
          values: batch?.column(0) as Column,
          ends: [...ends, length].sort((a, b) => a - b),
        }));
      });
    fc.assert(
      fc.property(cases, ({ type, values, ends }) => {
        const grown = new Field('d', dictionaryOf(1n, type.type));
        const of = new Schema([grown]);
        const batches = ends.map((end) => {
          const indices = Array.from({ length: end }, (_, i) => i);
          return batchOf(indices, values.slice(0, end), of);
        });
        const bytes = writeFresh(of, batches);
        assert.deepEqual(tableFromIPC(bytes).batches.map(batchValues), batches.map(batchValues));
        // Nested values are sent whole when the first null comes inside of them.
        if (childFields(type.type).length > 0) return;
        const sent = updates(bytes).filter((name) => name.startsWith('dictionary'));
        assert.deepEqual(sent, ['dictionary 1', ...Array(new Set(ends).size - 1).fill('dictionary 1 delta')]);
      }),
      { numRuns: 300 },
    );
  });
});
