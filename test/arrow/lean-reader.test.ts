import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import {
  batchFromArrays,
  date32,
  dictionary,
  field,
  RecurveError,
  Schema,
  Table,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  utf8,
  utf8View,
} from 'recurve/arrow';
import * as lean from 'recurve/arrow/read';
import { goldSkip, listGoldCases } from './gold-case.ts';

const isRefusal = (pattern: RegExp) => (error: unknown) => {
  assert.ok(RecurveError.is(error), `${error}`);
  assert.equal(error.status, 'NOT_IMPLEMENTED');
  assert.match(error.message, pattern);
  assert.match(error.hint ?? '', /recurve\/arrow'/);
  return true;
};

/** Two batches, the second of whose dictionaries begins with the first's. */
function growing(value: ReturnType<typeof utf8> | ReturnType<typeof utf8View>): Uint8Array {
  const schema = new Schema([field('d', dictionary(value))]);
  const batches = [
    ['a', 'a text beyond twelve bytes'],
    ['a', 'a text beyond twelve bytes', 'c'],
  ];
  return tableToIPC(
    new Table(
      schema,
      batches.map((values) => batchFromArrays(schema, [values])),
    ),
  );
}

describe('the lean readers', () => {
  const schema = new Schema([field('d', date32()), field('n', utf8())]);
  const bytes = tableToIPC(
    new Table(schema, [
      batchFromArrays(schema, [
        [0, 1],
        ['x', null],
      ]),
    ]),
  );

  it('give rows with plain values, of slices and selections too', () => {
    const table = lean.tableFromIPC(bytes);
    assert.ok(table instanceof lean.Table);
    assert.deepEqual(table.toArray(), [
      { d: 0, n: 'x' },
      { d: 1, n: null },
    ]);
    assert.deepEqual([...table.slice(1).select(['n'])], [{ n: null }]);
    assert.match(`${table}`, /^2 rows of 2 columns\nd: date32\[day\]\nn: utf8$/);
  });

  it('refuse value options, by name', () => {
    const table = lean.tableFromIPC(bytes);
    assert.throws(() => table.toArray({ temporal: 'text' }), isRefusal(/temporal/));
    assert.throws(() => [...table.rows({ int64: 'number' })], isRefusal(/int64/));
    assert.throws(() => table.batches[0]?.toArray({ decimal: 'number' }), isRefusal(/decimal/));
  });

  it('read dictionaries that grow in place, whose buffers only the full readers join', () => {
    for (const value of [utf8(), utf8View()]) {
      const rows = ['a', 'a text beyond twelve bytes', 'a', 'a text beyond twelve bytes', 'c'];
      const bytes = growing(value);
      assert.deepEqual([...lean.tableFromIPC(bytes).column('d')], rows);
      assert.deepEqual(lean.tableFromIPC(bytes).column('d').toArray(), rows);
      assert.deepEqual([...tableFromIPC(bytes).column('d')], rows);
      const [, grown] = lean.tableFromIPC(bytes).column('d').chunks;
      assert.throws(() => grown?.layout.dictionary?.layout, isRefusal(/lean/));
      assert.throws(() => tableToIPC(lean.tableFromIPC(bytes)), isRefusal(/lean/));
    }
  });

  it('refuse big-endian streams and files', { skip: goldSkip }, () => {
    const gold = listGoldCases().find(({ name }) => name === '1.0.0-bigendian/generated_primitive');
    assert.ok(gold);
    for (const suffix of ['.stream', '.arrow_file']) {
      const big = readFileSync(gold.path + suffix);
      assert.throws(() => lean.tableFromIPC(big), isRefusal(/big-endian/));
      assert.ok(tableFromIPC(big).numRows > 0);
    }
  });

  it('leave nothing out of what the full readers give', () => {
    const table = tableFromIPC(bytes);
    assert.ok(table instanceof Table);
    const selected = table.slice(1).select(['d']);
    assert.deepEqual(selected.toArray({ temporal: 'text' }), [{ d: '1970-01-02' }]);
    assert.match(`${selected}`, /^1 row x 1 column/);
    assert.deepEqual(table.batches[0]?.slice(0, 1).toArray({ temporal: 'text' }), [{ d: '1970-01-01', n: 'x' }]);
    assert.deepEqual(tableFromArrays({ a: [1n] }).toArray({ int64: 'number' }), [{ a: 1 }]);
  });
});
