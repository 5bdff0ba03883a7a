import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileReader, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { goldSkip, listGoldCases } from '../arrow/gold-case.ts';
import { runPython } from './python.ts';

interface Checked {
  readonly versions: { readonly pyarrow: string };
  readonly results: ReadonlyArray<string | null>;
}

interface Pair {
  readonly name: string;
  readonly original: string;
  readonly written: string;
}

test('what is read from the official gold files and written is for pyarrow what it reads from them', {
  skip: goldSkip,
}, async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-gold-'));
  t.after(() => rm(directory, { recursive: true }));
  const codecs = await loadCodecs();
  const pairs: Pair[] = [];
  for (const { name, path, level } of listGoldCases()) {
    for (const suffix of ['.stream', '.arrow_file']) {
      const original = path + suffix;
      await t.test(`${name}${suffix} is written`, async () => {
        const bytes = await readFile(original);
        const table = tableFromIPC(bytes, { validate: level, codecs });
        const metadata =
          suffix === '.stream' ? undefined : FileReader.open(bytes, { validate: 'none', codecs }).metadata;
        for (const format of ['stream', 'file'] as const) {
          const written = join(directory, `${pairs.length}.${format}`);
          await writeFile(written, tableToIPC(table, { format, metadata }));
          pairs.push({ name: `${name}${suffix} written as a ${format}`, original, written });
        }
      });
    }
  }
  const checked = (await runPython('gold_pyarrow.py', [], { pairs })) as Checked;
  t.diagnostic(`peer: pyarrow ${checked.versions.pyarrow}`);
  assert.equal(checked.results.length, pairs.length);
  for (const [i, { name }] of pairs.entries()) await t.test(name, () => assert.equal(checked.results[i], null));
});
