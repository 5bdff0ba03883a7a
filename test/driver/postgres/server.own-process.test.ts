import assert from 'node:assert/strict';
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { describe } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cleanEnvironment, findInstallation, findPackage } from './installation.ts';
import { Postmaster } from './postmaster.ts';
import { withClient, withoutOwnPostgres } from './server.ts';

const program = fileURLToPath(new URL('server-program.ts', import.meta.url));
const root = fileURLToPath(new URL('../../..', import.meta.url));
const isRoot = process.getuid?.() === 0;
const goneMs = 15_000;

interface Report {
  readonly processId: number;
  readonly folders: readonly string[];
}

/** The program, once its server runs. */
async function startProgram(
  ending: 'return' | 'exit' | 'throw' | 'wait',
  { env, uid, shell = 'exec "$@"' }: { env?: NodeJS.ProcessEnv; uid?: number; shell?: string } = {},
): Promise<{ child: ChildProcess; report: Report; ended: Promise<unknown> }> {
  const node = [process.execPath, '--conditions=recurve-source', `--import=${import.meta.resolve('tsx')}`];
  const child = spawn('/bin/sh', ['-c', shell, 'sh', ...node, program, ending], {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve(signal ?? code)));
  let [output, errors] = ['', ''];
  child.stderr?.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  await new Promise<void>((resolve) => {
    child.stdout?.on('data', (chunk: Buffer) => {
      output += chunk;
      if (output.endsWith('\n')) resolve();
    });
    child.on('close', () => resolve());
  });
  if (!output.endsWith('\n')) assert.fail(`the program ended with ${await ended}: ${errors}`);
  return { child, report: JSON.parse(output) as Report, ended };
}

function isAlive(processId: number): boolean {
  try {
    process.kill(processId, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH';
  }
  // One that has ended and that nobody has asked for is no server.
  const state = spawnSync('ps', ['-o', 'stat=', '-p', `${processId}`], { encoding: 'utf8' }).stdout;
  return !state.startsWith('Z');
}

async function assertGone({ processId, folders }: Report): Promise<void> {
  const end = Date.now() + goneMs;
  while (Date.now() < end && (isAlive(processId) || folders.some(existsSync))) await sleep(50);
  assert.equal(isAlive(processId), false, `the server ${processId} is still running`);
  assert.deepEqual(folders.filter(existsSync), []);
}

describe('a PostgreSQL that a process started', { skip: withoutOwnPostgres }, () => {
  const endings = {
    'comes to its end': { ending: 'return', outcome: 0 },
    exits: { ending: 'exit', outcome: 3 },
    'throws what nobody catches': { ending: 'throw', outcome: 1 },
    'is interrupted': { ending: 'wait', outcome: 'SIGINT' },
    'is terminated': { ending: 'wait', outcome: 'SIGTERM' },
    'is killed': { ending: 'wait', outcome: 'SIGKILL' },
  } as const;
  for (const [name, { ending, outcome }] of Object.entries(endings)) {
    test(`ends with it, with its files, when it ${name}`, async () => {
      const { child, report, ended } = await startProgram(ending);
      if (typeof outcome === 'string') {
        assert.ok(isAlive(report.processId) && report.folders.every(existsSync));
        child.kill(outcome);
      }
      assert.equal(await ended, outcome);
      await assertGone(report);
    });
  }

  test('starts in several processes at once, the first time too', async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'recurve-first-'));
    t.after(() => rmSync(scratch, { recursive: true, force: true }));
    chmodSync(scratch, 0o755);
    const programs = await Promise.all(
      Array.from({ length: 4 }, () => startProgram('return', { env: { TMPDIR: scratch } })),
    );
    for (const { report, ended } of programs) {
      assert.equal(await ended, 0);
      assert.ok(report.folders[0]?.startsWith(scratch));
      await assertGone(report);
    }
  });

  test('starts whatever the umask, the locale, the settings of libpq and the length of the temporary folder', async (t) => {
    const scratch = mkdtempSync(join(tmpdir(), 'recurve-odd-'));
    t.after(() => rmSync(scratch, { recursive: true, force: true }));
    chmodSync(scratch, 0o755);
    const long = join(scratch, 'x'.repeat(100));
    mkdirSync(long);
    chmodSync(long, 0o1777);
    const surroundings: Parameters<typeof startProgram>[1][] = [
      { shell: 'umask 0777; exec "$@"' },
      { shell: 'umask 0; exec "$@"', env: { TMPDIR: long } },
      { env: { LANG: 'xx_YY.UTF-16', LC_ALL: 'nonsense', TZ: 'Nowhere/There', LC_MESSAGES: 'de_DE' } },
      {
        env: {
          PGPORT: '1',
          PGHOST: '/nowhere',
          PGDATA: '/nowhere',
          PGUSER: 'nobody',
          PGDATABASE: 'x',
          PGSSLMODE: 'require',
        },
      },
      { env: { LD_LIBRARY_PATH: '/nowhere', PGOPTIONS: '-c nonsense=1', PGPASSFILE: '/nowhere' } },
    ];
    const programs = await Promise.all(surroundings.map((surrounding) => startProgram('return', surrounding)));
    for (const { report, ended } of programs) {
      assert.equal(await ended, 0);
      await assertGone(report);
    }
  });

  test('starts for an ordinary user', async (t) => {
    const uid = 65534;
    const readable = isRoot && spawnSync('/bin/sh', ['-c', `test -r '${program}'`], { uid, gid: uid }).status === 0;
    if (!readable) return t.skip(isRoot ? 'only root can read this checkout' : 'all tests run as an ordinary user');
    const { report, ended } = await startProgram('return', { uid, env: { HOME: '/nonexistent' } });
    assert.equal(await ended, 0);
    await assertGone(report);
  });

  test('starts from a package without links, read-only, in a folder that is closed to others', async (t) => {
    const source = findPackage();
    assert.ok(typeof source === 'string');
    const folder = mkdtempSync(join(tmpdir(), 'recurve-closed-'));
    t.after(() => {
      spawnSync('chmod', ['-R', 'u+w', folder]);
      rmSync(folder, { recursive: true, force: true });
    });
    const copy = join(folder, 'package');
    mkdirSync(copy);
    for (const part of ['package.json', 'native']) {
      cpSync(join(source, part), join(copy, part), { recursive: true, verbatimSymlinks: true });
    }
    const links = JSON.parse(readFileSync(join(copy, 'native/pg-symlinks.json'), 'utf8')) as { target: string }[];
    for (const { target } of links) rmSync(join(copy, target), { force: true });
    spawnSync('chmod', ['-R', 'a-w,go-rx', folder]);
    chmodSync(folder, 0o500);
    const scratch = mkdtempSync(join(tmpdir(), 'recurve-scratch-'));
    t.after(() => rmSync(scratch, { recursive: true, force: true }));
    chmodSync(scratch, 0o755);
    const installation = await findInstallation(copy, [scratch]);
    assert.ok(installation.bin.startsWith(scratch));
    const version = spawnSync(join(installation.bin, 'postgres'), ['--version'], { env: cleanEnvironment });
    assert.match(`${version.stdout}`, /^postgres \(PostgreSQL\) 18/);
    const postmaster = await Postmaster.start(installation, {
      hba: ['host all all 127.0.0.1/32 trust'],
      settings: {},
      files: {},
    });
    t.after(() => postmaster.stop());
    await withClient(`postgresql://postgres@127.0.0.1:${postmaster.port}/postgres`, async (client) => {
      await client.query('CREATE EXTENSION hstore');
    });
  });

  test('says where it looked when its binaries cannot be run', async () => {
    await assert.rejects(findInstallation('/nowhere/bin'), /\/nowhere\/bin cannot be run: in .*initdb ENOENT/s);
  });
});
