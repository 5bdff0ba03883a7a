import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, sep } from 'node:path';
import test, { after, before, describe } from 'node:test';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { packCheckout } from '../../scripts/pack.ts';
import { runTool, type ToolResult } from '../../scripts/tool.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const SUBPATHS = [
  'recurve',
  'recurve/open',
  'recurve/arrow',
  'recurve/adbc',
  'recurve/delivery',
  'recurve/driver/duckdb',
];

/** The tarball of `npm pack` in an otherwise empty project: no peers, no development dependencies, no sources of the checkout. */
describe('the published package', () => {
  let scratch: string;
  let project: string;
  before(async () => {
    scratch = mkdtempSync(join(tmpdir(), 'recurve-package-'));
    const checkout = join(scratch, 'checkout');
    project = join(scratch, 'project');
    mkdirSync(checkout);
    mkdirSync(project);
    const tarball = await packCheckout(checkout);
    // The dependencies come from the checkout: nothing is fetched, and any other one fails the installation.
    const dependencies = Object.fromEntries(
      ['smol-toml', 'zstddec'].map((name) => [name, `file:${join(root, 'node_modules', name)}`]),
    );
    put(
      'package.json',
      JSON.stringify({ name: 'user', version: '1.0.0', private: true, type: 'module', dependencies }),
    );
    const { code, output } = await runTool(
      'npm',
      ['install', '--offline', '--install-links', '--loglevel=error', tarball],
      project,
    );
    assert.equal(code, 0, output);
  });
  after(() => rmSync(scratch, { recursive: true }));

  const put = (file: string, text: string): void => writeFileSync(join(project, file), text);
  const run = (command: string, args: string[], env?: NodeJS.ProcessEnv): Promise<ToolResult> =>
    runTool(command, args, project, env);
  const runScript = (file: string, text: string): Promise<ToolResult> => {
    put(file, text);
    return run('node', [file]);
  };

  test('installs itself and its two dependencies', () => {
    const names = readdirSync(join(project, 'node_modules')).filter((name) => !name.startsWith('.'));
    assert.deepEqual(names, ['recurve', 'smol-toml', 'zstddec']);
  });

  test('holds compiled code, types, licence and no sources', () => {
    const files = readdirSync(join(project, 'node_modules/recurve'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(join(project, 'node_modules/recurve').length + 1));
    for (const file of files) {
      assert.match(file.replaceAll(sep, '/'), /^(dist\/.*\.(js|cjs|d\.ts|d\.cts)|package\.json|README\.md|LICENSE)$/);
    }
    for (const file of ['LICENSE', 'dist/arrow/index.js', 'dist/arrow/index.d.ts', 'dist/cli/launch.cjs']) {
      assert.ok(files.includes(file), `${file} is missing`);
    }
  });

  test('has types at every subpath', async () => {
    const lines = SUBPATHS.map((path, i) => `import * as m${i} from '${path}';\nexport const n${i}: object = m${i};\n`);
    put('all.ts', lines.join(''));
    put(
      'manifest.ts',
      "import manifest from 'recurve/package.json' with { type: 'json' };\nexport const v: string = manifest.version;\n",
    );
    // Types of peers that are not installed cannot be checked.
    const { code, output } = await checkTypes(
      ['all.ts', 'manifest.ts'],
      ['--skipLibCheck', '--types', 'node', '--typeRoots', join(root, 'node_modules/@types')],
    );
    assert.equal(code, 0, output);
  });

  test('has types of recurve/arrow that need neither Node nor a peer', async () => {
    put('arrow.ts', "import * as arrow from 'recurve/arrow';\nexport const a: object = arrow;\n");
    const { code, output } = await checkTypes(['arrow.ts'], ['--types', '', '--lib', 'ES2023,WebWorker']);
    assert.equal(code, 0, output);
  });

  test('can be imported at every subpath without its peers', async () => {
    const text = SUBPATHS.map((path) => `console.log('${path}', Object.keys(await import('${path}')).length);`).join(
      '\n',
    );
    const { code, output } = await runScript('import.mjs', text);
    assert.equal(code, 0, output);
    assert.deepEqual(
      output
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
      SUBPATHS,
    );
    assert.match(output, /^recurve\/arrow [1-9]/m);
  });

  test('can be required at every subpath', async () => {
    const text = SUBPATHS.map((path) => `console.log('${path}', Object.keys(require('${path}')).length);`).join('\n');
    const { code, output } = await runScript('require.cjs', text);
    assert.equal(code, 0, output);
    assert.match(output, /^recurve\/arrow [1-9]/m);
  });

  test('shares one copy between import and require', async () => {
    const { code, output } = await runScript(
      'both.mjs',
      `import { createRequire } from 'node:module';
       import * as imported from 'recurve/arrow';
       console.log(Object.entries(createRequire(import.meta.url)('recurve/arrow')).every(([name, value]) => imported[name] === value));`,
    );
    assert.equal(code, 0, output);
    assert.equal(output.trim(), 'true');
  });

  test('names the package to install when a peer is missing', async () => {
    const { code, output } = await runScript(
      'open.mjs',
      `import { open } from 'recurve';
       try {
         const database = await open('duckdb:');
         await database.connect();
         console.log('opened');
       } catch (error) {
         console.log(error.name, error.message, error.hint ?? "");
       }`,
    );
    assert.equal(code, 0, output);
    assert.match(output, /^RecurveError .*npm install @duckdb\/node-api/);
  });

  test('has a command that says the same and exits with 3', async () => {
    const { code, output } = await run(join(project, 'node_modules/.bin/recurve'), ['query', 'SELECT 1']);
    assert.equal(code, 3, output);
    assert.match(output, /npm install @duckdb\/node-api/);
  });

  test('has a command that sizes the thread pool', {
    skip: process.platform !== 'linux' && 'counts threads in /proc',
  }, async () => {
    // Runs in the command's own process: once the launcher is done, uses the pool and counts the process's threads.
    put(
      'probe.cjs',
      `const fs = require('node:fs');
       setTimeout(() => fs.stat('/', () => {
         fs.writeFileSync(process.env.PROBE, String(fs.readdirSync('/proc/self/task').length));
         process.exit(0);
       }), 0);`,
    );
    const countThreads = async (size: string | undefined): Promise<number> => {
      const file = join(project, 'threads');
      const env = { UV_THREADPOOL_SIZE: size, PROBE: file, NODE_OPTIONS: `--require=${join(project, 'probe.cjs')}` };
      await run('node', ['node_modules/recurve/dist/cli/launch.cjs', '--version'], env);
      return Number(readFileSync(file, 'utf8'));
    };
    const one = await countThreads('1');
    assert.equal((await countThreads(undefined)) - one, 15);
    assert.equal((await countThreads('7')) - one, 6);
  });

  test('brings nothing but arrow into a browser bundle of recurve/arrow, codecs only when they are asked for', async () => {
    const { metafile, outputFiles } = await build({
      stdin: { contents: "export * from 'recurve/arrow'", resolveDir: project },
      absWorkingDir: project,
      bundle: true,
      write: false,
      metafile: true,
      platform: 'browser',
      format: 'esm',
      external: ['#codec'],
    });
    const leaving = Object.values(metafile.inputs).flatMap(({ imports }) => imports.filter(({ external }) => external));
    assert.deepEqual(
      leaving.map(({ path, kind }) => [path, kind]),
      [['#codec', 'dynamic-import']],
    );
    assert.ok((outputFiles[0]?.contents.length ?? 0) > 0);
    const inputs = Object.keys(metafile.inputs).filter((file) => file !== '<stdin>');
    for (const file of inputs) {
      assert.match(file, /^node_modules\/recurve\/dist\/(arrow\/.*|status|error|platform\/default)\.js$/);
    }
    assert.ok(inputs.includes('node_modules/recurve/dist/arrow/index.js'));
  });

  test('costs a bundle nothing where it is imported but not used', async () => {
    const { outputFiles } = await build({
      stdin: { contents: "import 'recurve/arrow'; import * as unused from 'recurve/arrow';", resolveDir: project },
      bundle: true,
      write: false,
      minify: true,
      platform: 'browser',
      format: 'esm',
      logLevel: 'silent',
    });
    assert.equal(outputFiles[0]?.text.trim(), '');
  });

  function checkTypes(files: string[], flags: string[]): Promise<ToolResult> {
    const strict = [
      '--noEmit',
      '--strict',
      '--exactOptionalPropertyTypes',
      '--module',
      'nodenext',
      '--target',
      'es2023',
    ];
    return run('tsc', [...strict, ...flags, ...files]);
  }
});
