import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  type Column,
  compact,
  makeBuilder,
  RecordBatch,
  Schema,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  uuidField,
} from 'recurve/arrow';
import { batchValues, tableValues } from './column-value.ts';
import { mixedBatches, mixedSchema } from './example.ts';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

/** The memory that a column holds, its dictionary's too where asked for. */
function buffersOf({ layout }: Column, dictionaries: boolean): Set<ArrayBufferLike> {
  const views = [layout.validity, layout.values, layout.offsets, layout.data].filter((view) => view != null);
  const inner = [...(layout.children ?? []), ...(dictionaries && layout.dictionary ? [layout.dictionary] : [])];
  return new Set([
    ...views.map(({ buffer }) => buffer),
    ...inner.flatMap((child) => [...buffersOf(child, dictionaries)]),
  ]);
}

const bytes = tableToIPC({ schema: mixedSchema, batches: mixedBatches() });

describe('a resident buffer', () => {
  it('is read in place: every buffer of every column is in it, of streams and files', () => {
    for (const format of ['stream', 'file'] as const) {
      const input = tableToIPC({ schema: mixedSchema, batches: mixedBatches() }, { format });
      for (const { columns } of tableFromIPC(input).batches) {
        for (const column of columns) {
          for (const buffer of buffersOf(column, true)) {
            assert.ok(buffer === input.buffer || buffer.byteLength === 0);
          }
        }
      }
    }
  });
});

describe('compact', () => {
  it('copies into memory of its own, of just the size that the values need', () => {
    const large = tableFromArrays({
      i: Int32Array.from({ length: 1_000_000 }, (_, i) => i),
      s: ['a', 'b'].concat(Array(999_998).fill('c')),
    });
    const [slice] = large.slice(500_000, 500_010).batches;
    assert.ok(slice);
    const copy = compact(slice);
    assert.deepEqual(batchValues(copy), batchValues(slice));
    const held = new Set(copy.columns.flatMap((column) => [...buffersOf(column, true)]));
    assert.equal(held.size, 1);
    for (const buffer of held) {
      assert.ok(buffer.byteLength <= 3 * 64, `${buffer.byteLength} bytes`);
      assert.ok(!slice.columns.some((column) => buffersOf(column, true).has(buffer)));
    }
  });

  it('keeps values, types and metadata of any batch, sliced or not, and shares no buffer with it', () => {
    const batches = arbitrarySchema.chain((schema) => arbitraryBatchesOf(schema, { minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(batches, fc.nat(5), ([batch], start) => {
        assert.ok(batch);
        for (const given of [batch, batch.slice(start)]) {
          const copy = compact(given);
          assert.ok(copy.schema === given.schema && copy.metadata.equals(given.metadata));
          assert.deepEqual(batchValues(copy), batchValues(given));
          const old = new Set(given.columns.flatMap((column) => [...buffersOf(column, true)]));
          for (const column of copy.columns) {
            for (const buffer of buffersOf(column, true)) assert.ok(buffer.byteLength === 0 || !old.has(buffer));
          }
        }
      }),
      { numRuns: 60 },
    );
  });

  it('copies a shared dictionary once, or keeps it', () => {
    const table = tableFromIPC(bytes);
    const dictionaries = (given: typeof table) => given.batches.map((batch) => batch.column('color').layout.dictionary);
    const copy = compact(table);
    assert.deepEqual(tableValues(copy), tableValues(table));
    const [first, second] = dictionaries(copy);
    assert.ok(first === second && first !== dictionaries(table)[0]);
    assert.equal(first?.layout.data?.buffer === bytes.buffer, false);
    const kept = compact(table, { dictionaries: 'keep' });
    assert.equal(dictionaries(kept)[0], dictionaries(table)[0]);
    assert.notEqual(kept.batches[0]?.column('color').layout.values?.buffer, bytes.buffer);
  });

  it('copies a column, which stays what its extension made of it', () => {
    const field = uuidField('id');
    const builder = makeBuilder(field);
    builder.append('00112233-4455-6677-8899-aabbccddeeff');
    builder.append(null);
    const column = builder.finish();
    const copy = compact(column.slice(0, 1));
    assert.deepEqual(copy.toArray(), ['00112233-4455-6677-8899-aabbccddeeff']);
    assert.equal(copy.constructor, column.constructor);
  });

  it('copies batches of no columns and of no rows', () => {
    assert.equal(compact(new RecordBatch(new Schema([]), [], 7)).numRows, 7);
    assert.equal(compact(tableFromIPC(bytes).slice(0, 0)).numRows, 0);
  });
});
