import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { RecurveError } from 'recurve';
import { planEncryption } from '../../../../src/driver/postgres/connect/encryption.ts';
import { findEndpoints } from '../../../../src/driver/postgres/connect/endpoint.ts';
import { readServerVersion } from '../../../../src/driver/postgres/connect/start-up.ts';
import { findObjection, type TargetSession } from '../../../../src/driver/postgres/connect/target-session.ts';

describe('ways to connect', () => {
  for (const [mode, ways] of [
    ['disable', ['plain']],
    ['allow', ['plain', 'tls']],
    ['prefer', ['tlsIfOffered', 'plain']],
    ['require', ['tls']],
    ['verify-ca', ['tls']],
    ['verify-full', ['tls']],
  ] as const) {
    test(`of sslmode=${mode}`, () => {
      assert.deepEqual(planEncryption({ mode }, false), ways);
      assert.deepEqual(planEncryption({ mode }, true), ['plain']);
    });
  }
});

describe('target_session_attrs', () => {
  // The manual, 32.1.2: read-write must accept writing sessions by default, a standby never does.
  const primary = { isStandby: false, isReadOnly: false };
  const readOnly = { isStandby: false, isReadOnly: true };
  const standby = { isStandby: true, isReadOnly: false };
  for (const [target, accepted] of [
    ['any', [primary, readOnly, standby]],
    ['read-write', [primary]],
    ['read-only', [readOnly, standby]],
    ['primary', [primary, readOnly]],
    ['standby', [standby]],
  ] satisfies [TargetSession, object[]][]) {
    test(`=${target}`, () => {
      for (const role of [primary, readOnly, standby]) {
        assert.equal(findObjection(target, role) === undefined, accepted.includes(role), JSON.stringify(role));
      }
    });
  }
});

describe('addresses of hosts', () => {
  const setting = { host: '', hostAddress: '', port: 5432 };
  const none = { socketExists: () => false };

  test('a folder is that of a Unix socket, @ a name that is no file', async () => {
    const [folder] = await findEndpoints({ ...setting, host: '/run/pg' }, none);
    assert.deepEqual(folder?.address, { path: '/run/pg/.s.PGSQL.5432' });
    const [abstract] = await findEndpoints({ ...setting, host: '@pg' }, none);
    assert.deepEqual(abstract?.address, { path: '\0pg/.s.PGSQL.5432' });
  });

  test('without a host the socket of the system is taken where there is one, else localhost', async () => {
    const [debian] = await findEndpoints(setting, { socketExists: (path) => path.startsWith('/var/run/postgresql/') });
    assert.deepEqual(debian?.address, { path: '/var/run/postgresql/.s.PGSQL.5432' });
    const [own] = await findEndpoints(setting, { socketExists: (path) => path.startsWith('/tmp/') });
    assert.deepEqual(own?.address, { path: '/tmp/.s.PGSQL.5432' });
    assert.equal(own?.passwordHost, 'localhost');
    const [local] = await findEndpoints(setting, none);
    assert.equal(local?.host, 'localhost');
  });

  test('hostaddr is connected to, host is what a certificate is for', async () => {
    const [endpoint] = await findEndpoints({ host: 'db.example', hostAddress: '10.0.0.1', port: 1 }, none);
    assert.deepEqual(endpoint?.address, { host: '10.0.0.1', port: 1 });
    assert.equal(endpoint?.host, 'db.example');
    assert.equal(endpoint?.label, 'db.example (10.0.0.1):1');
    assert.equal(endpoint?.passwordHost, 'db.example');
    const [v6] = await findEndpoints({ host: '', hostAddress: '::1', port: 1 }, none);
    assert.equal(v6?.label, '[::1]:1');
    await assert.rejects(findEndpoints({ host: '', hostAddress: 'db.example', port: 1 }, none), RecurveError);
  });
});

describe('versions of servers', () => {
  for (const [text, version] of [
    ['18.4', 180_004],
    ['15.18 (Debian 15.18-0+deb12u1)', 150_018],
    ['19devel', 190_000],
    ['17beta2', 170_000],
    ['10.0', 100_000],
  ] as const) {
    test(text, () => assert.equal(readServerVersion(text), version));
  }

  test('that are none are refused', () => {
    assert.throws(() => readServerVersion(undefined), /gives no version/);
    assert.throws(() => readServerVersion('9.6.1'), /needs 10 or newer/);
  });
});
