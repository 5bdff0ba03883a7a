import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { after, describe, test } from 'node:test';
import { finish, Workplace } from './command.ts';

const hasPipes = spawnSync('mkfifo', ['--version']).error === undefined;
/** Where a native call holds a thread, only a Node that can become another program ends with a code of its choice. */
const stuckCode = 'execve' in process ? 4 : 137;

describe('a command that cannot be stopped', { skip: !hasPipes && 'mkfifo is missing' }, () => {
  const workplace = new Workplace();
  after(() => workplace.remove());
  const long = "select length(repeat('x',1000000000)||repeat('y',1000000000))";
  const source = `from read_csv('pipe', columns={'a':'VARCHAR'})`;

  test('ends soon after its time is over', async () => {
    const lines: [line: string, code: number][] = [
      [`query "select 1" -f csv -o pipe`, 4],
      ['query --file pipe', 4],
      [`query "${source}"`, stuckCode],
      [`query "${source}" -o x.csv`, stuckCode],
      [`query "${long}"`, stuckCode],
    ];
    await workplace.run('mkfifo pipe');
    for (const [line, code] of lines) {
      const start = performance.now();
      const ran = await workplace.run(`recurve ${line} --timeout 1; exit $?`);
      assert.ok(performance.now() - start < 8000, `${line}: ${performance.now() - start} ms`);
      assert.match(ran.err, /^error\[TIMEOUT\]: not done within 1 s\n/, line);
      assert.deepEqual([ran.code, ran.out], [code, ''], line);
      assert.deepEqual(readdirSync(workplace.folder).sort(), ['flights.parquet', 'pipe'], line);
    }
  });

  test('ends at a signal by that signal, which shells tell as 130 and 143', async () => {
    await workplace.run('test -p pipe || mkfifo pipe');
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      const child = workplace.start(`exec recurve query "${source}"`);
      await new Promise((done) => setTimeout(done, 2000));
      const start = performance.now();
      child.kill(signal);
      const ran = await finish(child);
      assert.equal(ran.signal, signal, ran.err);
      assert.match(ran.err, /^error\[CANCELLED\]: /);
      assert.ok(performance.now() - start < 3000);
    }
  });
});
