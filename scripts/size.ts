/**
 * npm run size
 *
 * Bundles `recurve/arrow` for the browser as a user would, prints the sizes and fails when a bundle is over its budget or
 * pulls in a module from outside of arrow.
 */
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/**
 * The budgets, in bytes of minified and gzipped code: `maxBytes` is what fails the check, `goalBytes` what it is to become.
 */
const BUNDLES = [
  { name: 'arrow, everything', goalBytes: 28_000, maxBytes: 56_610, code: `export * from 'recurve/arrow'` },
  {
    name: 'arrow, read and write',
    goalBytes: 16_000,
    maxBytes: 31_690,
    code: `export { tableFromIPC, tableToIPC } from 'recurve/arrow'`,
  },
  { name: 'arrow/read', goalBytes: 8_500, maxBytes: 18_450, code: `export { tableFromIPC } from 'recurve/arrow/read'` },
];

const CODEC = { name: 'codec', goalBytes: 35_500, maxBytes: 35_500, code: `export * from 'recurve/codec'` };

const ALLOWED = /^(<stdin>|src\/(arrow\/.*|status|error|platform\/default)\.ts)$/;

const root = fileURLToPath(new URL('..', import.meta.url));
console.log(
  `${'bundle'.padEnd(23)}${['min', 'gzip', 'brotli', 'budget', 'goal'].map((title) => title.padStart(9)).join('')}  (bytes)`,
);
for (const { name, goalBytes, maxBytes, code } of [...BUNDLES, CODEC]) {
  const { outputFiles, metafile } = await build({
    stdin: { contents: code, resolveDir: root },
    absWorkingDir: root,
    bundle: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    format: 'esm',
    target: 'es2022',
    conditions: ['recurve-source'],
    // Loaded when a compressed body is met, and a bundle of its own.
    external: ['#codec'],
    logLevel: 'warning',
  });
  const output = outputFiles[0]?.contents ?? new Uint8Array();
  const gzipBytes = gzipSync(output, { level: 9 }).length;
  const sizes = [output.length, gzipBytes, brotliCompressSync(output).length, maxBytes, goalBytes];
  console.log(`${name.padEnd(23)}${sizes.map((size) => String(size).padStart(9)).join('')}`);
  if (gzipBytes > maxBytes) fail(`${name}: ${gzipBytes} bytes gzipped, over its budget of ${maxBytes}`);
  if (name === CODEC.name) continue;
  for (const [file, { imports }] of Object.entries(metafile.inputs)) {
    if (!ALLOWED.test(file)) fail(`${name}: ${file} must not be part of it`);
    for (const { path, external, kind } of imports) {
      if (external && kind !== 'dynamic-import') fail(`${name}: ${file} imports ${path}`);
    }
  }
}

function fail(message: string): void {
  console.error(`error: ${message}`);
  process.exitCode = 1;
}
