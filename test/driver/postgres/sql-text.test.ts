import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { countParameters, firstWord, isReading, splitStatements } from '../../../src/driver/postgres/sql-text.ts';

describe('a text is split into its statements', () => {
  const cases: readonly (readonly [name: string, sql: string, statements: readonly string[]])[] = [
    ['one without a semicolon', 'SELECT 1', ['SELECT 1']],
    ['one with a semicolon and white space', 'SELECT 1 ; \n', ['SELECT 1 ']],
    ['one with a comment behind it', 'SELECT 1; -- done', ['SELECT 1']],
    ['none of an empty text', ' \n ', []],
    ['none of semicolons and comments', ';; /* a; b */ -- c;\n;', []],
    ['two', 'SELECT 1; SELECT 2', ['SELECT 1', ' SELECT 2']],
    ['quotes', `SELECT ';', ";", E'\\';', U&';' ; x`, [`SELECT ';', ";", E'\\';', U&';' `, ' x']],
    ['a doubled quote', `SELECT 'a'';b';x`, [`SELECT 'a'';b'`, 'x']],
    ['a backslash that escapes nothing', `SELECT '\\';x`, [`SELECT '\\'`, 'x']],
    ['dollar quotes', 'SELECT $$;$$, $tag$ $$; $tag$; x', ['SELECT $$;$$, $tag$ $$; $tag$', ' x']],
    ['parameters', 'SELECT $1; SELECT $2', ['SELECT $1', ' SELECT $2']],
    ['an identifier with dollars', 'SELECT a$b$c; x', ['SELECT a$b$c', ' x']],
    ['comments that nest', 'SELECT /* ; /* ; */ ; */ 1; x', ['SELECT /* ; /* ; */ ; */ 1', ' x']],
    [
      'the body of a function',
      'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END; SELECT f()',
      ['CREATE FUNCTION f() RETURNS int BEGIN ATOMIC SELECT CASE WHEN true THEN 1 END; SELECT 2; END', ' SELECT f()'],
    ],
    ['a quote that does not end', "SELECT ';", ["SELECT ';"]],
  ];
  for (const [name, sql, statements] of cases) test(name, () => assert.deepEqual(splitStatements(sql), statements));
});

describe('the kind of a statement', () => {
  test('is told by its first word, past comments and parentheses', () => {
    assert.equal(firstWord('/* x */ -- y\n ((SELECT 1))'), 'select');
    assert.equal(firstWord("'select'"), '');
  });

  for (const sql of [
    'SELECT 1',
    'values (1)',
    'TABLE t',
    'SHOW work_mem',
    'EXPLAIN SELECT 1',
    'WITH a AS (SELECT 1) SELECT * FROM a',
    `SELECT 'insert', "delete" -- update`,
  ]) {
    test(`reads: ${sql}`, () => assert.equal(isReading(sql), true));
  }

  for (const sql of [
    'INSERT INTO t VALUES (1)',
    'WITH a AS (DELETE FROM t RETURNING *) SELECT * FROM a',
    'SELECT * INTO u FROM t',
    'EXPLAIN ANALYZE SELECT 1',
    'EXPLAIN (ANALYZE) DELETE FROM t',
    'CREATE TABLE t (a int)',
    'BEGIN',
    '',
  ]) {
    test(`may write: ${sql}`, () => assert.equal(isReading(sql), false));
  }
});

test('parameters are counted by the highest, outside of quotes and comments', () => {
  assert.equal(countParameters('SELECT $1, $12::int + $3'), 12);
  assert.equal(countParameters(`SELECT '$1', "$2", $$ $3 $$, a$4 -- $5`), 0);
});
