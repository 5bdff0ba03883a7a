/**
 * npm test [-- [--interop | --soak] [--test-…] [PATH …]]
 *
 * Runs test/**\/*.test.ts, all in one child process: a process a file costs 30 times the time. `*.own-process.test.ts` (suites
 * that start servers, measure memory or spawn a lot) follow, each in a process of its own. PATH is a file or a folder.
 * `--interop` and `--soak` run test/interop and test/soak instead, which are otherwise left out.
 * `--test-…` goes to node (`--test-name-pattern=…`, `--test-only`). Ends with `N passed, N failed, N skipped`, and fails
 * when no test ran.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative, resolve, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Counts } from './test-count.ts';

const TIMEOUT_MS = 15 * 60_000;
const APART = ['interop', 'soak'];

const root = fileURLToPath(new URL('..', import.meta.url));
const args = process.argv.slice(2);
const apart = APART.find((name) => args.includes(`--${name}`));
const nodeFlags = args.filter((arg) => arg.startsWith('--test-'));
const unknown = args.filter((arg) => arg.startsWith('-') && !nodeFlags.includes(arg) && !APART.includes(arg.slice(2)));
if (unknown.length > 0) fail(`unknown option ${unknown.join(' ')}`);

const files = select(
  args.filter((arg) => !arg.startsWith('-')),
  listTests(apart),
);
const own = files.filter((file) => file.endsWith('.own-process.test.ts'));
const shared = files.filter((file) => !own.includes(file));
const runs = [...(shared.length > 0 ? [shared] : []), ...own.map((file) => [file])];

const scratch = mkdtempSync(join(tmpdir(), 'recurve-test-'));
const total: Counts = { passed: 0, failed: 0, skipped: 0, peers: [] };
const faults: string[] = [];
try {
  for (const [index, run] of runs.entries()) await runFiles(run, join(scratch, `${index}.json`));
} finally {
  rmSync(scratch, { recursive: true });
}

if (total.passed + total.failed === 0) faults.push('no test ran');
if (apart === 'interop') {
  const peers = [...new Set(total.peers)].sort();
  console.log(`\npeers that ran: ${peers.join(', ') || 'none'}`);
  if (peers.length === 0)
    faults.push("no foreign peer ran (a test reports one with t.diagnostic('peer: NAME VERSION'))");
}
for (const fault of faults) console.error(`error: ${fault}`);
console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`);
if (faults.length > 0 || total.failed > 0) process.exitCode = 1;

function fail(message: string): never {
  console.error(`error: ${message}`);
  process.exit(1);
}

function listTests(apart: string | undefined): string[] {
  const top = join(root, 'test');
  const all = readdirSync(top, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'));
  const home = (file: string) => APART.find((name) => file.startsWith(name + sep));
  return all
    .filter((file) => home(file) === apart)
    .sort()
    .map((file) => join(top, file));
}

/** The files that a path names, or all; each path must name one, so that a typing error cannot pass as success. */
function select(paths: string[], all: string[]): string[] {
  if (paths.length === 0) return all;
  const wanted = paths.map((path) => {
    const full = resolve(path);
    const hits = all.filter((file) => file === full || file.startsWith(full + sep));
    if (hits.length === 0) fail(`no test file matches ${path}`);
    return hits;
  });
  return all.filter((file) => wanted.some((hits) => hits.includes(file)));
}

async function runFiles(run: string[], countsFile: string): Promise<void> {
  const name = run.length === 1 ? relative(root, run[0] ?? '') : `${run.length} test files`;
  const flags = [
    '--conditions=recurve-source',
    '--expose-gc',
    `--import=${import.meta.resolve('tsx')}`,
    '--test-reporter=spec',
    '--test-reporter-destination=stdout',
    `--test-reporter=${new URL('./test-count.ts', import.meta.url).href}`,
    `--test-reporter-destination=${countsFile}`,
    ...nodeFlags,
  ];
  const script = fileURLToPath(new URL('./test-files.ts', import.meta.url));
  const child = spawn(process.execPath, [...flags, script, ...run], { stdio: 'inherit', cwd: root });
  const timer = setTimeout(() => {
    faults.push(`${name}: still running after ${TIMEOUT_MS / 60_000} minutes`);
    child.kill('SIGKILL');
  }, TIMEOUT_MS);
  const [code, signal] = await new Promise<[number | null, string | null]>((done, broken) => {
    child.on('error', broken);
    child.on('exit', (...end) => done(end));
  });
  clearTimeout(timer);

  const counts = readCounts(countsFile);
  if (counts === undefined) faults.push(`${name}: ended before its tests were done (${signal ?? `exit code ${code}`})`);
  else {
    total.passed += counts.passed;
    total.failed += counts.failed;
    total.skipped += counts.skipped;
    total.peers.push(...counts.peers);
    if (code !== 0 && counts.failed === 0) faults.push(`${name}: ${signal ?? `exit code ${code}`} outside of a test`);
  }
}

function readCounts(file: string): Counts | undefined {
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Counts;
  } catch {
    return undefined;
  }
}
