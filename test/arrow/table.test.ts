import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import * as a from 'recurve/arrow';
import {
  batchFromArrays,
  type DataType,
  Field,
  RecordBatch,
  RecurveError,
  rowNames,
  Schema,
  Table,
} from 'recurve/arrow';

function schemaOf(types: Readonly<Record<string, DataType>>): Schema {
  return new Schema(Object.entries(types).map(([name, type]) => new Field(name, type)));
}

function isError(status: string, message: RegExp): (error: unknown) => boolean {
  return (error) => RecurveError.is(error) && error.status === status && message.test(error.message);
}

describe('rowNames', () => {
  const names = (...list: string[]) => rowNames(list.map((name) => new Field(name, a.int32())));

  it('numbers names that repeat, with numbers that no other column bears', () => {
    assert.deepEqual(names('a', 'a', 'a'), ['a', 'a_1', 'a_2']);
    assert.deepEqual(names('a', 'a', 'a_1'), ['a', 'a_2', 'a_1']);
    assert.deepEqual(names('a', 'a_1', 'a', 'a_1'), ['a', 'a_1', 'a_2', 'a_1_1']);
    assert.deepEqual(names('', '', '__proto__'), ['', '_1', '__proto__']);
  });

  it('are distinct, and are the names themselves where those are distinct', () => {
    const name = fc.constantFrom('a', 'b', 'a_1', 'a_2', 'a_1_1', '');
    fc.assert(
      fc.property(fc.array(name, { maxLength: 12 }), (list) => {
        const unique = names(...list);
        assert.equal(new Set(unique).size, list.length);
        list.forEach((wanted, i) => {
          if (list.indexOf(wanted) === i) assert.equal(unique[i], wanted);
        });
      }),
    );
  });
});

describe('rows', () => {
  it('have every column, whatever its name', () => {
    const fields = ['a', 'a', '__proto__', 'constructor', '0', 'b"\\\u2028', '', 'toString'].map(
      (name) => new Field(name, a.int32()),
    );
    const batch = batchFromArrays(
      new Schema(fields),
      fields.map((_, i) => Int32Array.of(i, i + 10)),
    );
    for (const rows of [batch.toArray(), [...batch], new Table(batch.schema, [batch]).toArray()]) {
      assert.equal(rows.length, 2);
      const [row] = rows;
      assert.ok(row);
      assert.deepEqual(Object.entries(row).sort(), [
        ['', 6],
        ['0', 4],
        ['__proto__', 2],
        ['a', 0],
        ['a_1', 1],
        ['b"\\\u2028', 5],
        ['constructor', 3],
        ['toString', 7],
      ]);
      assert.equal(Object.getPrototypeOf(row), Object.prototype);
    }
  });

  it('are made for more rows than one block, with nulls and text', () => {
    const count = 10_000;
    const schema = schemaOf({ n: a.int32(), t: a.utf8(), d: a.float64() });
    const n = Array.from({ length: count }, (_, i) => (i % 7 === 0 ? null : i));
    const t = Array.from({ length: count }, (_, i) => (i % 5 === 0 ? null : `é${i}`));
    const d = Float64Array.from({ length: count }, (_, i) => i / 3);
    const expected = Array.from({ length: count }, (_, i) => ({ n: n[i], t: t[i], d: d[i] }));
    const table = new Table(
      schema,
      [0, 4096, 4097].map((start, k, all) =>
        batchFromArrays(
          schema,
          [n, t, d].map((v) => v.slice(start, all[k + 1])),
        ),
      ),
    );
    assert.deepEqual(table.toArray(), expected);
    assert.deepEqual([...table], expected);
    assert.deepEqual(table.slice(4000, -100).toArray(), expected.slice(4000, -100));
  });

  it('of a batch without columns are empty objects', () => {
    assert.deepEqual(new RecordBatch(new Schema([]), [], 3).toArray(), [{}, {}, {}]);
  });

  it('keep the structs of a column apart', () => {
    const schema = schemaOf({ s: a.struct({ x: a.int32(), y: a.list(a.utf8()) }) });
    const values = [{ x: 1, y: ['a', null] }, null, { x: null, y: null }];
    assert.deepEqual(
      batchFromArrays(schema, [values]).toArray(),
      values.map((s) => ({ s })),
    );
  });
});

describe('column of a table', () => {
  /** The column `v` of a table cut into batches of these lengths. */
  function chunked(type: DataType, values: readonly unknown[], lengths: readonly number[]): a.ChunkedColumn {
    const schema = schemaOf({ v: type });
    let start = 0;
    const batches = lengths.map((length) => {
      const batch = batchFromArrays(schema, [values.slice(start, start + length)]);
      start += length;
      return batch;
    });
    return new Table(schema, batches).column('v');
  }

  const kinds: readonly [DataType, (i: number) => unknown][] = [
    [a.float64(), (i) => i / 2],
    [a.float64(), (i) => (i % 3 === 1 ? null : i / 2)],
    [a.int32(), (i) => i * 3],
    [a.int32(), (i) => (i % 4 === 1 ? null : i)],
    [a.int64(), (i) => BigInt(i)],
    [a.utf8(), (i) => (i % 5 === 0 ? null : `text ${i}`)],
    [a.bool(), (i) => i % 2 === 0],
    [a.decimal128(10, 1), (i) => `${i}.0`],
  ];

  it('reads like one array, in any order of rows and across batches, empty ones too', () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...kinds),
        fc.array(fc.nat(6), { maxLength: 6 }),
        fc.array(fc.integer({ min: -2, max: 40 }), { maxLength: 30 }),
        ([type, make], lengths, rows) => {
          const count = lengths.reduce((sum, length) => sum + length, 0);
          const values = Array.from({ length: count }, (_, i) => make(i));
          const column = chunked(type, values, lengths);
          assert.equal(column.length, count);
          for (const row of rows) {
            const expected = values[row] ?? null;
            assert.equal(column.at(row), expected);
            assert.equal(column.get(row), expected);
            assert.equal(column.isValid(row), expected !== null);
          }
          assert.deepEqual(Array.from(column.toArray() as ArrayLike<unknown>), values);
          assert.deepEqual([...column], values);
          assert.equal(column.nullCount, values.filter((value) => value === null).length);
        },
      ),
    );
  });

  it('joins plain numbers into one typed array', () => {
    assert.deepEqual(chunked(a.int32(), [1, 2, 3], [2, 0, 1]).toArray(), Int32Array.of(1, 2, 3));
    assert.deepEqual(chunked(a.int64(), [1n, 2n], [1, 1]).toArray(), BigInt64Array.of(1n, 2n));
  });

  it('is refused, with the names that there are, when there is none', () => {
    const table = new Table(schemaOf({ a: a.int32() }), []);
    assert.throws(() => table.column('b'), isError('NOT_FOUND', /"b".*\["a"\]/));
    assert.throws(() => table.column(1), isError('NOT_FOUND', /1/));
    assert.equal(table.getChild('b'), null);
    assert.equal(table.getChildAt(0)?.length, 0);
    assert.equal(table.getChildAt(0)?.at(0), null);
  });
});

describe('table', () => {
  it('slices across batches like an array', () => {
    const schema = schemaOf({ n: a.int32() });
    const lengths = [3, 0, 4, 1];
    let next = 0;
    const table = new Table(
      schema,
      lengths.map((length) => batchFromArrays(schema, [Int32Array.from({ length }, () => next++)])),
    );
    const all = table.toArray();
    for (let start = -9; start <= 9; start++) {
      for (let end = -9; end <= 9; end++) {
        assert.deepEqual(table.slice(start, end).toArray(), all.slice(start, end), `slice(${start}, ${end})`);
      }
    }
  });

  it('refuses batches of another schema and columns of another length', () => {
    const one = batchFromArrays(schemaOf({ a: a.int32() }), [Int32Array.of(1)]);
    assert.throws(() => new Table(schemaOf({ a: a.int64() }), [one]), isError('INVALID_ARGUMENT', /batch 0/));
    const two = batchFromArrays(schemaOf({ a: a.int32() }), [Int32Array.of(1, 2)]);
    const schema = schemaOf({ a: a.int32(), b: a.int32() });
    assert.throws(
      () => new RecordBatch(schema, [one.column(0), two.column(0)]),
      isError('INVALID_ARGUMENT', /"b".*2.*1/),
    );
    assert.throws(() => new RecordBatch(schema, [one.column(0)]), isError('INVALID_ARGUMENT', /1 columns.*2/));
  });
});
