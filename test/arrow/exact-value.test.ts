import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as apache from 'apache-arrow';
import * as a from 'recurve/arrow';

// Values that other libraries lose on their way through a double or a Date; see the issues named in comments.

const units = ['s', 'ms', 'us', 'ns'] as const;
/** Beyond what a double counts one by one, and not a whole number of any larger unit. */
const large = [2n ** 53n + 1n, -(2n ** 62n) - 1n, 1_700_000_000_123_456_789n, 1n, null];

/** The column after it was read, built anew of what was read, written and read again. */
function rebuild(type: a.DataType, values: readonly unknown[], options?: a.ValueOptions): unknown[] {
  const schema = new a.Schema([a.field('c', type)]);
  const first = a.tableFromRows(
    values.map((c) => ({ c })),
    schema,
  );
  const again = a.tableFromRows(first.toArray(options), schema);
  return a
    .tableFromIPC(a.tableToIPC(again))
    .toArray(options)
    .map(({ c }) => c);
}

describe('timestamps', () => {
  // apache/arrow-js#421, #91
  it('of a foreign writer are counts in their own unit, to the last digit', () => {
    const foreign = {
      s: new apache.TimestampSecond(),
      ms: new apache.TimestampMillisecond(),
      us: new apache.TimestampMicrosecond(),
      ns: new apache.TimestampNanosecond(),
    };
    const counts = BigInt64Array.of(2n ** 53n + 1n, -(2n ** 63n), 1_700_000_000_123_456_789n);
    for (const unit of units) {
      const data = apache.makeData({ type: foreign[unit], data: counts });
      const table = new apache.Table({ c: new apache.Vector([data]) });
      const column = a.tableFromIPC(apache.tableToIPC(table)).column('c');
      assert.deepEqual(column.type, { kind: 'timestamp', unit, timezone: null });
      assert.deepEqual([...column], [...counts]);
      assert.deepEqual(column.chunks[0]?.view, counts);
    }
  });

  // sqlrooms/sqlrooms#887
  it('are the same when a column is built anew of the values that were read', () => {
    for (const unit of units) {
      assert.deepEqual(rebuild(a.timestamp(unit), large), large);
      assert.deepEqual(rebuild(a.timestamp(unit, 'Europe/Berlin'), large), large);
      assert.deepEqual(rebuild(a.duration(unit), large), large);
    }
  });
});

describe('dates', () => {
  // apache/arrow#43193
  it('that went in as Date come out as Date where that is asked for, else as the count that the type says', () => {
    const dates = [new Date('2024-02-29T00:00:00Z'), null, new Date(-1), new Date(8.64e15)];
    const table = a.tableFromIPC(a.tableToIPC(a.tableFromArrays({ at: dates })));
    const read = (options?: a.ValueOptions) => table.toArray(options).map((row) => row.at);
    assert.deepEqual(read({ temporal: 'date' }), dates);
    assert.deepEqual(read(), [1_709_164_800_000n, null, -1n, 8_640_000_000_000_000n]);
    const days = [new Date('2024-02-29'), null, new Date('1969-12-31')];
    for (const type of [a.date32(), a.date64()]) {
      assert.deepEqual(rebuild(type, days, { temporal: 'date' }), days);
    }
    assert.deepEqual(rebuild(a.date32(), days), [19_782, null, -1]);
  });
});

describe('intervals', () => {
  // apache/arrow-js#321, #379
  it('of months, days and nanoseconds keep nanoseconds beyond a double, in text and JSON too', () => {
    const nanoseconds = 2n ** 53n + 1n;
    const values = [{ months: -1, days: 2, nanoseconds }, null, { months: 0, days: 0, nanoseconds: -nanoseconds }];
    const type = a.interval('month-day-nano');
    assert.deepEqual(rebuild(type, values), values);
    const column = a.batchFromArrays(new a.Schema([a.field('c', type)]), [values]).column(0);
    // 9007199.254740993 s are 2501 h 59 min 59.254740993 s.
    assert.match(a.jsonReader(a.field('c', type), column)(0), /9007199\.254740993S/);
    assert.match(a.textReader(a.field('c', type), column)(0) ?? '', /2501:59:59\.254740993/);
  });
});

describe('decimals', () => {
  // apache/arrow-js#77, #100, #81; duckdb/duckdb-wasm#1703
  it('that were built of numbers are those numbers, scaled, for a foreign reader too', () => {
    const numbers = [0.29, 1.234, -0.001, 8.2, 1e15 + 0.5, null];
    const type = a.decimal128(38, 3);
    const schema = new a.Schema([a.field('c', type)]);
    const table = a.tableFromRows(
      numbers.map((c) => ({ c })),
      schema,
    );
    const column = table.column('c');
    assert.deepEqual([...column], ['0.290', '1.234', '-0.001', '8.200', '1000000000000000.500', null]);
    assert.deepEqual(
      table.toArray({ decimal: 'number' }).map(({ c }) => c),
      numbers,
    );
    const unscaled = [290n, 1234n, -1n, 8200n, 1_000_000_000_000_000_500n, null];
    assert.deepEqual(
      table.toArray({ decimal: 'bigint' }).map(({ c }) => c),
      unscaled,
    );
    // apache-arrow gives the four words of the unscaled integer, the least significant first.
    const words = apache.tableFromIPC(a.tableToIPC(table)).getChild('c');
    const theirs = unscaled.map((_, i) => {
      const parts = words?.get(i) as Uint32Array | null;
      return (
        parts &&
        BigInt.asIntN(
          128,
          parts.reduceRight((sum, word) => (sum << 32n) | BigInt(word), 0n),
        )
      );
    });
    assert.deepEqual(theirs, unscaled);
  });
});
