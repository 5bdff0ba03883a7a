import assert from 'node:assert/strict';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after, before, beforeEach, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { runTool, type ToolResult } from '../../scripts/tool.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const HEAD = "import test from 'node:test';\n";
const PASSING = `${HEAD}test('passes', () => {});\n`;

describe('scripts/test.ts', () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'recurve-runner-'));
    cpSync(join(root, 'scripts'), join(folder, 'scripts'), { recursive: true });
    cpSync(join(root, 'package.json'), join(folder, 'package.json'));
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  after(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    rmSync(join(folder, 'test'), { recursive: true, force: true });
    mkdirSync(join(folder, 'test'));
  });

  const put = (file: string, text: string): void => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };
  // NODE_TEST_CONTEXT would make the inner run report to the outer one.
  const run = (...args: string[]): Promise<ToolResult> =>
    runTool('node', ['--import', 'tsx', 'scripts/test.ts', ...args], folder, { NODE_TEST_CONTEXT: undefined });

  const assertEnd = ({ code, output }: ToolResult, expected: number, line: string): void => {
    assert.equal(code, expected, output);
    assert.equal(output.trim().split('\n').at(-1), line, output);
  };

  test('adds up what ran in all processes', async () => {
    put('test/a.test.ts', `${PASSING}test.skip('later', () => {});\n`);
    put(
      'test/deep/b.test.ts',
      `import { describe } from 'node:test';\n${PASSING}describe('suite', () => { test('in', () => {}); });\n`,
    );
    put('test/c.own-process.test.ts', PASSING);
    assertEnd(await run(), 0, '4 passed, 0 failed, 1 skipped');
  });

  test('fails when a test fails', async () => {
    put('test/a.test.ts', `${PASSING}test('fails', () => { throw new Error('boom'); });\n`);
    assertEnd(await run(), 1, '1 passed, 1 failed, 0 skipped');
  });

  test('runs the files below a path, and leaves interop and soak to their flags', async () => {
    put('test/a.test.ts', PASSING);
    put('test/ab/b.test.ts', PASSING);
    put('test/interop/c.test.ts', `${HEAD}test('peer', (t) => t.diagnostic('peer: other 1.2'));\n`);
    put('test/soak/d.test.ts', PASSING);
    assertEnd(await run(), 0, '2 passed, 0 failed, 0 skipped');
    assertEnd(await run('test/ab'), 0, '1 passed, 0 failed, 0 skipped');
    assertEnd(await run('--soak'), 0, '1 passed, 0 failed, 0 skipped');
    const interop = await run('--interop');
    assertEnd(interop, 0, '1 passed, 0 failed, 0 skipped');
    assert.match(interop.output, /^peers that ran: other 1\.2$/m);
  });

  test('fails when no test ran', async () => {
    assertEnd(await run(), 1, '0 passed, 0 failed, 0 skipped');
    put('test/a.test.ts', HEAD);
    assertEnd(await run(), 1, '0 passed, 0 failed, 0 skipped');
    put('test/a.test.ts', `${HEAD}test.skip('later', () => {});\n`);
    assertEnd(await run(), 1, '0 passed, 0 failed, 1 skipped');
  });

  test('fails when a path matches nothing, or an option is unknown', async () => {
    put('test/a.test.ts', PASSING);
    for (const args of [['test/b'], ['test/a.test.ts', 'test/b'], ['--typo']]) {
      const { code, output } = await run(...args);
      assert.equal(code, 1);
      assert.match(output, /^error: .*(test\/b|--typo)/m);
    }
  });

  test('fails when no foreign peer ran', async () => {
    put('test/interop/a.test.ts', PASSING);
    const { code, output } = await run('--interop');
    assert.equal(code, 1);
    assert.match(output, /no foreign peer ran/);
  });

  test('fails, and names the file, when one cannot be imported', async () => {
    put('test/a.test.ts', PASSING);
    put('test/b.test.ts', "import './missing.ts';\n");
    const result = await run();
    assertEnd(result, 1, '1 passed, 1 failed, 0 skipped');
    assert.match(result.output, /test\/b\.test\.ts can be imported/);
  });

  test('fails on a rejection that no test waits for', async () => {
    put('test/a.test.ts', `${PASSING}setTimeout(() => Promise.reject(new Error('stray')), 50);\n`);
    put(
      'test/b.own-process.test.ts',
      `${HEAD}test('leaves one', () => { setTimeout(() => Promise.reject(new Error('left')), 20); });\n`,
    );
    const { code, output } = await run();
    assert.equal(code, 1, output);
    assert.match(output, /stray/);
    assert.match(output, /left/);
  });

  test('fails when a test ends the process', async () => {
    put('test/a.test.ts', `${HEAD}test('exits', () => process.exit(0));\n`);
    const { code, output } = await run();
    assert.equal(code, 1, output);
    assert.match(output, /ended before its tests were done/);
  });

  test('fails when a hook fails', async () => {
    put(
      'test/a.test.ts',
      `import { after, describe } from 'node:test';\n${HEAD}describe('s', () => { after(() => { throw new Error('hook'); }); test('in', () => {}); });\n`,
    );
    assert.equal((await run()).code, 1);
  });

  test('gives --test-… to node', async () => {
    put('test/a.test.ts', `${PASSING}test('other', () => { throw new Error('boom'); });\n`);
    assert.equal((await run('--test-name-pattern=passes')).code, 0);
  });

  test('is what npm test runs', () => {
    const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { scripts: { test: string } };
    assert.match(scripts.test, /scripts\/test\.ts$/);
  });
});
