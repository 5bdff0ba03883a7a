import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Column } from '../../../../src/arrow/column.ts';
import { arrowColumn, officialValue } from './canonical.ts';
import { binding, openSession, spyOn } from './session.ts';

/** Bytes of the buffers of a column, as Arrow counts them. */
function byteLength(column: Column): number {
  const { values, offsets, data, validity, children = [] } = column.layout;
  const own = [values, offsets, data, validity].reduce((sum, buffer) => sum + (buffer?.byteLength ?? 0), 0);
  return children.reduce((sum, child) => sum + byteLength(child), own);
}

describe('batches', async () => {
  const session = await openSession();

  it('end at the limits of rows, the first one sooner', async () => {
    const { batches } = await session.read('select i from range(10000) t(i)', {
      limit: { maxRows: 3000, maxBytes: 1 << 28, firstRows: 100 },
    });
    assert.deepEqual(
      batches.map((batch) => batch.numRows),
      [100, 3000, 3000, 3000, 900],
    );
  });

  it('never take more bytes than allowed, inside of a chunk too', async () => {
    const sql =
      "select i, repeat('s', (i % 100)::integer) s, [i, i] l, case when i % 3 = 0 then null else i end n from range(20000) t(i)";
    const maxBytes = 20_000;
    const { batches } = await session.read(sql, { limit: { maxRows: 1 << 20, maxBytes, firstRows: 1 << 20 } });
    assert.ok(batches.length > 50);
    for (const batch of batches) {
      const bytes = batch.columns.reduce((sum, column) => sum + byteLength(column), 0);
      // Beside the rows: one more offset a column, and bitmaps rounded up to bytes.
      assert.ok(bytes <= maxBytes + 16, `${bytes} bytes in ${batch.numRows} rows`);
    }
    const columns = await session.columns(sql);
    columns.forEach((expected, i) => {
      assert.deepEqual(arrowColumn(batches, i), expected.map(officialValue));
    });
  });

  it('are as full as the limit lets them be', async () => {
    const limit = { maxRows: 1 << 20, maxBytes: 8 * 1000, firstRows: 1 << 20 };
    const { batches } = await session.read('select i from range(10000) t(i)', { limit });
    assert.deepEqual(
      batches.map((batch) => batch.numRows),
      new Array(10).fill(1000),
    );
  });

  it('hold a single row that is larger than the limit', async () => {
    const sql = "select repeat('m', 1000000) s from range(5) t(i)";
    const { batches } = await session.read(sql, { limit: { maxRows: 100, maxBytes: 1000, firstRows: 100 } });
    assert.deepEqual(
      batches.map((batch) => batch.numRows),
      [1, 1, 1, 1, 1],
    );
    assert.ok(batches.every((batch) => (batch.column(0).at(0) as string).length === 1_000_000));
  });

  it('split a chunk of long strings and read each string once', async () => {
    const sql = 'select repeat(chr((97 + i % 26)::integer), 100000) s from range(300) t(i)';
    const { batches } = await session.read(sql, { limit: { maxRows: 1 << 20, maxBytes: 1 << 20, firstRows: 1 } });
    assert.deepEqual([batches[0]?.numRows, batches[1]?.numRows], [1, 10]);
    assert.equal(
      batches.reduce((sum, batch) => sum + batch.numRows, 0),
      300,
    );
    assert.equal(arrowColumn(batches, 0)[299], String.fromCharCode(97 + (299 % 26)).repeat(100_000));
  });

  it('are decoded while the next chunk is fetched, unless a chunk is so large that two are too much', async () => {
    for (const [byteCount, expected] of [
      [100, /^fetch load fetch release fetch load release $/],
      [100_000, /^fetch load release fetch load release fetch $/],
    ] as const) {
      let log = '';
      const spied = spyOn({
        fetch_chunk(result) {
          log += 'fetch ';
          return binding.fetch_chunk(result);
        },
        data_chunk_get_vector(chunk, index) {
          log += 'load ';
          return binding.data_chunk_get_vector(chunk, index);
        },
        data_chunk_reset(chunk) {
          log += 'release ';
          binding.data_chunk_reset(chunk);
        },
      });
      await session.read(`select repeat('s', ${byteCount}) s from range(4096) t(i)`, { binding: spied });
      assert.match(log, expected);
    }
  });

  it('own their memory, of which at most an eighth is spare', async () => {
    const sql = "select i, 'text ' || i s from range(100000) t(i)";
    const { batches } = await session.read(sql, { limit: { maxRows: 30_000, maxBytes: 1 << 28, firstRows: 2000 } });
    const seen = new Set<ArrayBufferLike>();
    for (const batch of batches) {
      for (const column of batch.columns) {
        for (const view of [column.layout.values, column.layout.offsets, column.layout.data]) {
          if (view === undefined) continue;
          assert.equal(view.byteOffset, 0);
          assert.ok(!seen.has(view.buffer));
          assert.ok(view.buffer.byteLength - view.byteLength <= Math.max(view.buffer.byteLength / 8, 64));
          seen.add(view.buffer);
        }
      }
    }
  });

  it('come with a schema, and none when there are no rows', async () => {
    const { schema, batches } = await session.read("select 1 a, 'x' b where false");
    assert.deepEqual(schema.names, ['a', 'b']);
    assert.deepEqual(batches, []);
  });

  it('of lists hold their children one after the other, whatever their order in DuckDB', async () => {
    const sql = `with t as (select i, ['list ' || i, 'of row number ' || i, null][1:(i % 4)::integer] l from range(6000) t(i))
      select l from t where i % 5 <> 2 order by hash(i)`;
    const [expected = []] = await session.columns(sql);
    for (const materialised of [false, true]) {
      const { batches } = await session.read(sql, {
        materialised,
        limit: { maxRows: 777, maxBytes: 9000, firstRows: 3 },
      });
      assert.deepEqual(arrowColumn(batches, 0), expected.map(officialValue));
      for (const batch of batches) {
        const { offsets, children } = batch.column(0).layout;
        assert.equal(offsets?.[0], 0);
        assert.equal(children?.[0]?.length, offsets?.[batch.numRows]);
      }
    }
  });
});
