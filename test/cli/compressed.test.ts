import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { tableFromArrays, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { recurve, temporaryFolder } from './run-command.ts';

describe('Arrow files with compressed bodies', () => {
  const at = temporaryFolder();
  const table = tableFromArrays({
    id: Int32Array.from({ length: 2000 }, (_, i) => i >> 2),
    name: Array(2000).fill('x'),
  });

  for (const compression of ['lz4', 'zstd'] as const) {
    test(`are converted, inspected and queried by name (${compression})`, async () => {
      const codecs = await loadCodecs();
      for (const [suffix, format] of [
        ['arrow', 'file'],
        ['arrows', 'stream'],
      ] as const) {
        const path = at(`${compression}.${suffix}`);
        const bytes = tableToIPC(table, { compression, codecs, format });
        writeFileSync(path, bytes);
        const converted = await recurve(['convert', path, '-', '-f', 'csv']);
        assert.deepEqual([converted.code, converted.err], [0, '']);
        assert.equal(converted.out.split('\n')[2000], '499,x');
        const inspected = await recurve(['inspect', path, '--validate', 'full']);
        assert.deepEqual([inspected.code, inspected.err], [0, '']);
        const queried = await recurve(['query', `select sum(id)::int as s, count(*) as n from '${path}'`, '-f', 'csv']);
        assert.deepEqual([queried.code, queried.out], [0, 's,n\n499000,2000\n']);
      }
    });
  }

  test('are written where --compression says so, and refused for other formats', async () => {
    writeFileSync(at('plain.arrow'), tableToIPC(table, { format: 'file' }));
    const codecs = await loadCodecs();
    for (const compression of ['lz4', 'zstd']) {
      for (const argv of [
        ['convert', at('plain.arrow'), '-', '-f', 'arrows'],
        ['query', `from '${at('plain.arrow')}'`, '-f', 'arrow'],
      ]) {
        const { code, err, bytes } = await recurve([...argv, '--compression', compression]);
        assert.deepEqual([code, err], [0, '']);
        assert.throws(() => tableFromIPC(bytes), new RegExp(`no codec for ${compression}`));
        assert.deepEqual(tableFromIPC(bytes, { codecs }).toArray(), table.toArray());
      }
    }
    for (const argv of [
      ['query', 'select 1', '-f', 'csv'],
      ['convert', at('plain.arrow'), at('out.parquet')],
    ]) {
      const { code, err } = await recurve([...argv, '--compression', 'zstd']);
      assert.equal(code, 2);
      assert.match(err, /--compression is for the formats arrow and arrows, not for (csv|parquet)/);
    }
  });
});
