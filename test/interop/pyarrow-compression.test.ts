import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { FileReader, type Table, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { loadPortableZstd } from '../../src/codec/zstd/codec.ts';
import { batchValues } from '../arrow/ipc/column-value.ts';
import { runPython } from './python.ts';

const names = ['lz4', 'zstd'] as const;
const values = (table: Table): unknown[] => table.batches.map(batchValues);

test('bodies that pyarrow compresses are read, and pyarrow reads those that recurve compresses', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-interop-'));
  t.after(() => rm(directory, { recursive: true }));
  const written = (await runPython('pyarrow_compression.py', ['write', directory])) as { names: string[] };
  assert.ok(written.names.length >= 4);
  const codecs = await loadCodecs();
  // Also where the platform has a ZSTD of its own.
  const portable = [...codecs.filter(({ name }) => name !== 'zstd'), await loadPortableZstd()];

  for (const name of written.names) {
    const plain = values(tableFromIPC(await readFile(join(directory, `${name}.plain.arrows`))));
    for (const codec of names) {
      await t.test(`${name}, ${codec}, read`, async () => {
        const stream = tableFromIPC(await readFile(join(directory, `${name}.${codec}.arrows`)), { codecs });
        assert.deepEqual(values(stream), plain);
        const file = FileReader.open(await readFile(join(directory, `${name}.${codec}.arrow`)), { codecs: portable });
        assert.deepEqual(values(file.table()), plain);
        const options = { compression: codec, codecs: portable };
        await writeFile(join(directory, `${name}.${codec}.out.arrows`), tableToIPC(stream, options));
        await writeFile(
          join(directory, `${name}.${codec}.out.arrow`),
          tableToIPC(stream, { ...options, format: 'file' }),
        );
      });
    }
  }

  const checked = (await runPython('pyarrow_compression.py', ['check', directory])) as {
    differs: string[];
    count: number;
  };
  assert.equal(checked.count, written.names.length * 4);
  assert.deepEqual(checked.differs, []);
});
