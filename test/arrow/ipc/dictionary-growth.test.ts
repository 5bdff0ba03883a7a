import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Column,
  Field,
  makeColumn,
  RecordBatch,
  Schema,
  StreamReader,
  StreamWriter,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { batchValues, columnValues } from './column-value.ts';
import { dictionaryColumn, dictionaryOf, textColumn } from './example.ts';
import { listMessages, withoutMessage } from './message-list.ts';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

const word = new Field('word', { ...dictionaryOf(1n), index: { kind: 'int', bitWidth: 32, signed: true } });
const schema = new Schema([word]);

/** A stream of batches over ever longer slices of one dictionary, each sent as a delta. */
function growingStream(values: Column, ends: readonly number[]): Uint8Array {
  const field = new Field('d', dictionaryOf(1n, values.type));
  const of = new Schema([field]);
  const writer = new StreamWriter(of);
  const chunks = ends.flatMap((end) => writer.write(batchOver(of, values.slice(0, end))));
  return new Uint8Array(Buffer.concat([...chunks, ...writer.finish()]));
}

/** A batch that points at each value of a dictionary. */
function batchOver(of: Schema, dictionary: Column): RecordBatch {
  const indices = Array.from({ length: Math.min(dictionary.length, 100) }, (_, i) => dictionary.length - 1 - i);
  const field = of.field(0);
  const { layout } = dictionaryColumn(field, indices, dictionary);
  const isWide = field.type.kind === 'dictionary' && field.type.index.bitWidth === 32;
  const column = isWide
    ? makeColumn(field, { ...layout, values: Int32Array.from(indices) })
    : makeColumn(field, layout);
  return new RecordBatch(of, [column]);
}

function dictionaryOfBatch(batch: RecordBatch | undefined): Column {
  const dictionary = batch?.column(0).layout.dictionary;
  assert.ok(dictionary);
  return dictionary;
}

describe('a dictionary that grows while it is read', () => {
  const names = Array.from({ length: 3000 }, (_, i) => (i % 50 === 7 && i > 1200 ? null : `value ${i}`));
  const ends = Array.from({ length: 126 }, (_, i) => 1000 + 16 * i);
  const stream = (): Uint8Array => {
    const writer = new StreamWriter(schema);
    const chunks = ends.flatMap((end) => writer.write(batchOver(schema, textColumn(names.slice(0, end)))));
    return new Uint8Array(Buffer.concat([...chunks, ...writer.finish()]));
  };

  it('is not copied for each delta: most of its columns are views of one buffer', () => {
    const { batches } = tableFromIPC(stream());
    const layouts = batches.map((batch) => dictionaryOfBatch(batch).layout);
    for (const name of ['data', 'offsets'] as const) {
      const buffers = new Set(layouts.map((layout) => layout[name]?.buffer));
      assert.ok(buffers.size <= 6, `${buffers.size} buffers of ${name}`);
    }
    assert.ok(new Set(layouts.map(({ validity }) => validity?.buffer)).size <= 6);
  });

  it('leaves the batches that were handed out as they were, and gives those after it all values', async () => {
    const before: unknown[] = [];
    const batches: RecordBatch[] = [];
    for await (const batch of await StreamReader.from([stream()])) {
      batches.push(batch);
      before.push(columnValues(batch.column(0)));
      assert.deepEqual(columnValues(dictionaryOfBatch(batch)), names.slice(0, ends[batches.length - 1]));
    }
    assert.deepEqual(
      batches.map((batch) => columnValues(batch.column(0))),
      before,
    );
    // Values are made once for all of them, in whatever order they are asked for.
    for (const batch of batches.reverse()) {
      const { length } = dictionaryOfBatch(batch);
      assert.equal(batch.column(0).at(0), names[length - 1]);
      assert.deepEqual(batch.column(0).toArray().length, 100);
    }
  });

  it('lets no earlier column reach values that came later', () => {
    const { batches } = tableFromIPC(stream());
    assert.equal(batches[9]?.column(0).at(0), names[1143]);
    const [first] = batches;
    const dictionary = dictionaryOfBatch(first);
    const outside = dictionaryColumn(new Field('c', dictionaryOf(1n)), [0], dictionary);
    const indices = outside.layout.values as Int8Array;
    assert.equal(outside.at(0), 'value 0');
    indices[0] = -1;
    assert.equal(outside.at(0), null);
    const wideOutside = first?.column(0).layout.values as Int32Array;
    wideOutside[0] = dictionary.length;
    assert.equal(first?.column(0).at(0), null);
    assert.equal(first?.column(0).toArray()[0], null);
  });

  it('keeps its values when it is of any type', () => {
    const cases = arbitrarySchema
      .filter((of) => of.fields.length > 0 && !/dictionary/.test(`${of}`))
      .chain((of) => arbitraryBatchesOf(of, { minLength: 1, maxLength: 1 }))
      .chain(([batch]) => {
        const length = batch?.numRows ?? 0;
        return fc.array(fc.integer({ min: 0, max: length }), { minLength: 2, maxLength: 6 }).map((some) => ({
          values: batch?.column(0) as Column,
          ends: [...some, length].sort((a, b) => a - b),
        }));
      });
    fc.assert(
      fc.property(cases, ({ values, ends }) => {
        const bytes = growingStream(values, ends);
        const { schema: of, batches } = tableFromIPC(bytes);
        assert.deepEqual(
          batches.map(batchValues),
          ends.map((end) => batchValues(batchOver(of, values.slice(0, end)))),
        );
        assert.deepEqual(
          batches.map((batch) => columnValues(dictionaryOfBatch(batch))),
          ends.map((end) => columnValues(values.slice(0, end))),
        );
        // Again, from grown columns.
        assert.deepEqual(
          tableFromIPC(tableToIPC({ schema: of, batches })).batches.map(batchValues),
          batches.map(batchValues),
        );
      }),
      { numRuns: 300 },
    );
  });

  it('may get several deltas between two batches, and be replaced after them', () => {
    const grown = growingStream(textColumn(['a', 'b', 'c', 'd']), [1, 2, 4]);
    // Schema, dictionary, batch, delta, batch, delta, batch: without the batch in the middle.
    const two = withoutMessage(grown, 4);
    assert.deepEqual(tableFromIPC(two).batches.map(batchValues), [[['a']], [['d', 'c', 'b', 'a']]]);
    const other = growingStream(textColumn(['y']), [1]);
    const [, dictionary, batch] = listMessages(other);
    const both = new Uint8Array(Buffer.concat([two.subarray(0, -8), other.subarray(dictionary?.start, batch?.end)]));
    assert.deepEqual(tableFromIPC(both).batches.map(batchValues), [[['a']], [['d', 'c', 'b', 'a']], [['y']]]);
  });
});
