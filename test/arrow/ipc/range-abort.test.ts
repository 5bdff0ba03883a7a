import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ByteRangeSource, FileRangeReader, RecurveError, tableFromArrays, tableToIPC } from 'recurve/arrow';

const file = tableToIPC(tableFromArrays({ a: new Int32Array(50_000) }), { format: 'file' });

/** Answers `answered` requests and then none, whatever the signal says. */
function stallingSource(answered: number): ByteRangeSource & { readonly signals: (AbortSignal | undefined)[] } {
  const signals: (AbortSignal | undefined)[] = [];
  return {
    size: file.length,
    signals,
    read(offset, length, signal) {
      signals.push(signal);
      if (signals.length > answered) return new Promise(() => {});
      return Promise.resolve(file.subarray(offset, offset + length));
    },
  };
}

test('an abort ends the opening of a file whose source does not answer, and reaches the source', async () => {
  const controller = new AbortController();
  const source = stallingSource(0);
  const opening = FileRangeReader.open(source, { signal: controller.signal });
  setTimeout(() => controller.abort(), 5);
  await assert.rejects(opening, (error) => RecurveError.is(error) && error.status === 'CANCELLED');
  assert.ok(source.signals.every((signal) => signal === controller.signal));
});

test('a time-out ends the reading of a batch', async () => {
  const source = stallingSource(1);
  const reader = await FileRangeReader.open(source, { signal: AbortSignal.timeout(20) });
  const keepAlive = setTimeout(() => {}, 5000);
  await assert.rejects(reader.batch(0), (error) => RecurveError.is(error) && error.status === 'TIMEOUT');
  clearTimeout(keepAlive);
});
