import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import type { TextColumn } from '../../../../src/arrow/column/text.ts';
import { arrowColumn, officialValue } from './canonical.ts';
import { binding, openSession, spyOn, wide } from './session.ts';

/** Bytes that each call of `get_data_from_pointer` copied, while `read` runs. */
async function countPointerReads(read: (spied: typeof binding) => Promise<unknown>): Promise<number[]> {
  const byteCounts: number[] = [];
  await read(
    spyOn({
      get_data_from_pointer(buffer, offset, byteCount) {
        byteCounts.push(byteCount);
        return binding.get_data_from_pointer(buffer, offset, byteCount);
      },
    }),
  );
  return byteCounts;
}

describe('strings', async () => {
  const session = await openSession();
  const folder = mkdtempSync(join(tmpdir(), 'recurve-'));
  after(() => rmSync(folder, { recursive: true }));
  await session.official.run(`create table words as select i, case i % 6
      when 0 then '' when 1 then repeat('a', 12) when 2 then repeat('b', 13) when 3 then null
      when 4 then 'no. ' || i else 'a string that is not inline, number ' || i end s from range(20000) t(i)`);
  await session.official.run(`copy words to '${folder}/words.parquet'`);
  await session.official.run(`copy words to '${folder}/words.csv'`);
  await session.official.run(
    `attach '${folder}/words.db' as disk; create table disk.words as from words; checkpoint disk`,
  );

  const queries = {
    memory: 'select s from words order by i',
    disk: 'select s from disk.words order by i',
    Parquet: `select s from '${folder}/words.parquet' order by i`,
    CSV: `select s from read_csv('${folder}/words.csv', header = true) order by i`,
    'a filter': 'select s from words where i % 7 in (2, 3) order by i',
    'a join': 'select b.s from words a join words b on a.i = b.i + 1 order by a.i',
    'a sort by something else': 'select s from words order by hash(i)',
    'an aggregate': 'select s from words group by s order by s nulls first',
    'few distinct values': "select 'a category of some length ' || i % 5 from words order by i",
    'a constant': "select 'the same long string in every row' from words",
    'a list': 'select unnest([s, s, null]) from words order by i',
    'a window': 'select lag(s, 3) over (order by i) from words order by i',
  };
  for (const [source, sql] of Object.entries(queries)) {
    for (const materialised of [false, true]) {
      it(`from ${source} are those of the official API, ${materialised ? 'materialised' : 'streamed'}`, async () => {
        const [expected = []] = await session.columns(sql);
        const { batches } = await session.read(sql, { materialised, limit: { ...wide, maxRows: 3000, firstRows: 5 } });
        assert.deepEqual(arrowColumn(batches, 0), expected.map(officialValue));
      });
    }
  }

  for (const length of [0, 12, 13, 1_000_000]) {
    it(`of ${length} bytes keep every byte, between NULLs and others`, async () => {
      const sql = `select case i % 4 when 0 then repeat('xyz', ${length}) [1:${length}] when 1 then null when 2 then '' else 'end' end s from range(40) t(i)`;
      const { batches } = await session.read(sql);
      const expected = Array.from({ length: 40 }, (_, i) => {
        if (i % 4 === 0) return 'xyz'.repeat(Math.ceil(length / 3)).slice(0, length);
        return i % 4 === 1 ? null : i % 4 === 2 ? '' : 'end';
      });
      assert.deepEqual(arrowColumn(batches, 0), expected);
    });
  }

  it('hold nothing but their bytes, also behind an inline one at the end', async () => {
    const { batches } = await session.read("select s from (values ('a string of some length'), ('abc')) t(s)");
    const column = batches[0]?.column(0) as TextColumn;
    assert.equal(Buffer.from(column.data).toString(), 'a string of some lengthabc');
    const behind = new Uint8Array(column.data.buffer, column.data.byteOffset + column.data.length);
    assert.ok(behind.every((byte) => byte === 0));
  });

  it('of any bytes survive as BLOB', async () => {
    const sql =
      "select unhex(lpad(to_hex(i), 2, '0'))::blob b, repeat(unhex('00ff')::varchar, 1)::blob c from range(0) t(i)";
    assert.equal((await session.read(sql)).batches.length, 0);
    const { batches } = await session.read("select unhex(repeat('00ff80', (i % 9)::integer)) b from range(3000) t(i)");
    const expected = Array.from({ length: 3000 }, (_, i) => '00ff80'.repeat(i % 9));
    assert.deepEqual(arrowColumn(batches, 0), expected);
  });

  it('back to back are fetched by a call or two a chunk, across NULLs and inline ones', async () => {
    const counts = await countPointerReads((spied) =>
      session.read('select s from words order by i', { binding: spied }),
    );
    assert.ok(counts.length <= 3 * Math.ceil(20_000 / 2048), `${counts.length} calls`);
  });

  it('are fetched without a byte that is not theirs: a gap is never part of a run', async () => {
    for (const [source, sql] of Object.entries(queries)) {
      for (const materialised of [false, true]) {
        const counts = await countPointerReads((spied) => session.read(sql, { binding: spied, materialised }));
        const [row] = await session.columns(`select sum(strlen(s)) from (${sql}) t(s) where strlen(s) > 12`);
        const fetched = counts.reduce((sum, count) => sum + count, 0);
        assert.equal(BigInt(fetched), BigInt(String(row?.[0] ?? 0)), source);
      }
    }
  });

  it('are read while their chunk is held: it is let go after its last pointer, not before', async () => {
    const log: string[] = [];
    const limit = { maxRows: 700, maxBytes: 1 << 28, firstRows: 700 };
    await session.read('select s from words order by i', {
      limit,
      binding: spyOn({
        data_chunk_get_vector(chunk, index) {
          log.push('load');
          return binding.data_chunk_get_vector(chunk, index);
        },
        get_data_from_pointer(buffer, offset, byteCount) {
          log.push('read');
          return binding.get_data_from_pointer(buffer, offset, byteCount);
        },
        data_chunk_reset(chunk) {
          log.push('release');
          binding.data_chunk_reset(chunk);
        },
      }),
    });
    const perChunk = log.join(' ').split('load').slice(1);
    assert.equal(perChunk.length, Math.ceil(20_000 / 2048));
    for (const calls of perChunk) assert.match(calls, /^( read)+ release *$/);
  });

  it('of a long result leave no copy of a chunk behind: its memory is given back with the chunk', async () => {
    const copies: { copy: Uint8Array; byteCount: number }[] = [];
    const keep = (copy: Uint8Array): Uint8Array => {
      copies.push({ copy, byteCount: copy.byteLength });
      return copy;
    };
    const spied = spyOn({
      vector_get_data: (vector, byteCount) => keep(binding.vector_get_data(vector, byteCount)),
      get_data_from_pointer: (buffer, offset, byteCount) =>
        keep(binding.get_data_from_pointer(buffer, offset, byteCount)),
    });
    const sql = "select i, 'a text of some length ' || i s from range(81920) t(i)";
    const { batches } = await session.read(sql, { binding: spied });
    const late = copies.slice(copies.length / 2).filter(({ byteCount }) => byteCount >= 4096);
    assert.ok(late.length >= 60, `${late.length} copies`);
    assert.ok(late.every(({ copy }) => copy.byteLength === 0));
    assert.equal(batches[0]?.column('s').at(81_919), 'a text of some length 81919');
  });
});
