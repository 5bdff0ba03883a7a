/**
 * npm run size
 *
 * Bundles `recurve/arrow` for the browser as a user would, prints the sizes and fails when a bundle is over its budget or
 * pulls in a module from outside of arrow.
 */
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** The budgets, in bytes of minified code. */
const BUNDLES = [
  { name: 'arrow, everything', maxBytes: 176_000, code: `export * from 'recurve/arrow'` },
  { name: 'arrow, read only', maxBytes: 80_000, code: `export { tableFromIPC } from 'recurve/arrow'` },
  { name: 'arrow/read', maxBytes: 72_000, code: `export { tableFromIPC } from 'recurve/arrow/read'` },
];

const CODEC = { name: 'codec', maxBytes: 95_000, code: `export * from 'recurve/codec'` };

const ALLOWED = /^(<stdin>|src\/(arrow\/.*|status|error|platform\/default)\.ts)$/;

const root = fileURLToPath(new URL('..', import.meta.url));
console.log(
  `${'bundle'.padEnd(20)}${['min', 'gzip', 'brotli', 'budget'].map((title) => title.padStart(9)).join('')}  (bytes)`,
);
for (const { name, maxBytes, code } of [...BUNDLES, CODEC]) {
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
  const sizes = [output.length, gzipSync(output, { level: 9 }).length, brotliCompressSync(output).length, maxBytes];
  console.log(`${name.padEnd(20)}${sizes.map((size) => String(size).padStart(9)).join('')}`);
  if (output.length > maxBytes) fail(`${name}: ${output.length} bytes, over its budget of ${maxBytes}`);
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
