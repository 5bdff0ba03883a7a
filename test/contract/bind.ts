import assert from 'node:assert/strict';
import { Field, float64, int64, Schema, Table, tableFromRows, utf8 } from 'recurve/arrow';
import type { Area } from './behaviour.ts';
import { assertUsable, fails, rowsOf } from './behaviour.ts';

const schema = new Schema([new Field('id', int64()), new Field('name', utf8())]);

/** Rows that are bound, one execution each; what a statement says of itself before it runs. */
export const bindArea: Area = {
  name: 'a statement with bound rows',
  behaviours: [
    {
      name: 'runs once a row, in order, and gives the sum of what changed',
      because: 'ADBC binds tables',
      needs: ['tables', 'parameters'],
      check: async ({ connection, dialect }) => {
        await connection.execute('CREATE TABLE item (id BIGINT, name VARCHAR)');
        const rows = Array.from({ length: 300 }, (_, i) => ({ id: BigInt(i), name: i % 7 === 0 ? null : `n${i}` }));
        const insert = await connection.prepare(
          `INSERT INTO item VALUES (${dialect.parameter(1)}, ${dialect.parameter(2)})`,
        );
        insert.bind(tableFromRows(rows, schema));
        assert.equal(await insert.executeUpdate(), 300);
        assert.deepEqual(await rowsOf(connection, 'SELECT id, name FROM item ORDER BY id'), rows);
      },
    },
    {
      name: 'gives the rows of all its runs, one after the other',
      because: 'ADBC: SELECT 1 + $1 over four bound rows gives four rows',
      needs: ['parameters'],
      check: async ({ connection, dialect }) => {
        const statement = await connection.prepare(`SELECT 1 + ${dialect.parameter(1)} AS v`);
        const one = new Schema([new Field('x', int64())]);
        statement.bind(tableFromRows([{ x: 1n }, { x: 2n }, { x: null }, { x: 4n }], one));
        const rows = (await (await statement.executeQuery()).table()).toArray();
        assert.deepEqual(
          rows.map((row) => (row.v === null ? null : Number(row.v))),
          [2, 3, null, 5],
        );
      },
    },
    {
      name: 'is all or nothing: a row that fails undoes those before it',
      because: 'half a table that seems whole is the worst that can happen',
      needs: ['tables', 'parameters'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        await connection.execute('CREATE TABLE item (id BIGINT PRIMARY KEY, name VARCHAR)');
        const insert = await connection.prepare(
          `INSERT INTO item VALUES (${dialect.parameter(1)}, ${dialect.parameter(2)})`,
        );
        const rows = [
          { id: 1n, name: 'a' },
          { id: 2n, name: 'b' },
          { id: 1n, name: 'again' },
        ];
        insert.bind(tableFromRows(rows, schema));
        await fails(insert.executeUpdate(), 'INTEGRITY');
        assert.deepEqual(await rowsOf(connection, 'SELECT id FROM item'), []);
        insert.bind(tableFromRows(rows.slice(0, 2), schema));
        assert.equal(await insert.executeUpdate(), 2);
        await assertUsable(contract);
      },
    },
    {
      name: 'of no rows does not run, and changes nothing',
      because: 'no rows are no runs',
      needs: ['tables', 'parameters'],
      check: async ({ connection, dialect }) => {
        await connection.execute('CREATE TABLE item (id BIGINT, name VARCHAR)');
        const insert = await connection.prepare(
          `INSERT INTO item VALUES (${dialect.parameter(1)}, ${dialect.parameter(2)})`,
        );
        insert.bind(new Table(schema, []));
        assert.equal(await insert.executeUpdate(), 0);
        assert.deepEqual(await rowsOf(connection, 'SELECT id FROM item'), []);
      },
    },
    {
      name: 'with a column too few or too many is INVALID_ARGUMENT',
      because: 'a null in its place would be wrong in silence',
      needs: ['parameters'],
      check: async (contract) => {
        const { connection, dialect } = contract;
        const statement = await connection.prepare(dialect.select(dialect.parameter(1)));
        statement.bind(tableFromRows([{ id: 1n, name: 'a' }], schema));
        await fails(
          statement.executeQuery().then((result) => result.table()),
          'INVALID_ARGUMENT',
        );
        await assertUsable(contract);
      },
    },
    {
      name: 'tells the schema of its result without running',
      because: 'ADBC: ExecuteSchema is what a reader plans with',
      needs: ['tables', 'describing statements'],
      check: async ({ connection }) => {
        await connection.execute('CREATE TABLE item (id BIGINT, name VARCHAR, price FLOAT8)');
        const select = await connection.prepare('SELECT name, price, id FROM item');
        const described = await select.executeSchema();
        assert.deepEqual(
          described.fields.map(({ name, type }) => [name, type]),
          [
            ['name', utf8()],
            ['price', float64()],
            ['id', int64()],
          ],
        );
        assert.ok(described.equals((await select.executeQuery()).schema));
        const insert = await connection.prepare('INSERT INTO item VALUES (1, NULL, NULL)');
        assert.deepEqual((await insert.executeSchema()).fields, []);
        assert.deepEqual(await rowsOf(connection, 'SELECT * FROM item'), [], 'it ran');
      },
    },
    {
      name: 'tells its parameters: a field each, in order',
      because: 'ADBC: GetParameterSchema is what a form is made of',
      needs: ['describing statements', 'tables', 'parameters'],
      check: async ({ connection, dialect }) => {
        await connection.execute('CREATE TABLE item (id BIGINT, name VARCHAR)');
        const insert = await connection.prepare(
          `INSERT INTO item VALUES (${dialect.parameter(1)}, ${dialect.parameter(2)})`,
        );
        const { fields } = await insert.parameterSchema();
        assert.equal(fields.length, 2);
        fields.forEach((field, i) => {
          const known = [int64(), utf8()][i];
          assert.ok(field.type.kind === 'null' || JSON.stringify(field.type) === JSON.stringify(known), `${field}`);
        });
        const none = await connection.prepare(dialect.answer.sql);
        assert.deepEqual((await none.parameterSchema()).fields, []);
      },
    },
  ],
};
