import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { RecurveError } from 'recurve';
import { readConnectSettings, type SettingsContext } from '../../../../src/driver/postgres/connect/read-settings.ts';
import type { ConnectSettings } from '../../../../src/driver/postgres/connect/settings.ts';

// Expectations are those of PostgreSQL's manual, 32.1 "Database Connection Control Functions" and 32.15 "Environment
// Variables"; test/interop/libpq-settings.test.ts compares with libpq itself.

const context: SettingsContext = {
  environment: {},
  homeFolder: '/home/anna',
  systemUser: 'anna',
  platform: 'linux',
};

function read(options: string | Record<string, string>, more: SettingsContext = {}): ConnectSettings {
  const given = typeof options === 'string' ? { uri: options } : options;
  return readConnectSettings(new Map(Object.entries(given)), { ...context, ...more }).connect;
}

function refusal(options: string | Record<string, string>, more: SettingsContext = {}): RecurveError {
  try {
    read(options, more);
  } catch (error) {
    assert.ok(RecurveError.is(error), String(error));
    assert.equal(error.exitCode, 2);
    return error;
  }
  throw new assert.AssertionError({ message: `${JSON.stringify(options)} was taken` });
}

describe('settings of a PostgreSQL connection', () => {
  test("are libpq's defaults where nothing is given", () => {
    const settings = read('postgresql://');
    assert.deepEqual(settings.hosts, [{ host: '', hostAddress: '', port: 5432 }]);
    assert.equal(settings.user, 'anna');
    assert.equal(settings.database, 'anna');
    assert.equal(settings.password, undefined);
    assert.equal(settings.passwordFile, '/home/anna/.pgpass');
    assert.equal(settings.connectTimeoutMs, 0);
    assert.equal(settings.keepAliveIdleMs, 0);
    assert.equal(settings.tls.mode, 'prefer');
    assert.equal(settings.tls.leastVersion, 'TLSv1.2');
    assert.deepEqual(settings.tls.rootCertificate, { path: '/home/anna/.postgresql/root.crt', isDefault: true });
    assert.equal(settings.authentication.channelBinding, 'prefer');
    assert.equal(settings.targetSession, 'any');
    assert.deepEqual(settings.protocol, { leastMinor: 0, mostMinor: 0 });
    assert.deepEqual(Object.fromEntries(settings.parameters), {
      client_encoding: 'UTF8',
      DateStyle: 'ISO',
      application_name: 'recurve',
    });
  });

  test("have the database of the user's name, and the user's of the system", () => {
    assert.equal(read('postgresql://bob@h').database, 'bob');
    assert.equal(read('postgres:').user, 'anna');
  });

  for (const [uri, expected] of [
    ['postgresql://h', [{ host: 'h', hostAddress: '', port: 5432 }]],
    ['postgresql://h:1', [{ host: 'h', hostAddress: '', port: 1 }]],
    [
      'postgres://a:1,b:2,c',
      [
        ['a', 1],
        ['b', 2],
        ['c', 5432],
      ],
    ],
    ['postgresql://[2001:db8::1]:6/x', [['2001:db8::1', 6]]],
    [
      'postgresql://[::1],[::2]:7',
      [
        ['::1', 5432],
        ['::2', 7],
      ],
    ],
    ['postgresql://%2Fvar%2Frun%2Fpostgresql:1/db', [['/var/run/postgresql', 1]]],
    [
      'postgresql:///db?host=/tmp,h&port=1,2',
      [
        ['/tmp', 1],
        ['h', 2],
      ],
    ],
    [
      'postgresql://a,b/?port=9',
      [
        ['a', 9],
        ['b', 9],
      ],
    ],
    [
      'host=a,b port=,6',
      [
        ['a', 5432],
        ['b', 6],
      ],
    ],
    [
      'hostaddr=::1,10.0.0.1 port=3',
      [
        { host: '', hostAddress: '::1', port: 3 },
        { host: '', hostAddress: '10.0.0.1', port: 3 },
      ],
    ],
  ] as const) {
    test(`reads the hosts of ${uri}`, () => {
      const hosts = expected.map((each) => ('host' in each ? each : { host: each[0], hostAddress: '', port: each[1] }));
      assert.deepEqual(read(uri).hosts, hosts);
    });
  }

  test('take users, passwords and databases percent-encoded', () => {
    const settings = read('postgresql://J%C3%BCrgen:p%40ss%3Aw%2Frd%25@h/my%20db?application_name=a%26b%3Dc');
    assert.equal(settings.user, 'Jürgen');
    assert.equal(settings.password, 'p@ss:w/rd%');
    assert.equal(settings.database, 'my db');
    assert.equal(settings.parameters.get('application_name'), 'a&b=c');
  });

  test('take a + for itself', () => {
    assert.equal(read('postgresql://h?application_name=a+b').parameters.get('application_name'), 'a+b');
  });

  test("know JDBC's ssl=true", () => {
    assert.equal(read('postgresql://h?ssl=true').tls.mode, 'require');
    assert.match(refusal('postgresql://h?ssl=false').message, /unknown connection setting: "ssl"/);
  });

  test('let options win over the URI, the URI over a service, a service over the environment', () => {
    const folder = mkdtempSync(join(tmpdir(), 'recurve-service-'));
    const file = join(folder, 'pg_service.conf');
    writeFileSync(file, '[s]\nuser=service\nport=2\ndbname=service\napplication_name=service\n');
    const environment = {
      PGSERVICEFILE: file,
      PGUSER: 'environment',
      PGPORT: '3',
      PGDATABASE: 'environment',
      PGAPPNAME: 'environment',
      PGCONNECT_TIMEOUT: '4',
    };
    try {
      const settings = read({ uri: 'postgresql://uri@h:1?service=s', username: 'option' }, { environment });
      assert.equal(settings.user, 'option');
      assert.equal(settings.hosts[0]?.port, 1);
      assert.equal(settings.database, 'service');
      assert.equal(settings.connectTimeoutMs, 4000);
      assert.equal(read('postgresql://', { environment: { ...environment, PGSERVICE: 's' } }).user, 'service');
      assert.equal(refusal('postgresql://?service=x', { environment }).status, 'NOT_FOUND');
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("take service files of the home folder, and then the system's", () => {
    const folder = mkdtempSync(join(tmpdir(), 'recurve-service-'));
    try {
      writeFileSync(join(folder, '.pg_service.conf'), '[own]\nhost=own\n');
      writeFileSync(join(folder, 'pg_service.conf'), '[own]\nhost=never\n[all]\nhost=all\n[l]\nldap://x/y\n');
      const more = { homeFolder: folder, environment: { PGSYSCONFDIR: folder } };
      assert.equal(read('service=own', more).hosts[0]?.host, 'own');
      assert.equal(read('service=all', more).hosts[0]?.host, 'all');
      const { status, message } = refusal('service=l', more);
      assert.equal(status, 'NOT_IMPLEMENTED');
      assert.match(message, /LDAP .*pg_service\.conf, line 6/);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });

  test("split off the driver's own options, wherever they stand", () => {
    const given = new Map([
      ['uri', 'postgresql://h/db?numeric=text&user=u'],
      ['infinity', 'null'],
    ]);
    const { own, connect } = readConnectSettings(given, { ...context, ownOptions: ['numeric', 'infinity'] });
    assert.deepEqual(Object.fromEntries(own), { numeric: 'text', infinity: 'null' });
    assert.equal(connect.user, 'u');
  });

  for (const [text, message, hint] of [
    ['postgresql://h?sslmod=require', /unknown connection setting: "sslmod"/, /did you mean sslmode\?/],
    ['hots=localhost', /unknown connection setting: "hots"/, /did you mean host\?/],
    ['postgresql://h?schema=public', /unknown connection setting: "schema"/, /docs\/postgres\.md/],
    ['postgresql://h?user', /has no value/, /keyword=value/],
    ['postgresql://h?user=a=b', /"user".*second =/, /%3D/],
    ['postgresql://u:100%@h', /the password in the URI is not percent-encoded/, /%25/],
    ['postgresql://h/%ff', /the database in the URI is not percent-encoded UTF-8/, /%25/],
    ['postgresql://h/a%00b', /%00/, undefined],
    ['postgresql://[::1/db', /no closing bracket/, /\[::1\]/],
    ['postgresql://[]/db', /empty/, undefined],
    ['postgresql://[::1]x', /after the \]/, undefined],
    ['postgresql:h', /no \/\//, /postgresql:\/\//],
    ['host', /position 1 .*no value/, /keyword=value/],
    ["password='secret", /quote of "password" .*not closed/, undefined],
    ['postgresql://h:0', /port is "0"/, undefined],
    ['postgresql://h:65536', /port is "65536"/, undefined],
    ['postgresql://h:secret', /port is "secret"/, undefined],
    ['postgresql://a,b,c?port=1,2', /3 hosts and 2 ports/, undefined],
    ['host=a,b hostaddr=::1', /2 hosts and 1 addresses/, undefined],
    ['sslmode=on', /sslmode is "on", but must be disable, allow, prefer, require, verify-ca, verify-full/, undefined],
    ['sslmode=prefer sslnegotiation=direct', /too weak for sslnegotiation=direct/, /require/],
    ['sslmode=require sslrootcert=system', /too weak for sslrootcert=system/, /verify-full/],
    ['ssl_min_protocol_version=TLSv1.3 ssl_max_protocol_version=TLSv1.2', /below/, undefined],
    ['connect_timeout=soon', /connect_timeout is "soon"/, undefined],
    ['connect_timeout=2147483648', /connect_timeout is "2147483648"/, undefined],
    ['require_auth=md5,!none', /cannot stand together/, undefined],
    ['require_auth=kerberos', /"kerberos" is no method/, /scram-sha-256/],
    ['min_protocol_version=3.2 max_protocol_version=3.0', /below/, undefined],
  ] as const) {
    test(`refuse ${text}`, () => {
      const error = refusal(text);
      assert.equal(error.status, 'INVALID_ARGUMENT');
      assert.match(error.message, message);
      if (hint !== undefined) assert.match(error.hint ?? '', hint);
    });
  }

  for (const [text, message] of [
    ['gssencmode=require', /gssencmode.*Kerberos/],
    ['requirepeer=postgres', /requirepeer.*Unix socket/],
    ['sslcrldir=/x', /sslcrldir.*sslcrl/],
    ['sslkeylogfile=/x', /sslkeylogfile.*--tls-keylog/],
    ['sslkey=pkcs11:token', /sslkey.*engine/],
    ['replication=database', /replication/],
    ['oauth_issuer=https://x', /OAuth/],
    ['scram_client_key=abc', /scram_client_key/],
    ['client_encoding=LATIN1', /client_encoding is "LATIN1"/],
  ] as const) {
    test(`say that ${text} is not supported`, () => {
      const error = refusal(text);
      assert.equal(error.status, 'NOT_IMPLEMENTED');
      assert.match(error.message, message);
    });
  }

  test('take what asks for nothing', () => {
    const nothing = "gssencmode=prefer replication=false client_encoding=auto sslcompression=0 requirepeer=''";
    assert.deepEqual(read(nothing).warnings, []);
  });

  test('warn of what Node cannot do', () => {
    const { warnings } = read('keepalives_interval=5 keepalives_count=3 tcp_user_timeout=1000 sslcompression=1');
    assert.deepEqual(
      warnings.map((warning) => warning.split(' ', 1)[0]),
      ['keepalives_interval', 'keepalives_count', 'tcp_user_timeout', 'sslcompression'],
    );
  });

  test('read keepalives', () => {
    assert.equal(read('keepalives=0').keepAliveIdleMs, undefined);
    assert.equal(read('keepalives=1 keepalives_idle=30').keepAliveIdleMs, 30_000);
  });

  test('read what the session starts with', () => {
    const environment = { PGTZ: 'Europe/Berlin', PGDATESTYLE: 'SQL, DMY', PGGEQO: 'default', PGOPTIONS: '-c a=b' };
    assert.deepEqual(Object.fromEntries(read('fallback_application_name=f', { environment }).parameters), {
      client_encoding: 'UTF8',
      DateStyle: 'SQL, DMY',
      application_name: 'f',
      options: '-c a=b',
      TimeZone: 'Europe/Berlin',
    });
  });

  test('read require_auth', () => {
    assert.deepEqual([...read('require_auth=md5,scram-sha-256').authentication.allowed], ['md5', 'scram-sha-256']);
    const { allowed } = read("require_auth='!password, !md5'").authentication;
    assert.deepEqual([...allowed], ['gss', 'sspi', 'scram-sha-256', 'oauth', 'none']);
  });

  test('read the range of protocols', () => {
    assert.deepEqual(read('max_protocol_version=latest').protocol, { leastMinor: 0, mostMinor: 2 });
    assert.deepEqual(read('min_protocol_version=3.2').protocol, { leastMinor: 2, mostMinor: 2 });
  });

  test("verify in full where the system's authorities are trusted", () => {
    const { tls } = read('sslrootcert=system');
    assert.equal(tls.mode, 'verify-full');
    assert.equal(tls.rootCertificate, 'system');
  });

  test('take a function for the password, before PGPASSWORD, but not besides a password', () => {
    const password = (): string => 'token';
    assert.equal(read('postgresql://h', { password, environment: { PGPASSWORD: 'x' } }).password, password);
    assert.match(refusal('postgresql://u:x@h', { password }).message, /a password and a function/);
  });

  test('show no secret in what they refuse', () => {
    const secret = 'hunter2';
    for (const text of [
      `postgresql://u:${secret}%@h`,
      `postgresql://u:${secret}%00@h`,
      `postgresql://h?password=${secret}%`,
      `postgresql://h?password=${secret}=1`,
      `postgresql://h?sslpassword=${secret}%zz`,
      `password='${secret}`,
      `password=a ${secret}`,
      `password=it's ${secret}=1`,
      `postgresql://h?password=a&${secret}=1`,
      `host=h ${secret} port=1`,
    ]) {
      const error = refusal(text);
      assert.doesNotMatch(`${error.message} ${error.hint} ${error.stack}`, /hunter2/, text);
    }
  });
});

describe('settings on Windows', () => {
  test('have their files below APPDATA', () => {
    const more: SettingsContext = { platform: 'win32', environment: { APPDATA: '/roaming' } };
    assert.equal(read('host=h', more).passwordFile, join('/roaming', 'postgresql', 'pgpass.conf'));
  });
});
