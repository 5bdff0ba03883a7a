import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { MessageChannel, Worker } from 'node:worker_threads';
import fc from 'fast-check';
import {
  type BatchMessage,
  compact,
  Field,
  fromTransferable,
  RecordBatch,
  RecurveError,
  Schema,
  tableFromIPC,
  tableToIPC,
  toTransferable,
} from 'recurve/arrow';
import { batchValues } from './column-value.ts';
import { int32, int32Column, mixedBatches, mixedSchema } from './example.ts';
import { arbitraryBatchesOf, arbitrarySchema } from './random-batch.ts';

// Loads the worker's source, which Node cannot by itself.
const load =
  "import('tsx/esm/api').then(({ register }) => { register(); return import(require('worker_threads').workerData); })";
const worker = new Worker(load, { eval: true, workerData: new URL('echo-worker.ts', import.meta.url).href });
after(() => worker.terminate());

function ask(batch: RecordBatch): Promise<{ ipc: Uint8Array; back: BatchMessage }> {
  const { message, transfer } = toTransferable(batch);
  return new Promise((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.postMessage(message, transfer);
  });
}

function clone(batch: RecordBatch, options?: Parameters<typeof toTransferable>[1]): RecordBatch {
  const { message, transfer } = toTransferable(batch, options);
  return fromTransferable(structuredClone(message, { transfer }));
}

describe('a batch', () => {
  it('goes to a worker and comes back', async () => {
    const [batch] = tableFromIPC(tableToIPC({ schema: mixedSchema, batches: mixedBatches() })).batches;
    assert.ok(batch);
    const expected = batchValues(batch);
    const { ipc, back } = await ask(batch);
    assert.deepEqual(tableFromIPC(ipc).batches.map(batchValues), [expected]);
    const returned = fromTransferable(back);
    assert.deepEqual(batchValues(returned), expected);
    assert.ok(returned.schema.equals(mixedSchema));
  });

  it('of any schema is the same on the other side', () => {
    const batches = arbitrarySchema.chain((schema) => arbitraryBatchesOf(schema, { minLength: 1, maxLength: 1 }));
    fc.assert(
      fc.property(batches, fc.nat(5), ([made], start) => {
        assert.ok(made);
        const batch = compact(made).slice(start);
        const expected = batchValues(batch);
        const other = clone(batch);
        assert.deepEqual(batchValues(other), expected);
        assert.ok(other.schema.equals(batch.schema) && other.metadata.equals(batch.metadata));
      }),
      { numRuns: 60 },
    );
  });

  it('is moved, not copied: each buffer once, however many columns are in it', () => {
    const [batch] = tableFromIPC(tableToIPC({ schema: mixedSchema, batches: mixedBatches() })).batches;
    const memory = batch?.column(0).layout.values?.buffer as ArrayBuffer;
    const { transfer } = toTransferable(batch as RecordBatch);
    assert.deepEqual(transfer, [memory]);
    clone(batch as RecordBatch);
    assert.equal(memory.byteLength, 0);
  });

  it('leaves its dictionary here for the batches that follow, unless it is told otherwise', () => {
    const [first, second] = mixedBatches();
    const [a, b] = [first, second].map((batch) => compact(batch as RecordBatch, { dictionaries: 'keep' }));
    const dictionary = a?.column('color').layout.dictionary;
    const expected = batchValues(b as RecordBatch);
    clone(a as RecordBatch);
    assert.deepEqual(dictionary?.toArray(), ['red', 'green', 'blue']);
    assert.deepEqual(batchValues(clone(b as RecordBatch, { dictionaries: 'transfer' })), expected);
    assert.equal(dictionary?.layout.data?.byteLength, 0);
  });

  it('takes only its own bytes of a dictionary along that lies in a large buffer', () => {
    const [first] = mixedBatches();
    const batch = compact(first as RecordBatch);
    const dictionary = batch.column('color').layout.dictionary;
    const { message } = toTransferable(batch);
    const packed = message.columns[3]?.dictionary;
    assert.ok(dictionary && packed?.data);
    assert.equal(packed.data.buffer.byteLength, packed.data.byteLength);
  });

  it('whose columns share a dictionary has columns that share one', () => {
    const [batch] = mixedBatches();
    const color = mixedSchema.field('color');
    const column = (batch as RecordBatch).column('color');
    const pair = new RecordBatch(new Schema([color, color.withName('other')]), [column, column]);
    const [a, b] = clone(pair).columns;
    assert.equal(a?.layout.dictionary, b?.layout.dictionary);
  });

  it('in shared memory stays where it is, for both', () => {
    const values = new Int32Array(new SharedArrayBuffer(12));
    values.set([1, 2, 3]);
    const field = new Field('i', int32);
    const column = int32Column([0, 0, 0], field);
    const shared = new (column.constructor as new (layout: unknown) => typeof column)({ ...column.layout, values });
    const batch = new RecordBatch(new Schema([field]), [shared]);
    const { message, transfer } = toTransferable(batch);
    assert.deepEqual(transfer, []);
    // Shared memory can be posted, not cloned.
    const { port1, port2 } = new MessageChannel();
    port1.postMessage(message);
    return new Promise<void>((resolve) => {
      port2.once('message', (received: BatchMessage) => {
        const other = fromTransferable(received);
        values[1] = 20;
        assert.deepEqual([...other.column(0)], [1, 20, 3]);
        port1.close();
        resolve();
      });
    });
  });

  it('is not made of something else', () => {
    for (const message of [undefined, {}, { schema: [], columns: [] }]) {
      assert.throws(
        () => fromTransferable(message as never),
        (error) => RecurveError.is(error) && error.status === 'INVALID_ARGUMENT',
      );
    }
  });
});
