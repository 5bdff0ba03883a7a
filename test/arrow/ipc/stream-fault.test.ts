import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RecurveError, StreamReader, tableToIPC } from 'recurve/arrow';
import { batchValues } from './column-value.ts';
import { mixedBatches, mixedSchema } from './example.ts';
import { listMessages } from './message-list.ts';

const bytes = tableToIPC({ schema: mixedSchema, batches: mixedBatches() }, { alignment: 8 });
const expected = mixedBatches().map(batchValues);
const batchEnds = listMessages(bytes)
  .filter(({ name }) => name === 'batch')
  .map(({ end }) => end);

/** What a source gave up to its failure, as read; and the failure. */
async function readUpTo(source: AsyncIterable<Uint8Array>, signal?: AbortSignal): Promise<[unknown[], unknown]> {
  const batches: unknown[] = [];
  try {
    for await (const batch of await StreamReader.from(source, { signal })) batches.push(batchValues(batch));
  } catch (error) {
    return [batches, error];
  }
  return [batches, undefined];
}

describe('a stream whose source', () => {
  it('dies after any byte gives the batches before it, then that error', async () => {
    const failure = new Error('the wire broke');
    for (let length = 0; length < bytes.length; length++) {
      let isOpen = true;
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          yield bytes.slice(0, length);
          throw failure;
        } finally {
          isOpen = false;
        }
      }
      const [batches, error] = await readUpTo(source());
      assert.equal(error, length < bytes.length ? failure : undefined);
      assert.deepEqual(batches, expected.slice(0, batchEnds.filter((end) => end <= length).length));
      assert.equal(isOpen, false);
    }
  });

  it('is aborted while any chunk is waited for gives the batches before it, then CANCELLED, and lets the source go', async () => {
    const chunkBytes = 40;
    for (let last = 0; last * chunkBytes < bytes.length; last++) {
      const controller = new AbortController();
      let isOpen = true;
      let count = 0;
      const source: AsyncIterable<Uint8Array> = {
        [Symbol.asyncIterator]: () => ({
          async next() {
            if (count === last) {
              setImmediate(() => controller.abort());
              await new Promise(() => {});
            }
            const value = bytes.slice(count * chunkBytes, ++count * chunkBytes);
            return { done: false, value };
          },
          async return() {
            isOpen = false;
            return { done: true, value: undefined };
          },
        }),
      };
      const [batches, error] = await readUpTo(source, controller.signal);
      assert.ok(RecurveError.is(error) && error.status === 'CANCELLED', `chunk ${last}: ${error}`);
      assert.deepEqual(batches, expected.slice(0, batchEnds.filter((end) => end <= last * chunkBytes).length));
      assert.equal(isOpen, false);
      assert.equal(count, last);
    }
  });
});
