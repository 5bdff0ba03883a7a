import assert from 'node:assert/strict';
import { test } from 'node:test';
import { int32 } from '@uwdata/flechette';
import { tableFromIPC as foreignTable } from 'apache-arrow';
import { tableFromIPC } from '../../../src/arrow/validate/reader.ts';
import { formats } from '../../../src/cli/format/index.ts';
import { makeBatch } from './batch.ts';

test('an Arrow stream of a result that failed is taken for whole by no reader', async () => {
  const batch = makeBatch(['n', [1, 2, 3], int32()]);
  for (const isWhole of [true, false]) {
    const pieces: Uint8Array[] = [];
    const sink = {
      write: async (bytes: Uint8Array) => {
        pieces.push(bytes.slice());
      },
    };
    const format = formats.find(({ name }) => name === 'arrows');
    const { signal } = new AbortController();
    const writer = await format?.open({ schema: batch.schema, sink, signal });
    await writer?.write(batch);
    if (isWhole) await writer?.end();
    await writer?.close?.();
    const bytes = Buffer.concat(pieces);
    if (isWhole) {
      assert.equal(tableFromIPC(bytes).numRows, 3);
      assert.equal(foreignTable(bytes).numRows, 3);
    } else {
      assert.throws(() => tableFromIPC(bytes));
      assert.throws(() => foreignTable(bytes));
    }
  }
});
