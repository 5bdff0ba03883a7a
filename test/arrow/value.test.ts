import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as a from 'recurve/arrow';
import {
  batchFromArrays,
  convertColumn,
  type DataType,
  Field,
  RecurveError,
  Schema,
  Table,
  type ValueOptions,
} from 'recurve/arrow';

/** The values of a column, read through the rows of a table of two batches. */
function read(type: DataType, values: readonly unknown[], options?: ValueOptions): unknown[] {
  const schema = new Schema([new Field('c', type)]);
  const table = new Table(schema, [
    batchFromArrays(schema, [values.slice(0, 1)]),
    batchFromArrays(schema, [values.slice(1)]),
  ]);
  const rows = table.toArray(options).map((row) => row.c);
  assert.deepEqual(
    [...table.rows(options)].map((row) => row.c),
    rows,
  );
  assert.deepEqual(
    table.batches.flatMap((batch) => batch.toArray(options)).map((row) => row.c),
    rows,
  );
  assert.deepEqual(
    table.batches.flatMap((batch) => [...batch.rows(options)]).map((row) => row.c),
    rows,
  );
  return rows;
}

function refuses(type: DataType, value: unknown, options: ValueOptions, message: RegExp): void {
  const isRefusal = (error: unknown) =>
    RecurveError.is(error) && error.status === 'INVALID_DATA' && message.test(error.message);
  assert.throws(() => read(type, [null, null, value], options), isRefusal);
}

const noon = new Date('2013-01-31T12:00:00.123Z');

describe('values of rows', () => {
  it('by default lose nothing', () => {
    assert.deepEqual(read(a.int64(), [2n ** 63n - 1n, null]), [2n ** 63n - 1n, null]);
    assert.deepEqual(read(a.decimal128(20, 2), ['12.5', null]), ['12.50', null]);
    assert.deepEqual(read(a.timestamp('ms'), [noon, null]), [BigInt(noon.getTime()), null]);
    assert.deepEqual(read(a.date32(), [15736, null], {}), [15736, null]);
  });

  it("int64: 'number' gives safe integers and refuses others by column, row and value", () => {
    const options = { int64: 'number' } as const;
    assert.deepEqual(read(a.int64(), [1n - 2n ** 53n, null, 5], options), [1 - 2 ** 53, null, 5]);
    assert.deepEqual(read(a.uint64(), [2n ** 53n - 1n, null], options), [2 ** 53 - 1, null]);
    refuses(a.int64(), 2n ** 53n, options, /^column "c", row 2: int64 9007199254740992 does not fit a number/);
    refuses(a.uint64(), 2n ** 64n - 1n, options, /row 2: uint64 18446744073709551615/);
    assert.deepEqual(read(a.timestamp('us'), [5n], options), [5n]);
  });

  it("decimal: 'number' gives numbers that stand for the same decimal and refuses others; 'bigint' gives the unscaled integer", () => {
    const options = { decimal: 'number' } as const;
    const type = a.decimal128(38, 2);
    assert.deepEqual(read(type, ['0.10', '-12345678901234.56', '100', null], options), [
      0.1,
      -12345678901234.56,
      100,
      null,
    ]);
    // 2^60 is a double, but one that shows itself as 1152921504606847000.
    refuses(a.decimal128(38, 0), 2n ** 60n, options, /1152921504606846976/);
    refuses(
      type,
      '123456789012345678.91',
      options,
      /row 2: decimal128\(38, 2\) 123456789012345678.91 does not fit a number/,
    );
    refuses(a.decimal256(76, 0), 2n ** 60n + 1n, options, /1152921504606846977/);
    assert.deepEqual(read(type, ['0.10', '-1', null], { decimal: 'bigint' }), [10n, -100n, null]);
  });

  it("temporal: 'date' gives Dates and refuses what a Date cannot hold", () => {
    const options = { temporal: 'date' } as const;
    assert.deepEqual(read(a.date32(), [-1, 15736, null, 100_000_000], options), [
      new Date('1969-12-31'),
      new Date('2013-01-31'),
      null,
      new Date(8.64e15),
    ]);
    assert.deepEqual(read(a.date64(), [new Date('1900-02-28')], options), [new Date('1900-02-28')]);
    for (const unit of ['ms', 'us', 'ns'] as const) {
      assert.deepEqual(read(a.timestamp(unit), [noon, new Date(-1), null], options), [noon, new Date(-1), null]);
    }
    assert.deepEqual(read(a.timestamp('s', 'UTC'), [-1, 8.64e12], options), [new Date(-1000), new Date(8.64e15)]);
    refuses(a.date32(), 100_000_001, options, /row 2: date32\[day\] 100000001 does not fit a Date/);
    refuses(a.timestamp('us'), 1001n, options, /timestamp\[us\] 1001 does not fit a Date/);
    refuses(a.timestamp('ns'), -1n, options, /timestamp\[ns\] -1/);
    refuses(a.timestamp('s'), 8.64e12 + 1, options, /8640000000001/);
    refuses(a.timestamp('ms'), 2n ** 63n - 1n, options, /9223372036854775807/);
    // What is no point in time stays a count.
    assert.deepEqual(read(a.time64('us'), [5n], options), [5n]);
    assert.deepEqual(read(a.duration('s'), [5n], options), [5n]);
  });

  it("temporal: 'text' gives ISO 8601", () => {
    const options = { temporal: 'text' } as const;
    assert.deepEqual(read(a.date32(), [15736, null], options), ['2013-01-31', null]);
    assert.deepEqual(read(a.timestamp('us'), [1359633600000001n], options), ['2013-01-31T12:00:00.000001']);
    assert.deepEqual(read(a.timestamp('ms', 'Europe/Berlin'), [noon], options), ['2013-01-31T12:00:00.123Z']);
    assert.deepEqual(read(a.time32('s'), [86399], options), ['23:59:59']);
    assert.deepEqual(read(a.duration('ms'), [-1500n], options), ['PT-1.5S']);
    assert.deepEqual(read(a.interval('month-day-nano'), [{ months: 14, days: -3, nanoseconds: 1n }], options), [
      'P14M-3DT0.000000001S',
    ]);
  });

  it('follow the options at every level', () => {
    const options = { int64: 'number', temporal: 'date', decimal: 'number' } as const;
    const leaf = a.struct({ n: a.int64(), d: a.date32(), plain: a.utf8() });
    const value = { n: 5n, d: 0, plain: 'x' };
    const got = { n: 5, d: new Date(0), plain: 'x' };
    const nothing = { n: null, d: null, plain: null };
    assert.deepEqual(read(a.list(leaf), [[value, null], null, [{}]], options), [[got, null], null, [nothing]]);
    assert.deepEqual(read(a.fixedSizeList(a.int64(), 2), [[1n, null], null], options), [[1, null], null]);
    assert.deepEqual(read(a.map(a.utf8(), a.decimal64(5, 1)), [{ a: '1.5' }, null], options), [[['a', 1.5]], null]);
    assert.deepEqual(read(a.map(a.int64(), a.utf8()), [[[1n, 'b']]], options), [[[1, 'b']]]);
    const union = a.union('dense', { n: a.int64(), l: a.list(a.date32()) });
    const values = [{ child: 'l', value: [0] }, { child: 'n', value: 7n }, null];
    assert.deepEqual(read(union, values, options), [[new Date(0)], 7, null]);
    assert.deepEqual(read(a.dictionary(a.int64()), [1n, null, 1n], options), [1, null, 1]);
    refuses(a.list(leaf), [{ n: 2n ** 60n }], options, /^column "c", row 2: int64 1152921504606846976/);
  });

  it('have no converter where the options change nothing', () => {
    const field = new Field('c', a.list(a.utf8()));
    const column = a.makeBuilder(field).finish();
    assert.equal(convertColumn(field, column, { int64: 'number', temporal: 'date', decimal: 'number' }), null);
    assert.equal(convertColumn(new Field('c', a.int64()), a.makeBuilder(new Field('c', a.int64())).finish(), {}), null);
  });
});
