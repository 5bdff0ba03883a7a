import assert from 'node:assert/strict';
import type { Column } from 'recurve/arrow';
import { binary, bool, type DataType, Field, float64, int64, makeBuilder, utf8 } from 'recurve/arrow';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, firstValue, rowsOf } from './behaviour.ts';
import type { ParameterCase } from './harness.ts';

/** A column of one value, as a parameter. */
export function columnOf(type: DataType, value: unknown): Column {
  const builder = makeBuilder(new Field('value', type));
  builder.append(value);
  return builder.finish();
}

/** What every driver takes, by the table of `docs/adbc.md`. */
const everyDriver: readonly ParameterCase[] = [
  { what: 'null', value: null, type: null, back: null },
  { what: 'undefined', value: undefined, type: null, back: null },
  { what: 'true', value: true, type: bool(), back: true },
  { what: 'false', value: false, type: bool(), back: false },
  { what: 'a whole number', value: 7, type: int64(), back: 7n },
  { what: 'the greatest safe integer', value: Number.MAX_SAFE_INTEGER, type: int64(), back: 9007199254740991n },
  { what: 'a fraction', value: -0.1, type: float64(), back: -0.1 },
  { what: 'a number that is not safe', value: 2 ** 60, type: float64(), back: 2 ** 60 },
  { what: 'minus zero', value: -0, type: float64(), back: -0 },
  { what: 'infinity', value: Number.NEGATIVE_INFINITY, type: float64(), back: Number.NEGATIVE_INFINITY },
  { what: 'a bigint', value: 2n ** 63n - 1n, type: int64(), back: 2n ** 63n - 1n },
  { what: 'a negative bigint', value: -(2n ** 63n), type: int64(), back: -(2n ** 63n) },
  { what: 'text', value: "it's 'quoted' -- ; $1 \\ %", type: utf8(), back: "it's 'quoted' -- ; $1 \\ %" },
  { what: 'empty text', value: '', type: utf8(), back: '' },
  { what: 'text beyond ASCII', value: 'naïve 数据 😀 e\u0301', type: utf8(), back: 'naïve 数据 😀 e\u0301' },
  { what: 'long text', value: 'x'.repeat(100_000), type: utf8(), back: 'x'.repeat(100_000) },
  { what: 'bytes', value: Uint8Array.of(0, 255, 39), type: binary(), back: Uint8Array.of(0, 255, 39) },
  { what: 'no bytes', value: new Uint8Array(), type: binary(), back: new Uint8Array() },
];

/** Parameters: by position and by name, their types, and those that do not fit. */
export const parameterArea: Area = {
  name: 'a parameter',
  behaviours: [
    {
      name: 'binds as the type that is documented for it, and comes back as it went',
      because: 'a value that changes on its way is wrong in silence',
      needs: ['parameters'],
      check: async ({ connection, dialect }) => {
        const sql = dialect.select(dialect.parameter(1));
        for (const { what, value, type, back } of [...everyDriver, ...dialect.parameterCases]) {
          const result = await connection.query(sql, [value]);
          if (type !== null) assert.deepEqual(result.schema.field(0).type, type, what);
          const [row] = (await result.table()).toArray();
          assert.deepEqual(Object.values(row ?? {}), [back], what);
        }
      },
    },
    {
      name: 'that is a Date binds as an instant',
      because: 'the zone of this machine has no say in it',
      needs: ['parameters'],
      check: async ({ connection, dialect }) => {
        const when = new Date('2024-02-29T23:59:59.123Z');
        const table = await (await connection.query(dialect.select(dialect.parameter(1)), [when])).table();
        const { type } = table.schema.field(0);
        assert.ok(type.kind === 'timestamp' && type.timezone !== null);
        assert.deepEqual(Object.values(table.toArray({ temporal: 'date' })[0] ?? {}), [when]);
      },
    },
    {
      name: 'is found by its position, and may be used twice',
      because: 'swapped parameters are wrong in silence',
      needs: ['parameters'],
      check: async ({ connection, dialect }) => {
        const [one, two] = [dialect.parameter(1), dialect.parameter(2)];
        const sql = `SELECT ${one} AS a, ${two} AS b, ${one} AS c`;
        assert.deepEqual(await rowsOf(connection, sql, ['x', 'y']), [{ a: 'x', b: 'y', c: 'x' }]);
      },
    },
    {
      name: 'is found by its name, whatever the order',
      because: 'names are there so that the order does not matter',
      needs: ['named parameters'],
      check: async ({ connection, dialect }) => {
        const [first, second] = [dialect.namedParameter('first'), dialect.namedParameter('second')];
        const sql = `SELECT ${first} AS a, ${second} AS b`;
        assert.deepEqual(await rowsOf(connection, sql, { second: 2, first: 1 }), [{ a: 1n, b: 2n }]);
        const statement = await connection.prepare(sql);
        assert.deepEqual(statement.parameterNames, ['first', 'second']);
        const table = await (await statement.executeQuery({ second: 'y', first: 'x' })).table();
        assert.deepEqual(table.toArray(), [{ a: 'x', b: 'y' }]);
      },
    },
    {
      name: 'that is missing, or that the statement does not have, is INVALID_ARGUMENT',
      because: 'a null in its place would be wrong in silence',
      needs: ['parameters'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const sql = dialect.select(dialect.parameter(1));
        for (const parameters of [[], [1, 2], { other: 1 }, { '1': 1, other: 1 }, {}]) {
          await fails(connection.query(sql, parameters), 'INVALID_ARGUMENT');
        }
        await fails(connection.query(dialect.answer.sql, [1]), 'INVALID_ARGUMENT');
        await assertUsable(contract);
      },
    },
    {
      name: 'by name that is missing is INVALID_ARGUMENT, which says its name',
      because: 'a typing error in a name must be found at once',
      needs: ['named parameters'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const sql = dialect.select(dialect.namedParameter('wanted'));
        await fails(connection.query(sql, { wnated: 1 }), 'INVALID_ARGUMENT', /wanted|wnated/);
        await fails(connection.query(sql, {}), 'INVALID_ARGUMENT', /wanted/);
        await assertUsable(contract);
      },
    },
    {
      name: 'that no Arrow type stands for is INVALID_ARGUMENT',
      because: 'a guess such as "[object Object]" would be stored',
      check: async (contract) => {
        const bad: unknown[] = [{}, [1], Symbol('s'), () => 1, new Date(Number.NaN), columnOf(int64(), 1n).slice(0, 0)];
        for (const value of bad) {
          const parameters = [value] as unknown as string[];
          await fails(contract.connection.query(contract.dialect.answer.sql, parameters), 'INVALID_ARGUMENT', /1/);
        }
        await fails(contract.connection.query(contract.dialect.answer.sql, 7 as never), 'INVALID_ARGUMENT', /array/);
        await assertUsable(contract);
      },
    },
    {
      name: 'that is text stays text, whatever stands in it',
      because: 'a value is never a part of the statement',
      needs: ['parameters', 'tables'],
      check: async ({ connection, dialect }) => {
        await connection.execute('CREATE TABLE victim (name VARCHAR)');
        const name = "x'); DROP TABLE victim; --";
        await connection.execute(`INSERT INTO victim VALUES (${dialect.parameter(1)})`, [name]);
        const count = `SELECT count(*) AS n FROM victim WHERE name = ${dialect.parameter(1)}`;
        assert.equal(await firstValue(connection, count, [name]), 1n);
      },
    },
    {
      name: 'of a prepared statement can change its type from run to run',
      because: 'a plan for the first type must not cut off the second',
      needs: ['parameters'],
      check: async ({ connection, dialect }) => {
        const statement = await connection.prepare(dialect.select(dialect.parameter(1)));
        for (const [value, back] of [
          [1, 1n],
          ['a', 'a'],
          [2.5, 2.5],
          [null, null],
          [2n ** 40n, 2n ** 40n],
        ] as const) {
          const [row] = (await (await statement.executeQuery([value])).table()).toArray();
          assert.deepEqual(Object.values(row ?? {}), [back]);
        }
      },
    },
  ],
};
