import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { RecurveError } from 'recurve';
import { type ConnectedServer, connectServer, sendCancel } from '../../../../src/driver/postgres/connect/index.ts';
import { readConnectSettings } from '../../../../src/driver/postgres/connect/read-settings.ts';
import { FakeServer, message, report, type Script } from './fake-server.ts';

interface Trial {
  readonly uri?: string;
  readonly signal?: AbortSignal;
}

function connect(
  port: number | string,
  { uri = '', signal = new AbortController().signal }: Trial = {},
): Promise<ConnectedServer> {
  const text = `host=127.0.0.1 port=${port} user=u password=secret ${uri}`;
  const { connect: settings } = readConnectSettings(new Map([['uri', text]]), {
    environment: {},
    homeFolder: '/nonexistent',
  });
  return connectServer(settings, signal);
}

/** Plays the script and gives what connecting to it ends with; no connection is left open. */
async function failure(script: Script, trial?: Trial): Promise<RecurveError> {
  const server = await FakeServer.start(script);
  try {
    const error = await connect(server.port, trial).then(
      () => assert.fail('it connected'),
      (caught: unknown) => caught,
    );
    assert.ok(RecurveError.is(error), String(error));
    assert.doesNotMatch(`${error.message} ${error.hint}`, /secret/);
    await until(() => server.openConnections === 0);
    assert.deepEqual(server.faults, []);
    return error;
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

async function until(condition: () => boolean): Promise<void> {
  for (let attempt = 0; !condition(); attempt++) {
    assert.ok(attempt < 200, 'it did not come to that within 2 s');
    await sleep(10);
  }
}

const scram = message('R', 10, 'SCRAM-SHA-256\0\0');

describe('connecting to what is no good PostgreSQL server', () => {
  test('bytes behind the answer to the request for TLS are refused (CVE-2021-23222)', async () => {
    const error = await failure(
      async (peer) => {
        await peer.readStartup();
        peer.socket.write(Buffer.concat([Buffer.from('S'), message('R', 0)]));
      },
      { uri: 'sslmode=require' },
    );
    assert.match(error.message, /before the encryption/);
    assert.equal(error.exitCode, 3);
  });

  test('bytes behind a refusal of TLS are refused too', async () => {
    const error = await failure(async (peer) => {
      await peer.readStartup();
      peer.socket.write(Buffer.concat([Buffer.from('N'), message('R', 0)]));
    });
    assert.match(error.message, /before the encryption/);
  });

  test('an error instead of the answer is not shown, since nobody has proved to have said it (CVE-2024-10977)', async () => {
    const error = await failure(
      async (peer) => {
        await peer.readStartup();
        peer.socket.write(report('08006', 'visit evil.example'));
      },
      { uri: 'sslmode=require' },
    );
    assert.match(error.message, /answered the request for TLS with an error/);
    assert.doesNotMatch(error.message, /evil/);
  });

  for (const [name, garbage] of [
    ['HTTP', 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'],
    ['SSH', 'SSH-2.0-OpenSSH_9.2\r\n'],
    ['zeros', '\0\0\0\0\0\0\0\0\0\0'],
    ['a length below 4', 'R\0\0\0\x03'],
    ['a length of 2 GiB', 'R\x7f\xff\xff\xff'],
    ['an authentication request without a code', 'R\0\0\0\x05a'],
    ['a setting without its end', 'S\0\0\0\x08abcd'],
    ['a notice without its end', 'N\0\0\0\x08Mabc'],
    ['an error without its end', 'E\0\0\0\x08Mabc'],
    ['rows', 'D\0\0\0\x06\0\0'],
  ] as const) {
    test(`${name} in the place of an authentication request ends in one error`, async () => {
      const error = await failure(async (peer) => {
        await peer.readStartupInTheClear();
        peer.socket.end(Buffer.from(garbage, 'latin1'));
      });
      assert.ok(['IO', 'INTERNAL'].includes(error.status), error.status);
      assert.equal(error.exitCode, 3);
    });
  }

  test('another byte than S, N or E is no answer to the request for TLS', async () => {
    const error = await failure(
      async (peer) => {
        await peer.readStartup();
        peer.socket.write('H');
      },
      { uri: 'sslmode=require' },
    );
    assert.match(error.message, /the byte 0x48/);
    assert.match(error.hint ?? '', /PostgreSQL server\?/);
  });

  test('a refusal of TLS is told where it is required, and the password not sent', async () => {
    const error = await failure(
      async (peer) => {
        await peer.readStartup();
        peer.socket.write('N');
        await peer.read(1);
      },
      { uri: 'sslmode=require' },
    );
    assert.match(error.message, /no TLS, but sslmode asks for it/);
  });

  test('a server that stays silent ends in TIMEOUT', async () => {
    const startedMs = performance.now();
    const error = await failure(() => {}, { uri: 'connect_timeout=1' });
    assert.equal(error.status, 'TIMEOUT');
    assert.equal(error.exitCode, 3);
    assert.match(error.message, /connecting to 127\.0\.0\.1:\d+ took longer than connect_timeout, 1 s/);
    assert.ok(performance.now() - startedMs < 2000);
  });

  test('so does one that stays silent after each step', async () => {
    const steps = [
      (peer) => peer.readStartupInTheClear().then(() => {}),
      async (peer) => {
        await peer.readStartupInTheClear();
        peer.socket.write(scram);
      },
      async (peer) => {
        await peer.readStartupInTheClear();
        peer.send('R', 0);
      },
      async (peer) => {
        await peer.readStartup();
        peer.socket.write('S');
      },
    ] satisfies Script[];
    const errors = await Promise.all(steps.map((step) => failure(step, { uri: 'connect_timeout=1' })));
    for (const { status } of errors) assert.equal(status, 'TIMEOUT');
  });

  test('one that drips notices does not escape the limit', async () => {
    const error = await failure(
      async (peer) => {
        await peer.readStartupInTheClear();
        while (!peer.socket.destroyed) {
          peer.socket.write(report('00000', 'wait', 'NOTICE').fill('N', 0, 1));
          await sleep(50);
        }
      },
      { uri: 'connect_timeout=1' },
    );
    assert.equal(error.status, 'TIMEOUT');
  });

  test('a signal stops it at each step with its own reason', async () => {
    const reason = new RecurveError('CANCELLED', 'given up');
    for (const step of [
      () => {},
      (peer) => peer.readStartupInTheClear().then(() => {}),
      async (peer) => {
        await peer.readStartup();
        peer.socket.write('S');
      },
    ] satisfies Script[]) {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(reason), 100);
      const startedMs = performance.now();
      assert.equal(await failure(step, { signal: controller.signal }), reason);
      assert.ok(performance.now() - startedMs < 1000);
      clearTimeout(timer);
    }
  });

  test('one that closes at each step is IO', async () => {
    for (const step of [
      (peer) => void peer.socket.destroy(),
      async (peer) => {
        await peer.readStartup();
        peer.socket.end();
      },
      async (peer) => {
        await peer.readStartupInTheClear();
        peer.socket.end();
      },
      async (peer) => {
        await peer.readStartupInTheClear();
        peer.socket.end(message('R', 0));
      },
    ] satisfies Script[]) {
      const error = await failure(step);
      assert.equal(error.status, 'IO');
      assert.match(error.message, /127\.0\.0\.1:\d+: /);
    }
  });

  test('a session without the end of its SCRAM exchange is refused', async () => {
    const error = await failure(async (peer) => {
      await peer.readStartupInTheClear();
      peer.socket.write(scram);
      const body = await peer.readMessage();
      const nonce = /r=(.*)$/.exec(body.toString())?.[1];
      peer.send('R', 11, `r=${nonce}x,s=c2FsdA==,i=1`);
      await peer.readMessage();
      peer.letIn();
    });
    assert.equal(error.status, 'UNAUTHENTICATED');
    assert.match(error.message, /without proving that it knows the password/);
  });

  test('a server that does not know the password is refused', async () => {
    const error = await failure(async (peer) => {
      await peer.readStartupInTheClear();
      peer.socket.write(scram);
      const nonce = /r=(.*)$/.exec((await peer.readMessage()).toString())?.[1];
      peer.send('R', 11, `r=${nonce}x,s=c2FsdA==,i=1`);
      await peer.readMessage();
      peer.send('R', 12, `v=${Buffer.alloc(32).toString('base64')}`);
      peer.letIn();
    });
    assert.match(error.message, /it does not know the password/);
  });

  test('channel binding offered without TLS is refused: somebody stands between', async () => {
    const error = await failure(async (peer) => {
      await peer.readStartupInTheClear();
      peer.send('R', 10, 'SCRAM-SHA-256-PLUS\0SCRAM-SHA-256\0\0');
    });
    assert.equal(error.status, 'UNAUTHENTICATED');
    assert.match(error.message, /without TLS/);
  });

  for (const [name, uri, request, expected] of [
    [
      'md5 where SCRAM is required',
      'require_auth=scram-sha-256',
      message('R', 5, 'salt'),
      /asks for md5, but require_auth/,
    ],
    ['a password in the clear where md5 is required', 'require_auth=md5', message('R', 3), /asks for password, but/],
    ['nothing where something is required', 'require_auth=!none', message('R', 0), /no authentication, but/],
    [
      'md5 where channel binding is required',
      'channel_binding=require',
      message('R', 5, 'salt'),
      /channel_binding=require/,
    ],
    ['SCRAM without TLS where binding is required', 'channel_binding=require', scram, /not over TLS/],
    ['nothing where channel binding is required', 'channel_binding=require', message('R', 0), /without it/],
    ['two kinds of authentication', '', Buffer.concat([message('R', 3), message('R', 5, 'salt')]), /second request/],
    ['a challenge without an exchange', '', message('R', 11, 'r=x'), /a SASL challenge/],
    ['the end of no exchange', '', message('R', 12, 'v=x'), /the end of a SASL exchange/],
  ] as const) {
    test(`${name} is refused`, async () => {
      const error = await failure(
        async (peer) => {
          await peer.readStartupInTheClear();
          peer.socket.write(request);
        },
        { uri },
      );
      assert.match(error.message, expected);
      assert.equal(error.exitCode, 3);
    });
  }

  for (const [name, code] of [
    ['Kerberos', 7],
    ['SSPI', 9],
    ['Kerberos V5', 2],
    ['an unknown kind', 99],
  ] as const) {
    test(`a request for ${name} is NOT_IMPLEMENTED`, async () => {
      const error = await failure(async (peer) => {
        await peer.readStartupInTheClear();
        peer.send('R', code);
      });
      assert.equal(error.status, 'NOT_IMPLEMENTED');
    });
  }

  test('a mechanism that is not known is NOT_IMPLEMENTED', async () => {
    const error = await failure(async (peer) => {
      await peer.readStartupInTheClear();
      peer.send('R', 10, 'OAUTHBEARER\0\0');
    });
    assert.equal(error.status, 'NOT_IMPLEMENTED');
    assert.match(error.message, /"OAUTHBEARER"/);
  });

  test('servers before 10 are refused by their version', async () => {
    for (const version of ['9.6.24', '8.0.2']) {
      const error = await failure(async (peer) => {
        await peer.readStartupInTheClear();
        peer.letIn({ version });
      });
      assert.equal(error.status, 'NOT_IMPLEMENTED');
      assert.match(error.message, new RegExp(`PostgreSQL ${version.replaceAll('.', '\\.')}, and this driver needs 10`));
    }
  });

  test('a server older than min_protocol_version is refused', async () => {
    const error = await failure(
      async (peer) => {
        await peer.readStartupInTheClear();
        peer.send('v', 0, 0);
        peer.letIn();
      },
      { uri: 'min_protocol_version=3.2' },
    );
    assert.equal(error.status, 'NOT_IMPLEMENTED');
    assert.match(error.message, /speaks protocol 3\.0, but min_protocol_version is 3\.2/);
  });

  test('a cancel key of an impossible length is refused', async () => {
    for (const key of [Buffer.alloc(0), Buffer.alloc(257)]) {
      const error = await failure(async (peer) => {
        await peer.readStartupInTheClear();
        peer.letIn({ key });
      });
      assert.match(error.message, /cancel key/);
    }
  });
});

describe('connecting to a server as the protocol has it', () => {
  // As pgbouncer 1.18 answers: it has one SQLSTATE for all of them.
  for (const [text, status] of [
    ['SASL authentication failed', 'UNAUTHENTICATED'],
    ['password authentication failed', 'UNAUTHENTICATED'],
    ['no such user: u', 'UNAUTHENTICATED'],
    ['no such database: d', 'NOT_FOUND'],
    ['unsupported startup parameter: options', 'IO'],
  ] as const) {
    test(`takes a pooler's ${JSON.stringify(text)} for ${status}`, async () => {
      const error = await failure(async (peer) => {
        await peer.readStartupInTheClear();
        peer.socket.end(report('08P01', text));
      });
      assert.equal(error.status, status);
      assert.equal(error.exitCode, 3);
    });
  }

  test('sends start-up parameters, a cleartext and an MD5 password', async () => {
    const seen: string[] = [];
    const passwords: string[] = [];
    await using server = await FakeServer.start(async (peer) => {
      const parameters = await peer.readStartupInTheClear();
      seen.push(JSON.stringify(Object.fromEntries(parameters)));
      if (server.connections === 1) peer.send('R', 3);
      else peer.send('R', 5, 'salt');
      passwords.push((await peer.readMessage()).toString());
      peer.letIn();
    });
    for (let round = 0; round < 2; round++) {
      const connected = await connect(server.port, { uri: "dbname=d options='-c x=y' application_name=é" });
      await connected.channel.end();
    }
    const expected = {
      protocol: '3.0',
      user: 'u',
      database: 'd',
      client_encoding: 'UTF8',
      DateStyle: 'ISO',
      application_name: 'é',
      options: '-c x=y',
    };
    assert.deepEqual(seen, Array(2).fill(JSON.stringify(expected)));
    const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
    assert.deepEqual(passwords, ['secret\0', `md5${md5(`${md5('secretu')}salt`)}\0`]);
  });

  test('takes protocol 3.2 with a long cancel key, and gives that key with the cancel request', async () => {
    const key = Buffer.alloc(256, 7);
    const cancelled: Buffer[] = [];
    await using server = await FakeServer.start(async (peer) => {
      if (server.connections === 2) {
        const { code, body } = await peer.readStartup();
        assert.equal(code, 80_877_102);
        cancelled.push(body);
        peer.socket.end();
        return;
      }
      assert.equal((await peer.readStartupInTheClear()).get('protocol'), '3.2');
      peer.letIn({ key });
    });
    const connected = await connect(server.port, { uri: 'max_protocol_version=latest' });
    assert.equal(connected.serverVersion, 180_004);
    await sendCancel(connected, new AbortController().signal);
    const processId = Buffer.alloc(4);
    processId.writeInt32BE(4711);
    assert.deepEqual(cancelled, [Buffer.concat([processId, key])]);
    await connected.channel.end();
    assert.deepEqual(server.faults, []);
  });

  test('goes down to the protocol that the server has', async () => {
    await using server = await FakeServer.start(async (peer) => {
      await peer.readStartupInTheClear();
      // Servers give the minor version, or since 18 the whole.
      peer.send('v', server.connections === 1 ? 0 : 196_608, 0);
      peer.letIn();
    });
    for (let round = 0; round < 2; round++) {
      await (await connect(server.port, { uri: 'max_protocol_version=3.2' })).channel.end();
    }
  });

  test('a cancel request to a server that does not answer is stopped by its signal', async () => {
    await using server = await FakeServer.start(async (peer) => {
      if (server.connections === 1) {
        await peer.readStartupInTheClear();
        peer.letIn();
      }
    });
    const connected = await connect(server.port);
    const controller = new AbortController();
    setTimeout(() => controller.abort(new Error('enough')), 50);
    await assert.rejects(sendCancel(connected, controller.signal), /enough/);
    await connected.channel.end();
    await until(() => server.openConnections === 0);
  });
});
