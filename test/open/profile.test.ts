import assert from 'node:assert/strict';
import { chmodSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { readProfile } from '../../src/open/profile.ts';
import { failsWith } from '../adbc/fixture.ts';
import { showAll, writeProfiles } from './profile-fixture.ts';

const empty = { environment: { HOME: '/nowhere' }, searchPaths: [] };

describe('a connection profile', () => {
  test('gives driver and options, values as strings, dotted keys as one key', async (t) => {
    const folder = writeProfiles(t, {
      'full.toml': `
        profile_version = 1
        driver = "duckdb"
        [Options]
        uri = "duckdb:"
        threads = 2
        ratio = 0.25
        large = 9007199254740993
        flag = true
        adbc.some.name = "dotted"
        "adbc.other.name" = "quoted"
        [Options.adbc.some.table]
        inner = "nested"
      `,
    });
    const profile = await readProfile(join(folder, 'full.toml'), empty);
    assert.equal(profile.driver, 'duckdb');
    assert.deepEqual(Object.fromEntries(profile.options), {
      uri: 'duckdb:',
      threads: '2',
      ratio: '0.25',
      large: '9007199254740993',
      flag: 'true',
      'adbc.some.name': 'dotted',
      'adbc.other.name': 'quoted',
      'adbc.some.table.inner': 'nested',
    });
    assert.deepEqual(profile.secrets, []);
  });

  test('needs neither driver nor options', async (t) => {
    const folder = writeProfiles(t, { 'bare.toml': 'profile_version = 1\n' });
    const profile = await readProfile('bare', { ...empty, searchPaths: [folder] });
    assert.deepEqual([profile.driver, profile.options.size], [undefined, 0]);
  });

  test('takes values from the environment, an unset one as empty, and looks into none of them again', async (t) => {
    const folder = writeProfiles(t, {
      'env.toml': `
        profile_version = 1
        [Options]
        whole = "{{ env_var(A_NAME) }}"
        part = "x-{{env_var( A_NAME )}}-{{ env_var(OTHER) }}"
        unset = "[{{ env_var(NOT_SET) }}]"
        plain = "{ env_var(A_NAME) }"
        "{{ env_var(A_NAME) }}" = "a key is left alone"
      `,
    });
    const environment = { A_NAME: 'alpha', OTHER: '{{ env_var(A_NAME) }}' };
    const { options, secrets } = await readProfile('env', { environment, searchPaths: [folder] });
    assert.deepEqual(Object.fromEntries(options), {
      whole: 'alpha',
      part: 'x-alpha-{{ env_var(A_NAME) }}',
      unset: '[]',
      plain: '{ env_var(A_NAME) }',
      '{{ env_var(A_NAME) }}': 'a key is left alone',
    });
    assert.deepEqual(new Set(secrets), new Set(['alpha', '{{ env_var(A_NAME) }}']));
  });

  test('is looked for in the given folders, ADBC_PROFILE_PATH, the conda environment, the user’s own, in this order', async (t) => {
    const user = process.platform === 'linux' ? 'home/.config/adbc/profiles' : undefined;
    const places = ['given', 'first', 'second', 'conda/etc/adbc/profiles', ...(user === undefined ? [] : [user])];
    const names = places.map((_, i) => `p${i}`);
    // Profile p2 lies in the third place and in all after it, and so on.
    const files = places.flatMap((place, i) => names.slice(0, i + 1).map((name) => [`${place}/${name}.toml`, place]));
    const folder = writeProfiles(
      t,
      Object.fromEntries(files.map(([file, place]) => [file, `profile_version = 1\n[Options]\nplace = "${place}"\n`])),
    );
    const context = {
      environment: {
        ADBC_PROFILE_PATH: `${join(folder, 'first')}:${join(folder, 'second')}`,
        CONDA_PREFIX: join(folder, 'conda'),
        HOME: join(folder, 'home'),
      },
      searchPaths: [join(folder, 'given')],
    };
    for (const [i, name] of names.entries()) {
      assert.equal((await readProfile(name, context)).options.get('place'), places[i]);
      assert.equal((await readProfile(`${name}.toml`, context)).options.get('place'), places[i]);
    }
    await assert.rejects(readProfile('absent', context), (error) => {
      failsWith('NOT_FOUND', /no profile "absent"/)(error);
      for (const place of places) assert.ok(showAll(error).includes(join(folder, place)), place);
      return true;
    });
  });

  test('that is not there, or cannot be read, is an error that says where', async (t) => {
    await assert.rejects(readProfile('/no/such.toml', empty), failsWith('NOT_FOUND', /no profile "\/no\/such.toml"/));
    await assert.rejects(readProfile('', empty), failsWith('INVALID_ARGUMENT', /name of the profile is empty/));
    const folder = writeProfiles(t, { 'folder.toml/x': '' });
    await assert.rejects(readProfile(join(folder, 'folder.toml'), empty), failsWith('IO', /cannot read.*EISDIR/));
    if (process.getuid?.() === 0) return;
    const shut = writeProfiles(t, { 'shut.toml': '' });
    chmodSync(join(shut, 'shut.toml'), 0);
    await assert.rejects(readProfile('shut', { ...empty, searchPaths: [shut] }), failsWith('IO', /EACCES/));
  });

  test('with a fault is refused by line or key, and no value of it is shown', async (t) => {
    const head = 'profile_version = 1\n[Options]\n';
    const faults: [name: string, text: string, message: RegExp][] = [
      ['syntax', `${head}uri = "duckdb:"\npassword = hunter2\n`, /is not TOML \(line 4, column \d+\)/],
      ['open', `${head}password = "hunter2\n`, /is not TOML \(line 3/],
      ['twice', `${head}password = "hunter2"\npassword = "hunter2"\n`, /is not TOML \(line 4/],
      ['version', 'profile_version = 2\nhunter2 = 1', /unknown key hunter2/],
      ['later', 'profile_version = 2\n', /another profile_version than 1/],
      ['text', 'profile_version = "1"\n', /another profile_version than 1/],
      ['none', '[Options]\npassword = "hunter2"\n', /no profile_version/],
      ['old', 'version = 1\n[options]\npassword = "hunter2"\n', /unknown key version/],
      ['key', 'profile_version = 1\nuri = "duckdb:hunter2"\n', /unknown key uri/],
      ['driver', 'profile_version = 1\ndriver = 5\n', /driver that is no string/],
      ['table', 'profile_version = 1\nOptions = "hunter2"\n', /Options that are no table/],
      ['list', `${head}password = ["hunter2"]\n`, /option password that is no string, number or boolean/],
      ['date', `${head}since = 2024-01-01\n`, /option since that is no string, number or boolean/],
      ['same', `${head}a.b = "hunter2"\n"a.b" = "hunter2"\n`, /option a\.b twice/],
      ['call', `${head}password = "{{ secret(hunter2) }}"\n`, /option password with something else/],
      ['bare', `${head}password = "{{ hunter2 }}"\n`, /option password with something else/],
      ['void', `${head}password = "{{ env_var() }}"\n`, /option password with something else/],
      ['quoted', `${head}password = "{{ env_var('hunter2' + 1) }}"\n`, /option password with something else/],
    ];
    const folder = writeProfiles(t, Object.fromEntries(faults.map(([name, text]) => [`${name}.toml`, text])));
    for (const [name, , message] of faults) {
      await assert.rejects(readProfile(name, { ...empty, searchPaths: [folder] }), (error) => {
        failsWith('INVALID_ARGUMENT', message)(error);
        assert.match(showAll(error), new RegExp(`/${name}\\.toml`));
        if (name !== 'version') assert.ok(!showAll(error).includes('hunter2'), `${name}: ${showAll(error)}`);
        return true;
      });
    }
  });
});
