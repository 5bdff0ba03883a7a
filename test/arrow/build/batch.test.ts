import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as flechette from '@uwdata/flechette';
import { tableFromIPC as readForeign } from 'apache-arrow';
import * as a from 'recurve/arrow';
import {
  batchFromArrays,
  batchFromRows,
  Field,
  RecurveError,
  Schema,
  type Table,
  tableFromArrays,
  tableFromRows,
  tableToIPC,
} from 'recurve/arrow';

function isError(status: string, message: RegExp): (error: unknown) => boolean {
  return (error) => RecurveError.is(error) && error.status === status && message.test(error.message);
}

function types(table: Table): string[] {
  return table.schema.fields.map(String);
}

describe('tableFromArrays', () => {
  it('infers the documented types', () => {
    const date = new Date('2013-01-31T12:00:00Z');
    const table = tableFromArrays({
      int: [1, null, -(2 ** 31)],
      wide: [1, 2 ** 31, 3],
      half: [1, 0.5, 2],
      zero: [0, -0, 1],
      big: [1n, 2, null],
      unsigned: [2n ** 63n, 0n, 1],
      truth: [true, null, false],
      text: ['a', 'b', null],
      date: [date, null, date],
      bytes: [Uint8Array.of(1), null, null],
      list: [[1, 2], [], null],
      deep: [[['a']], [], [null]],
      typed: [Float32Array.of(1), null, Float32Array.of()],
      object: [{ x: 1 }, { y: 'a' }, null],
      nothing: [null, undefined, null],
    });
    assert.deepEqual(types(table), [
      'int: int32',
      'wide: float64',
      'half: float64',
      'zero: float64',
      'big: int64',
      'unsigned: uint64',
      'truth: bool',
      'text: utf8',
      'date: timestamp[ms, UTC]',
      'bytes: binary',
      'list: list<item: int32>',
      'deep: list<item: list<item: utf8>>',
      'typed: list<item: float32>',
      'object: struct<x: int32, y: utf8>',
      'nothing: null',
    ]);
    assert.deepEqual(table.getChild('zero')?.at(1), -0);
    assert.deepEqual([...(table.getChild('big') ?? [])], [1n, 2n, null]);
    assert.deepEqual([...(table.getChild('object') ?? [])], [{ x: 1, y: null }, { x: null, y: 'a' }, null]);
    assert.deepEqual(table.getChild('date')?.at(0), BigInt(date.getTime()));
  });

  it('takes typed arrays in place', () => {
    const arrays = {
      i8: Int8Array.of(1),
      u8: Uint8Array.of(1),
      i16: Int16Array.of(1),
      u16: Uint16Array.of(1),
      i32: Int32Array.of(1),
      u32: Uint32Array.of(1),
      i64: BigInt64Array.of(1n),
      u64: BigUint64Array.of(1n),
      f32: Float32Array.of(1),
      f64: Float64Array.of(1),
    };
    const table = tableFromArrays(arrays);
    assert.deepEqual(
      table.schema.fields.map((field) => a.typeToString(field.type)),
      ['int8', 'uint8', 'int16', 'uint16', 'int32', 'uint32', 'int64', 'uint64', 'float32', 'float64'],
    );
    for (const [name, array] of Object.entries(arrays)) {
      assert.equal((table.column(name).toArray() as Int8Array).buffer, array.buffer, name);
    }
    assert.deepEqual(types(tableFromArrays({ c: Uint8ClampedArray.of(300) })), ['c: uint8']);
  });

  it('refuses what has no type, or two', () => {
    const refuse = (values: unknown[], message: RegExp) =>
      assert.throws(() => tableFromArrays({ c: values }), isError('INVALID_ARGUMENT', message));
    refuse([1, 'a'], /column "c", row 1: "a" does not go with the numbers/);
    refuse([null, true, 1], /column "c", row 2: 1 does not go with the booleans/);
    refuse([[1], ['a']], /column "c.item", row 1: "a"/);
    refuse([{ x: 1 }, null, { x: 'a' }], /column "c.x", row 2: "a"/);
    refuse([() => 1], /column "c", row 0: a function has no Arrow type/);
    refuse([new Map()], /column "c", row 0: \[object Map\] has no Arrow type/);
    assert.throws(() => tableFromArrays({ c: [1n, 0.5] }), isError('INVALID_DATA', /column "c", row 1: 0.5/));
    assert.throws(() => tableFromArrays({ c: [new Date(Number.NaN)] }), isError('INVALID_DATA', /Invalid Date/));
    assert.throws(
      () => tableFromArrays({ c: [1], d: [1, 2] }),
      isError('INVALID_ARGUMENT', /"d" has 2 values in a batch of 1/),
    );
  });
});

describe('batchFromArrays', () => {
  const schema = new Schema([
    new Field('a', a.int32()),
    new Field('a', a.float64()),
    new Field('when', a.timestamp('us')),
  ]);

  it('takes columns by position where names repeat, and checks what is not the type’s own array', () => {
    const when = BigInt64Array.of(5n, 6n);
    const batch = batchFromArrays(schema, [Float64Array.of(1, 2), [0.5, null], when]);
    assert.deepEqual(batch.toArray(), [
      { a: 1, a_1: 0.5, when: 5n },
      { a: 2, a_1: null, when: 6n },
    ]);
    assert.equal((batch.column(2).toArray() as BigInt64Array).buffer, when.buffer);
    assert.throws(
      () => batchFromArrays(schema, [Float64Array.of(1.5), [1], [1n]]),
      isError('INVALID_DATA', /column "a", row 0: 1.5/),
    );
  });

  it('refuses missing, surplus and ambiguous columns', () => {
    assert.throws(() => batchFromArrays(schema, [[1], [1]]), isError('INVALID_ARGUMENT', /2 arrays do not fit/));
    assert.throws(
      () => batchFromArrays(schema, [[1], [1], [1], [1]]),
      isError('INVALID_ARGUMENT', /4 arrays do not fit/),
    );
    assert.throws(
      () => batchFromArrays(schema, { a: [1], when: [1n] }),
      isError('INVALID_ARGUMENT', /\["a","when"\] do not fit/),
    );
    const one = new Schema([new Field('a', a.int32())]);
    assert.throws(
      () => batchFromArrays(one, { a: [1], b: [1] }),
      isError('INVALID_ARGUMENT', /\["a","b"\] do not fit/),
    );
    assert.throws(() => batchFromArrays(one, {}), isError('INVALID_ARGUMENT', /\[\] do not fit/));
    assert.deepEqual(batchFromArrays(one, { a: [1] }).toArray(), [{ a: 1 }]);
  });
});

describe('rows', () => {
  it('make a batch, missing properties as null, inherited ones not taken for values', () => {
    const schema = new Schema([
      new Field('n', a.int32()),
      new Field('toString', a.utf8()),
      new Field('__proto__', a.utf8()),
    ]);
    const rows = [{ n: 1 }, { toString: 'text' }, Object.fromEntries([['__proto__', 'own']]), {}] as Record<
      string,
      unknown
    >[];
    const batch = batchFromRows(schema, rows);
    assert.deepEqual(
      batch.toArray().map((row) => Object.values(row)),
      [
        [1, null, null],
        [null, 'text', null],
        [null, null, 'own'],
        [null, null, null],
      ],
    );
  });

  it('with a property that no column has, or that are no objects, are refused', () => {
    const schema = new Schema([new Field('n', a.int32())]);
    assert.throws(
      () => batchFromRows(schema, [{ n: 1 }, { m: 1 }]),
      isError('INVALID_DATA', /row 1: no column "m" among \["n"\]/),
    );
    assert.throws(() => batchFromRows(schema, [5 as never]), isError('INVALID_DATA', /row 0: 5 is no object/));
    assert.throws(
      () => batchFromRows(schema, [{ n: 1 }, { n: 'x' }]),
      isError('INVALID_DATA', /column "n", row 1: "x"/),
    );
  });

  it('make a table of all their properties', () => {
    const table = tableFromRows([{ a: 1 }, { b: 'x', a: 2 }, {}]);
    assert.deepEqual(types(table), ['a: int32', 'b: utf8']);
    assert.deepEqual(table.toArray(), [
      { a: 1, b: null },
      { a: 2, b: 'x' },
      { a: null, b: null },
    ]);
    assert.equal(tableFromRows([{}, {}]).numRows, 2);
    assert.equal(tableFromRows([]).numRows, 0);
    assert.deepEqual(types(tableFromRows([{ a: 1 }], new Schema([new Field('a', a.int64())]))), ['a: int64']);
  });
});

describe('what the builders make is read by other implementations', () => {
  const rows = [
    {
      i: 1,
      big: 2n ** 62n,
      f: 0.5,
      t: 'naïve 😀',
      b: true,
      l: [1, null, 3],
      s: { x: 'a' },
      d: 'red',
      m: [['k', 1]],
      y: Uint8Array.of(1, 255),
    },
    { i: null, big: null, f: null, t: null, b: null, l: null, s: null, d: null, m: null, y: null },
    { i: -7, big: -1n, f: -0, t: '', b: false, l: [], s: { x: null }, d: 'red', m: [], y: Uint8Array.of() },
    {
      i: 9,
      big: 0n,
      f: 1e300,
      t: 'z'.repeat(300),
      b: true,
      l: [4],
      s: { x: 'é' },
      d: 'blue',
      m: [
        ['a', null],
        ['b', 2],
      ],
      y: Uint8Array.of(7),
    },
  ];
  const schema = new Schema([
    new Field('i', a.int32()),
    new Field('big', a.int64()),
    new Field('f', a.float64()),
    new Field('t', a.utf8()),
    new Field('b', a.bool()),
    new Field('l', a.list(a.int32())),
    new Field('s', a.struct({ x: a.utf8() })),
    new Field('d', a.dictionary(a.utf8(), a.int8())),
    new Field('m', a.map(a.utf8(), a.int32())),
    new Field('y', a.binary()),
  ]);
  const ipc = tableToIPC(tableFromRows(rows as Record<string, unknown>[], schema));

  it('flechette', () => {
    const table = flechette.tableFromIPC(ipc, { useBigInt: true });
    const plain = (value: unknown): unknown =>
      ArrayBuffer.isView(value) && !(value instanceof Uint8Array) ? Array.from(value as Int32Array) : value;
    for (const [r, row] of rows.entries()) {
      for (const [name, expected] of Object.entries(row)) {
        assert.deepEqual(plain(table.getChild(name)?.at(r)), expected, `${name}, row ${r}`);
      }
    }
  });

  it('apache-arrow', () => {
    const table = readForeign(ipc);
    for (const [r, row] of rows.entries()) {
      for (const name of ['i', 'big', 'f', 't', 'b', 'd', 'y'] as const) {
        assert.deepEqual(table.getChild(name)?.get(r), row[name], `${name}, row ${r}`);
      }
      assert.deepEqual(table.getChild('l')?.get(r)?.toJSON() ?? null, row.l);
      assert.deepEqual(table.getChild('s')?.get(r)?.toJSON() ?? null, row.s);
      assert.deepEqual(
        table.getChild('m')?.get(r)?.toJSON() ?? null,
        row.m === null ? null : Object.fromEntries(row.m as [string, unknown][]),
      );
    }
  });
});
