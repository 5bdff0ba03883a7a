import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RecordBatch, RecurveError, StreamDecoder, tableToIPC } from 'recurve/arrow';
import { batchValues } from './column-value.ts';
import { int32Batch, mixedBatches, mixedSchema } from './example.ts';
import { listMessages } from './message-list.ts';

const input = { schema: mixedSchema, batches: mixedBatches() };
const bytes = tableToIPC(input);
const expected = mixedBatches().map(batchValues);

/** The values of all batches, and whether the end was clean. */
function decode(chunks: Iterable<Uint8Array>): { batches: unknown[]; error: unknown } {
  const decoder = new StreamDecoder();
  const batches: RecordBatch[] = [];
  let error: unknown;
  try {
    for (const chunk of chunks) batches.push(...decoder.push(chunk));
    decoder.finish();
  } catch (thrown) {
    error = thrown;
  }
  return { batches: batches.map(batchValues), error };
}

function* cutEvery(data: Uint8Array, byteCount: number): Iterable<Uint8Array> {
  for (let at = 0; at < data.length; at += byteCount) yield data.slice(at, at + byteCount);
}

function hasStatus(status: string): (error: unknown) => boolean {
  return (error) => RecurveError.is(error) && error.status === status;
}

describe('StreamDecoder', () => {
  it('gives identical batches of chunks of any size, single bytes included, of streams and files', () => {
    for (const data of [bytes, tableToIPC(input, { format: 'file' }), bytes.subarray(0, -8)]) {
      for (const size of [1, 2, 3, 7, 8, 63, 64, 65, 1000, data.length]) {
        assert.deepEqual(decode(cutEvery(data, size)), { batches: expected, error: undefined }, `${size} bytes`);
      }
    }
  });

  it('gives the schema and each batch as soon as their last byte has come', () => {
    const decoder = new StreamDecoder();
    const ends: number[] = [];
    let schemaAt = 0;
    for (let at = 0; at < bytes.length; at++) {
      for (const _ of decoder.push(bytes.slice(at, at + 1))) ends.push(at + 1);
      if (decoder.schema !== undefined && schemaAt === 0) schemaAt = at + 1;
    }
    const messages = listMessages(bytes);
    assert.equal(schemaAt, messages[0]?.end);
    assert.deepEqual(
      ends,
      messages.filter(({ name }) => name === 'batch').map(({ end }) => end),
    );
  });

  it('reads a chunk in place', () => {
    const [batch] = new StreamDecoder().push(bytes);
    assert.equal(batch?.column(0).layout.values?.buffer, bytes.buffer);
  });

  it('tells of a stream that is cut off at any byte, after all batches that were whole', () => {
    const ends = new Set([0, ...listMessages(bytes).map(({ end }) => end)]);
    const batchEnds = listMessages(bytes).filter(({ name }) => name === 'batch');
    for (let length = 0; length < bytes.length; length++) {
      const { batches, error } = decode(cutEvery(bytes.subarray(0, length), 100));
      assert.deepEqual(batches, expected.slice(0, batchEnds.filter(({ end }) => end <= length).length));
      if (length > 0 && ends.has(length)) assert.equal(error, undefined);
      else assert.ok(hasStatus('INVALID_DATA')(error), `${length} bytes: ${error}`);
    }
  });

  it('gives the batches before a fault first, though they came in one chunk with it', () => {
    const damaged = Buffer.concat([bytes.subarray(0, -8), Buffer.from('fffffffff0ffffff', 'hex')]);
    const decoder = new StreamDecoder();
    assert.equal(decoder.push(damaged).length, 2);
    assert.throws(() => decoder.push(new Uint8Array(0)), hasStatus('INVALID_DATA'));
    assert.throws(() => decoder.finish(), hasStatus('INVALID_DATA'));
  });

  it('refuses what follows the end of a stream, but for zeroes', () => {
    assert.deepEqual(decode([bytes, new Uint8Array(5)]), { batches: expected, error: undefined });
    assert.match(`${decode([bytes, bytes]).error}`, /bytes follow the end of the stream/);
  });

  it('refuses chunks after its end, and a stream of nothing', () => {
    const decoder = new StreamDecoder();
    assert.throws(() => new StreamDecoder().finish(), /the stream is empty/);
    decoder.push(bytes);
    decoder.finish();
    assert.throws(() => decoder.push(bytes), hasStatus('INVALID_STATE'));
  });

  it('takes large bodies of single bytes without copying them over and over', () => {
    const batch = int32Batch(Array.from({ length: 50_000 }, (_, i) => i));
    const stream = tableToIPC({ schema: batch.schema, batches: [batch] });
    const begin = performance.now();
    assert.deepEqual(decode(cutEvery(stream, 1)).batches, [batchValues(batch)]);
    // 200,000 chunks; copying what is there at each would move 20 GB.
    assert.ok(performance.now() - begin < 5000);
  });
});
