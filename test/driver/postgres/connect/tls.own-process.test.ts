import assert from 'node:assert/strict';
import { chmodSync, copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { sendCancel } from '../../../../src/driver/postgres/connect/index.ts';
import { accounts, accountUri, startAccountServer } from '../account.ts';
import { startTestServer, type TestServer, tlsFile, withoutOwnPostgres } from '../server.ts';
import { ask, connect, connectAndAsk, end, failure, type Keywords } from './session.ts';

const isSecure = 'SELECT ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()';
const root = { sslrootcert: tlsFile('ca.crt') };

describe('TLS to a PostgreSQL server', { skip: withoutOwnPostgres }, () => {
  let server: TestServer;
  let folder: string;
  let key: string;

  before(async () => {
    server = await startAccountServer({ tls: 'server' });
    folder = mkdtempSync(join(tmpdir(), 'recurve-tls-'));
    key = copyPrivate('client.key');
  });

  after(async () => {
    rmSync(folder, { recursive: true });
    await server.postmaster?.stop();
  });

  /** As a key must be: nobody else's. */
  function copyPrivate(name: string, mode = 0o600): string {
    const path = join(folder, `${mode}-${name}`);
    copyFileSync(tlsFile(name), path);
    chmodSync(path, mode);
    return path;
  }

  // The manual, 32.19.3, "Protection Provided in Different Modes", and what each does when the server has the other opinion.
  for (const [sslmode, onServerWithEither, whereTlsIsNeeded, whereTlsIsForbidden] of [
    ['disable', 'f', undefined, 'f'],
    ['allow', 'f', 't', 'f'],
    ['prefer', 't', 't', 'f'],
    ['require', 't', 't', undefined],
  ] as const) {
    test(`sslmode=${sslmode} is encrypted where it should be`, async () => {
      for (const [account, expected] of [
        [accounts.trusted, onServerWithEither],
        [accounts.tlsOnly, whereTlsIsNeeded],
        [accounts.plainOnly, whereTlsIsForbidden],
      ] as const) {
        const uri = accountUri(server, account);
        if (expected !== undefined) assert.equal(await connectAndAsk(isSecure, uri, { sslmode }), expected);
        else assert.equal((await failure(uri, { sslmode })).sqlState, '28000');
      }
    });
  }

  test('a Unix socket knows no TLS, whatever sslmode says', async () => {
    const keywords = { host: server.postmaster?.socketFolder ?? '', sslmode: 'verify-full' };
    assert.equal(await connectAndAsk(isSecure, accountUri(server, accounts.trusted), keywords), 'f');
  });

  for (const [what, keywords, expected] of [
    ['verify-ca with the authority', { sslmode: 'verify-ca', ...root }, true],
    ['verify-full with the name of the host', { sslmode: 'verify-full', ...root, host: 'localhost' }, true],
    ['verify-full with the address of the host', { sslmode: 'verify-full', ...root }, true],
    [
      'verify-full with name and address',
      { sslmode: 'verify-full', ...root, host: 'localhost', hostaddr: '127.0.0.1' },
      true,
    ],
    [
      'verify-full with another name',
      { sslmode: 'verify-full', ...root, host: 'db.example', hostaddr: '127.0.0.1' },
      /certificate of the server is for .*localhost.*, not for db\.example/,
    ],
    [
      'verify-full with an address alone',
      { sslmode: 'verify-full', ...root, host: '', hostaddr: '127.0.0.1' },
      /needs the name/,
    ],
    ['verify-ca with another name', { sslmode: 'verify-ca', ...root, host: 'db.example', hostaddr: '127.0.0.1' }, true],
    [
      'verify-ca with a strange authority',
      { sslmode: 'verify-ca', sslrootcert: tlsFile('stranger.crt') },
      /TLS failed/,
    ],
    ['require with a strange authority', { sslmode: 'require', sslrootcert: tlsFile('stranger.crt') }, /TLS failed/],
    ['require without an authority', { sslmode: 'require' }, true],
    ['verify-ca without an authority', { sslmode: 'verify-ca' }, /there are none in .*\.postgresql.root\.crt/],
    [
      'verify-ca with a file that is not there',
      { sslmode: 'verify-ca', sslrootcert: '/no/ca.crt' },
      /none in \/no\/ca\.crt/,
    ],
    ['the authorities of the system', { sslrootcert: 'system', host: 'localhost' }, /TLS failed/],
    ['TLS 1.3 alone', { sslmode: 'require', ssl_min_protocol_version: 'TLSv1.3' }, true],
    ['direct negotiation', { sslmode: 'require', sslnegotiation: 'direct' }, true],
  ] as const) {
    test(`${what} ${expected === true ? 'connects' : 'is refused'}`, async () => {
      const uri = accountUri(server, accounts.trusted);
      if (expected === true) assert.equal(await connectAndAsk(isSecure, uri, keywords), 't');
      else {
        const error = await failure(uri, keywords);
        assert.match(error.message, expected);
        assert.equal(error.status, 'IO');
        assert.equal(error.exitCode, 3);
      }
    });
  }

  test('prefer goes on in the clear where TLS fails', async () => {
    const keywords = { sslmode: 'prefer', sslrootcert: tlsFile('stranger.crt') };
    assert.equal(await connectAndAsk(isSecure, accountUri(server, accounts.trusted), keywords), 'f');
  });

  test('SCRAM binds to the certificate', async () => {
    const uri = accountUri(server, accounts.scram);
    const keywords = { sslmode: 'require', channel_binding: 'require' };
    assert.equal(await connectAndAsk('SELECT current_user', uri, keywords), 'scram');
    assert.equal(await connectAndAsk('SELECT 1', uri, { ...keywords, channel_binding: 'disable' }), '1');
    const md5 = await failure(accountUri(server, accounts.md5), keywords);
    assert.match(md5.message, /asks for md5, but channel_binding=require/);
    const plain = await failure(uri, { ...keywords, sslmode: 'disable' });
    assert.match(plain.message, /not over TLS/);
  });

  test('a certificate of the client lets it in', async () => {
    const uri = accountUri(server, accounts.certified);
    const keywords = { sslmode: 'verify-ca', ...root, sslcert: tlsFile('client.crt') };
    assert.equal(await connectAndAsk('SELECT current_user', uri, { ...keywords, sslkey: key }), 'certified');
    const encrypted = { ...keywords, sslkey: copyPrivate('client-encrypted.key') };
    assert.equal(await connectAndAsk('SELECT 1', uri, { ...encrypted, sslpassword: 'open-sesame' }), '1');
    const wrong = await failure(uri, { ...encrypted, sslpassword: 'wrong-Passphrase' });
    assert.match(wrong.message, /^127\.0\.0\.1:\d+: TLS failed/);
    assert.doesNotMatch(`${wrong.message} ${wrong.hint}`, /wrong-Passphrase/);
    assert.match((await failure(uri, { sslmode: 'require' })).message, /requires a valid client certificate/);
    assert.equal((await failure(uri, { ...keywords, sslkey: key, sslcertmode: 'disable' })).sqlState, '28000');
  });

  test('a key that others may use is refused', { skip: process.platform === 'win32' }, async () => {
    const keywords = { sslmode: 'require', sslcert: tlsFile('client.crt') };
    const open = await failure(accountUri(server, accounts.certified), {
      ...keywords,
      sslkey: copyPrivate('client.key', 0o644),
    });
    assert.match(open.message, /others may use the key .*\(mode 0644\)/);
    const absent = await failure(accountUri(server, accounts.certified), { ...keywords, sslkey: '/no/client.key' });
    assert.match(absent.message, /not its key \/no\/client\.key/);
  });

  test('a cancel request goes over TLS where the session does', async () => {
    for (const sslmode of ['require', 'disable']) {
      const connected = await connect(accountUri(server, accounts.trusted), { sslmode });
      assert.equal(connected.isSecure, sslmode === 'require');
      const startedMs = performance.now();
      const stopped = assert.rejects(ask(connected, 'SELECT pg_sleep(10)'), /canceling statement due to user request/);
      const waiting = `SELECT 1 FROM pg_stat_activity WHERE query LIKE '%pg_sleep(10)' AND pid <> pg_backend_pid() AND state = 'active'`;
      while ((await server.query(waiting)).length === 0);
      await sendCancel(connected, new AbortController().signal);
      await stopped;
      assert.ok(performance.now() - startedMs < 5000);
      assert.equal(await ask(connected, 'SELECT 2'), '2');
      await end(connected);
    }
  });

  test('protocol 3.2 has long keys, by which statements are cancelled', async () => {
    const connected = await connect(accountUri(server, accounts.trusted), { max_protocol_version: '3.2' });
    const { secretKey } = connected.backendKey ?? {};
    assert.equal(secretKey?.length, server.version >= 180_000 ? 32 : 4);
    const stopped = assert.rejects(ask(connected, 'SELECT pg_sleep(10)'), /canceling statement/);
    const again = setInterval(() => void sendCancel(connected, new AbortController().signal), 50);
    await stopped;
    clearInterval(again);
    await end(connected);
  });
});

describe('TLS to servers with other certificates', { skip: withoutOwnPostgres }, () => {
  const localhost = { host: 'localhost', hostaddr: '127.0.0.1', ...root };
  for (const [certificate, keywords, expected] of [
    ['server-sha512', { sslmode: 'verify-full', channel_binding: 'require', ...localhost }, true],
    ['elsewhere', { sslmode: 'verify-full', ...localhost }, /is for .*elsewhere\.test, not for localhost/],
    ['elsewhere', { sslmode: 'verify-ca', ...localhost }, true],
    ['elsewhere', { sslmode: 'verify-full', ...localhost, host: 'elsewhere.test' }, true],
    ['expired', { sslmode: 'verify-ca', ...localhost }, /certificate has expired/],
    ['expired', { sslmode: 'require' }, true],
  ] satisfies [certificate: 'server-sha512' | 'elsewhere' | 'expired', keywords: Keywords, expected: true | RegExp][]) {
    test(`${certificate} with ${keywords.sslmode}`, async () => {
      const server = await startAccountServer({ tls: certificate });
      try {
        const uri = accountUri(server, accounts.scram);
        if (expected === true) assert.equal(await connectAndAsk('SELECT current_user', uri, keywords), 'scram');
        else assert.match((await failure(uri, keywords)).message, expected);
      } finally {
        await server.postmaster?.stop();
      }
    });
  }

  test('a version of TLS that the server does not have is told', async () => {
    const server = await startTestServer({ tls: 'server', settings: { ssl_max_protocol_version: 'TLSv1.2' } });
    try {
      assert.equal(await connectAndAsk(isSecure, server.uri, { sslmode: 'require' }), 't');
      const error = await failure(server.uri, { sslmode: 'require', ssl_min_protocol_version: 'TLSv1.3' });
      assert.match(error.message, /TLS failed/);
    } finally {
      await server.postmaster?.stop();
    }
  });

  test('a server without TLS is used in the clear by prefer, and refused by require', async () => {
    const server = await startTestServer();
    try {
      assert.equal(await connectAndAsk('SELECT 1', server.uri), '1');
      assert.match((await failure(server.uri, { sslmode: 'require' })).message, /has no TLS/);
      const direct = await failure(server.uri, { sslmode: 'require', sslnegotiation: 'direct' });
      assert.equal(direct.status, 'IO');
    } finally {
      await server.postmaster?.stop();
    }
  });
});
