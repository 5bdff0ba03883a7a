import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Field, makeColumn } from 'recurve/arrow';

it('a short string that is kept does not keep the text of its column', () => {
  const field = new Field('t', { kind: 'utf8', large: false });
  const count = 200_000;
  const width = 100;
  const data = new Uint8Array(count * width).fill(0x61);
  const offsets = Int32Array.from({ length: count + 1 }, (_, i) => i * width);
  const { gc } = globalThis;
  assert.ok(gc, 'needs --expose-gc');
  gc();
  const before = process.memoryUsage().heapUsed;
  const kept: unknown[] = [];
  for (let round = 0; round < 20; round++) {
    const column = makeColumn(field, { type: field.type, length: count, offsets, data });
    kept.push(column.toArray()[round * 1000], column.at(round * 1000));
  }
  gc();
  const grown = process.memoryUsage().heapUsed - before;
  // 20 MB of text were decoded 20 times; 40 strings of it are alive, each with its block of 16 KiB.
  assert.equal(kept.length, 40);
  assert.ok(grown < 4_000_000, `the heap grew by ${grown} bytes`);
});
