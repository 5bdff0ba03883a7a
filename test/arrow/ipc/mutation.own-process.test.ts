import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const root = process.env.ARROW_TEST_DATA;
const skip = root === undefined || !existsSync(root) ? 'ARROW_TEST_DATA names no arrow-testing data' : false;
const script = fileURLToPath(new URL('../../soak/mutate-gold.ts', import.meta.url));

test('mutations of gold files end in a valid read or in our error', { skip }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'recurve-mutation-'));
  const result = join(folder, 'result.json');
  try {
    const args = ['--conditions=recurve-source', '--import', 'tsx', script, result, '10000000', '8'];
    await promisify(execFile)(process.execPath, args);
    const { done, outcomes, faults } = JSON.parse(readFileSync(result, 'utf8')) as {
      done: number;
      outcomes: Record<string, number>;
      faults: string[];
    };
    assert.deepEqual(faults, []);
    assert.ok(done >= 10_000, `${done}`);
    // Damage that is all found, or none of which is, would say that nothing is tried.
    for (const outcome of ['valid', 'INVALID_DATA']) assert.ok((outcomes[outcome] ?? 0) > done / 100, outcome);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
