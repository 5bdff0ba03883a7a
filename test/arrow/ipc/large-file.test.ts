import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { FileRangeReader, tableFromArrays, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { tableValues } from './column-value.ts';
import { mixedBatches, mixedSchema } from './example.ts';
import { listMessages } from './message-list.ts';

/** A file with `gap` zeroes after its magic, which are nowhere: all blocks of its footer are moved by as much. */
function spread(file: Uint8Array, gap: number) {
  const bytes = file.slice();
  const view = new DataView(bytes.buffer);
  const footerStart = bytes.length - 10 - view.getInt32(bytes.length - 10, true);
  let moved = 0;
  for (const { start, name } of listMessages(bytes.subarray(8))) {
    for (let at = footerStart; at + 8 <= bytes.length; at++) {
      if (name === 'schema' || view.getBigInt64(at, true) !== BigInt(start + 8)) continue;
      view.setBigInt64(at, BigInt(start + 8 + gap), true);
      moved++;
      break;
    }
  }
  const ranges: number[] = [];
  const read = async (offset: number, length: number): Promise<Uint8Array> => {
    ranges.push(offset);
    const given = new Uint8Array(length);
    const start = Math.max(0, offset - gap);
    given.set(bytes.subarray(start, offset + length - gap), start - (offset - gap));
    return given;
  };
  return { source: { size: bytes.length + gap, read }, ranges, moved };
}

describe('a file beyond', () => {
  for (const [name, gap] of [
    ['2 GiB', 2 ** 31],
    ['4 GiB', 2 ** 32 + 64],
    ['8 TiB', 2 ** 43],
    ['4 PiB', 2 ** 52],
  ] as const) {
    it(`${name} is read by its footer, wherever its batches and dictionaries lie`, async () => {
      const file = tableToIPC({ schema: mixedSchema, batches: mixedBatches() }, { format: 'file' });
      const { source, moved } = spread(file, gap);
      assert.equal(moved, 3);
      const reader = await FileRangeReader.open(source);
      assert.deepEqual(tableValues(await reader.table()), tableValues(tableFromIPC(file)));
    });

    it(`${name} gives the columns that are selected, by exact ranges`, async () => {
      const columns = Object.fromEntries(
        ['a', 'b', 'c'].map((key, k) => [key, Float64Array.from({ length: 20_000 }, (_, i) => i * 3 + k)]),
      );
      const { source, ranges } = spread(tableToIPC(tableFromArrays(columns), { format: 'file' }), gap);
      const reader = await FileRangeReader.open(source, { columns: ['b'] });
      assert.deepEqual((await reader.table()).column('b').toArray(), columns.b);
      assert.deepEqual(ranges.length, 3);
      assert.ok(ranges.every((offset) => Number.isSafeInteger(offset)));
    });
  }
});
