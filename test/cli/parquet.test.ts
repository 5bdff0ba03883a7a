import assert from 'node:assert/strict';
import { readdirSync, writeFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { batchFromArrays, Field, FileWriter, int64, Schema, utf8 } from 'recurve/arrow';
import { recurve, temporaryFolder } from './run-command.ts';

const at = temporaryFolder();

/** Rows in the groups of a Parquet file, most first, by DuckDB's own reading of its footer. */
async function groupsOf(path: string): Promise<number[]> {
  const sql = `select distinct row_group_id, row_group_num_rows as n from parquet_metadata('${path}') order by n desc`;
  const { out, err, code } = await recurve(['query', sql, '-f', 'jsonl']);
  assert.equal(code, 0, err);
  return out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line).n as number);
}

describe('Parquet', () => {
  test('of wide rows has groups of few rows, for each is held in memory; of narrow rows the usual ones', async () => {
    const schema = new Schema([new Field('i', int64()), new Field('t', utf8())]);
    const writer = new FileWriter(schema);
    const pieces = [...writer.start()];
    for (let k = 0; k < 40; k++) {
      const ids = BigInt64Array.from({ length: 250 }, (_, i) => BigInt(k * 250 + i));
      const texts = Array.from(ids, (id) => `${id} and more `.padEnd(10_000, `${id % 7n}`));
      pieces.push(...writer.write(batchFromArrays(schema, [ids, texts])).map((piece) => piece.slice()));
    }
    writeFileSync(at('wide.arrow'), Buffer.concat([...pieces, ...writer.finish()]));
    const wide = await recurve(['convert', at('wide.arrow'), at('wide.parquet')]);
    assert.equal(wide.code, 0, wide.err);
    const groups = await groupsOf(at('wide.parquet'));
    assert.equal(
      groups.reduce((sum, rows) => sum + rows, 0),
      10_000,
    );
    // 32 MiB of rows of 10 KB are 3,355; DuckDB takes whole vectors.
    assert.ok(Math.max(...groups) <= 4096, `${groups}`);

    const narrow = await recurve(['query', 'from range(300000)', '-o', at('narrow.parquet')]);
    assert.equal(narrow.code, 0, narrow.err);
    assert.equal((await groupsOf(at('narrow.parquet')))[0], 122_880);
  });

  test('leaves nothing behind in the folder for temporary files', async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = at('');
    try {
      const { code } = await recurve(['query', "select error('no') from range(10)", '-o', at('failed.parquet')]);
      assert.equal(code, 1);
    } finally {
      if (before === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = before;
    }
    assert.deepEqual(
      readdirSync(at('')).filter((name) => /failed|recurve-parquet/.test(name)),
      [],
    );
  });
});
