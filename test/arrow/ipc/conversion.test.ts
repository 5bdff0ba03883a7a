import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as flechette from '@uwdata/flechette';
import * as apache from 'apache-arrow';
import * as a from 'recurve/arrow';

const schema = new a.Schema([
  a.field('x', a.float64()),
  a.field('big', a.int64()),
  a.field('name', a.utf8()),
  a.field('kind', a.dictionary(a.utf8())),
  a.field('price', a.decimal128(9, 2)),
  a.field('at', a.timestamp('ns', 'UTC')),
  a.field('list', a.list(a.int32())),
]);
const rows = [
  { x: 1.5, big: 2n ** 62n, name: 'ä', kind: 'k', price: '1.25', at: 1_700_000_000_123_456_789n, list: [1, null] },
  { x: null, big: null, name: null, kind: null, price: null, at: null, list: null },
  { x: -0, big: -1n, name: '', kind: 'l', price: '-0.01', at: -1n, list: [] },
];
const ours = new a.Table(schema, [a.batchFromRows(schema, rows)]);

/** Whether a view lies in these bytes. */
function isWithin(view: ArrayBufferView | undefined, bytes: Uint8Array): boolean {
  return (
    view !== undefined &&
    view.buffer === bytes.buffer &&
    view.byteOffset >= bytes.byteOffset &&
    view.byteOffset + view.byteLength <= bytes.byteOffset + bytes.byteLength
  );
}

function checkOurs(bytes: Uint8Array): void {
  const table = a.tableFromIPC(bytes);
  assert.deepEqual(table.toArray(), rows);
  assert.deepEqual(
    table.schema.fields.map(({ type }) => a.typeToString(type)),
    schema.fields.map(({ type }) => a.typeToString(type)),
  );
  for (const name of ['x', 'big', 'price', 'at']) {
    const { values } = table.batches[0]?.column(name).layout ?? {};
    assert.ok(isWithin(values, bytes), `${name} is read in place`);
  }
}

describe('a table goes by its bytes, read in place on either side,', () => {
  it('to apache-arrow and back', () => {
    const bytes = a.tableToIPC(ours);
    const theirs = apache.tableFromIPC(bytes);
    assert.equal(theirs.getChild('big')?.get(0), 2n ** 62n);
    assert.equal(theirs.getChild('kind')?.get(2), 'l');
    for (const [c, { name }] of schema.fields.slice(0, 2).entries()) {
      assert.ok(isWithin(theirs.batches[0]?.data.children[c]?.values, bytes), `${name} is read in place`);
    }
    checkOurs(apache.tableToIPC(theirs));
    checkOurs(apache.tableToIPC(theirs, 'file'));
  });

  it('to flechette and back', () => {
    const bytes = a.tableToIPC(ours);
    const theirs = flechette.tableFromIPC(bytes, { useBigInt: true });
    assert.equal(theirs.getChild('big')?.at(0), 2n ** 62n);
    assert.equal(theirs.getChild('kind')?.at(2), 'l');
    for (const name of ['x', 'big']) {
      const values = theirs.getChild(name)?.data[0]?.values as ArrayBufferView | undefined;
      assert.ok(isWithin(values, bytes), `${name} is read in place`);
    }
    for (const format of ['stream', 'file'] as const) {
      const back = flechette.tableToIPC(theirs, { format });
      assert.ok(back !== null);
      checkOurs(back);
    }
  });

  it('with dictionaries that change by the batch once they are unified', () => {
    const type = a.schemaOf([a.field('kind', a.dictionary(a.utf8(), a.int32(), { id: 1n }))]);
    const changing = new a.Table(
      type,
      [['a', 'b'], ['x', 'y'], ['b']].map((kinds) =>
        a.batchFromRows(
          type,
          kinds.map((kind) => ({ kind })),
        ),
      ),
    );
    const bytes = a.tableToIPC(a.unifyDictionaries(changing));
    const back = flechette.tableToIPC(flechette.tableFromIPC(bytes), { format: 'stream' });
    assert.ok(back !== null);
    assert.deepEqual(a.tableFromIPC(back).column('kind').toArray(), ['a', 'b', 'x', 'y', 'b']);
  });
});
