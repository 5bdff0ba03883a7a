import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import { errorClasses, toRecurveError } from '../../../src/driver/duckdb/error.ts';
import { connect, rejects } from './fixture.ts';

describe('an error of DuckDB', () => {
  test('becomes a status, one line with the place, and a hint', async (t) => {
    const connection = await connect(t);
    await connection.execute('CREATE TABLE items (id INT PRIMARY KEY, n INT NOT NULL CHECK (n > 3))');
    const cases: [sql: string, status: string, message: RegExp, hint?: RegExp][] = [
      ['SELEC 1', 'INVALID_ARGUMENT', /^Parser Error: syntax error at or near "SELEC" \(line 1, column 1\)$/],
      [
        'SELECT 1,\n  nope\nFROM items',
        'NOT_FOUND',
        /^Binder Error: .*"nope" not found.* \(line 2, column 3\)$/,
        /Candidate bindings: "n"/,
      ],
      [
        'FROM itemz',
        'NOT_FOUND',
        /^Catalog Error: Table with name itemz does not exist! \(line 1, column 6\)$/,
        /^Did you mean "items"\?$/,
      ],
      ['SELECT rang(1)', 'NOT_FOUND', /^Catalog Error: Scalar Function with name rang does not exist!/, /Did you mean/],
      ['CREATE TABLE items (a INT)', 'ALREADY_EXISTS', /already exists!/],
      [
        "SELECT 'a'::INT",
        'INVALID_DATA',
        /^Conversion Error: Could not convert string 'a' to INT32 \(line 1, column 11\)$/,
      ],
      ['SELECT 1000000 * 1000000::INT', 'INVALID_DATA', /^Out of Range Error: Overflow/],
      ['INSERT INTO items VALUES (1, NULL)', 'INTEGRITY', /^Constraint Error: NOT NULL constraint failed: items\.n/],
      ['INSERT INTO items VALUES (1, 1)', 'INTEGRITY', /^Constraint Error: CHECK constraint failed/],
      ['COMMIT', 'INVALID_STATE', /^TransactionContext Error: cannot commit - no transaction is active$/],
      ["FROM 'none.parquet'", 'NOT_FOUND', /^IO Error: No files found that match the pattern "none\.parquet"$/],
      ["COPY items TO '/no/such/folder/x.csv'", 'NOT_FOUND', /^IO Error: Cannot open file/],
      [
        'SET nonsense = 1',
        'NOT_FOUND',
        /^Catalog Error: unrecognized configuration parameter "nonsense"/,
        /Did you mean/,
      ],
      ["SELECT error('two\nlines')", 'INVALID_ARGUMENT', /^Invalid Input Error: two lines$/],
      [
        'SELECT lower(1, 2)',
        'INVALID_ARGUMENT',
        /^Binder Error: No function matches .*\(line 1, column 8\)$/,
        /lower\(VARCHAR\) -> VARCHAR/,
      ],
    ];
    for (const [sql, status, message, hint] of cases) {
      const error = await rejects(connection.query(sql), status, message);
      if (hint !== undefined) assert.match(error.hint ?? '', hint, sql);
      const [detail] = error.details;
      assert.equal(detail?.[0], 'duckdb.message');
      const whole = new TextDecoder().decode(detail?.[1]);
      assert.ok(whole.length >= error.message.replace(/ \(line.*\)$/, '').length, 'the whole message is kept');
    }
  });

  test('that memory is short counts as a limit', async (t) => {
    const connection = await connect(t, 'duckdb:?memory_limit=10MB&temp_directory=');
    const error = await rejects(
      connection.query('SELECT list(range) FROM range(10000000)'),
      'IO',
      /^Out of Memory Error: /,
    );
    assert.equal(error.exitCode, 4);
  });

  test('finds the column in a long line, of which DuckDB shows a part', async (t) => {
    const connection = await connect(t);
    const before = `SELECT ${'1 + '.repeat(60)}`;
    const error = await rejects(connection.query(`${before}nope`), 'NOT_FOUND', /"nope"/);
    assert.match(error.message, new RegExp(`\\(line 1, column ${before.length + 1}\\)$`));
  });

  test('without a known prefix is kept as it is', () => {
    assert.deepEqual([toRecurveError('what?').status, toRecurveError('what?').message], ['UNKNOWN', 'what?']);
    assert.equal(toRecurveError('').message, 'DuckDB failed without a message');
    assert.equal(toRecurveError('Novel Error: x').message, 'Novel Error: x');
  });

  test('has a prefix that stands once in the table', () => {
    assert.equal(new Set(errorClasses.map((entry) => entry.prefix)).size, errorClasses.length);
  });
});
