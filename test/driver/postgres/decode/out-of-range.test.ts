import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertInvalid, int16, int32, int64, readColumn, wire } from './wire.ts';

const maxInt64 = 2n ** 63n - 1n;
const interval = (micros: bigint, days: number, months: number): Uint8Array =>
  wire(int64(micros), int32(days), int32(months));
const special = (sign: number): Uint8Array => wire(int16(0), int16(0), int16(sign), int16(0));

/** Values that Arrow's type does not hold, what an error calls them, and what `clamp` makes of them; undefined: it is an error. */
const cases: readonly [type: string, value: Uint8Array, called: RegExp, clamped: unknown][] = [
  ['date', int32(0x7fff_ffff), /date infinity/, 0x7fff_ffff],
  ['date', int32(-0x8000_0000), /date -infinity/, -0x8000_0000],
  ['timestamp', int64(maxInt64), /timestamp infinity/, maxInt64],
  ['timestamptz', int64(-maxInt64 - 1n), /timestamp -infinity/, -maxInt64 - 1n],
  // 294276-12-31 23:59:59.999999, the last that PostgreSQL has, and the first that Arrow has not.
  [
    'timestamp',
    int64(9_224_318_015_999_999_999n - 946_684_800_000_000n),
    /a timestamp 9223371331199999999 microseconds after 2000/,
    maxInt64,
  ],
  [
    'timestamp',
    int64(maxInt64 - 946_684_800_000_000n + 1n),
    /a timestamp 9222425352054775808 microseconds after 2000/,
    maxInt64,
  ],
  ['time', int64(86_400_000_000n), /time 24:00:00/, 86_399_999_999n],
  [
    'interval',
    interval(maxInt64, 0x7fff_ffff, 0x7fff_ffff),
    /interval infinity/,
    { months: 0x7fff_ffff, days: 0x7fff_ffff, nanoseconds: maxInt64 },
  ],
  [
    'interval',
    interval(-maxInt64 - 1n, -0x8000_0000, -0x8000_0000),
    /interval -infinity/,
    { months: -0x8000_0000, days: -0x8000_0000, nanoseconds: -maxInt64 - 1n },
  ],
  [
    'interval',
    interval(9_223_372_036_854_776n, 0, 0),
    /an interval of 9223372036854776 microseconds/,
    { months: 0x7fff_ffff, days: 0x7fff_ffff, nanoseconds: maxInt64 },
  ],
  ['numeric(4,1)', special(0xc000), /numeric NaN/, undefined],
  ['numeric(4,1)', special(0xd000), /numeric Infinity/, '999.9'],
  ['numeric(4,1)', special(0xf000), /numeric -Infinity/, '-999.9'],
];

describe('a value beyond its Arrow type', () => {
  for (const [type, value, called, clamped] of cases) {
    it(`of ${type}, ${called.source}, is an error, NULL or the last value, as asked for`, async () => {
      await assertInvalid(
        readColumn(type, [null, value]),
        new RegExp(`^column "a", row 1, byte 6 of the row: .*${called.source}`),
      );
      assert.deepEqual(await readColumn(type, [value, null, value], { infinity: 'null' }), [null, null, null]);
      const clamp = readColumn(type, [value, null], { infinity: 'clamp' });
      if (clamped === undefined) await assertInvalid(clamp, called);
      else assert.deepEqual(await clamp, [clamped, null]);
    });
  }

  it('is beyond by one, and the one before is not', async () => {
    const last = maxInt64 - 946_684_800_000_000n;
    assert.deepEqual(await readColumn('timestamp', [int64(last)]), [maxInt64]);
    assert.deepEqual(await readColumn('timestamp', [int64(-maxInt64)]), [-maxInt64 + 946_684_800_000_000n]);
    const spans = [9_223_372_036_854_775n, -9_223_372_036_854_775n];
    assert.deepEqual(
      await readColumn(
        'interval',
        spans.map((micros) => interval(micros, 0, 0)),
      ),
      spans.map((micros) => ({ months: 0, days: 0, nanoseconds: micros * 1000n })),
    );
    await assertInvalid(
      readColumn('interval', [interval(-9_223_372_036_854_776n, 0, 0)]),
      /-9223372036854776 microseconds/,
    );
  });

  it('among others leaves them as they are', async () => {
    const days = Array.from({ length: 1000 }, (_, i) => (i % 7 === 3 ? 0x7fff_ffff : i));
    const got = await readColumn('date', days.map(int32), { infinity: 'null' });
    assert.deepEqual(
      got,
      days.map((day, i) => (i % 7 === 3 ? null : day + 10_957)),
    );
  });
});

describe('a numeric that is no decimal of its column', () => {
  const numeric = (...words: number[]): Uint8Array => wire(...words.map(int16));

  it('is refused, never rounded', async () => {
    // 1.25 and 12345.6, in numeric(4,1).
    await assertInvalid(readColumn('numeric(4,1)', [numeric(2, 0, 0, 2, 1, 2500)]), /1\.25 is no decimal\(4, 1\)/);
    await assertInvalid(
      readColumn('numeric(4,1)', [numeric(3, 1, 0, 1, 1, 2345, 6000)]),
      /12345\.6 is no decimal\(4, 1\)/,
    );
    await assertInvalid(readColumn('numeric(40,0)', [numeric(1, 10, 0, 0, 1)]), /is no decimal\(40, 0\)/);
  });

  it('of no declared precision follows the option, exactly or not at all', async () => {
    const values = [numeric(2, 0, 0, 3, 17, 6850), numeric(1, -1, 0, 4, 1), numeric(0, 0, 0, 0)];
    assert.deepEqual(await readColumn('numeric', values), ['17.685', '0.0001', '0']);
    assert.deepEqual(await readColumn('numeric', values, { numeric: 'double' }), [17.685, 0.0001, 0]);
    const shape = { precision: 38, scale: 4 };
    assert.deepEqual(await readColumn('numeric', values, { numeric: shape }), ['17.6850', '0.0001', '0.0000']);
    await assertInvalid(
      readColumn('numeric', values, { numeric: { precision: 38, scale: 2 } }),
      /17\.685 is no decimal\(38, 2\)/,
    );
  });

  it('has its leading and trailing zeros read as zeros', async () => {
    const values = [numeric(3, 1, 0, 0, 0, 12, 0), numeric(4, 3, 0x4000, 0, 0, 0, 7, 0), numeric(1, 3, 0, 0, 5)];
    assert.deepEqual(await readColumn('numeric(30,2)', values), ['12.00', '-70000.00', '5000000000000.00']);
  });
});
