import assert from 'node:assert/strict';
import type pg from 'pg';
import { RecurveError } from 'recurve';
import { type Field, type RecordBatch, validateBatch } from 'recurve/arrow';
import { pgBinaryToArrow } from '../../../../src/driver/postgres/decode/copy-file.ts';
import type { PgType } from '../../../../src/driver/postgres/decode/type.ts';
import { copyOut } from './copy-out.ts';
import { serverText } from './server-text.ts';
import { type TypeCase, valuesOf } from './type-case.ts';

/** Settings by which the server's texts are what {@link serverText} gives. */
export const textSettings =
  "SET datestyle TO ISO; SET intervalstyle TO postgres; SET timezone TO 'UTC'; SET bytea_output TO hex; SET lc_monetary TO 'C'; SET xmloption TO content; SELECT setseed(0.25)";

/** Decodes a case's values and compares each with the server's text; gives how many there were. */
export async function compareCase(
  client: pg.Client,
  test: TypeCase,
  count: number,
  types: readonly PgType[],
): Promise<number> {
  const file = await copyOut(client, valuesOf(test, count));
  const columns = [
    { name: 'v', type: test.type },
    { name: 't', type: 'text' },
  ];
  const { schema, batches, numRows } = await pgBinaryToArrow(file, columns, { types }).table();
  const [field] = schema.fields;
  assert.ok(field);
  for (const batch of batches) {
    validateBatch(batch, 'full');
    const [values, texts] = [batch.column('v'), batch.column('t')];
    for (let i = 0; i < batch.numRows; i++) {
      const value = values.at(i);
      const text: string | null = value === null ? null : serverText(field, value);
      if (text !== texts.at(i) && !sameFloat(field, value, texts.at(i)))
        assert.equal(text, texts.at(i), `row ${i} of ${test.type}`);
    }
  }
  return numRows;
}

/**
 * Changes bytes of a file of a case's values, in `count` ways by a sequence of their own, and reads it: each ends in INVALID_DATA or
 * is valid Arrow.
 */
export async function corruptCase(
  client: pg.Client,
  test: TypeCase,
  count: number,
  types: readonly PgType[],
): Promise<void> {
  const file = await copyOut(client, `SELECT v FROM (${valuesOf(test, 12)}) cases`);
  const columns = [{ name: 'v', type: test.type }];
  let state = 1;
  const random = (limit: number): number => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0;
    return (state >>> 8) % limit;
  };
  for (let i = 0; i < count; i++) {
    const copy = file.slice();
    for (let changes = 1 + random(3); changes > 0; changes--) {
      copy[19 + random(copy.length - 19)] = random(2) === 0 ? random(256) : (edges[random(edges.length)] ?? 0);
    }
    const infinity = (['error', 'null', 'clamp'] as const)[random(3)] ?? 'error';
    const batches: RecordBatch[] = [];
    try {
      for await (const batch of pgBinaryToArrow(copy, columns, { types, infinity })) batches.push(batch);
    } catch (error) {
      assert.ok(RecurveError.is(error), `${test.type}, change ${i}: ${error}`);
      assert.equal(error.status, 'INVALID_DATA');
    }
    for (const batch of batches) validateBatch(batch, 'full');
  }
}

const edges = [0, 1, 2, 4, 8, 0x7f, 0x80, 0xff];

/** Whether a text is that of a float: PostgreSQL's has a digit more than the shortest now and then. */
function sameFloat({ type }: Field, value: unknown, text: unknown): boolean {
  if (type.kind !== 'float' || typeof text !== 'string') return false;
  return Object.is(type.bitWidth === 32 ? Math.fround(Number(text)) : Number(text), value);
}

/** The types of a database that are not built in, by its catalog. */
export async function ownTypes(client: pg.Client): Promise<PgType[]> {
  const { rows } = await client.query(`
    SELECT t.oid::int8::text oid, t.typname, n.nspname, t.typtype, t.typelem, t.typcategory, t.typbasetype, t.typtypmod, t.typndims,
      r.rngsubtype, mr.rngtypid mrange,
      (SELECT array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_enum e WHERE e.enumtypid = t.oid) labels,
      (SELECT json_agg(json_build_object('name', a.attname, 'oid', a.atttypid::int8, 'typmod', a.atttypmod, 'dimensions', a.attndims)
        ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped) attributes
    FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace
    LEFT JOIN pg_range r ON r.rngtypid = t.oid LEFT JOIN pg_range mr ON mr.rngmultitypid = t.oid
    WHERE t.oid >= 16384`);
  const kinds = {
    e: 'enum',
    d: 'domain',
    c: 'composite',
    r: 'range',
    m: 'multirange',
    p: 'pseudo',
    b: 'base',
  } as const;
  return rows.map((row) => {
    const isArray = row.typtype === 'b' && row.typcategory === 'A';
    const element = Number(isArray ? row.typelem : (row.rngsubtype ?? row.mrange ?? row.typbasetype));
    return {
      oid: Number(row.oid),
      name: row.typname,
      schema: row.nspname,
      kind: isArray ? 'array' : kinds[row.typtype as keyof typeof kinds],
      hasBinary: true,
      ...(element > 0 && { element }),
      ...(row.typtype === 'd' && { typmod: row.typtypmod }),
      ...(row.labels !== null && { labels: row.labels }),
      ...(row.typtype === 'c' && { attributes: row.attributes }),
    };
  });
}
