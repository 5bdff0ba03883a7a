import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { float64, int32, utf8 } from '@uwdata/flechette';
import { Schema } from '../../../src/arrow/schema.ts';
import { displayWidth } from '../../../src/cli/format/display-width.ts';
import { layoutTable } from '../../../src/cli/format/table-layout.ts';
import { formatNamed, makeBatch, write } from './batch.ts';

const plain = { columns: 80, color: false };

describe('a table', () => {
  test('has a frame, names over types, numbers to the right, and the number of rows', async () => {
    const batch = makeBatch(['origin', ['ATL', null, ''], utf8()], ['n', [1, 23, null], int32()]);
    const { text } = await write('table', batch.schema, [batch], plain);
    assert.equal(
      text,
      [
        '┌────────┬───────┐',
        '│ origin │     n │',
        '│ utf8   │ int32 │',
        '├────────┼───────┤',
        '│ ATL    │     1 │',
        '│ NULL   │    23 │',
        '│        │  NULL │',
        '└────────┴───────┘',
        '3 rows',
        '',
      ].join('\n'),
    );
  });

  test('aligns wide characters and writes control characters out', async () => {
    const batch = makeBatch(['t', ['漢字', 'e\u0301', 'a\nb', '\u001b[2J'], utf8()]);
    const { text } = await write('table', batch.schema, [batch], plain);
    const widths = text.trimEnd().split('\n').slice(0, -1).map(displayWidth);
    assert.equal(new Set(widths).size, 1, text);
    assert.ok(!text.includes('\u001b'));
    assert.match(text, /│ a\\nb +│/);
  });

  test('dims NULL where colours are allowed, and only there', async () => {
    const batch = makeBatch(['t', [null, 'NULL'], utf8()]);
    const { text } = await write('table', batch.schema, [batch], { columns: 80, color: true });
    assert.equal(text.split('\u001b[2mNULL\u001b[22m').length, 2);
  });

  test('on a terminal shows the first rows, and counts the others', async () => {
    const batch = makeBatch(['n', Array.from({ length: 1500 }, (_, i) => i), int32()]);
    const { text } = await write('table', batch.schema, [batch, batch], plain);
    const lines = text.trimEnd().split('\n');
    assert.equal(lines.length, 4 + 40 + 2);
    assert.equal(lines.at(-1), '… 3,000 rows, the first 40 shown');
  });

  test('in a file shows every row whole', async () => {
    const wide = 'x'.repeat(500);
    const batch = makeBatch(['t', [...new Array(1500).fill('a'), wide], utf8()]);
    const { text } = await write('table', batch.schema, [batch]);
    const lines = text.trimEnd().split('\n');
    assert.equal(lines.length, 4 + 1501 + 2);
    assert.ok(text.includes(wide));
    assert.equal(lines.at(-1), '1,501 rows');
  });

  test('never is wider than the terminal', async () => {
    const columns = Array.from({ length: 30 }, (_, i) => [`column_${i}`, [`value ${i}`], utf8()] as const);
    const batch = makeBatch(...columns);
    for (const width of [20, 40, 80, 200]) {
      const { text } = await write('table', batch.schema, [batch], { columns: width, color: false });
      const lines = text.trimEnd().split('\n');
      for (const line of lines.slice(0, -1)) assert.ok(displayWidth(line) <= width, `${width}: ${line}`);
      assert.match(lines.at(-1) ?? '', /^1 row, 30 columns, \d+ shown$/);
    }
  });

  test('closes its frame before the rows that it does not show are counted', async () => {
    const batch = makeBatch(['n', Array.from({ length: 50 }, (_, i) => i), int32()]);
    const pieces: string[] = [];
    const sink = { write: async (bytes: Uint8Array) => void pieces.push(Buffer.from(bytes).toString()) };
    const { signal } = new AbortController();
    const writer = await formatNamed('table').open({ schema: batch.schema, sink, signal, terminal: plain });
    await writer.write(batch);
    assert.match(pieces.join(''), /┘\n$/);
    await writer.write(batch);
    await writer.end();
    assert.equal(pieces.join('').split('┘').length, 2);
  });

  test('of no rows has its columns, and of no columns says nothing', async () => {
    const { schema } = makeBatch(['a', [1.5], float64()]);
    assert.match((await write('table', schema, [], plain)).text, /│ {7}a │\n│ float64 │\n├─+┤\n└─+┘\n0 rows\n$/);
    assert.equal((await write('table', new Schema([]), [], plain)).text, '');
  });
});

describe('the layout of a table', () => {
  const total = (widths: readonly number[]): number => widths.reduce((sum, width) => sum + width + 3, 1);

  test('narrows the widest text first, and numbers not at all', () => {
    const layout = layoutTable([5, 100, 30, 12], [true, false, false, true], 80);
    assert.deepEqual(layout.columns, [0, 1, 2, 3]);
    assert.deepEqual([layout.widths[0], layout.widths[2], layout.widths[3]], [5, 25, 12]);
    assert.equal(total(layout.widths), 80);
  });

  test('leaves columns in the middle out when narrowing is not enough', () => {
    const layout = layoutTable(new Array(20).fill(10), new Array(20).fill(true), 60);
    assert.deepEqual(layout.columns, [0, 1, -1, 18, 19]);
    assert.ok(total(layout.widths) <= 60);
  });

  test('keeps at least one column, cut to what there is', () => {
    const layout = layoutTable([50, 50], [true, true], 20);
    assert.equal(layout.columns.filter((column) => column >= 0).length, 1);
    assert.ok(total(layout.widths) <= 20);
  });

  test('is as wide as needs be without a limit', () => {
    assert.deepEqual(layoutTable([500], [false], undefined), { columns: [0], widths: [500] });
  });
});
