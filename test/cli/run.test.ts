import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { Arguments } from '../../src/cli/argument.ts';
import { bench } from '../../src/cli/bench.ts';
import { commands } from '../../src/cli/commands.ts';
import { run } from '../../src/cli/run.ts';
import { type FakeIo, fakeIo } from './fake-io.ts';

async function call(...argv: string[]): Promise<{ code: number; io: FakeIo }> {
  const io = fakeIo();
  return { code: await run(argv, io), io };
}

describe('the command line', () => {
  test('prints its version', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));
    for (const option of ['--version', '-V']) {
      const { code, io } = await call(option);
      assert.deepEqual([code, io.out(), io.err()], [0, `recurve ${version}\n`, '']);
    }
  });

  test('explains itself on standard output when asked, and on standard error when called with nothing', async () => {
    for (const argv of [['--help'], ['-h'], ['help']]) {
      const { code, io } = await call(...argv);
      assert.equal(code, 0);
      assert.equal(io.err(), '');
      for (const { name, summary } of commands)
        assert.ok(io.out().includes(name) && io.out().includes(summary.slice(0, 20)));
    }
    const { code, io } = await call();
    assert.equal(code, 2);
    assert.equal(io.out(), '');
    assert.match(io.err(), /^recurve: .*\n\nusage: /);
  });

  test('explains each command with all its options, within 100 columns', async () => {
    for (const { name, options, passesThrough } of commands) {
      const { code, io } = await call('help', name);
      assert.equal(code, 0);
      assert.match(io.out(), new RegExp(`^usage: recurve ${name}`));
      for (const option of options) assert.ok(io.out().includes(`--${option.name}`), option.name);
      for (const line of io.out().split('\n')) assert.ok(line.length <= 100 || line.startsWith('  recurve'), line);
      if (passesThrough !== true) assert.equal((await call(name, '--help')).io.out(), io.out());
    }
  });

  test('refuses what it does not know with what was meant, in two lines, exit code 2', async () => {
    const refused: [argv: string[], lines: string][] = [
      [['qurey', 'select 1'], 'error[INVALID_ARGUMENT]: unknown command "qurey"\nhint: did you mean query?\n'],
      [['xyzzy'], 'error[INVALID_ARGUMENT]: unknown command "xyzzy"\nhint: see recurve --help\n'],
      [['--frobnicate'], 'error[INVALID_ARGUMENT]: unknown option --frobnicate\nhint: see recurve --help\n'],
      [
        ['query', '--fromat', 'csv'],
        'error[INVALID_ARGUMENT]: unknown option --fromat\nhint: did you mean --format?\n',
      ],
      [['help', 'qeury'], 'error[INVALID_ARGUMENT]: unknown command "qeury"\nhint: did you mean query?\n'],
      [['demo', 'x'], 'error[INVALID_ARGUMENT]: unexpected operand "x"\nhint: usage: recurve demo\n'],
    ];
    for (const [argv, lines] of refused) {
      const { code, io } = await call(...argv);
      assert.deepEqual([code, io.out(), io.err()], [2, '', lines], argv.join(' '));
    }
  });

  test('says in one line where the benchmarks are when they are not here', async () => {
    const args = new Arguments(['ipc'], new Map());
    await assert.rejects(bench(args, new URL('./no-such-bench.ts', import.meta.url)), {
      message: 'the benchmarks are not part of the installed package',
      exitCode: 2,
    });
  });

  test('has one name and letter an option, and a value for whatever has choices', () => {
    for (const { options } of commands) {
      const words = options.flatMap(({ name, short }) => (short === undefined ? [name] : [name, short]));
      assert.equal(new Set(words).size, words.length);
      for (const { choices, value } of options) assert.ok(choices === undefined || value !== undefined);
    }
  });
});
