import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import { Workplace } from './command.ts';

describe('a secret', () => {
  const workplace = new Workplace();
  after(() => workplace.remove());

  test('is printed by no error, however it was given', async () => {
    const lines = [
      `"duckdb:?http_proxy_password=HUSH%sh" "select 1"`,
      `"duckdb:?http_proxy_password=HUSH&http_proxy_password=HUSH2" "select 1"`,
      `"duckdb:?password:HUSH" "select 1"`,
      `"duckdb:?s3_secret_access_key=HUSH&nonsense_token=HUSH" "select 1"`,
      `"duckdb:?my_credential=HUSH" "select 1"`,
      `"duckdb:https://u:HUSH@localhost:1/x.db" "select 1"`,
      `"postgresql://u:se'HUSH@h/db" "select 1"`,
      `"postgresql://u:se'HUSH@h/db"`,
      `"x://h/?auth=HUSH" "select 1"`,
      `"x://h/?signature=HUSH&sig=HUSH&token=HUSH" "select 1"`,
      `'select $password::int' --param password=HUSH`,
      `'select $api_token::int' --param=api_token:text=HUSH --debug`,
      `'select $password' --param password:int=HUSH`,
      `"duckdb:?http_proxy_password=HUSH%sh" "select 1" --debug`,
      `"duckdb:?my_credential=HUSH" "select 1" --debug`,
    ];
    for (const line of lines) {
      const { code, out, err } = await workplace.run(`recurve query ${line}`);
      assert.notEqual(code, 0, line);
      assert.match(err, /^error\[/, line);
      assert.ok(!`${out}${err}`.includes('HUSH'), `${line}: ${err}`);
    }
  });
});
