import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import * as fc from 'fast-check';
import type pg from 'pg';
import {
  batchFromArrays,
  bool,
  decimal128,
  decimal256,
  dictionary,
  Field,
  float32,
  float64,
  int8,
  int32,
  int64,
  list,
  map,
  Schema,
  struct,
  Table,
  utf8,
} from 'recurve/arrow';
import type { TargetType } from '../../../../src/driver/postgres/encode/target.ts';
import { testServer, withoutPostgres } from '../server.ts';
import { builtin, connectPlain, copiedTexts, defaultTypes, encodeCopy } from './copy.ts';
import { oneColumn } from './one-column.ts';

const schema = new Schema([
  new Field('i', int64()),
  new Field('t', utf8()),
  new Field('n', decimal128(20, 3)),
  new Field('d', dictionary(utf8(), int8())),
  new Field('l', list(list(int32()))),
  new Field('s', struct({ a: list(utf8()), b: float64() })),
]);

const row = fc.tuple(
  fc.option(fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })),
  fc.option(fc.string({ maxLength: 200 })),
  fc.option(fc.bigInt({ min: -(10n ** 20n) + 1n, max: 10n ** 20n - 1n }).map((value) => shift(value, 3))),
  fc.option(fc.constantFrom('a', 'bb', '')),
  fc.option(
    fc
      .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 1, max: 3 }))
      .map(([outer, inner]) =>
        Array.from({ length: outer }, (_, i) => Array.from({ length: inner }, (_, k) => (k % 2 ? null : i))),
      ),
  ),
  fc.option(
    fc.record({
      a: fc.option(fc.array(fc.string())),
      b: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })),
    }),
  ),
);

/** `value` with its last `scale` digits behind the point. */
function shift(value: bigint, scale: number): string {
  const digits = `${value < 0n ? -value : value}`.padStart(scale + 1, '0');
  const text = scale === 0 ? digits : `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
  return value < 0n ? `-${text}` : text;
}

function tableOf(rows: readonly (readonly unknown[])[]): Table {
  return new Table(schema, [
    batchFromArrays(
      schema,
      schema.fields.map((_, i) => rows.map((values) => values[i])),
    ),
  ]);
}

test('pieces of any size hold the same bytes', () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 60 }), fc.integer({ min: 1, max: 3000 }), (rows, pieceBytes) => {
      const { batches } = tableOf(rows);
      const targets = defaultTypes(schema);
      const whole = Buffer.concat(encodeCopy(schema, batches, targets, 1 << 22));
      assert.deepEqual(Buffer.concat(encodeCopy(schema, batches, targets, pieceBytes)), whole);
    }),
    { numRuns: 60 },
  );
});

const int4: TargetType = builtin('int4');
const int4range: TargetType = {
  oid: 3904,
  name: 'int4range',
  kind: 'range',
  typmod: -1,
  text: 'int4range',
  element: int4,
};
const range = struct({ lower: int32(), upper: int32(), lower_inc: bool(), upper_inc: bool(), empty: bool() });
const rangeValue = fc.record({
  lower: fc.option(fc.integer({ min: -100, max: 0 })),
  upper: fc.option(fc.integer({ min: 1, max: 100 })),
  lower_inc: fc.boolean(),
  upper_inc: fc.boolean(),
  empty: fc.constantFrom(false, false, true),
});
/** What the server has of one range, by the manual, "Discrete Range Types". */
function rangeText({ lower, upper, lower_inc, upper_inc, empty }: Record<string, unknown>): string {
  if (empty === true) return 'empty';
  const start = lower === null ? '(' : `[${Number(lower) + (lower_inc ? 0 : 1)}`;
  const end = upper === null ? '' : Number(upper) + (upper_inc ? 1 : 0);
  const isEmpty = lower !== null && upper !== null && Number(start.slice(1)) >= Number(end);
  return isEmpty ? 'empty' : `${start},${end})`;
}

const others = new Schema([
  new Field('r', range),
  new Field('m', list(range)),
  new Field('h', map(utf8(), utf8())),
  new Field('p', struct({ x: float64(), y: float64() })),
  new Field('v', list(float32())),
]);
const otherTargets: TargetType[] = [
  int4range,
  { ...int4range, name: 'int4multirange', kind: 'multirange', text: 'int4multirange', element: int4range },
  { ...int4, name: 'hstore', text: 'hstore' },
  { ...int4, name: 'point', text: 'point' },
  { ...int4, name: 'vector', text: 'vector' },
];
const otherRow = fc.tuple(
  fc.option(rangeValue),
  fc.option(fc.array(rangeValue, { maxLength: 4 })),
  fc.option(
    fc.dictionary(fc.string(), fc.option(fc.string()), { maxKeys: 4 }).map((entries) => Object.entries(entries)),
  ),
  fc.option(fc.record({ x: fc.double(), y: fc.double() })),
  fc.option(fc.array(fc.float(), { maxLength: 5 })),
);

test('pieces of any size hold the same bytes of ranges, maps, points and vectors', () => {
  fc.assert(
    fc.property(fc.array(otherRow, { maxLength: 40 }), fc.integer({ min: 1, max: 600 }), (rows, pieceBytes) => {
      const batch = batchFromArrays(
        others,
        others.fields.map((_, i) => rows.map((values) => values[i])),
      );
      const whole = Buffer.concat(encodeCopy(others, [batch], otherTargets, 1 << 22));
      assert.deepEqual(Buffer.concat(encodeCopy(others, [batch], otherTargets, pieceBytes)), whole);
    }),
    { numRuns: 60 },
  );
});

test('a row that fits no piece is one of its own', () => {
  const long = 'x'.repeat(200_000);
  const { schema: one, batches } = oneColumn(new Field('c', utf8()), ['a', long, 'b']);
  const pieces = encodeCopy(one, batches, [builtin('text')], 64);
  assert.deepEqual(
    pieces.map((piece) => piece.length),
    // The number of fields, the length, and the value where it lies.
    [19, 7, 2, 4, 200_000, 7, 2],
  );
});

describe('generated values come back as the server writes them', { skip: withoutPostgres }, () => {
  let client: pg.Client;
  before(async () => {
    client = await connectPlain((await testServer()).uri);
  });
  after(() => client.end());

  test('integers, decimals and floats of all sizes', async () => {
    const numeric = fc.sample(
      fc.tuple(fc.integer({ min: 1, max: 76 }), fc.bigInt({ min: 0n, max: 10n ** 76n - 1n }), fc.boolean()),
      { numRuns: 4000, seed: 5 },
    );
    const values = numeric.map(([digits, value, negative]) => {
      const cut = value % 10n ** BigInt(digits);
      return negative ? -cut : cut;
    });
    for (const scale of [0, 1, 2, 3, 4, 5, 38, 75]) {
      const texts = values.map((value) => shift(value, scale));
      const got = await copiedTexts(
        client,
        oneColumn(new Field('c', decimal256(76, scale)), texts),
        undefined,
        1 << 16,
      );
      // Minus zero is none in `numeric`.
      const expected = texts.map((text) => (/[1-9]/.test(text) ? text : text.replace('-', '')));
      assert.deepEqual(
        got.map(([text]) => text),
        expected,
      );
    }
    const doubles = fc.sample(fc.double(), { numRuns: 4000, seed: 7 });
    const numerics = await copiedTexts(
      client,
      oneColumn(new Field('c', float64()), doubles),
      [builtin('numeric')],
      1 << 16,
    );
    numerics.forEach(([text], i) => {
      const value = doubles[i] ?? 0;
      assert.ok(Object.is(Number(text) + 0, value + 0), `${value} came back as ${text}`);
    });
  });

  test('ranges of every form', async () => {
    const values = fc.sample(fc.option(rangeValue), { numRuns: 2000, seed: 11 });
    const got = await copiedTexts(client, oneColumn(new Field('c', range), values), [int4range], 1 << 14);
    assert.deepEqual(
      got.map(([text]) => text),
      values.map((value) => value && rangeText(value)),
    );
  });

  test('rows of nested values', async () => {
    const rows = fc
      .sample(row, { numRuns: 500, seed: 3 })
      // Neither is text to PostgreSQL.
      .filter(
        (values) => !/\\u0000|\\ud[89a-f]/.test(JSON.stringify(values, (_, v) => (typeof v === 'bigint' ? `${v}` : v))),
      );
    const got = await copiedTexts(client, tableOf(rows), undefined, 1 << 14);
    assert.equal(got.length, rows.length);
    rows.forEach(([i, t, n, d, l, s], index) => {
      const [gotI, gotT, gotN, gotD, gotL, gotS] = got[index] ?? [];
      assert.deepEqual([gotI, gotT, gotD], [i === null ? null : `${i}`, t, d]);
      assert.equal(Number(gotN), Number(n));
      const array =
        l === null ? null : l.length === 0 ? '{}' : `{${l.map((inner) => `{${inner.map((v) => v ?? 'NULL')}}`)}}`;
      assert.equal(gotL, array);
      assert.deepEqual(
        gotS === null ? null : JSON.parse(gotS ?? ''),
        s === null ? null : JSON.parse(JSON.stringify(s)),
      );
    });
  });
});
