import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { openSession } from './session.ts';

describe('values that Arrow has no place for', async () => {
  const session = await openSession();

  const values = [
    ["date 'infinity'", 'DATE infinity'],
    ["date '-infinity'", 'DATE -infinity'],
    ["timestamp 'infinity'", 'TIMESTAMP infinity'],
    ["timestamp '-infinity'", 'TIMESTAMP -infinity'],
    ["timestamptz 'infinity'", 'TIMESTAMP infinity'],
    ["'infinity'::timestamp_s", 'TIMESTAMP infinity'],
    ["'-infinity'::timestamp_ms", 'TIMESTAMP -infinity'],
    ["'infinity'::timestamp_ns", 'TIMESTAMP infinity'],
    ["time '24:00:00'", 'TIME 24:00:00'],
    ["'24:00:00'::time_ns", 'TIME 24:00:00'],
    [`${10n ** 38n}::hugeint`, `HUGEINT ${10n ** 38n}`],
    [`${-(10n ** 38n)}::hugeint`, `HUGEINT ${-(10n ** 38n)}`],
    [`${2n ** 127n - 1n}::hugeint`, `HUGEINT ${2n ** 127n - 1n}`],
    [`${2n ** 128n - 1n}::uhugeint`, `UHUGEINT ${2n ** 128n - 1n}`],
    [`${2n ** 127n}::uhugeint`, `UHUGEINT ${2n ** 127n}`],
    ['to_microseconds(9223372036854776)', 'INTERVAL of 9223372036854776 microseconds'],
    ['to_microseconds(-9223372036854776)', 'INTERVAL of -9223372036854776 microseconds'],
  ] as const;
  for (const [expression, value] of values) {
    for (const [path, wrapped] of [
      ['c', expression],
      ['c.d.l', `{'d': [null, ${expression}]}`],
    ] as const) {
      it(`${expression} as ${path} is an error that names column and value`, async () => {
        await assert.rejects(
          session.read(`select 1 a, ${wrapped} c from range(3)`),
          (error: Error & { status?: string }) => {
            assert.equal(error.status, 'INVALID_DATA');
            assert.ok(error.message.startsWith(`column "${path}": ${value} `), error.message);
            return true;
          },
        );
        // The connection is free again.
        assert.equal((await session.read('select 1')).batches.length, 1);
      });
    }
  }

  it('but the greatest that there is one for pass', async () => {
    const greatest = 10n ** 38n - 1n;
    const sql = `select ${greatest}::hugeint a, ${-greatest}::hugeint b, ${greatest}::uhugeint c,
      '23:59:59.999999'::time d, '290000-01-01'::timestamp e, '5877642-06-25 (BC)'::date f,
      to_microseconds(9223372036854775) g, to_microseconds(-9223372036854775) h`;
    const { batches } = await session.read(sql);
    const row = batches[0]?.toArray()[0];
    assert.equal(row?.a, String(greatest));
    assert.equal(row?.b, String(-greatest));
    assert.equal(row?.c, String(greatest));
    assert.equal(row?.d, 86_399_999_999n);
    const [e, f] = await session.columns(
      `select epoch_us('290000-01-01'::timestamp), '5877642-06-25 (BC)'::date - '1970-01-01'::date`,
    );
    assert.equal(row?.e, e?.[0]);
    assert.equal(BigInt(row?.f as number), f?.[0]);
    assert.deepEqual(row?.g, { months: 0, days: 0, nanoseconds: 9223372036854775000n });
    assert.deepEqual(row?.h, { months: 0, days: 0, nanoseconds: -9223372036854775000n });
  });

  it('do no harm where a NULL or another list stands for them', async () => {
    const sql = `select case when i < 0 then date 'infinity' else null end a, [d] [2:] b
      from range(3000) t(i), (values (date 'infinity')) v(d)`;
    const { batches } = await session.read(sql);
    assert.equal(batches[0]?.column('a').nullCount, 3000);
  });
});
