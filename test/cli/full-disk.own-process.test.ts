import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { temporaryFolder } from './run-command.ts';

const at = temporaryFolder();
const main = join(import.meta.dirname, '../../src/cli/main.ts');

/** Runs the command where no file may grow over 4 MB, which stands for a disk that is full. */
function runFull(args: readonly string[], scratch: string): { code: number | null; err: string } {
  mkdirSync(scratch);
  const node = [process.execPath, '--conditions=recurve-source', '--import', 'tsx', main, ...args];
  // Blocks of 512 bytes in a POSIX shell, of 1,024 in others.
  const ran = spawnSync('sh', ['-c', 'ulimit -f 8000; exec "$@"', 'sh', ...node], {
    encoding: 'utf8',
    env: { ...process.env, TMPDIR: scratch },
  });
  return { code: ran.status, err: ran.stderr };
}

describe('a disk that fills while a result is written', { skip: process.platform === 'win32' }, () => {
  const sql = 'select range as i, md5(range::varchar) as t from range(1000000)';
  for (const suffix of ['csv', 'arrow', 'arrows', 'parquet']) {
    test(`to .${suffix} is one error, and what was there before is there`, () => {
      const file = at(`out.${suffix}`);
      const scratch = at(`scratch-${suffix}`);
      writeFileSync(file, 'before');
      const { code, err } = runFull(['query', sql, '-o', file], scratch);
      assert.equal(code, 1, err);
      assert.match(err, /^error\[IO\]: [^\n]+\n(hint: [^\n]+\n)?$/);
      assert.equal(readFileSync(file, 'utf8'), 'before');
      assert.deepEqual(
        readdirSync(at('')).filter((name) => name.includes('partial')),
        [],
      );
      // What tsx compiled may stay.
      assert.deepEqual(
        readdirSync(scratch).filter((name) => !name.startsWith('tsx-')),
        [],
      );
    });
  }
});
