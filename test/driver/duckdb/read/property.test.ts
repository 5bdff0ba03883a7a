import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arrowColumn, officialValue } from './canonical.ts';
import { openSession } from './session.ts';

/** A SQL type with a way to write values of it as SQL. */
interface Sql {
  readonly type: string;
  readonly literal: fc.Arbitrary<string>;
}

const quote = (text: string): string => `'${text.replaceAll("'", "''")}'`;
const text = fc
  .oneof(
    fc.string({ unit: 'grapheme', maxLength: 6 }),
    fc.string({ unit: fc.constantFrom('a', 'ß', '漢', '🦆'), minLength: 2, maxLength: 30 }),
    fc.nat(20).map((length) => 'x'.repeat(length)),
  )
  .map((value) => quote(value.replaceAll('\0', '')));

const scalars: readonly Sql[] = [
  { type: 'BOOLEAN', literal: fc.constantFrom('true', 'false') },
  { type: 'TINYINT', literal: fc.integer({ min: -128, max: 127 }).map(String) },
  { type: 'UINTEGER', literal: fc.integer({ min: 0, max: 2 ** 32 - 1 }).map(String) },
  { type: 'BIGINT', literal: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n }).map(String) },
  { type: 'HUGEINT', literal: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(String) },
  { type: 'DOUBLE', literal: fc.double().map((value) => quote(String(value).replace('Infinity', 'inf'))) },
  { type: 'DECIMAL(4,2)', literal: fc.integer({ min: -9999, max: 9999 }).map((value) => `${value} / 100`) },
  { type: 'DECIMAL(18,0)', literal: fc.bigInt({ min: -(10n ** 18n) + 1n, max: 10n ** 18n - 1n }).map(String) },
  { type: 'DECIMAL(38,0)', literal: fc.bigInt({ min: -(10n ** 38n) + 1n, max: 10n ** 38n - 1n }).map(String) },
  { type: 'VARCHAR', literal: text },
  {
    type: 'BLOB',
    literal: fc.uint8Array({ maxLength: 30 }).map((bytes) => `unhex('${Buffer.from(bytes).toString('hex')}')`),
  },
  { type: 'UUID', literal: fc.uuid().map(quote) },
  { type: 'DATE', literal: fc.integer({ min: -700_000, max: 2_000_000 }).map((days) => `date '1970-01-01' + ${days}`) },
  {
    type: 'TIME',
    literal: fc.integer({ min: 0, max: 86_399_999_999 }).map((us) => `time '00:00' + to_microseconds(${us})`),
  },
  { type: 'TIMESTAMP', literal: fc.bigInt({ min: -(2n ** 57n), max: 2n ** 57n }).map((us) => `make_timestamp(${us})`) },
  {
    type: 'INTERVAL',
    literal: fc
      .tuple(fc.integer({ min: -999, max: 999 }), fc.integer({ min: -999, max: 999 }), fc.integer())
      .map(([months, days, us]) => `to_months(${months}) + to_days(${days}) + to_microseconds(${us})`),
  },
];

const nullable = (literal: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.oneof({ weight: 4, arbitrary: literal }, { weight: 1, arbitrary: fc.constant('NULL') });

const anyType: fc.Arbitrary<Sql> = fc.letrec<{ type: Sql }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...scalars),
    tie('type').map(({ type, literal }) => ({
      type: `${type}[]`,
      literal: fc.array(nullable(literal), { maxLength: 4 }).map((items) => `[${items.join(', ')}]::${type}[]`),
    })),
    tie('type').map(({ type, literal }) => ({
      type: `${type}[2]`,
      literal: fc.tuple(nullable(literal), nullable(literal)).map((items) => `[${items.join(', ')}]::${type}[2]`),
    })),
    fc.tuple(tie('type'), tie('type')).map(([a, b]) => ({
      type: `STRUCT(a ${a.type}, b ${b.type})`,
      literal: fc
        .tuple(nullable(a.literal), nullable(b.literal))
        .map(([x, y]) => `{'a': (${x})::${a.type}, 'b': (${y})::${b.type}}`),
    })),
    tie('type').map(({ type, literal }) => ({
      type: `MAP(VARCHAR, ${type})`,
      literal: fc
        .uniqueArray(fc.stringMatching(/^[a-z]{1,20}$/), { maxLength: 3 })
        .chain((keys) => fc.tuple(fc.constant(keys), fc.array(nullable(literal), { minLength: 3, maxLength: 3 })))
        .map(
          ([keys, values]) =>
            `map {${keys.map((key, i) => `'${key}': (${values[i]})::${type}`).join(', ')}}::MAP(VARCHAR, ${type})`,
        ),
    })),
    fc.tuple(tie('type'), tie('type')).map(([a, b]) => {
      const union = `UNION(a ${a.type}, b ${b.type})`;
      return {
        type: union,
        literal: fc.oneof(
          a.literal.map((value) => `union_value(a := (${value})::${a.type})::${union}`),
          b.literal.map((value) => `union_value(b := (${value})::${b.type})::${union}`),
        ),
      };
    }),
  ),
})).type;

describe('values of random types', async () => {
  const session = await openSession();

  it('are those of the official API, whatever the batches', async () => {
    const column = anyType.chain(({ type, literal }) =>
      fc.tuple(fc.constant(type), fc.array(nullable(literal), { minLength: 1, maxLength: 12 })),
    );
    const limits = fc.record({
      maxRows: fc.integer({ min: 1, max: 3000 }),
      maxBytes: fc.integer({ min: 1, max: 100_000 }),
      firstRows: fc.integer({ min: 1, max: 3000 }),
    });
    const property = fc.asyncProperty(
      column,
      fc.constantFrom(1, 300),
      limits,
      fc.boolean(),
      async ([type, literals], repeats, limit, materialised) => {
        const values = literals.map((literal, i) => `(${i}, (${literal})::${type})`).join(', ');
        const sql = `select v from (values ${values}) t(i, v), range(${repeats}) r(k) order by k, i`;
        const [expected = []] = await session.columns(sql);
        const { batches } = await session.read(sql, { limit, materialised });
        assert.deepEqual(arrowColumn(batches, 0), expected.map(officialValue), type);
      },
    );
    await fc.assert(property, { numRuns: 120 });
  });
});
