import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test, { afterEach, beforeEach, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { Environment } from '../../bench/harness/environment.ts';
import { writeRecord } from '../../bench/harness/record.ts';
import type { Measurement } from '../../bench/harness/suite.ts';
import { summarize } from '../../bench/harness/summary.ts';
import { verifyRecord } from '../../bench/harness/verify.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const committed = join(root, 'bench', 'results');

const env: Environment = {
  suite: 'ipc',
  date: '2026-01-02T03:04:05.000Z',
  commit: null,
  dirty: false,
  node: '20.1.2',
  v8: '1',
  platform: 'linux-x64',
  cpu: 'A Fine Processor',
  cores: 2,
  memoryGiB: 8,
  versions: { recurve: '0.1.0', peer: '9.8.7' },
  variables: {},
  seed: 1,
  quick: false,
};

function measurements(peerDigest: string): Measurement[] {
  return [
    ['recurve', 2, '1:a'],
    ['peer', 8, peerDigest],
  ].map(([arm, ms, digest]) => ({
    suite: 'ipc',
    cell: 'rows',
    arm: String(arm),
    round: 1,
    process: 1,
    iterations: 1,
    ms: Number(ms),
    digest: String(digest),
  }));
}

describe('results table', () => {
  let folder = '';
  let readme = '';

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'recurve-results-'));
    readme = join(folder, 'README.md');
    writeFileSync(readme, 'before\n<!-- results:begin -->\nold\n<!-- results:end -->\nafter\n');
  });

  afterEach(() => rmSync(folder, { recursive: true }));

  async function write(changes: Partial<Environment> = {}, peerDigest = '1:a'): Promise<void> {
    const rows = measurements(peerDigest);
    await writeRecord(join(folder, 'results', 'ipc'), rows, summarize(rows, env.seed), { ...env, ...changes });
  }

  function script(...flags: string[]): { status: number | null; stderr: string } {
    const node = ['--conditions=recurve-source', '--import', 'tsx', 'scripts/results-table.ts'];
    const args = [...node, ...flags, readme, join(folder, 'results')];
    return spawnSync(process.execPath, args, { cwd: root, encoding: 'utf8' });
  }

  test('writes between its two lines and leaves the rest; --check is content then and not before', async () => {
    await write();
    assert.equal(script('--check').status, 1);
    assert.equal(script().status, 0);
    const text = readFileSync(readme, 'utf8');
    assert.match(text, /^before\n<!-- results:begin -->\n\n/);
    assert.match(text, /\n\n<!-- results:end -->\nafter\n$/);
    assert.doesNotMatch(text, /old/);
    assert.match(
      text,
      /`\.\/recurve bench ipc`, 2026-01-02, Node 20\.1\.2, A Fine Processor, 2 cores, 8 GiB; peer 9\.8\.7/,
    );
    assert.match(text, /^\| `rows` \| 2\.00 ms \| peer \| 8\.00 ms \| 0\.25 \(0\.25 to 0\.25\) \|$/m);
    assert.equal(script('--check').status, 0);
    assert.equal(script().status, 0);
    assert.equal(readFileSync(readme, 'utf8'), text);
  });

  test('refuses figures of small data and of arms whose results differ', async () => {
    await write({ quick: true });
    assert.match(script().stderr, /--quick/);
    await write({}, '1:b');
    const { status, stderr } = script();
    assert.equal(status, 1);
    assert.match(stderr, /results of rows differ/);
    assert.match(readFileSync(readme, 'utf8'), /old/);
  });

  test('refuses a README without the two lines', async () => {
    await write();
    writeFileSync(readme, 'nothing here\n');
    assert.match(script().stderr, /results:begin/);
  });

  test('the committed results verify', async () => {
    const folders = existsSync(committed) ? readdirSync(committed) : [];
    for (const name of folders) assert.deepEqual(await verifyRecord(join(committed, name)), [], name);
  });
});
