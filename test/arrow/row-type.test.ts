import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';

// What the compiler knows: `isType<Equal<…>>(true)` does not compile where the two types differ.
type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function isType<T extends boolean>(_: T): void {}
type RowsOf<T> = T extends a.Table<infer R> ? R : never;

describe('the type of rows', () => {
  it('is that of the arrays that a table is made of', () => {
    const table = a.tableFromArrays({
      city: ['Bern', null],
      degrees: Float64Array.of(1.5, 2),
      id: BigInt64Array.of(1n, 2n),
      on: [true, undefined],
      at: [new Date(0), null],
      tags: [['a'], null],
      place: [{ x: 1, y: 'b' }, null],
    });
    isType<
      Equal<
        RowsOf<typeof table>,
        {
          city: string | null;
          degrees: number;
          id: bigint;
          on: boolean | null;
          at: bigint | null;
          tags: a.ListValue<string> | null;
          place: { x: number; y: string } | null;
        }
      >
    >(true);
    const [first, second] = table.toArray();
    assert.deepEqual(first, {
      city: 'Bern',
      degrees: 1.5,
      id: 1n,
      on: true,
      at: 0n,
      tags: ['a'],
      place: { x: 1, y: 'b' },
    });
    assert.deepEqual(second, { city: null, degrees: 2, id: 2n, on: null, at: null, tags: null, place: null });
    for (const row of table) isType<Equal<typeof row.place, { x: number; y: string } | null>>(true);
    for (const { id } of table.rows()) isType<Equal<typeof id, bigint>>(true);
    const row = table.slice(0, 1).get(0);
    isType<Equal<typeof row, RowsOf<typeof table> | null>>(true);
  });

  it('is that of the rows that a table is made of', () => {
    const rows: Array<{ id: number; name?: string }> = [{ id: 1, name: 'a' }, { id: 2 }];
    const table = a.tableFromRows(rows);
    isType<Equal<RowsOf<typeof table>, { id: number; name: string | null }>>(true);
    assert.deepEqual(table.toArray(), [
      { id: 1, name: 'a' },
      { id: 2, name: null },
    ]);
  });

  it('is that of the schema, for each type what `at` gives', () => {
    const schema = a.schemaOf([
      a.field('id', a.int64(), { nullable: false }),
      a.field('small', a.uint8()),
      a.field('price', a.decimal128(9, 2)),
      a.field('name', a.utf8View()),
      a.field('bytes', a.binary(), { nullable: false }),
      a.field('day', a.date32()),
      a.field('at', a.timestamp('us')),
      a.field('clock', a.time64('us')),
      a.field('span', a.interval('month-day-nano')),
      a.field('kind', a.dictionary(a.utf8())),
      a.field('list', a.list(a.int32())),
      a.field('exact', a.fixedSizeList(a.field('item', a.bool(), { nullable: false }), 1)),
      a.field('part', a.struct({ x: a.float64(), y: a.list(a.utf8()) }), { nullable: false }),
      a.field('both', a.struct([a.field('x', a.int8(), { nullable: false }), a.field('y', a.nullType())])),
      a.field('map', a.map(a.utf8(), a.int64())),
      a.field('run', a.runEndEncoded(a.utf8()), { nullable: false }),
    ]);
    type Expected = {
      id: bigint;
      small: number | null;
      price: string | null;
      name: string | null;
      bytes: Uint8Array;
      day: number | null;
      at: bigint | null;
      clock: bigint | null;
      span: a.MonthDayNano | null;
      kind: string | null;
      list: a.ListValue<number | null> | null;
      exact: a.ListValue<boolean> | null;
      part: { readonly x: number | null; readonly y: a.ListValue<string | null> | null };
      both: { x: number; y: null } | null;
      map: Array<[key: string, value: bigint | null]> | null;
      run: string | null;
    };
    isType<Equal<a.RowOf<typeof schema>, Expected>>(true);
    const row: Expected = {
      id: 1n,
      small: 2,
      price: '3.00',
      name: 'four',
      bytes: Uint8Array.of(5),
      day: 6,
      at: 7n,
      clock: 8n,
      span: { months: 9, days: 10, nanoseconds: 11n },
      kind: 'twelve',
      list: [13, null],
      exact: [true],
      part: { x: 14.5, y: ['fifteen', null] },
      both: { x: 16, y: null },
      map: [['seventeen', 18n]],
      run: 'nineteen',
    };
    const table = a.tableFromRows([row], schema);
    isType<Equal<RowsOf<typeof table>, Expected>>(true);
    assert.deepEqual(table.toArray(), [row]);
    assert.ok(table.schema.equals(new a.Schema(schema.fields)));
  });

  it('is known of a table that was read once its schema was checked', () => {
    const schema = a.schemaOf([a.field('id', a.int32(), { nullable: false }), a.field('name', a.utf8())]);
    const read = a.tableFromIPC(a.tableToIPC(a.tableFromRows([{ id: 1, name: null }], schema)));
    isType<Equal<RowsOf<typeof read>, a.Row>>(true);
    const table = new a.Table(schema, read.batches);
    isType<Equal<RowsOf<typeof table>, { id: number; name: string | null }>>(true);
    assert.deepEqual([...table], [{ id: 1, name: null }]);
    const other = a.schemaOf([a.field('id', a.int64()), a.field('name', a.utf8())]);
    assert.throws(() => new a.Table(other, read.batches), /batch 0 has another schema/);
  });

  it('is any row where options change the values, columns were selected or no schema is written down', () => {
    const table = a.tableFromArrays({ id: BigInt64Array.of(1n) });
    const numbers = table.toArray({ int64: 'number' });
    isType<Equal<typeof numbers, a.Row[]>>(true);
    assert.deepEqual(numbers, [{ id: 1 }]);
    const selected = table.select([]);
    isType<Equal<typeof selected, a.Table>>(true);
    assert.deepEqual(selected.toArray(), [{}]);
    const parsed = a.tableFromRows(JSON.parse('[{ "x": 1 }]') as Array<Record<string, unknown>>);
    isType<Equal<RowsOf<typeof parsed>, { [x: string]: unknown }>>(true);
    assert.deepEqual(parsed.toArray(), [{ x: 1 }]);
    const made = new a.Table(new a.Schema([a.field('x', a.int8())]), []);
    isType<Equal<typeof made, a.Table>>(true);
    assert.deepEqual(made.toArray(), []);
  });
});
