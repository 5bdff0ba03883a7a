import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import * as a from 'recurve/arrow';

const schema = new a.Schema([
  a.field('x', a.int32()),
  a.field('y', a.float64()),
  a.field('kind', a.dictionary(a.utf8())),
  a.field('price', a.decimal128(9, 2)),
  a.field('at', a.timestamp('us', 'UTC')),
  a.field('id', a.int64()),
]);
const rows = [
  { x: 0, y: 0, kind: 'a', price: '1.25', at: Date.UTC(2024, 0, 1), id: 1n },
  { x: 5, y: null, kind: 'b', price: null, at: null, id: null },
  { x: 10, y: 4, kind: null, price: '2.50', at: Date.UTC(2024, 0, 11), id: 3n },
  { x: 4, y: 2, kind: 'b', price: '1.75', at: Date.UTC(2024, 0, 6), id: 2n },
].map((row) => ({ ...row, at: row.at === null ? null : new Date(row.at) }));
const table = new a.Table(
  schema,
  [rows.slice(0, 2), [], rows.slice(2)].map((part) => a.batchFromRows(schema, part)),
);

/** Places of the circles of a chart whose axes are as wide as they are long in pixels: pixels are values. */
function circles(data: unknown, x: string, y: string, domains: { x: unknown[]; y: unknown[] }): unknown[] {
  const { document } = parseHTML('<!doctype html><html><body></body></html>');
  const chart = Plot.plot({
    document: document as never,
    width: 100,
    height: 100,
    margin: 0,
    x: { domain: domains.x as number[], axis: null },
    y: { domain: domains.y as number[], axis: null },
    marks: [Plot.dot(data as Plot.Data, { x, y, title: 'kind' })],
  });
  return [...chart.querySelectorAll('circle')].map((circle) => [
    Number(circle.getAttribute('cx')),
    Number(circle.getAttribute('cy')),
    circle.textContent,
  ]);
}

describe('Observable Plot', () => {
  it('draws a table, of several batches and with nulls, as it is', (t) => {
    const { version } = JSON.parse(readFileSync('node_modules/@observablehq/plot/package.json', 'utf8'));
    t.diagnostic(`peer: Observable Plot ${version}`);
    // The value range 0 to 10 over 100 pixels; y is drawn upwards. What has a null in x or y is left out.
    assert.deepEqual(circles(table, 'x', 'y', { x: [0, 10], y: [0, 4] }), [
      [0, 100, 'a'],
      [100, 0, ''],
      [40, 50, 'b'],
    ]);
  });

  it('draws a view of decimals, timestamps and 64-bit integers as numbers and dates', () => {
    const view = a.viewTable(table, { decimal: 'number', temporal: 'date', int64: 'number' });
    const dates = [new Date(Date.UTC(2024, 0, 1)), new Date(Date.UTC(2024, 0, 11))];
    assert.deepEqual(circles(view, 'at', 'price', { x: dates, y: [1.25, 2.5] }), [
      [0, 100, 'a'],
      [100, 0, ''],
      [50, 60, 'b'],
    ]);
    assert.deepEqual(
      circles(view, 'id', 'x', { x: [1, 3], y: [0, 10] }).map((circle) => (circle as unknown[]).slice(0, 2)),
      [
        [0, 100],
        [100, 0],
        [50, 60],
      ],
    );
  });

  it('gets the rows where an accessor asks for them', () => {
    const values = Plot.valueof(table as unknown as Plot.Data, (row: a.Row) => row.price);
    assert.deepEqual(values, ['1.25', null, '2.50', '1.75']);
  });
});
