import assert from 'node:assert/strict';
import {
  chmodSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import test, { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runTool } from '../../scripts/tool.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const MAIN = `console.log(JSON.stringify([process.argv.slice(2), process.cwd(), process.env.UV_THREADPOOL_SIZE]));\n`;

/** `./recurve` in a checkout whose command prints how it was started, and whose npm installs tsx alone. */
describe('the recurve script', () => {
  let scratch: string;
  let checkout: string;
  let tools: string;
  before(() => {
    scratch = realpathSync(mkdtempSync(join(tmpdir(), 'recurve script-')));
    checkout = join(scratch, 'check out');
    tools = join(scratch, 'tools');
    mkdirSync(join(checkout, 'src/cli'), { recursive: true });
    mkdirSync(tools);
    for (const file of ['recurve', 'package.json', 'package-lock.json']) cpSync(join(root, file), join(checkout, file));
    writeFileSync(join(checkout, 'src/cli/main.ts'), MAIN);
    addTool(
      'npm',
      `echo "$@" >>"${join(scratch, 'npm-calls')}"; echo noise; sleep 1
      mkdir -p node_modules/tsx && ln -sf "${join(root, 'node_modules/tsx/dist')}" node_modules/tsx/dist && touch node_modules/.package-lock.json`,
    );
  });
  after(() => rmSync(scratch, { recursive: true }));

  const addTool = (name: string, text: string, folder = tools): void => {
    writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`);
    chmodSync(join(folder, name), 0o755);
  };
  const run = async (
    args: string[],
    options: { command?: string; cwd?: string; path?: string; size?: string } = {},
  ) => {
    const path = `${options.path ?? tools}${delimiter}${process.env.PATH ?? ''}`;
    const command = options.command ?? join(checkout, 'recurve');
    // Standard output alone: whatever else the script says belongs to standard error.
    const shell = ['-c', '"$0" "$@" 2>/dev/null', command, ...args];
    return runTool('sh', shell, options.cwd ?? scratch, { PATH: path, UV_THREADPOOL_SIZE: options.size });
  };

  test('installs once, on first use, when several start together', async () => {
    const results = await Promise.all([run(['a']), run(['b']), run(['c'])]);
    for (const [i, { code, output }] of results.entries()) {
      assert.equal(code, 0, output);
      assert.deepEqual(JSON.parse(output), [['abc'[i]], scratch, '16']);
    }
    const { output } = await runTool('wc', ['-l', join(scratch, 'npm-calls')], scratch);
    assert.match(output.trim(), /^1 /);
  });

  test('keeps the working folder and each argument, also through symbolic links', async () => {
    const links = join(scratch, 'links');
    const elsewhere = join(scratch, 'else where');
    mkdirSync(links);
    mkdirSync(elsewhere);
    symlinkSync('../check out/recurve', join(links, 'one'));
    symlinkSync(join(links, 'one'), join(elsewhere, 'two'));
    const { output } = await run(['a  b', '', '*'], { command: './two', cwd: elsewhere, size: '5' });
    assert.deepEqual(JSON.parse(output), [['a  b', '', '*'], elsewhere, '5']);
    const found = await run(['x'], { command: 'one', path: `${links}${delimiter}${tools}` });
    assert.deepEqual(JSON.parse(found.output), [['x'], scratch, '16']);
  });

  test('installs again when the lock file is newer, past a lock whose owner is gone', async () => {
    const later = new Date(Date.now() + 1000);
    utimesSync(join(checkout, 'package-lock.json'), later, later);
    symlinkSync('pid:999999999', join(checkout, '.recurve-install'));
    const { code, output } = await run(['x']);
    assert.equal(code, 0, output);
    const calls = await runTool('wc', ['-l', join(scratch, 'npm-calls')], scratch);
    assert.match(calls.output.trim(), /^2 /);
  });

  test('installs once when several find the lock of one that is gone', async () => {
    const now = new Date();
    const earlier = new Date(Date.now() - 60_000);
    utimesSync(join(checkout, 'package-lock.json'), now, now);
    utimesSync(join(checkout, 'node_modules/.package-lock.json'), earlier, earlier);
    symlinkSync('pid:999999999', join(checkout, '.recurve-install'));
    const results = await Promise.all(['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((word) => run([word])));
    for (const { code, output } of results) assert.equal(code, 0, output);
    const { output } = await runTool('wc', ['-l', join(scratch, 'npm-calls')], scratch);
    assert.match(output.trim(), /^3 /);
    assert.deepEqual(
      readdirSync(checkout).filter((name) => name.startsWith('.recurve-install')),
      [],
    );
  });

  test('says what to remove when one was killed while it took over a lock', async () => {
    const later = new Date(Date.now() + 120_000);
    utimesSync(join(checkout, 'package-lock.json'), later, later);
    for (const name of ['.recurve-install', '.recurve-install.takeover'])
      symlinkSync('pid:999999999', join(checkout, name));
    const { code, output } = await runTool(join(checkout, 'recurve'), [], scratch, { PATH: process.env.PATH ?? '' });
    assert.equal(code, 1);
    assert.match(
      output,
      /^error: an earlier start was killed half-way; remove .*\.recurve-install\.takeover and try again\n$/,
    );
  });

  test('says in one line when Node is too old or missing', async () => {
    for (const [name, text, found] of [
      ['old', 'echo v20.18.3', 'v20.18.3'],
      ['older', 'echo v18.20.8', 'v18.20.8'],
    ] as const) {
      const folder = join(scratch, name);
      mkdirSync(folder);
      addTool('node', text, folder);
      const { code, output } = await runTool(join(checkout, 'recurve'), [], scratch, {
        PATH: `${folder}${delimiter}${process.env.PATH ?? ''}`,
      });
      assert.equal(code, 1);
      assert.match(output, new RegExp(`^error: recurve needs Node.js 20\\.19 or later, and .* is ${found}\\n$`));
    }
    const bare = join(scratch, 'bare');
    mkdirSync(bare);
    for (const tool of ['sh', 'dirname', 'readlink']) {
      const { output } = await runTool('sh', ['-c', `command -v ${tool}`], scratch);
      symlinkSync(output.trim(), join(bare, tool));
    }
    const { code, output } = await runTool('sh', ['-c', `PATH="${bare}" "${join(checkout, 'recurve')}"`], scratch);
    assert.equal(code, 1);
    assert.match(output, /^error: recurve needs Node\.js 20\.19 or later, and there is no node on the PATH\n$/);
  });
});
