import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { createPool, type OpenCallOptions, type OpenOptions, open, RecurveError } from 'recurve';
import { accounts, accountUri, startAccountServer } from '../account.ts';
import { type TestServer, withoutOwnPostgres } from '../server.ts';

describe('open with a PostgreSQL server', { skip: withoutOwnPostgres }, () => {
  let server: TestServer;

  before(async () => {
    server = await startAccountServer();
  });

  after(() => server.postmaster?.stop());

  async function currentUser(options: string | OpenOptions, callOptions?: OpenCallOptions): Promise<unknown> {
    await using database = await open(options, callOptions);
    const connection = await database.connect();
    const result = await connection.query('SELECT current_user::text AS name');
    for await (const row of result.rows()) return row.name;
    return undefined;
  }

  test('takes keywords and values where the driver is named', async () => {
    const { socketFolder, port } = server.postmaster ?? {};
    const uri = `host=${socketFolder} port=${port} user=trusted dbname=postgres`;
    assert.equal(await currentUser({ driver: 'postgres', uri }), 'trusted');
    await assert.rejects(
      open(uri),
      (error) => RecurveError.is(error) && /driver=postgres/.test(error.hint ?? '') && error.exitCode === 2,
    );
  });

  test('takes keywords and values of a profile that names the driver', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'recurve-profile-'));
    try {
      const uri = `host=127.0.0.1 port=${server.postmaster?.port} user=scram password='wrong-Password' dbname=postgres`;
      writeFileSync(join(folder, 'p.toml'), `profile_version = 1\ndriver = "postgres"\n[Options]\nuri = "${uri}"\n`);
      const options = { profileSearchPaths: [folder] };
      assert.equal(await currentUser({ profile: 'p', password: accounts.scram.password }, options), 'scram');
      await assert.rejects(currentUser('profile://p', options), (error) => {
        assert.ok(RecurveError.is(error));
        assert.equal(error.sqlState, '28P01');
        return !/wrong-Password/.test(`${error.message} ${error.hint} ${error.stack}`);
      });
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("takes libpq's keywords and ADBC's names as options", async () => {
    const { user: username, password } = accounts.scram;
    const options = { uri: server.uri, username, password, application_name: 'test' };
    assert.equal(await currentUser(options), 'scram');
  });

  test('asks a function for the password of each connection of a pool', async () => {
    let calls = 0;
    const password = async ({ signal }: { readonly signal: AbortSignal }): Promise<string> => {
      assert.equal(signal.aborted, false);
      calls++;
      return accounts.scram.password;
    };
    const pool = await createPool(accountUri(server, { ...accounts.scram, password: '' }), { min: 3 }, { password });
    assert.equal(calls, 3);
    await pool.close();
  });

  test('refuses a function besides a password, and what is no function', async () => {
    const besides = open(accountUri(server, accounts.scram), { password: () => 'x' });
    await assert.rejects(besides, (error) => RecurveError.is(error) && /password and a function/.test(error.message));
    const wrong = { password: 'hunter2' } as unknown as OpenCallOptions;
    await assert.rejects(open(server.uri, wrong), (error) => {
      assert.ok(RecurveError.is(error));
      assert.match(error.message, /option password is a string, but must be a function/);
      return !error.message.includes('hunter2');
    });
  });

  test('DuckDB has no use for a password', async () => {
    const refused = open('duckdb:', { password: () => 'x' });
    await assert.rejects(refused, (error) => RecurveError.is(error) && /DuckDB takes no password/.test(error.message));
  });

  test('tells unknown settings before anything is connected', async () => {
    await assert.rejects(open('postgresql://h/db?sslmod=require'), (error) => {
      assert.ok(RecurveError.is(error));
      assert.equal(error.exitCode, 2);
      return error.hint === 'did you mean sslmode?';
    });
  });
});
