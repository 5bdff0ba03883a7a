import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { TLSSocket } from 'node:tls';
import { fileURLToPath } from 'node:url';
import { FakePeer, FakeServer, message } from './fake-server.ts';
import { connect, end, failure, type Keywords } from './session.ts';

const file = (name: string): string => fileURLToPath(new URL(`revoked/${name}`, import.meta.url));
const root: Keywords = { sslmode: 'verify-ca', sslrootcert: file('ca.crt') };

interface TlsPeerOptions {
  /** Begins with TLS, unasked. */
  readonly direct?: boolean;
  readonly alpn?: string;
}

/** A server that speaks TLS with `revoked/server.crt`, then lets anybody in. */
function startTlsServer({ direct = false, alpn }: TlsPeerOptions = {}): Promise<FakeServer> {
  return FakeServer.start(async (peer) => {
    if (!direct) {
      await peer.readStartup();
      peer.socket.write('S');
    }
    const socket = new TLSSocket(peer.socket, {
      isServer: true,
      cert: readFileSync(file('server.crt')),
      key: readFileSync(file('server.key')),
      ...(alpn === undefined ? {} : { ALPNProtocols: [alpn] }),
    });
    socket.on('error', () => {});
    await Promise.race([once(socket, 'secure'), once(socket, 'close')]);
    if (socket.destroyed) return;
    const secure = new FakePeer(socket);
    await secure.readStartup();
    secure.letIn();
  });
}

const uriOf = (server: FakeServer): string => `postgresql://u@127.0.0.1:${server.port}/db`;

describe('TLS', () => {
  test('takes a certificate that no list has revoked', async () => {
    await using server = await startTlsServer();
    await end(await connect(uriOf(server), root));
    await end(await connect(uriOf(server), { ...root, sslcrl: file('empty.crl') }));
  });

  test('refuses one that sslcrl has revoked', async () => {
    await using server = await startTlsServer();
    const error = await failure(uriOf(server), { ...root, sslcrl: file('ca.crl') });
    assert.match(error.message, /TLS failed: certificate revoked/);
    assert.equal(error.exitCode, 3);
    const absent = await failure(uriOf(server), { ...root, sslcrl: '/no/ca.crl' });
    assert.match(absent.message, /no list of revoked certificates \/no\/ca\.crl/);
  });

  test('that is begun directly needs a server that chooses PostgreSQL in it', async () => {
    const keywords = { ...root, sslnegotiation: 'direct' };
    await using knowing = await startTlsServer({ direct: true, alpn: 'postgresql' });
    await end(await connect(uriOf(knowing), keywords));
    // As a web server behind the port would: a request to it must not be taken for a session.
    await using unknowing = await startTlsServer({ direct: true });
    assert.match((await failure(uriOf(unknowing), keywords)).message, /did not choose PostgreSQL/);
  });

  test('refuses channel binding that is taken away on the way', async () => {
    // Somebody between who offers less than the server does.
    await using server = await FakeServer.start(async (peer) => {
      await peer.readStartupInTheClear();
      peer.socket.write(message('R', 10, 'SCRAM-SHA-256\0\0'));
    });
    const keywords = { sslmode: 'prefer', channel_binding: 'require', password: 'x' };
    assert.match((await failure(uriOf(server), keywords)).message, /channel_binding=require/);
  });
});
