import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  FileRangeReader,
  FileReader,
  RecurveError,
  StreamReader,
  StreamWriter,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { int32Batch, mixedBatches, mixedSchema } from './example.ts';

function isInvalidData(error: unknown): boolean {
  return RecurveError.is(error) && error.status === 'INVALID_DATA';
}

describe('input that is cut off', () => {
  const input = { schema: mixedSchema, batches: mixedBatches() };

  it('is refused at every byte of a file', async () => {
    const bytes = tableToIPC(input, { format: 'file' });
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      assert.throws(() => FileReader.open(cut), isInvalidData, `${length} bytes`);
      await assert.rejects(
        FileRangeReader.open({ size: length, read: async (offset, count) => cut.subarray(offset, offset + count) }),
        isInvalidData,
      );
    }
  });

  it('is refused at every byte of a stream but between messages', async () => {
    const writer = new StreamWriter(input.schema);
    const messages = [writer.start(), ...input.batches.map((batch) => writer.write(batch)), writer.finish()].map(
      (chunks) => Buffer.concat(chunks),
    );
    // Where a message ends is no place to tell a short stream from a whole one: the end marker is optional.
    const ends = new Set<number>();
    let end = 0;
    for (const message of messages) {
      end += message.length;
      ends.add(end);
    }
    const bytes = tableToIPC(input);
    // One batch brings its dictionaries along, in messages of their own.
    const dictionaryEnds: number[] = [];
    let refused = 0;
    for (let length = 0; length < bytes.length; length++) {
      const cut = bytes.subarray(0, length);
      if (ends.has(length)) continue;
      try {
        tableFromIPC(cut);
        dictionaryEnds.push(length);
        continue;
      } catch (error) {
        assert.ok(isInvalidData(error), `${length} bytes: ${error}`);
      }
      refused++;
      await assert.rejects(async () => (await StreamReader.from([cut])).table(), isInvalidData);
    }
    assert.equal(dictionaryEnds.length, 1);
    assert.ok(refused > 1000);
  });

  it('names the message and both numbers', () => {
    const batch = int32Batch([1, 2, 3]);
    const bytes = tableToIPC({ schema: batch.schema, batches: [batch] });
    assert.throws(
      () => tableFromIPC(bytes.subarray(0, bytes.length - 8 - 60)),
      /^RecurveError: message 1: the input is cut off after 4 of the 64 bytes of its body$/,
    );
  });

  it('with bytes after the end of the stream is refused, but zeroes are padding', () => {
    const batch = int32Batch([1]);
    const bytes = tableToIPC({ schema: batch.schema, batches: [batch] });
    assert.equal(tableFromIPC(Buffer.concat([bytes, Buffer.alloc(5)])).numRows, 1);
    assert.throws(() => tableFromIPC(Buffer.concat([bytes, bytes])), /bytes follow the end of the stream/);
  });

  it('of nothing is refused', () => {
    assert.throws(() => tableFromIPC(new Uint8Array(0)), /the stream is empty/);
    assert.throws(() => tableFromIPC(Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0)), /the stream is empty/);
  });
});
