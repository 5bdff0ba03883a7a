import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { pathToFileURL } from 'node:url';
import { open } from 'recurve';
import { loadBinding } from '../../../src/driver/duckdb/binding.ts';
import { readSettings } from '../../../src/driver/duckdb/setting.ts';
import { connect, firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

/** From here another process finds the bindings. */
const besideBindings = join(import.meta.dirname, '../../../node_modules/@duckdb/node-api');

/** Opens a file in another process: its answer, or DuckDB's message. */
function openElsewhere(path: string): string {
  const script = `require('@duckdb/node-bindings').open(${JSON.stringify(path)}).then(() => 'opened', (e) => e.message).then((m) => { process.stdout.write(m); process.exit(); })`;
  return spawnSync(process.execPath, ['-e', script], { encoding: 'utf8', cwd: besideBindings }).stdout;
}

const settingsOf = (uri: string, options: Record<string, string> = {}, platform?: string) => {
  const { path, settings } = readSettings(new Map(Object.entries({ uri, ...options })), platform);
  return { path, settings: Object.fromEntries(settings) };
};

describe('the URI of a DuckDB database', () => {
  test('is in memory without a path', () => {
    for (const uri of ['duckdb:', 'duckdb::memory:', 'DuckDB:', 'duckdb://', 'duckdb:?']) {
      assert.deepEqual(settingsOf(uri), { path: ':memory:', settings: {} }, uri);
    }
    assert.equal(settingsOf('duckdb::memory:shared').path, ':memory:shared');
  });

  test('names a file, relative or absolute, percent-encoded', () => {
    assert.equal(settingsOf('duckdb:a.db').path, join(process.cwd(), 'a.db'));
    assert.equal(settingsOf('duckdb:./a/b.db').path, join(process.cwd(), 'a/b.db'));
    assert.equal(settingsOf('duckdb:///abs/a%20b%3F%25.db').path, '/abs/a b?%.db');
    assert.equal(settingsOf('duckdb:/abs/a+b#c.db').path, '/abs/a+b#c.db');
    assert.equal(settingsOf('duckdb:s3://bucket/x.db').path, 's3://bucket/x.db');
  });

  test('keeps the paths of Windows as they are', () => {
    assert.equal(settingsOf('duckdb:C:\\data\\x.db', {}, 'win32').path, 'C:\\data\\x.db');
    assert.equal(settingsOf('duckdb:///C:/data/x.db', {}, 'win32').path, 'C:/data/x.db');
  });

  test('carries settings, as do the options', () => {
    assert.deepEqual(settingsOf('duckdb:?threads=2&default_order=desc').settings, {
      threads: '2',
      default_order: 'desc',
    });
    assert.deepEqual(settingsOf('duckdb:?memory_limit=1%20GB').settings, { memory_limit: '1 GB' });
    assert.deepEqual(settingsOf('duckdb:', { threads: '3' }).settings, { threads: '3' });
    assert.deepEqual(settingsOf('duckdb:', { 'adbc.connection.readonly': 'true' }).settings, {
      access_mode: 'read_only',
    });
  });

  test('is refused when it is malformed', async () => {
    const refuse = (uri: string, message: RegExp, options?: Record<string, string>) =>
      assert.throws(
        () => settingsOf(uri, options),
        (error: Error) => message.test(error.message) && 'exitCode' in error && error.exitCode === 2,
        `${uri} ${message}`,
      );
    refuse('duckdb://host/x.db', /names a host/);
    refuse('duckdb:a%zz.db', /"a%zz.db" is not percent-encoded/);
    refuse('duckdb:a%00.db', /holds a NUL/);
    refuse('duckdb:?threads', /"threads" in the URI is no setting/);
    refuse('duckdb:?threads=2', /threads is given twice: "2" and "3"/, { threads: '3' });
    refuse('duckdb:', /no option adbc\.foo/, { 'adbc.foo': '1' });
    refuse('duckdb:', /readonly is "yes"/, { 'adbc.connection.readonly': 'yes' });
  });
});

describe('opening a DuckDB database', () => {
  test('makes databases in memory apart, named ones shared', async (t) => {
    const [one, two] = [await connect(t), await connect(t)];
    await one.execute('CREATE TABLE t (a INT)');
    await rejects(two.query('FROM t'), 'NOT_FOUND', /Table with name t does not exist/);
    const [three, four] = [await connect(t, 'duckdb::memory:both'), await connect(t, 'duckdb::memory:both')];
    await three.execute('CREATE TABLE t AS SELECT 7 AS a');
    assert.equal(await firstValue(four, 'FROM t'), 7);
  });

  test('applies settings of the database and of the session', async (t) => {
    const uri = 'duckdb:?threads=1&default_order=desc&search_path=memory.main';
    const connection = await connect(t, { uri, memory_limit: '300MB' });
    const [row] = await rowsOf(
      connection,
      "SELECT current_setting('threads') t, current_setting('default_order') o, current_setting('memory_limit') m, current_setting('search_path') s",
    );
    assert.deepEqual({ ...row }, { t: 1n, o: 'DESC', m: '286.1 MiB', s: 'memory.main' });
  });

  test('applies settings of the extensions that come with DuckDB', async (t) => {
    const file = `duckdb:${pathToFileURL(join(scratchFolder(t), 'x.db')).pathname}`;
    for (const [zone, query] of [
      ['UTC', '?TimeZone=UTC'],
      ['Asia/Tokyo', '?timezone=Asia/Tokyo&threads=1'],
      ['America/Lima', '?TimeZone=America%2FLima&Calendar=gregorian'],
    ]) {
      for (const uri of [`duckdb:${query}`, `${file}${query}`]) {
        const database = await open(uri);
        for (let i = 0; i < 2; i++) {
          const connection = await database.connect();
          assert.equal(await firstValue(connection, "SELECT current_setting('TimeZone')"), zone);
          const { schema } = await connection.query("SELECT TIMESTAMPTZ '2020-01-01 00:00:00+00' AS at");
          assert.deepEqual(schema.field(0).type, { kind: 'timestamp', unit: 'us', timezone: zone });
        }
        await database.close();
      }
    }
    // Of each database that is open on the file its own.
    const [here, there] = [await connect(t, `${file}?TimeZone=Asia/Tokyo`), await connect(t, `${file}?TimeZone=UTC`)];
    assert.equal(await firstValue(here, "SELECT current_setting('TimeZone')"), 'Asia/Tokyo');
    assert.equal(await firstValue(there, "SELECT current_setting('TimeZone')"), 'UTC');
  });

  test('says what is wrong with a setting of an extension, and leaves the file alone', async (t) => {
    const path = join(scratchFolder(t), 'x.db');
    const error = await rejects(
      open(`duckdb:${path}?TimeZone=Nowhere/Land`),
      'INVALID_ARGUMENT',
      /^setting TimeZone = Nowhere\/Land: .*time ?zone/i,
    );
    assert.equal(error.exitCode, 2);
    const missing = await rejects(
      open(`duckdb:${path}?s3_region=eu&autoinstall_known_extensions=false&extension_directory=${scratchFolder(t)}`),
      'INVALID_ARGUMENT',
      /^setting s3_region = eu: .*httpfs/,
    );
    assert.match(missing.hint ?? '', /LOAD httpfs; SET s3_region/);
    assert.equal(openElsewhere(path), 'opened');
  });

  test('says what is wrong with a setting', async () => {
    const unknown = await rejects(open('duckdb:?nonsense=1'), 'INVALID_ARGUMENT', /not recognized: nonsense/);
    assert.equal(unknown.exitCode, 2);
    await rejects(open('duckdb:?threads=abc'), 'INVALID_ARGUMENT', /setting threads = abc: .*'abc'/);
  });

  test('never says the value of a secret setting', async () => {
    for (const query of ['my_token=HUSH', 'http_proxy_password=HUSH%sh', 'password:HUSH', 'pwd=HUSH&pwd=HUSH2']) {
      const error = await rejects(open(`duckdb:?${query}`), 'INVALID_ARGUMENT', /token|password|pwd/);
      assert.ok(!`${error.message} ${error.hint} ${error.cause}`.includes('HUSH'), error.message);
    }
  });

  test('says in one line why a file cannot be opened', async (t) => {
    const folder = scratchFolder(t);
    const url = (name: string, query = '') => `duckdb:${pathToFileURL(join(folder, name)).pathname}${query}`;
    writeFileSync(join(folder, 'text.db'), 'no database at all. '.repeat(1000));
    mkdirSync(join(folder, 'folder'));
    const errors = [
      await rejects(open(url('none.db', '?access_mode=read_only')), 'NOT_FOUND', /none\.db".*does not exist/),
      await rejects(open(url('text.db')), 'IO', /text\.db".*not a valid DuckDB database file/),
      await rejects(open(url('folder')), 'IO', /folder".*Is a directory/),
      await rejects(open(url('no/such/x.db')), 'NOT_FOUND', /no\/such\/x\.db/),
    ];
    assert.deepEqual(
      errors.map((error) => error.exitCode),
      [3, 3, 3, 3],
    );
  });

  test('opens the same file twice, and lets it go with the last connection', async (t) => {
    const path = join(scratchFolder(t), 'a b.db');
    const uri = `duckdb:${pathToFileURL(path).pathname}`;
    const [first, second] = [await open(uri), await open(uri)];
    const [one, two] = [await first.connect(), await second.connect()];
    await one.execute('CREATE TABLE t AS SELECT 42 AS a');
    assert.equal(await firstValue(two, 'FROM t'), 42);
    await first.close();
    assert.match(openElsewhere(path), /Could not set lock/);
    assert.equal(await firstValue(two, 'FROM t'), 42);
    await second.close();
    assert.equal(openElsewhere(path), 'opened');
  });

  test('says that another process has locked the file', async (t) => {
    const path = join(scratchFolder(t), 'x.db');
    const script = `globalThis.held = require('@duckdb/node-bindings').open(${JSON.stringify(path)}); held.then(() => console.log('held')); setInterval(() => {}, 1000);`;
    const other = spawn(process.execPath, ['-e', script], {
      cwd: besideBindings,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    t.after(() => other.kill('SIGKILL'));
    await once(other.stdout, 'data');
    const error = await rejects(open(`duckdb:${path}`), 'IO', /Could not set lock.*x\.db/);
    assert.equal(error.exitCode, 3);
    assert.match(error.hint ?? '', /^close it in the other process/);
  });

  test('reads a read-only file and refuses to write to it', async (t) => {
    const path = join(scratchFolder(t), 'x.db');
    const writer = await open(`duckdb:${path}`);
    await (await writer.connect()).execute('CREATE TABLE t AS SELECT 1 AS a');
    await writer.close();
    const reader = await connect(t, { uri: `duckdb:${path}`, 'adbc.connection.readonly': 'true' });
    assert.equal(await firstValue(reader, 'FROM t'), 1);
    await rejects(reader.execute('INSERT INTO t VALUES (2)'), 'INVALID_STATE', /read-only/);
    await reader.execute('CREATE TEMP TABLE u (a INT)');
  });
});

describe('the bindings', () => {
  test('are named when the package is not installed', (t) => {
    const folder = scratchFolder(t);
    assert.throws(
      () => loadBinding(join(folder, 'x.js')),
      (error: Error) => {
        assert.match(error.message, /@duckdb\/node-api is not installed/);
        assert.deepEqual('hint' in error && error.hint, 'npm install @duckdb/node-api@1.5.6-r.1');
        return 'exitCode' in error && error.exitCode === 3;
      },
    );
  });

  test('are refused in another version, and when the platform has no binary', (t) => {
    const folder = scratchFolder(t);
    const place = (name: string, version: string, files: Record<string, string>) => {
      const path = join(folder, 'node_modules', name);
      mkdirSync(path, { recursive: true });
      writeFileSync(join(path, 'package.json'), JSON.stringify({ name, version, main: 'index.js' }));
      for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    };
    place('@duckdb/node-api', '1.4.0', { 'index.js': '' });
    assert.throws(() => loadBinding(join(folder, 'x.js')), /is version 1\.4\.0, this driver needs 1\.5\.6-r\.1/);
  });

  test('are found from the place of the peer, and a missing binary is told', (t) => {
    const folder = scratchFolder(t);
    const peer = join(folder, 'node_modules/@duckdb/node-api');
    const inner = join(peer, 'node_modules/@duckdb/node-bindings');
    mkdirSync(inner, { recursive: true });
    writeFileSync(join(peer, 'package.json'), '{"name":"@duckdb/node-api","version":"1.5.6-r.1","main":"index.js"}');
    writeFileSync(join(peer, 'index.js'), '');
    writeFileSync(join(inner, 'package.json'), '{"name":"@duckdb/node-bindings","main":"index.js"}');
    writeFileSync(join(inner, 'index.js'), "module.exports = require('@duckdb/node-bindings-plan9-mips/duckdb.node');");
    assert.throws(
      () => loadBinding(join(folder, 'x.js')),
      new RegExp(`library for ${process.platform}-${process.arch} is not installed`),
    );
    writeFileSync(join(folder, 'y.js'), '');
    writeFileSync(join(inner, 'index.js'), "throw new Error('GLIBC_9.99 not found\\nmore');");
    assert.throws(() => loadBinding(join(folder, 'y.js')), /cannot be loaded: GLIBC_9\.99 not found$/);
  });
});
