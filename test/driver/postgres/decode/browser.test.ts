import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { fileOf, int32 } from './wire.ts';

const entry = fileURLToPath(new URL('../../../../src/driver/postgres/decode/index.ts', import.meta.url));

it('COPY files are read where there is no Node and no code may be generated', async () => {
  const { outputFiles } = await build({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    globalName: 'decode',
    platform: 'browser',
    conditions: ['recurve-source'],
    logLevel: 'silent',
  });
  const [bundle] = outputFiles;
  assert.ok(bundle);
  // What a page has of what is used; no process, Buffer or require.
  const page = createContext(
    { TextDecoder, TextEncoder, Uint8Array, file: fileOf(int32(7), null), told: undefined as unknown },
    { codeGeneration: { strings: false, wasm: false } },
  );
  runInContext(bundle.text, page);
  await runInContext(
    `decode.pgBinaryToArrow(file, [{ name: 'a', type: 'integer' }]).table().then((table) => { told = [...table.column('a')]; })`,
    page,
  );
  assert.deepEqual([...(page.told as unknown[])], [7, null]);
});
