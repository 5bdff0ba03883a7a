import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { availableParallelism, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { Suite } from './suite.ts';

/** `env.json`: what a reader needs to judge the figures or to take them again. No host name, user or path. */
export interface Environment {
  readonly suite: string;
  /** ISO 8601, UTC. */
  readonly date: string;
  /** Of the checkout; null where there is none. */
  readonly commit: string | null;
  /** Whether the checkout differs from the commit. */
  readonly dirty: boolean;
  readonly node: string;
  readonly v8: string;
  readonly platform: string;
  readonly cpu: string;
  readonly cores: number;
  readonly memoryGiB: number;
  /** Of recurve, the peers and the engines they use. */
  readonly versions: Readonly<Record<string, string>>;
  /** Environment variables that the arms' processes were given. */
  readonly variables: Readonly<Record<string, string>>;
  /** Of the shuffles and of the resampling. */
  readonly seed: number;
  /** Whether the data were small, so that the figures mean nothing. */
  readonly quick: boolean;
}

const root = new URL('../../', import.meta.url);

export async function readEnvironment(suite: Suite, seed: number, quick: boolean): Promise<Environment> {
  const status = await git('status', '--porcelain');
  return {
    suite: suite.name,
    date: new Date().toISOString(),
    commit: (await git('rev-parse', '--verify', '--quiet', 'HEAD')) || null,
    dirty: status !== '',
    node: process.versions.node,
    v8: process.versions.v8,
    platform: `${process.platform}-${process.arch}`,
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    versions: { recurve: await versionAt(new URL('package.json', root)), ...(await suite.versions()) },
    variables: suite.env ?? {},
    seed,
    quick,
  };
}

/** The version of a package that is installed beside the sources. */
export async function packageVersion(name: string): Promise<string> {
  return versionAt(new URL(`node_modules/${name}/package.json`, root));
}

async function versionAt(file: URL): Promise<string> {
  const { version } = JSON.parse(await readFile(file, 'utf8')) as { version: string };
  return version;
}

/** What git prints; empty where it fails, e.g. in a checkout without history. */
async function git(...args: string[]): Promise<string> {
  try {
    return (await promisify(execFile)('git', args, { cwd: fileURLToPath(root) })).stdout.trim();
  } catch {
    return '';
  }
}
