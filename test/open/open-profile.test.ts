import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe, type TestContext } from 'node:test';
import { type OpenOptions, open, RecurveError } from 'recurve';
import { openDatabase } from 'recurve/adbc';
import { keepSecrets } from '../../src/open/secret.ts';
import { FakeDriver } from '../adbc/fake-driver.ts';
import { failsWith } from '../adbc/fixture.ts';
import { showAll, writeProfiles } from './profile-fixture.ts';

const head = 'profile_version = 1\n';

async function readThreads(options: string | OpenOptions, folder: string): Promise<unknown> {
  const database = await open(options, { profileSearchPaths: [folder] });
  try {
    const connection = await database.connect();
    const result = await connection.query("select current_setting('threads')::integer as threads");
    return (await result.table()).toArray()[0];
  } finally {
    await database.close();
  }
}

function setVariable(t: TestContext, name: string, value: string): void {
  process.env[name] = value;
  t.after(() => {
    delete process.env[name];
  });
}

describe('opening by a profile', () => {
  test('by name or absolute path, as URI or as option', async (t) => {
    const folder = writeProfiles(t, {
      'p.toml': `${head}driver = "duckdb"\n[Options]\nuri = "duckdb:"\nthreads = 3\n`,
    });
    const path = join(folder, 'p.toml');
    for (const options of [
      'profile://p',
      `profile://${path}`,
      { profile: 'p' },
      { profile: path },
      { uri: 'profile://p' },
    ]) {
      assert.deepEqual(await readThreads(options, folder), { threads: 3 });
    }
  });

  test('what is given explicitly wins', async (t) => {
    const folder = writeProfiles(t, {
      'p.toml': `${head}[Options]\nuri = "duckdb:///no/such/folder/x.db"\nthreads = 3\n`,
    });
    assert.deepEqual(await readThreads({ profile: 'p', uri: 'duckdb:', threads: '2' }, folder), { threads: 2 });
    assert.deepEqual(await readThreads({ profile: 'p', uri: 'duckdb:' }, folder), { threads: 3 });
  });

  test('a driver stands for its URI, and must be that of the URI', async (t) => {
    const folder = writeProfiles(t, {
      'driver.toml': `${head}driver = "duckdb"\n[Options]\nthreads = 3\n`,
      'other.toml': `${head}driver = "snowflake"\n[Options]\nuri = "duckdb:"\n`,
      'neither.toml': `${head}[Options]\nthreads = 3\n`,
      'nested.toml': `${head}[Options]\nuri = "profile://driver"\n`,
    });
    assert.deepEqual(await readThreads('profile://driver', folder), { threads: 3 });
    assert.deepEqual(await readThreads({ profile: 'neither', driver: 'duckdb' }, folder), { threads: 3 });
    const paths = { profileSearchPaths: [folder] };
    const wrong: [string | OpenOptions, RegExp][] = [
      ['profile://other', /other\.toml asks for the driver "snowflake", but the uri is for duckdb/],
      [{ profile: 'driver', driver: 'snowflake' }, /no driver for "snowflake:"/],
      [{ profile: 'driver', driver: 'snowflake', uri: 'duckdb:' }, /option driver asks for the driver "snowflake"/],
      ['profile://neither', /neither\.toml gives neither uri nor driver/],
      ['profile://nested', /no driver for "profile:…"/],
      [{ profile: 'driver', uri: 'profile://driver' }, /both name a profile/],
      ['profile://', /name of the profile is empty/],
    ];
    for (const [options, message] of wrong)
      await assert.rejects(open(options, paths), failsWith('INVALID_ARGUMENT', message));
    await assert.rejects(open('profile://absent', paths), failsWith('NOT_FOUND', /no profile "absent"/));
  });

  test('no value from the environment, and no password, is shown in an error', async (t) => {
    const planted = ['hunter2-variable', 'hunter2-literal', 'hunter2/pass word', 'hunter2-token'];
    setVariable(t, 'RECURVE_TEST_SECRET', 'hunter2-variable');
    const secret = '{{ env_var(RECURVE_TEST_SECRET) }}';
    const folder = writeProfiles(t, {
      'path.toml': `${head}[Options]\nuri = "duckdb:///no/such/${secret}/x.db"\n`,
      'scheme.toml': `${head}[Options]\nuri = "mystery://${secret}/x"\n`,
      'no-uri.toml': `${head}[Options]\nuri = "${secret}"\n`,
      'user.toml': `${head}[Options]\nuri = "mystery://me:hunter2-literal@host/x?token=hunter2-token"\n`,
      'key.toml': `${head}[Options]\nuri = "duckdb:"\nno_such_password = "hunter2-literal"\n`,
      'value.toml': `${head}[Options]\nuri = "duckdb:"\nthreads = "${secret}"\n`,
      'mode.toml': `${head}[Options]\nuri = "duckdb:"\naccess_mode = "${secret}"\n`,
      'driver.toml': `${head}driver = "mystery"\n[Options]\nuri = "duckdb:"\npassword = "hunter2-literal"\n`,
    });
    for (const name of ['path', 'scheme', 'no-uri', 'user', 'key', 'value', 'mode', 'driver']) {
      await assert.rejects(open(`profile://${name}`, { profileSearchPaths: [folder] }), (error) => {
        assert.ok(RecurveError.is(error), `${error}`);
        for (const word of planted) assert.ok(!showAll(error).includes(word), `${name}: ${showAll(error)}`);
        return true;
      });
    }
  });

  test('a driver that repeats a secret when it opens or connects is not heard', async (t) => {
    const driver = new FakeDriver();
    const leak = new RecurveError('UNAUTHENTICATED', 'bad password hunter2/pass word for me', {
      hint: 'the URI was x://me:hunter2%2Fpass%20word@h',
      sqlState: '28P01',
      vendorCode: 7,
      exitCode: 3,
      details: [['text', new TextEncoder().encode('hunter2/pass word')]],
      cause: new Error('hunter2/pass word'),
    });
    const kept = keepSecrets(driver, ['hunter2', 'hunter2/pass word']);
    const check = (error: unknown): true => {
      failsWith('UNAUTHENTICATED', /^bad password \*\*\* for me$/)(error);
      assert.ok(!showAll(error).includes('hunter2'), showAll(error));
      assert.ok(RecurveError.is(error));
      assert.deepEqual([error.sqlState, error.vendorCode, error.exitCode], ['28P01', 7, 3]);
      return true;
    };
    driver.failNext.set('open fake:', leak);
    await assert.rejects(openDatabase(kept, new Map([['uri', 'fake:']])), check);
    const database = await openDatabase(kept, new Map([['uri', 'fake:']]));
    t.after(() => database.close());
    driver.failNext.set('connect', leak);
    await assert.rejects(database.connect(), check);
    driver.failNext.set('connect', new Error('hunter2 is no RecurveError'));
    await assert.rejects(database.connect(), failsWith('INTERNAL', /\*\*\* is no RecurveError/));
    const harmless = new RecurveError('IO', 'no route to host');
    driver.failNext.set('connect', harmless);
    await assert.rejects(database.connect(), (error) => error === harmless);
  });

  test('the TOML library is loaded for a profile and not before', () => {
    for (const file of ['open', 'profile', 'profile-search', 'index']) {
      const source = readFileSync(new URL(`../../src/open/${file}.ts`, import.meta.url), 'utf8');
      assert.doesNotMatch(source, /^import .*smol-toml/m);
    }
  });
});
