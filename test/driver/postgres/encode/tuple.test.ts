import assert from 'node:assert/strict';
import test, { after, before, describe } from 'node:test';
import * as fc from 'fast-check';
import type pg from 'pg';
import {
  batchFromArrays,
  decimal128,
  decimal256,
  dictionary,
  Field,
  float64,
  int8,
  int32,
  int64,
  list,
  Schema,
  struct,
  Table,
  utf8,
} from 'recurve/arrow';
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

test('a row that fits no piece is one of its own', () => {
  const long = 'x'.repeat(100_000);
  const { schema: one, batches } = oneColumn(new Field('c', utf8()), ['a', long, 'b']);
  const pieces = encodeCopy(one, batches, [builtin('text')], 64);
  assert.deepEqual(
    pieces.map((piece) => piece.length),
    [19, 7, 100_006, 7, 2],
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
