import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { RecurveError } from 'recurve';
import { connectServer } from '../../../../src/driver/postgres/connect/index.ts';
import { readConnectSettings } from '../../../../src/driver/postgres/connect/read-settings.ts';
import { FakeServer, message, report } from './fake-server.ts';
import { connect, end } from './session.ts';

const letIn = Buffer.concat([
  message('R', 0),
  message('S', 'server_version\0', '18.4\0'),
  report('01000', 'a notice', 'WARNING').fill('N', 0, 1),
  message('S', 'in_hot_standby\0', 'off\0'),
  message('K', 4711, Buffer.alloc(32, 9)),
  message('Z', 'I'),
]);

/** A server that answers the start-up message with these pieces, and then closes where `closes`. */
function answer(pieces: () => readonly Uint8Array[], { closes }: { readonly closes: boolean }): Promise<FakeServer> {
  return FakeServer.start(async (peer) => {
    peer.socket.setNoDelay(true);
    await peer.readStartupInTheClear();
    for (const piece of pieces()) {
      peer.socket.write(piece);
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (closes) peer.socket.end();
  });
}

describe('what answers a start-up message', () => {
  test('may come in any pieces', async () => {
    const bytes = [...letIn].map((byte) => Uint8Array.of(byte));
    await using server = await answer(() => bytes, { closes: false });
    const connected = await connect(`postgresql://u@127.0.0.1:${server.port}/db`, { sslmode: 'disable' });
    assert.equal(connected.serverVersion, 180_004);
    assert.deepEqual(connected.backendKey, { processId: 4711, secretKey: new Uint8Array(32).fill(9) });
    assert.equal(connected.channel.parameters.get('in_hot_standby'), 'off');
    await end(connected);
  });

  test('ends in a session or in one error, whatever it is', async () => {
    let pieces: readonly Uint8Array[] = [];
    await using server = await answer(() => pieces, { closes: true });
    const text = `host=127.0.0.1 port=${server.port} user=u password=p sslmode=disable`;
    const { connect: settings } = readConnectSettings(new Map([['uri', text]]), { environment: {} });
    const type = fc.constantFrom(...'RSKZENAvTDC1');
    const body = fc.uint8Array({ maxLength: 24 });
    const wellFramed = fc.tuple(type, body).map(([kind, bytes]) => message(kind, bytes));
    const authentication = fc
      .tuple(fc.constantFrom(0, 3, 5, 10, 11, 12), body)
      .map(([code, bytes]) => message('R', code, bytes));
    const cut = fc.nat({ max: letIn.length }).map((length) => letIn.subarray(0, length));
    const piece = fc.oneof(wellFramed, authentication, cut, fc.uint8Array({ maxLength: 40 }));
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 5 }), async (sent) => {
        pieces = sent;
        try {
          await end(await connectServer(settings, new AbortController().signal));
        } catch (error) {
          assert.ok(RecurveError.is(error), String(error));
          assert.equal(error.exitCode, 3, `${error.status} ${error.message}`);
          assert.doesNotMatch(error.message, /\n/);
        }
      }),
      { numRuns: 300, seed: 5432 },
    );
  });
});
