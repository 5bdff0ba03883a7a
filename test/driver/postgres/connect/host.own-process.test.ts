import assert from 'node:assert/strict';
import { createServer } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { readServerRole } from '../../../../src/driver/postgres/connect/target-session.ts';
import { startTestServer, type TestServer, withoutOwnPostgres } from '../server.ts';
import { FakeServer, report } from './fake-server.ts';
import { ask, connect, connectAndAsk, end, failure } from './session.ts';

describe('several hosts', { skip: withoutOwnPostgres }, () => {
  let readOnly: TestServer;
  let writable: TestServer;
  let closedPort: number;
  const which = 'SHOW port';

  before(async () => {
    [readOnly, writable] = await Promise.all([
      startTestServer({ settings: { default_transaction_read_only: true } }),
      startTestServer(),
    ]);
    closedPort = await findClosedPort();
  });

  after(async () => {
    await Promise.all([readOnly.postmaster?.stop(), writable.postmaster?.stop()]);
  });

  const port = (server: TestServer): number => server.postmaster?.port ?? 0;
  const uriOf = (...ports: number[]): string =>
    `postgresql://postgres@${ports.map((each) => `127.0.0.1:${each}`).join(',')}/postgres`;

  test('are tried in order, past one where nobody listens', async () => {
    assert.equal(await connectAndAsk(which, uriOf(closedPort, port(writable), port(readOnly))), String(port(writable)));
    assert.equal(await connectAndAsk(which, uriOf(port(readOnly), closedPort)), String(port(readOnly)));
  });

  test('are tried past one that starts up, but not past one that refuses', async () => {
    for (const [code, next] of [
      ['57P03', true],
      ['28P01', false],
      ['3D000', false],
    ] as const) {
      await using fake = await FakeServer.start(async (peer) => {
        await peer.readStartupInTheClear();
        peer.socket.end(report(code, 'no'));
      });
      const uri = uriOf(fake.port, port(writable));
      if (next) assert.equal(await connectAndAsk(which, uri), String(port(writable)));
      else assert.equal((await failure(uri)).sqlState, code);
    }
  });

  test('are tried past one that stays silent, each with a time of its own', async () => {
    await using fake = await FakeServer.start(() => {});
    const keywords = { connect_timeout: 1 };
    assert.equal(await connectAndAsk(which, uriOf(fake.port, port(writable)), keywords), String(port(writable)));
    const error = await failure(uriOf(fake.port, fake.port), keywords);
    assert.equal(error.status, 'TIMEOUT');
    assert.match(error.message, /none of 2 addresses could be used: .*1 s; .*1 s/);
  });

  test('are all named with their reasons where none will do', async () => {
    const error = await failure(`postgresql://postgres@127.0.0.1:${closedPort},no-such-host.invalid,[::1]:1/postgres`);
    assert.equal(error.status, 'IO');
    assert.equal(error.exitCode, 3);
    assert.match(error.message, new RegExp(`127\\.0\\.0\\.1:${closedPort}.*ECONNREFUSED`));
    assert.match(error.message, /no address of "no-such-host\.invalid"/);
    assert.match(error.message, /\[::1\]:1/);
  });

  test('one where nobody listens says where and what to look at', async () => {
    const error = await failure(uriOf(closedPort));
    assert.equal(error.status, 'IO');
    assert.match(error.hint ?? '', /is the server running/);
    const socket = await failure('postgresql://postgres@/?host=/no/such/folder');
    assert.match(socket.message, /\/no\/such\/folder\/\.s\.PGSQL\.5432/);
  });

  for (const [target, expected] of [
    ['any', 'readOnly'],
    ['read-write', 'writable'],
    ['read-only', 'readOnly'],
    ['primary', 'readOnly'],
    ['prefer-standby', 'readOnly'],
  ] as const) {
    test(`target_session_attrs=${target} is found among them`, async () => {
      const uri = uriOf(port(readOnly), port(writable));
      const server = expected === 'readOnly' ? readOnly : writable;
      assert.equal(await connectAndAsk(which, uri, { target_session_attrs: target }), String(port(server)));
    });
  }

  test('none of which is what target_session_attrs asks for are named with what they are', async () => {
    const error = await failure(uriOf(port(readOnly), port(writable)), { target_session_attrs: 'standby' });
    assert.match(error.message, /the server is no standby; .*the server is no standby/);
    assert.match(error.hint ?? '', /target_session_attrs is standby/);
  });

  test('a server that does not report its role is asked', async () => {
    for (const server of [readOnly, writable]) {
      const connected = await connect(server.uri);
      const reported = await readServerRole(connected.channel);
      // As servers before 14.
      connected.channel.parameters.delete('in_hot_standby');
      assert.deepEqual(await readServerRole(connected.channel), reported);
      assert.deepEqual(reported, { isStandby: false, isReadOnly: server === readOnly });
      assert.equal(await ask(connected, 'SELECT 1'), '1');
      await end(connected);
    }
  });

  test('load_balance_hosts=random uses all of them', async () => {
    const uri = uriOf(port(readOnly), port(writable));
    const seen = new Set<string | undefined>();
    // Forty of one kind in a row: once in 10^12.
    for (let round = 0; round < 40 && seen.size < 2; round++) {
      seen.add(await connectAndAsk(which, uri, { load_balance_hosts: 'random' }));
    }
    assert.equal(seen.size, 2);
  });

  test('nothing is asked of the catalog when connecting', async () => {
    await using database = await writable.createDatabase();
    const connected = await connect(database.uri);
    const [row] = await writable.query('SELECT query FROM pg_stat_activity WHERE datname = $1', [database.name]);
    assert.equal(row?.query, '');
    await end(connected);
  });
});

/** One that was free a moment ago. */
async function findClosedPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
