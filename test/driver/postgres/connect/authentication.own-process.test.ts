import assert from 'node:assert/strict';
import { createHmac, pbkdf2Sync } from 'node:crypto';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { normalizePassword } from '../../../../src/driver/postgres/connect/saslprep.ts';
import { isInRanges, readPasswordTables } from '../../../../src/driver/postgres/connect/saslprep-table.ts';
import { accounts, accountUri, startAccountServer } from '../account.ts';
import { type TestServer, withoutOwnPostgres } from '../server.ts';
import { connect, connectAndAsk, end, failure } from './session.ts';

describe('authentication by a PostgreSQL server', { skip: withoutOwnPostgres }, () => {
  let server: TestServer;
  let folder: string;

  before(async () => {
    server = await startAccountServer({ settings: { max_connections: 12 } });
    folder = mkdtempSync(join(tmpdir(), 'recurve-connect-'));
  });

  after(async () => {
    rmSync(folder, { recursive: true });
    await server.postmaster?.stop();
  });

  for (const name of ['scram', 'md5', 'cleartext', 'trusted'] as const) {
    test(`lets in the user ${name}, over TCP and over the Unix socket`, async () => {
      const uri = accountUri(server, accounts[name]);
      assert.equal(await connectAndAsk('SELECT current_user', uri), name);
      const host = server.postmaster?.socketFolder ?? '';
      assert.equal(await connectAndAsk('SELECT current_user', uri, { host }), name);
    });
  }

  test('tells a wrong password, with nothing of it', async () => {
    for (const account of [accounts.scram, accounts.md5, accounts.cleartext]) {
      const error = await failure(accountUri(server, { ...account, password: 'wrong-Password' }));
      assert.equal(error.status, 'UNAUTHENTICATED');
      assert.equal(error.sqlState, '28P01');
      assert.equal(error.exitCode, 3);
      assert.match(error.message, /^127\.0\.0\.1:\d+: password authentication failed for user/);
      assert.doesNotMatch(`${error.message} ${error.hint} ${error.stack}`, /wrong-Password/);
      assert.deepEqual(error.details.map(([key]) => key).includes('PG_DIAG_SQLSTATE'), true);
    }
  });

  test('tells a missing password, and where it could stand', async () => {
    const error = await failure(accountUri(server, { ...accounts.scram, password: '' }));
    assert.equal(error.status, 'UNAUTHENTICATED');
    assert.match(error.message, /asks for the password of "scram", and none is given/);
    assert.match(error.hint ?? '', /PGPASSWORD/);
  });

  test('tells a database that is not there, a user that is not, and one who may not', async () => {
    const absent = await failure(accountUri(server, accounts.trusted), { dbname: 'nowhere' });
    assert.equal(absent.status, 'NOT_FOUND');
    assert.equal(absent.sqlState, '3D000');
    assert.equal(absent.exitCode, 3);
    for (const user of ['rejected', 'nobody at all']) {
      const error = await failure(server.uri, { user });
      assert.equal(error.status, 'UNAUTHENTICATED');
      assert.equal(error.sqlState, '28000');
      assert.match(error.hint ?? '', /pg_hba\.conf/);
    }
  });

  test('takes the password of PGPASSWORD, and of the password file, which an option comes before', async () => {
    const uri = accountUri(server, { ...accounts.scram, password: '' });
    const environment = { PGPASSWORD: accounts.scram.password };
    assert.equal(await connectAndAsk('SELECT current_user', uri, {}, { environment }), 'scram');
    const passfile = join(folder, 'pgpass');
    const port = server.postmaster?.port;
    writeFileSync(
      passfile,
      `# comment\nother:*:*:*:no\n*:${port}:postgres:md5:no\n127.0.0.1:${port}:*:scram:${accounts.scram.password}\n`,
      { mode: 0o600 },
    );
    assert.equal(await connectAndAsk('SELECT current_user', uri, { passfile }), 'scram');
    const md5 = await failure(accountUri(server, { ...accounts.md5, password: '' }), { passfile });
    assert.match(md5.hint ?? '', /the password is that of .*pgpass/);
    assert.equal((await failure(uri, { passfile, password: 'x' })).sqlState, '28P01');
  });

  test('passes over a password file that others may use, and says so', {
    skip: process.platform === 'win32',
  }, async () => {
    const passfile = join(folder, 'open-pgpass');
    writeFileSync(passfile, `*:*:*:*:${accounts.scram.password}\n`);
    chmodSync(passfile, 0o640);
    const warned = once(process, 'warning');
    const error = await failure(accountUri(server, { ...accounts.scram, password: '' }), { passfile });
    assert.match(error.hint ?? '', /passed over: others may use it \(mode 0640, must be 0600\)/);
    const [warning] = await warned;
    assert.match(String(warning), /open-pgpass/);
  });

  test('finds a Unix socket in its default folder as localhost in the password file', async () => {
    // Any other folder stands for itself.
    const passfile = join(folder, 'socket-pgpass');
    const host = server.postmaster?.socketFolder ?? '';
    writeFileSync(passfile, `localhost:*:*:*:no\n${host}:*:*:*:${accounts.scram.password}\n`, { mode: 0o600 });
    const uri = accountUri(server, { ...accounts.scram, password: '' });
    assert.equal(await connectAndAsk('SELECT current_user', uri, { passfile, host }), 'scram');
  });

  test('takes passwords of any script', async () => {
    const passwords = [
      'pässwörd',
      '\u{1f511}key',
      'e\u0301',
      'tab\there',
      "quote'\\back",
      ' edge ',
      '한글',
      'x'.repeat(900),
    ];
    for (const password of passwords) {
      await server.query(`ALTER ROLE scram PASSWORD '${password.replaceAll("'", "''")}'`);
      assert.equal(await connectAndAsk('SELECT current_user', server.uri, { user: 'scram', password }), 'scram');
    }
    await server.query(`ALTER ROLE scram PASSWORD '${accounts.scram.password}'`);
  });

  test('prepares passwords as the server does when it stores them', async () => {
    const passwords = samplePasswords();
    await server.query('SET scram_iterations = 1');
    await server.query(`CREATE FUNCTION pg_temp.store(password text) RETURNS text LANGUAGE plpgsql AS $$
      BEGIN
        EXECUTE format('ALTER ROLE rejected PASSWORD %L', password);
        RETURN (SELECT rolpassword FROM pg_authid WHERE rolname = 'rejected');
      END $$`);
    const rows = await server.query(
      `SELECT password, stored FROM unnest($1::text[]) AS password, LATERAL (SELECT pg_temp.store(password) AS stored) s`,
      [passwords],
    );
    assert.equal(rows.length, passwords.length);
    for (const { password, stored } of rows) {
      const [, salt = '', serverKey] = /^SCRAM-SHA-256\$1:([^$]+)\$[^:]+:(.+)$/.exec(String(stored)) ?? [];
      const salted = pbkdf2Sync(normalizePassword(String(password)), Buffer.from(salt, 'base64'), 1, 32, 'sha256');
      const key = createHmac('sha256', salted).update('Server Key').digest('base64');
      assert.equal(key, serverKey, `U+${[...String(password)].map((each) => each.codePointAt(0)?.toString(16))}`);
    }
  });

  test('asks a function for the password of each connection, and only if the server does', async () => {
    let calls = 0;
    const password = async (): Promise<string> => {
      calls++;
      return accounts.scram.password;
    };
    for (const expected of [1, 2]) {
      assert.equal(await connectAndAsk('SELECT current_user', server.uri, { user: 'scram' }, { password }), 'scram');
      assert.equal(calls, expected);
    }
    await connectAndAsk('SELECT 1', server.uri, { user: 'trusted' }, { password });
    assert.equal(calls, 2);
  });

  test('tells a function for the password that fails, gives nothing fit, or does not end', async () => {
    const cause = new Error('the token service is down');
    const failed = await failure(server.uri, { user: 'scram' }, { password: () => Promise.reject(cause) });
    assert.equal(failed.status, 'UNAUTHENTICATED');
    assert.equal(failed.cause, cause);
    const password = (): string => JSON.parse('5');
    assert.match((await failure(server.uri, { user: 'scram' }, { password })).message, /gave a number/);
    const endless = { password: () => new Promise<string>(() => {}) };
    const late = await failure(server.uri, { user: 'scram', connect_timeout: 1 }, endless);
    assert.equal(late.status, 'TIMEOUT');
  });

  test('keeps to require_auth', async () => {
    const uri = accountUri(server, accounts.scram);
    assert.equal(await connectAndAsk('SELECT 1', uri, { require_auth: 'scram-sha-256' }), '1');
    assert.equal((await failure(uri, { require_auth: 'md5' })).status, 'UNAUTHENTICATED');
    const trusted = accountUri(server, accounts.trusted);
    assert.equal(await connectAndAsk('SELECT 1', trusted, { require_auth: 'none' }), '1');
    assert.match((await failure(trusted, { require_auth: '!none' })).message, /no authentication, but require_auth/);
  });

  test('starts the session with what was asked for', async () => {
    const uri = accountUri(server, accounts.trusted);
    const options = '-c work_mem=5MB -c search_path="a\\ b"';
    const ask = (sql: string): Promise<string | undefined> =>
      connectAndAsk(sql, uri, { application_name: 'äpp', options }, { environment: { PGTZ: 'Asia/Tokyo' } });
    assert.equal(await ask('SHOW application_name'), '\\xc3\\xa4pp');
    assert.equal(await ask('SHOW work_mem'), '5MB');
    assert.equal(await ask('SHOW search_path'), '"a b"');
    assert.equal(await ask('SHOW TimeZone'), 'Asia/Tokyo');
    assert.equal(await ask('SHOW client_encoding'), 'UTF8');
    assert.equal(await connectAndAsk('SHOW application_name', uri), 'recurve');
    const wrong = await failure(uri, { options: '-c no_such_setting=1' });
    assert.equal(wrong.sqlState, '42704');
    assert.match(wrong.message, /no_such_setting/);
  });

  test('tells a server that is full', async () => {
    const uri = accountUri(server, accounts.trusted);
    const opened = [];
    let error: Awaited<ReturnType<typeof failure>> | undefined;
    for (let count = 0; count < 15 && error === undefined; count++) {
      const connected = await connect(uri).catch((caught) => {
        error = caught;
      });
      if (connected) opened.push(connected);
    }
    await Promise.all(opened.map(end));
    assert.equal(error?.status, 'IO');
    assert.equal(error.sqlState, '53300');
    assert.match(error.hint ?? '', /pool/);
  });

  test('leaves no session behind', async () => {
    const count =
      "SELECT count(*)::int AS n FROM pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    for (let attempt = 0; ; attempt++) {
      const [row] = await server.query(count);
      if (row?.n === 0) return;
      assert.ok(attempt < 40, `${row?.n} sessions are left`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });
});

/** The ends of every range of the tables, alone and among others, every character that normalises, and random ones. */
function samplePasswords(): string[] {
  const { prohibited, rightToLeft, leftToRight } = readPasswordTables();
  const edges = [...prohibited, ...rightToLeft, ...leftToRight].flatMap(([first, last]) => [
    first - 1,
    first,
    last,
    last + 1,
  ]);
  const spaces = [
    0xa0, 0x1680, 0x2000, 0x200b, 0x202f, 0x205f, 0x3000, 0x200a, 0x200c, 0xad, 0x34f, 0x1806, 0x180b, 0x2060, 0xfe0f,
    0xfeff,
  ];
  const codePoints = [...new Set([...edges, ...spaces])].filter(
    (each) => each > 0 && each <= 0x10_ffff && !(each >= 0xd800 && each <= 0xdfff),
  );
  const passwords = codePoints.flatMap((each) => {
    const character = String.fromCodePoint(each);
    // What normalises shows whether it was normalised; the letters give a direction.
    return [`${character}\u00aa`, `\u05d0${character}\ufb21`, `${character}\ufb21`];
  });
  for (let each = 0x80; each < 0x3_0000; each++) {
    const character = each >= 0xd800 && each <= 0xdfff ? '' : String.fromCodePoint(each);
    // What later versions of Unicode have corrected may differ in either table: only what 3.2 has is told.
    if (character.normalize('NFKC') !== character) passwords.push(`${character}!`);
  }
  const unit = fc.constantFrom(...codePoints.map((each) => String.fromCodePoint(each)), 'a', '1', '\u00aa', '\u05d0');
  const random = fc.sample(fc.array(unit, { minLength: 1, maxLength: 6 }), { numRuns: 1000, seed: 4013 });
  assert.ok(isInRanges(0x340, prohibited) && !isInRanges(0x300, prohibited));
  return [...passwords, ...random.map((each) => each.join(''))].filter((each) => each !== '');
}
