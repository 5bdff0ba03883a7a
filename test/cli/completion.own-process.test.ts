import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { commands } from '../../src/cli/commands.ts';
import { recurve, temporaryFolder } from './run-command.ts';

describe('the completion for bash', () => {
  const at = temporaryFolder();

  /** What bash offers after these words, the last of which is being typed. */
  const offers = async (...words: string[]): Promise<string[]> => {
    writeFileSync(at('recurve.bash'), (await recurve(['completion', 'bash'])).out);
    const script = `source '${at('recurve.bash')}'; COMP_WORDS=("$@"); COMP_CWORD=$(( $# - 1 )); _recurve; printf '%s\\n' "\${COMPREPLY[@]}"`;
    const out = execFileSync('bash', ['-c', script, 'bash', 'recurve', ...words], { cwd: at('.'), encoding: 'utf8' });
    return out.split('\n').filter((line) => line !== '');
  };

  test('is a script that bash can parse', async () => {
    const { code, out } = await recurve(['completion', 'bash']);
    assert.equal(code, 0);
    execFileSync('bash', ['-n'], { input: out });
  });

  test('offers commands, options, formats and files', async () => {
    writeFileSync(at('data.csv'), '');
    assert.deepEqual(await offers('con'), ['convert']);
    assert.deepEqual(
      (await offers('')).filter((word) => !word.startsWith('-')),
      [...commands.map(({ name }) => name), 'help'],
    );
    assert.deepEqual(await offers('query', '--form'), ['--format']);
    assert.deepEqual(await offers('convert', '-f', 'arrow'), ['arrow', 'arrows']);
    assert.deepEqual(await offers('ingest', '--mode', 're'), ['replace']);
    assert.deepEqual(await offers('inspect', 'da'), ['data.csv']);
    assert.deepEqual(await offers('query', '-o', 'da'), ['data.csv']);
    assert.deepEqual(await offers('completion', ''), ['bash', 'zsh', 'fish']);
    assert.deepEqual(await offers('help', 'ins'), ['inspect']);
  });
});

/** Why a shell's test cannot run, or false. */
function lacks(shell: string): string | false {
  return spawnSync(shell, ['-c', 'exit']).error === undefined ? false : `${shell} is not installed`;
}

describe('the completion for zsh and fish', () => {
  const at = temporaryFolder();

  test('is a script that zsh can parse', { skip: lacks('zsh') }, async () => {
    writeFileSync(at('_recurve'), (await recurve(['completion', 'zsh'])).out);
    execFileSync('zsh', ['-n', at('_recurve')]);
  });

  test('offers in fish commands, options, values and files', { skip: lacks('fish') }, async () => {
    writeFileSync(at('recurve.fish'), (await recurve(['completion', 'fish'])).out);
    writeFileSync(at('data.csv'), '');
    const offers = (line: string): string[] => {
      const script = `source '${at('recurve.fish')}'; complete -C '${line}'`;
      const out = execFileSync('fish', ['--no-config', '-c', script], { cwd: at('.'), encoding: 'utf8' });
      return out.split('\n').flatMap((text) => (text === '' ? [] : [text.split('\t')[0] ?? '']));
    };
    assert.deepEqual(offers('recurve con'), ['convert']);
    assert.deepEqual(offers('recurve query --form'), ['--format']);
    assert.deepEqual(offers('recurve convert -f arrow'), ['arrow', 'arrows']);
    assert.deepEqual(offers('recurve ingest --mode re'), ['replace']);
    assert.deepEqual(offers('recurve inspect da'), ['data.csv']);
    assert.deepEqual(offers('recurve completion '), ['bash', 'fish', 'zsh']);
    assert.deepEqual(offers('recurve help ins'), ['inspect']);
  });

  test('names every command and option', async () => {
    for (const shell of ['zsh', 'fish']) {
      const { code, out } = await recurve(['completion', shell]);
      assert.equal(code, 0);
      for (const { name, options } of commands) {
        assert.ok(out.includes(name), name);
        for (const option of options)
          assert.ok(out.includes(shell === 'fish' ? `-l ${option.name}` : `--${option.name}`));
      }
    }
  });

  test('another shell is refused with exit code 2', async () => {
    assert.equal((await recurve(['completion', 'tcsh'])).code, 2);
    assert.equal((await recurve(['completion'])).code, 2);
  });
});
