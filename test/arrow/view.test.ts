import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { build } from 'esbuild';
import * as a from 'recurve/arrow';

const schema = new a.Schema([
  a.field('id', a.int64(), { nullable: false }),
  a.field('at', a.timestamp('us')),
  a.field('price', a.decimal128(9, 2)),
]);
const rows = [
  { id: 1n, at: 0n, price: '1.50' },
  { id: 2n, at: 1_500_000n, price: null },
  { id: 3n, at: null, price: '-0.01' },
];
const table = new a.Table(
  schema,
  [rows.slice(0, 1), [], rows.slice(1)].map((part) => a.batchFromRows(schema, part)),
);
const friendly = { temporal: 'date', decimal: 'number', int64: 'number' } as const;
const friendlyRows = [
  { id: 1, at: new Date(0), price: 1.5 },
  { id: 2, at: new Date(1500), price: null },
  { id: 3, at: null, price: -0.01 },
];

function refuses(status: string, message: RegExp): (error: unknown) => boolean {
  return (error) => a.RecurveError.is(error) && error.status === status && message.test(error.message);
}

describe('views', () => {
  it('of rows make them as they are read, across batches, as options want the values', () => {
    const view = a.viewRows(table, friendly);
    assert.equal(view.length, 3);
    assert.deepEqual(view.at(2), friendlyRows[2]);
    assert.deepEqual(view.get(0), friendlyRows[0]);
    assert.deepEqual([...view], friendlyRows);
    assert.deepEqual(view.toArray(), friendlyRows);
    for (const outside of [-1, 3, 0.5, Number.NaN]) assert.equal(view.at(outside), null);
    assert.deepEqual(a.viewRows(table).toArray(), rows);
  });

  it('of a column know its field and its nulls', () => {
    const view = a.viewColumn(table.column('price'), { decimal: 'bigint' });
    assert.deepEqual(view.toArray(), [150n, null, -1n]);
    assert.deepEqual([view.nullCount, view.isValid(1), view.isValid(2)], [1, false, true]);
    assert.equal(view.type.kind, 'decimal');
  });

  it('of a table have the shape of an apache-arrow table', () => {
    const view = a.viewTable(table, friendly);
    assert.deepEqual([view.numRows, view.numCols, view.getChild('none')], [3, 3, null]);
    assert.deepEqual(view.getChild('at')?.toArray(), [new Date(0), new Date(1500), null]);
    assert.deepEqual(view.getChildAt(0)?.toArray(), [1, 2, 3]);
    assert.deepEqual([...view], friendlyRows);
    assert.deepEqual([view.toArray(), view.get(1)], [friendlyRows, friendlyRows[1]]);
  });

  it('refuse a value that would lose something, with the row of the table', () => {
    const batch = a.batchFromRows(schema, [{ id: 4n, at: 1n, price: null }]);
    const view = a.viewTable(new a.Table(schema, [...table.batches, batch]), friendly);
    assert.throws(
      () => view.getChild('at')?.at(3),
      refuses('INVALID_DATA', /^column "at", row 3: .*does not fit a Date/),
    );
    assert.equal(view.getChild('at')?.at(2), null);
  });
});

describe('a table', () => {
  it('gives a row by its index', () => {
    assert.deepEqual([table.get(0), table.get(2), table.get(3), table.get(-1)], [rows[0], rows[2], null, null]);
  });

  it('selects columns by name or position, in any order and more than once', () => {
    const chosen = table.select(['price', 0, 'price']);
    assert.deepEqual(chosen.schema.names, ['price', 'id', 'price']);
    assert.deepEqual(chosen.toArray()[0], { price: '1.50', id: 1n, price_1: '1.50' });
    assert.throws(() => table.select(['none']), refuses('NOT_FOUND', /"none"/));
    assert.equal(table.select([]).numRows, 3);
  });

  it('is joined with others of its schema', () => {
    assert.deepEqual(a.concatTables([table, table.slice(1)]).toArray(), [...rows, ...rows.slice(1)]);
    assert.throws(
      () => a.concatTables([table, table.select([0])]),
      refuses('INVALID_ARGUMENT', /^table 1 has another/),
    );
    assert.throws(() => a.concatTables([]), refuses('INVALID_ARGUMENT', /no table/));
  });

  it('has batches that can be joined into one, copied', () => {
    const batch = a.concatBatches(table.batches);
    assert.deepEqual(batch.toArray(), rows);
    const type = a.dictionary(a.utf8());
    const other = new a.Schema([a.field('d', a.list(type))]);
    const two = ['x', 'y'].map((value) => a.batchFromArrays(other, [[[value]]]));
    assert.throws(() => a.concatBatches(two), refuses('INVALID_ARGUMENT', /column "d" has several dictionaries/));
    assert.throws(() => a.concatBatches([]), refuses('INVALID_ARGUMENT', /no batch/));
  });

  it('reads as text: size, names, types, values and what was left out', () => {
    assert.equal(
      table.toString(),
      [
        '3 rows x 3 columns',
        '            id | at            |            price',
        'int64 not null | timestamp[us] | decimal128(9, 2)',
        '---------------+---------------+-----------------',
        '             1 | 0             |             1.50',
        '             2 | 1500000       |             null',
        '             3 | null          |            -0.01',
      ].join('\n'),
    );
    assert.equal(
      a.tableToText(table, { maxRows: 2, maxColumns: 2, maxWidth: 22 }),
      [
        '3 rows x 3 columns',
        '            id | at',
        'int64 not null | timestamp[us]',
        '---------------+----------------------',
        '             1 | 1970-01-01 00:00:00',
        '             2 | 1970-01-01 00:00:01.5',
        '… 1 more rows, 1 more columns',
      ].join('\n'),
    );
  });

  it('as text stays on its lines whatever its values hold, and is short', () => {
    const text = `${a.tableFromArrays({ t: ['a\nb\u001b[2J\u202e', '😀'.repeat(100)], b: [new Uint8Array(3), null] })}`;
    assert.equal(text.split('\n').length, 6);
    assert.match(text, /a\\nb\\u\{1b\}\[2J\\u\{202e\}/);
    assert.match(text, /(😀){31}… /u);
    assert.equal(`${a.tableFromArrays({})}`, '0 rows x 0 columns');
  });
});

describe('two copies of the library', () => {
  it('know each other’s tables, batches, schemas and fields, and read their columns', async () => {
    const { outputFiles } = await build({
      stdin: { contents: `export * from 'recurve/arrow'`, resolveDir: import.meta.dirname },
      bundle: true,
      write: false,
      format: 'esm',
      platform: 'browser',
      conditions: ['recurve-source'],
    });
    const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
    const copy = (await import(`data:text/javascript;base64,${code}`)) as typeof a;
    const foreign = copy.tableFromIPC(a.tableToIPC(table));
    assert.ok(foreign instanceof a.Table && foreign.batches[0] instanceof a.RecordBatch);
    assert.ok(foreign.schema instanceof a.Schema && foreign.schema.fields[0] instanceof a.Field);
    assert.ok(!({} instanceof a.Table) && !(foreign.schema instanceof a.Field));
    assert.ok(table.schema.equals(foreign.schema));
    // As a user has it: a table of one copy in the hands of the other.
    const joined = new a.Table(table.schema, [...table.batches, ...foreign.batches]);
    assert.deepEqual(joined.toArray(friendly), [...friendlyRows, ...friendlyRows]);
    assert.match(a.tableToText(foreign), /1970-01-01 00:00:01\.5/);
    assert.deepEqual(a.tableFromIPC(a.tableToIPC(foreign)).toArray(), rows);
  });
});
