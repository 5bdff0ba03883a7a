import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { desc, fromArrow, table as makeTable, op } from 'arquero';
import * as a from 'recurve/arrow';

const schema = new a.Schema([
  a.field('id', a.int64()),
  a.field('kind', a.dictionary(a.utf8())),
  a.field('n', a.float64()),
  a.field('price', a.decimal128(9, 2)),
  a.field('at', a.timestamp('ms')),
]);
const rows = [
  { id: 1n, kind: 'a', n: 0.5, price: '1.25', at: new Date(0) },
  { id: 2n, kind: 'b', n: null, price: null, at: null },
  { id: 3n, kind: null, n: 2, price: '-0.50', at: new Date(1000) },
  { id: 4n, kind: 'a', n: 4, price: '3.00', at: new Date(2000) },
];
const counts = rows.map(({ at, ...row }) => ({ ...row, at: at && BigInt(at.getTime()) }));
// A dictionary a batch: the second batch's has other values under the same indices.
const table = new a.Table(
  schema,
  [rows.slice(0, 1), [], rows.slice(1)].map((part) => a.batchFromRows(schema, part)),
);
/** Arquero knows apache-arrow's classes, of which it uses less than it names. */
const known = (shape: a.Table | a.TableView) => fromArrow(shape as unknown as Parameters<typeof fromArrow>[0]);

describe('Arquero', () => {
  it('holds the values of a table, with dictionaries and nulls, across batches', (t) => {
    const { version } = JSON.parse(readFileSync('node_modules/arquero/package.json', 'utf8'));
    t.diagnostic(`peer: Arquero ${version}`);
    const held = known(table);
    assert.deepEqual([held.numRows(), held.columnNames()], [4, schema.names]);
    assert.deepEqual(held.objects(), counts);
    assert.deepEqual(Array.from(held.array('kind')), ['a', 'b', null, 'a']);
  });

  it('groups, filters, sorts and joins by its columns', () => {
    const held = known(table);
    const groups = held
      .groupby('kind')
      .rollup({ n: op.sum('n'), rows: op.count() })
      .orderby(desc('rows'), 'n');
    assert.deepEqual(groups.objects(), [
      { kind: 'a', n: 4.5, rows: 2 },
      { kind: 'b', n: undefined, rows: 1 },
      { kind: null, n: 2, rows: 1 },
    ]);
    const joined = held.join(makeTable({ kind: ['b', 'a'], word: ['bee', 'ay'] }), 'kind').select('id', 'word');
    assert.deepEqual(joined.objects(), [
      { id: 1n, word: 'ay' },
      { id: 2n, word: 'bee' },
      { id: 4n, word: 'ay' },
    ]);
  });

  it('holds the values of a view as its options make them', () => {
    const held = known(a.viewTable(table, { decimal: 'number', temporal: 'date', int64: 'number' }));
    assert.deepEqual(held.objects(), [
      { id: 1, kind: 'a', n: 0.5, price: 1.25, at: new Date(0) },
      { id: 2, kind: 'b', n: null, price: null, at: null },
      { id: 3, kind: null, n: 2, price: -0.5, at: new Date(1000) },
      { id: 4, kind: 'a', n: 4, price: 3, at: new Date(2000) },
    ]);
  });

  it('reads the bytes that we write, and we read the bytes that it writes', () => {
    const columns = { n: Float64Array.of(1.5, -2), word: ['ä', null] };
    const bytes = a.tableToIPC(a.tableFromArrays(columns));
    assert.deepEqual(fromArrow(bytes).objects(), [
      { n: 1.5, word: 'ä' },
      { n: -2, word: null },
    ]);
    const back = a.tableFromIPC(makeTable(columns).toArrowIPC());
    assert.deepEqual(back.toArray(), [
      { n: 1.5, word: 'ä' },
      { n: -2, word: null },
    ]);
  });
});
