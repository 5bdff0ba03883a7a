import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import test, { after, before, describe } from 'node:test';
import { copyCheckout } from '../../scripts/pack.ts';
import { runTool, type ToolResult } from '../../scripts/tool.ts';

const IMPORT_FAULTS: [file: string, text: string, message: string][] = [
  ['src/arrow/planted-cycle.ts', "export * from './planted-other.ts';", 'cycle'],
  ['src/arrow/planted-other.ts', "export * from './planted-cycle.ts';", 'cycle'],
  ['src/arrow/planted-layer.ts', "import '../adbc/index.ts';", 'src/arrow imports nothing but'],
  ['src/arrow/planted/deep.ts', "import '../../adbc/index.ts';", 'src/arrow imports nothing but'],
  ['src/arrow/planted-platform.ts', "import '../platform/node.ts';", 'src/arrow imports nothing but'],
  ['src/arrow/planted-node.ts', "import 'node:fs';", 'node:* only in'],
  ['src/arrow/planted-package.ts', "import 'apache-arrow';", 'Third-party imports only in'],
  ['src/delivery/planted-type.ts', "export type { Database } from '../adbc/index.ts';", 'src/delivery imports'],
  ['src/adbc/planted-lazy.ts', "await import('@duckdb/node-api');", 'Third-party imports only in'],
  ['src/driver/planted/index.ts', "import '../duckdb/index.ts';", 'Drivers never import each other'],
  ['src/driver/planted/type/index.ts', "import '../../duckdb/index.ts';", 'Drivers never import each other'],
  ['src/driver/planted/decode/index.ts', "import 'node:fs';", 'node:* only in'],
  ['src/driver/planted/encode/index.ts', "import 'node:fs';", 'node:* only in'],
  ['src/olap/planted.ts', "import '../driver/duckdb/index.ts';", 'never a driver'],
  ['src/open/planted.ts', "import '../server/index.ts';", 'src/open imports'],
  ['src/cli/planted.ts', "import 'fast-check';", 'Third-party imports only in'],
];

const LINT_FAULTS: [file: string, text: string, rule: string][] = [
  ['src/arrow/planted-any.ts', 'export const planted: any = 1;\n', 'noExplicitAny'],
  ['src/arrow/planted-assertion.ts', 'export const planted: number = [1][0]!;\n', 'noNonNullAssertion'],
  ['src/arrow/planted-ignore.ts', "// @ts-ignore\nexport const planted: number = '';\n", 'noTsIgnore'],
  ['src/delivery/planted-global.ts', 'export const planted: number = process.pid;\n', 'noRestrictedGlobals'],
  [
    'src/delivery/planted-long.ts',
    `export const planted: number[] = [\n${'  0,\n'.repeat(600)}];\n`,
    'noExcessiveLinesPerFile',
  ],
];

describe('npm run check', () => {
  let checkout: string;
  before(() => {
    checkout = mkdtempSync(join(tmpdir(), 'recurve-planted-'));
    copyCheckout(checkout);
  });
  after(() => rmSync(checkout, { recursive: true }));

  const check = (...steps: string[]): Promise<ToolResult> =>
    runTool('node', ['--import', 'tsx', 'scripts/check.ts', ...steps], checkout);
  const plant = (file: string, text: string): void => {
    mkdirSync(dirname(join(checkout, file)), { recursive: true });
    writeFileSync(join(checkout, file), text);
  };

  test('passes before anything is planted', async () => {
    const { code, output } = await check('types', 'lint', 'imports', 'unused');
    assert.equal(code, 0, output);
  });

  test('finds import cycles and each break of the layers', async () => {
    for (const [file, text] of IMPORT_FAULTS) plant(file, `${text}\n`);
    const { code, output } = await check('imports');
    for (const [file] of IMPORT_FAULTS) rmSync(join(checkout, file));
    assert.equal(code, 1, output);
    for (const [file, , message] of IMPORT_FAULTS) assertNamed(output, file, message);
  });

  test('finds any, non-null assertions, ignored errors, Node globals and long files', async () => {
    for (const [file, text] of LINT_FAULTS) plant(file, text);
    const { code, output } = await check('lint');
    for (const [file] of LINT_FAULTS) rmSync(join(checkout, file));
    assert.equal(code, 1, output);
    for (const [file, , rule] of LINT_FAULTS) assertNamed(output, file, rule);
  });

  test("finds Node's types in src/arrow", async () => {
    const file = 'src/arrow/planted-types.ts';
    plant(file, 'export const planted: Uint8Array = Buffer.alloc(1);\n');
    const { code, output } = await check('types');
    rmSync(join(checkout, file));
    assert.equal(code, 1, output);
    assertNamed(output, file, 'Buffer');
  });

  test('finds an unused export, an unused file and an undeclared dependency', async () => {
    appendFileSync(join(checkout, 'src/error.ts'), 'export const planted = 1;\n');
    plant('src/arrow/planted-unused.ts', 'export {};\n');
    plant('test/planted.test.ts', "import 'left-pad';\n");
    const { code, output } = await check('unused');
    assert.equal(code, 1, output);
    assertNamed(output, 'src/error.ts', 'planted');
    assertNamed(output, 'src/arrow/planted-unused.ts', '');
    assertNamed(output, 'test/planted.test.ts', 'left-pad');
  });

  test('refuses a step that it does not know', async () => {
    assert.equal((await check('typos')).code, 2);
  });
});

function assertNamed(output: string, file: string, message: string): void {
  const named = output.split('\n').some((line) => line.includes(file) && line.includes(message));
  assert.ok(named, `no line names ${file} and ${message}:\n${output}`);
}
