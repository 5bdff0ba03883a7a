import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Parameters } from 'recurve';
import { connect, rejects } from './fixture.ts';

const setUp = `
  CREATE TYPE size AS ENUM ('small', 'large');
  CREATE TABLE item (id INTEGER NOT NULL, name VARCHAR, size size, added TIMESTAMPTZ);
  INSERT INTO item VALUES (1, 'nut', 'small', NULL);
`;

describe('executeSchema', () => {
  // In this order: some make or drop what others need.
  const statements: readonly (readonly [sql: string, parameters?: Parameters])[] = [
    ['SELECT * FROM item'],
    ['SELECT id AS a, id AS a, [id] AS l, {x: name, y: size} AS s FROM item'],
    ['SELECT count(*), sum(id), avg(id) FROM item'],
    ['SELECT id FROM item WHERE id = $1 LIMIT $2', [1, 2]],
    ['SELECT $x::INTEGER AS x, $x + 1 AS y', { x: 1 }],
    ['SELECT $1 AS v, 1 + $1 AS w', [1]],
    ['SELECT $1', ['text']],
    ['SELECT $1 AS "a ""b""", $1 AS "a ""b"""', [new Date(0)]],
    ['SELECT {a: $1, b: [$1]} AS nested', [1n << 70n]],
    ['SELECT now() AS n, size, $1 AS p FROM item', [true]],
    ['SELECT id FROM item WHERE id = -- a comment\n $1 ;', [1]],
    ['VALUES (1, NULL)'],
    ['FROM item'],
    ['EXPLAIN SELECT 1'],
    ['DESCRIBE item'],
    ['SHOW TABLES'],
    ['PRAGMA database_size'],
    ['CHECKPOINT'],
    ['CALL duckdb_schemas()'],
    ['INSERT INTO item VALUES ($1, $2, $3, $4)', [2, 'bolt', 'large', null]],
    ["INSERT INTO item VALUES (3, 'washer', NULL, NULL) RETURNING id, name"],
    ['INSERT INTO item VALUES (4, NULL, NULL, NULL) RETURNING id::BIGINT AS "Count"'],
    ['UPDATE item SET name = $1', ['x']],
    ['DELETE FROM item WHERE id = 4'],
    ['CREATE TABLE copied AS FROM item'],
    ['ALTER TABLE copied ADD COLUMN extra INTEGER'],
    ['DROP TABLE copied'],
    ['SET threads = 1'],
    ['BEGIN'],
    ['COMMIT'],
    ['SELECT 1 AS "Success"'],
    ['SELECT 1::BIGINT AS "Count"'],
  ];
  test('is the schema of the query, for every kind of statement', async (t) => {
    const connection = await connect(t);
    await connection.execute(setUp);
    for (const [sql, parameters = []] of statements) {
      const statement = await connection.prepare(sql);
      statement.bind(parameters);
      const schema = await statement.executeSchema();
      const result = await statement.executeQuery();
      assert.equal(`${schema}`, `${result.schema}`, sql);
      assert.ok(schema.equals(result.schema), sql);
      await result.close();
      await statement.close();
    }
  });

  test('runs nothing', async (t) => {
    const connection = await connect(t);
    await connection.execute(`${setUp} CREATE SEQUENCE ticket`);
    const insert = await connection.prepare("INSERT INTO item VALUES (2, 'bolt', NULL, NULL) RETURNING id");
    assert.equal(`${await insert.executeSchema()}`, 'id: int32');
    const fails = await connection.prepare("SELECT error('it ran')::VARCHAR AS e, nextval('ticket') AS n, $1 AS p");
    assert.equal(`${await fails.executeSchema([1])}`, 'e: utf8\nn: int64\np: int64');
    const left = await connection.query("SELECT count(*) AS items, nextval('ticket') AS ticket FROM item");
    assert.deepEqual((await left.table()).toArray(), [{ items: 1n, ticket: 1n }]);
  });

  test('sees a catalog that has changed since the statement was prepared', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE growing (a INTEGER)');
    const statement = await connection.prepare('SELECT * FROM growing');
    await connection.execute('ALTER TABLE growing ADD COLUMN b VARCHAR');
    assert.equal(`${await statement.executeSchema()}`, 'a: int32\nb: utf8');
    await connection.execute('DROP TABLE growing');
    await rejects(statement.executeSchema(), 'NOT_FOUND', /growing/);
  });

  test('asks for parameters where the types depend on them', async (t) => {
    const connection = await connect(t);
    const statement = await connection.prepare('SELECT 1 + $1 AS sum');
    const error = await rejects(statement.executeSchema(), 'INVALID_STATE', /depends on its 1 parameters \(\$1\)/);
    assert.match(error.hint ?? '', /bind/);
    assert.equal(`${await statement.executeSchema([1])}`, 'sum: int64');
    assert.equal(`${await statement.executeSchema([1.5])}`, 'sum: float64');
    await rejects(statement.executeSchema([1, 2]), 'INVALID_ARGUMENT', /has 1 parameter/);
    await statement.close();
    await rejects(statement.executeSchema([1]), 'INVALID_STATE', /closed/);
  });
});

describe('parameterSchema', () => {
  const cases: readonly (readonly [sql: string, expected: readonly string[]])[] = [
    ['SELECT 1', []],
    [
      'INSERT INTO item VALUES ($1, $2, $3, $4)',
      [': int32', ': utf8', ': dictionary<values=utf8, indices=uint8>', ': timestamp[us, UTC]'],
    ],
    ['SELECT id FROM item WHERE id = ? LIMIT ?', [': int32', ': int64']],
    ['SELECT $1', [': null']],
    ['SELECT $2::DATE, $1', [': null', ': date32[day]']],
    ['SELECT $least::DECIMAL(9, 2), name FROM item WHERE name > $Name', ['least: decimal128(9, 2)', 'Name: utf8']],
  ];
  for (const [sql, expected] of cases) {
    test(sql, async (t) => {
      const connection = await connect(t);
      await connection.execute(`${setUp} SET TimeZone = 'UTC'`);
      const statement = await connection.prepare(sql);
      const schema = await statement.parameterSchema();
      assert.deepEqual(schema.fields.map(String), expected);
      assert.equal(schema.fields.length, statement.parameterNames.length);
    });
  }

  test('is not for a statement that is closed', async (t) => {
    const statement = await (await connect(t)).prepare('SELECT $1');
    await statement.close();
    await rejects(statement.parameterSchema(), 'INVALID_STATE', /closed/);
  });
});
