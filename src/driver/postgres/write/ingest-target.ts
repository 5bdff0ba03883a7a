import type { TableName } from '../../../adbc/spi.ts';
import { RecurveError } from '../../../error.ts';
import type { TargetType } from '../encode/target.ts';
import { quoteIdentifier } from '../quote.ts';
import type { PostgresSession } from '../session.ts';
import { completeTypes } from '../type-lookup.ts';
import type { WireParameter } from '../wire/message-writer.ts';
import { toTarget } from './target-type.ts';

/** Where a table stands or will stand, and what stands there. */
export interface Place {
  readonly dbSchema: string;
  readonly tableName: string;
  readonly temporary: boolean;
  readonly relation?: Relation | undefined;
}

/** What stands under a name. */
export interface Relation {
  /** `pg_class.relkind`. */
  readonly kind: string;
  /** Whether LOCK TABLE is allowed: who may insert into some columns only may not. */
  readonly canLock: boolean;
  readonly columns: readonly TargetColumn[];
}

/** A column of a table that is there. */
export interface TargetColumn {
  readonly name: string;
  readonly type: TargetType;
  /** NOT NULL, without a default or another way to come by a value. */
  readonly required: boolean;
  readonly oid: number;
  readonly typmod: number;
}

/** The place in SQL. */
export function quotePlace({ dbSchema, tableName, temporary }: Place): string {
  return `${temporary ? 'pg_temp' : quoteIdentifier(dbSchema)}.${quoteIdentifier(tableName)}`;
}

// Serves a temporary table too, whose schema is not there before the session's first one.
const placeSql = `SELECT pg_catalog.current_database()::text AS catalog, s.name AS db_schema, n.oid IS NOT NULL AS has_schema,
  c.relkind::text AS kind, pg_catalog.has_table_privilege(c.oid, 'INSERT') AS can_insert, a.attname::text AS name, a.atttypid::int8 AS oid, a.atttypmod AS typmod,
  a.attnotnull AND NOT a.atthasdef AND a.attidentity = '' AS required
FROM (SELECT CASE WHEN $3::bool THEN (SELECT t.nspname::text FROM pg_catalog.pg_namespace t WHERE t.oid = pg_catalog.pg_my_temp_schema())
  ELSE COALESCE($1::text, pg_catalog.current_schema()::text) END AS name) s
LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = s.name
LEFT JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = $2::text
LEFT JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
ORDER BY a.attnum`;

interface PlaceRow {
  readonly catalog: string;
  readonly db_schema: string | null;
  readonly has_schema: boolean;
  readonly kind: string | null;
  readonly can_insert: boolean | null;
  readonly name: string | null;
  readonly oid: bigint | null;
  readonly typmod: number | null;
  readonly required: boolean | null;
}

/**
 * Finds a table, in one round trip where its types are known. What is left out is the session's own: never a table of another
 * schema, nor a temporary one of the same name. Throws NOT_FOUND for a schema that is not there, NOT_IMPLEMENTED for
 * another catalog.
 */
export async function findPlace(
  session: PostgresSession,
  { catalog, dbSchema, tableName }: TableName,
  temporary: boolean,
  signal: AbortSignal,
): Promise<Place> {
  const parameters = [text(dbSchema || null), text(tableName), text(`${temporary}`)];
  const table = await session.query(placeSql, parameters, signal);
  const rows = Array.from(table.rows(), (row) => row as unknown as PlaceRow);
  const [first] = rows;
  if (first === undefined) throw new RecurveError('INTERNAL', 'the server says nothing of the place of the table');
  if (catalog !== undefined && catalog !== '' && catalog !== first.catalog) {
    throw new RecurveError(
      'NOT_IMPLEMENTED',
      `catalog ${JSON.stringify(catalog)} is not the database of this connection, ${JSON.stringify(first.catalog)}`,
      { hint: 'connect to that database: PostgreSQL reaches no other' },
    );
  }
  if (!first.has_schema && !temporary) {
    const what = first.db_schema === null ? 'the search path names no schema' : `there is no schema`;
    throw new RecurveError(
      'NOT_FOUND',
      first.db_schema === null ? what : `${what} ${JSON.stringify(first.db_schema)}`,
      {
        hint: 'make it with CREATE SCHEMA, or name one that is there',
      },
    );
  }
  const place = { dbSchema: first.db_schema ?? 'pg_temp', tableName, temporary };
  if (first.kind === null) return place;
  const { kind, can_insert: canInsert } = first;
  const columns = await readColumns(session, rows, signal);
  return { ...place, relation: { kind, canLock: canInsert === true && kind !== 'f', columns } };
}

async function readColumns(
  session: PostgresSession,
  rows: readonly PlaceRow[],
  signal: AbortSignal,
): Promise<TargetColumn[]> {
  const known = rows.flatMap(({ name, oid, typmod, required }) => {
    if (name === null) return [];
    return [{ name, oid: Number(oid), typmod: typmod ?? -1, required: required === true, format: 1 as const }];
  });
  await completeTypes(session, known, signal);
  return known.map(({ name, oid, typmod, required }) => {
    const type = toTarget(session.types, oid, typmod);
    if (type === undefined) throw new RecurveError('INTERNAL', `column ${JSON.stringify(name)}: no type ${oid}`);
    return { name, type, required, oid, typmod };
  });
}

/** A text whose type the statement says. */
export function text(value: string | null): WireParameter {
  return { oid: 0, format: 0, bytes: value === null ? null : new TextEncoder().encode(value) };
}

/** A clash between the data and the table that it is appended to: ALREADY_EXISTS, as ADBC has it. */
export function clash(tableName: string, message: string, hint?: string): RecurveError {
  return new RecurveError('ALREADY_EXISTS', `table ${JSON.stringify(tableName)} has other columns: ${message}`, {
    hint,
  });
}
