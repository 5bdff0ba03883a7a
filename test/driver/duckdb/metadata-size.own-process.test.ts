import assert from 'node:assert/strict';
import test, { before, describe } from 'node:test';
import type { Connection } from 'recurve';
import { type Database, open } from 'recurve';
import type { Row, Table } from 'recurve/arrow';

const columnCount = 30;

/** A database of `count` tables of 30 columns, each with a primary key. */
async function makeTables(count: number): Promise<{ database: Database; connection: Connection }> {
  const database = await open('duckdb:');
  const connection = await database.connect();
  const columns = Array.from(
    { length: columnCount - 1 },
    (_, i) => `column_${i} ${i % 2 === 0 ? 'integer' : 'varchar'}`,
  );
  await connection.setAutoCommit(false);
  for (let from = 0; from < count; from += 500) {
    const texts: string[] = [];
    for (let i = from; i < Math.min(count, from + 500); i++) {
      texts.push(`create table t${i} (id bigint primary key, ${columns.join(', ')})`);
    }
    await connection.execute(texts.join(';'));
  }
  await connection.setAutoCommit(true);
  return { database, connection };
}

/** The least of `times` runs: what else the machine does only adds. */
async function leastMs(times: number, work: () => Promise<unknown>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let i = 0; i < times; i++) {
    const startMs = performance.now();
    await work();
    least = Math.min(least, performance.now() - startMs);
  }
  return least;
}

function tablesOf(objects: Table): Row[] {
  const memory = objects.toArray().find((row) => row.catalog_name === 'memory') ?? {};
  const main = (memory.catalog_db_schemas as Row[]).find((row) => row.db_schema_name === 'main') ?? {};
  return main.db_schema_tables as Row[];
}

describe('getObjects at full depth', () => {
  before(async () => {
    // The first call of a process compiles.
    const { database, connection } = await makeTables(10);
    await connection.getObjects();
    await database.close();
  });

  test('over 5,000 tables of 30 columns takes 2 s at most, and lists them all', async (t) => {
    const { database, connection } = await makeTables(5000);
    t.after(() => database.close());
    const tables = tablesOf(await connection.getObjects({ catalog: 'memory' }));
    assert.equal(tables.length, 5000);
    for (const table of tables) {
      assert.equal((table.table_columns as Row[]).length, columnCount);
      assert.equal((table.table_constraints as Row[]).length, 1);
    }
    const tookMs = await leastMs(3, () => connection.getObjects());
    t.diagnostic(`${tookMs.toFixed(0)} ms`);
    assert.ok(tookMs <= 2000, `${tookMs} ms`);
  });

  test('grows with the number of tables and not with its square', async (t) => {
    const took: number[] = [];
    for (const count of [500, 2000]) {
      const { database, connection } = await makeTables(count);
      took.push(await leastMs(5, () => connection.getObjects()));
      await database.close();
    }
    const [few = 0, many = 0] = took;
    t.diagnostic(`${few.toFixed(0)} ms and ${many.toFixed(0)} ms`);
    assert.ok(many <= 6 * few, `2000 tables take ${many} ms, 500 tables ${few} ms`);
  });
});
