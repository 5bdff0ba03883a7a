import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, test } from 'node:test';

/** The rows of a text, run by a process of its own whose input is a pipe with `input`. */
function rowsFromPipe(sql: string, input: string): unknown {
  const script = `
    import { open } from 'recurve';
    const database = await open('duckdb:');
    const connection = await database.connect();
    const rows = [];
    for await (const row of (await connection.query(process.env.TEXT)).rows()) rows.push(row);
    await database.close();
    console.log(JSON.stringify(rows, (key, value) => (typeof value === 'bigint' ? String(value) : value)));`;
  const options = ['--conditions=recurve-source', '--import', 'tsx', '--input-type=module', '--eval', script];
  // Through cat: the shell's pipe, where node would give a socket, which cannot be opened by name.
  const output = execFileSync('sh', ['-c', 'cat | "$0" "$@"', process.execPath, ...options], {
    input,
    env: { ...process.env, TEXT: sql },
    encoding: 'utf8',
    timeout: 30_000,
  });
  return JSON.parse(output);
}

describe('piped input is read whole', () => {
  test('by read_csv', () => {
    const sql = "SELECT a::VARCHAR AS a, b::VARCHAR AS b FROM read_csv('/dev/stdin')";
    assert.deepEqual(rowsFromPipe(sql, 'a,b\n1,2\n'), [{ a: '1', b: '2' }]);
  });

  test('by read_json', () => {
    const sql = "SELECT a::VARCHAR AS a FROM read_json('/dev/fd/0', format = 'newline_delimited')";
    assert.deepEqual(rowsFromPipe(sql, '{"a":1}\n{"a":2}\n'), [{ a: '1' }, { a: '2' }]);
  });

  test('into a table, by a text of several statements', () => {
    const sql = "CREATE TABLE t AS FROM read_csv('/proc/self/fd/0'); SELECT a::VARCHAR AS a FROM t";
    assert.deepEqual(rowsFromPipe(sql, 'a,b\n1,2\n3,4\n'), [{ a: '1' }, { a: '3' }]);
  });
});
