import assert from 'node:assert/strict';
import { createHash, createHmac, pbkdf2Sync } from 'node:crypto';
import { describe, test } from 'node:test';
import { RecurveError } from 'recurve';
import { normalizePassword } from '../../../../src/driver/postgres/connect/saslprep.ts';
import { maxIterations, ScramExchange } from '../../../../src/driver/postgres/connect/scram.ts';

/** The exchange of RFC 7677, 3, but that the user is named there and PostgreSQL's is not, so that its proofs differ. */
const rfc = {
  password: 'pencil',
  clientNonce: 'rOprNGfwEbeRWgbNEkqO',
  serverFirst: 'r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
};

/** What a server that knows the password sends and expects; RFC 5802, 3, written out. */
function serverSide(password: string, clientFirstBare: string, serverFirst: string, withoutProof: string) {
  const salt = Buffer.from(/s=([^,]+)/.exec(serverFirst)?.[1] ?? '', 'base64');
  const iterations = Number(/i=(\d+)/.exec(serverFirst)?.[1]);
  const salted = pbkdf2Sync(password, salt, iterations, 32, 'sha256');
  const mac = (key: Uint8Array, text: string): Buffer => createHmac('sha256', key).update(text).digest();
  const clientKey = mac(salted, 'Client Key');
  const message = `${clientFirstBare},${serverFirst},${withoutProof}`;
  const signature = mac(createHash('sha256').update(clientKey).digest(), message);
  return {
    proof: Buffer.from(clientKey.map((byte, index) => byte ^ (signature[index] ?? 0))).toString('base64'),
    serverFinal: `v=${mac(mac(salted, 'Server Key'), message).toString('base64')}`,
  };
}

function begin(nonce = rfc.clientNonce): ScramExchange {
  return new ScramExchange(rfc.password, { kind: 'notWanted' }, { nonce });
}

async function refusal(work: () => unknown): Promise<RecurveError> {
  try {
    await work();
  } catch (error) {
    assert.ok(RecurveError.is(error), String(error));
    assert.equal(error.status, 'UNAUTHENTICATED');
    assert.equal(error.exitCode, 3);
    return error;
  }
  throw new assert.AssertionError({ message: 'it was taken' });
}

describe('SCRAM-SHA-256', () => {
  test('computes the proof and the signature of RFC 7677', () => {
    // Of the RFC's own messages, to hold the server's side of these tests to it.
    const { proof, serverFinal } = serverSide(
      rfc.password,
      'n=user,r=rOprNGfwEbeRWgbNEkqO',
      rfc.serverFirst,
      'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0',
    );
    assert.equal(proof, 'dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ=');
    assert.equal(serverFinal, 'v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=');
  });

  test('says what a server that knows the password accepts, and accepts it', async () => {
    const exchange = begin();
    assert.equal(exchange.firstMessage, 'n,,n=,r=rOprNGfwEbeRWgbNEkqO');
    const final = await exchange.answer(rfc.serverFirst);
    const withoutProof = final.slice(0, final.lastIndexOf(',p='));
    assert.equal(withoutProof, 'c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0');
    const server = serverSide(rfc.password, 'n=,r=rOprNGfwEbeRWgbNEkqO', rfc.serverFirst, withoutProof);
    assert.equal(final, `${withoutProof},p=${server.proof}`);
    exchange.verify(server.serverFinal);
  });

  test('binds to the certificate, or says that it could have', async () => {
    const bound = new ScramExchange('x', { kind: 'bound', data: Buffer.from('hash') }, { nonce: 'a' });
    assert.equal(bound.mechanism, 'SCRAM-SHA-256-PLUS');
    assert.equal(bound.firstMessage, 'p=tls-server-end-point,,n=,r=a');
    const final = await bound.answer('r=ab,s=c2FsdA==,i=1');
    assert.ok(final.startsWith(`c=${Buffer.from('p=tls-server-end-point,,hash').toString('base64')},r=ab,`));
    const notOffered = new ScramExchange('x', { kind: 'notOffered' }, { nonce: 'a' });
    assert.equal(notOffered.firstMessage, 'y,,n=,r=a');
    assert.equal(notOffered.mechanism, 'SCRAM-SHA-256');
  });

  test('has another nonce each time', () => {
    const nonces = Array.from({ length: 50 }, () => new ScramExchange('x', { kind: 'notWanted' }).firstMessage);
    assert.equal(new Set(nonces).size, nonces.length);
    for (const message of nonces) assert.match(message, /^n,,n=,r=[!-+\--~]{24}$/);
  });

  for (const [name, message] of [
    ['that is ours, not continued', 'r=rOprNGfwEbeRWgbNEkqO,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'],
    ['that is shortened', 'r=rOprNGfwEbeRWgbNEkq,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'],
    ['that is another', 'r=sOprNGfwEbeRWgbNEkqOxyz,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096'],
  ] as const) {
    test(`refuses a nonce ${name}`, async () => {
      assert.match((await refusal(() => begin().answer(message))).message, /nonce does not continue ours/);
    });
  }

  for (const message of [
    '',
    'garbage',
    's=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096',
    'r=rOprNGfwEbeRWgbNEkqOx,i=4096',
    'r=rOprNGfwEbeRWgbNEkqOx,s=,i=4096',
    'r=rOprNGfwEbeRWgbNEkqOx,s=c2FsdA==',
    'r=rOprNGfwEbeRWgbNEkqOx,s=c2FsdA==,i=0',
    'r=rOprNGfwEbeRWgbNEkqOx,s=c2FsdA==,i=-5',
    'r=rOprNGfwEbeRWgbNEkqOx,s=c2FsdA==,i=1e3',
    'm=ext,r=rOprNGfwEbeRWgbNEkqOx,s=c2FsdA==,i=4096',
    'r=rOprNGfwEbeRWgbNEkqOx,s=not base64,i=4096',
  ]) {
    test(`refuses the first message ${JSON.stringify(message)}`, async () => {
      assert.match((await refusal(() => begin().answer(message))).message, /malformed/);
    });
  }

  test('refuses more rounds of hashing than its bound, at once', async () => {
    for (const iterations of [maxIterations + 1, 9_999_999_999]) {
      const startedMs = performance.now();
      const error = await refusal(() => begin().answer(`r=rOprNGfwEbeRWgbNEkqOx,s=c2FsdA==,i=${iterations}`));
      assert.match(error.message, new RegExp(`${iterations} rounds of hashing`));
      assert.ok(performance.now() - startedMs < 200);
    }
  });

  for (const final of ['v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=', 'v=', 'v=AAAA', '', 'nothing']) {
    test(`refuses the signature ${JSON.stringify(final)}`, async () => {
      const exchange = begin();
      await exchange.answer(rfc.serverFirst);
      assert.match((await refusal(() => exchange.verify(final))).message, /does not know the password/);
    });
  }

  test('refuses an end before the challenge, and tells an error of the server', async () => {
    assert.match((await refusal(() => begin().verify('v=AAAA'))).message, /before its challenge/);
    const exchange = begin();
    await exchange.answer(rfc.serverFirst);
    assert.match((await refusal(() => exchange.verify('e=invalid-proof'))).message, /"invalid-proof"/);
  });
});

describe('passwords for SCRAM', () => {
  // RFC 4013, 3, "Examples".
  for (const [given, prepared] of [
    ['I\u00adX', 'IX'],
    ['user', 'user'],
    ['USER', 'USER'],
    ['\u00aa', 'a'],
    ['\u2168', 'IX'],
    // What is prohibited or of mixed direction is taken as it is, as the server does.
    ['\u0007', '\u0007'],
    ['\u0627\u0031', '\u0627\u0031'],
    ['a\u00a0b', 'a b'],
    ['\u{1f600}', '\u{1f600}'],
    ['\u00ad', '\u00ad'],
    ['\ud800', '\ud800'],
  ] as const) {
    test(`${JSON.stringify(given)} is ${JSON.stringify(prepared)}`, () => {
      assert.equal(normalizePassword(given), prepared);
    });
  }
});
