import assert from 'node:assert/strict';
import type { Connection } from 'recurve';
import { type TypeCase, valuesOf } from '../decode/type-case.ts';
import type { TestDatabase } from '../server.ts';

/** Whether a type's values are written as that type: the server's binary form of these two does not take what is empty. */
export function isWritten({ type }: TypeCase): boolean {
  return type !== 'int2vector' && type !== 'oidvector';
}

/**
 * Reads values of a type and writes them, both into a table that is made and into one of that type, and has the server compare
 * their texts with those of the source. Gives how many there were.
 */
export async function roundTrip(
  database: TestDatabase,
  reader: Connection,
  writer: Connection,
  test: TypeCase,
  count: number,
): Promise<number> {
  await database.query(
    `DROP TABLE IF EXISTS source, made, there; CREATE TABLE source (n int8, v ${test.type}); CREATE TABLE there (LIKE source);
     INSERT INTO source SELECT row_number() OVER (), v FROM (${valuesOf(test, count)}) s`,
  );
  for (const [table, mode] of [
    ['made', 'create'],
    ['there', 'append'],
  ] as const) {
    const rows = await writer.ingest(table, await reader.query('SELECT n, v FROM source'), { mode });
    const [compared] = await database.query(
      `SELECT (SELECT count(*)::int FROM source) AS rows, count(*)::int AS same FROM source s JOIN ${table} t USING (n)
       WHERE s.v::text IS NOT DISTINCT FROM t.v::text`,
    );
    assert.deepEqual(compared, { rows, same: rows }, `${test.type} into the table that is ${table}`);
  }
  const [{ types } = {}] = await database.query(
    // The server tells of a domain as what it is made of.
    `SELECT array_agg(DISTINCT CASE typtype WHEN 'd' THEN format_type(typbasetype, typtypmod)
       ELSE format_type(atttypid, atttypmod) END) AS types
     FROM pg_attribute JOIN pg_type t ON t.oid = atttypid WHERE attrelid IN ('source'::regclass, 'made'::regclass) AND attname = 'v'`,
  );
  assert.equal((types as unknown[]).length, 1, `${test.type} is made as ${types}`);
  const [{ n } = {}] = await database.query('SELECT count(*)::int AS n FROM source');
  return Number(n);
}
