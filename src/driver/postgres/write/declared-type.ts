import type { Field } from '../../../arrow/schema.ts';
import { RecurveError } from '../../../error.ts';
import { typeKey } from '../decode/plan.ts';
import { parseType } from '../decode/type-text.ts';
import type { PostgresSession } from '../session.ts';
import { completeTypes } from '../type-lookup.ts';
import { text } from './ingest-target.ts';

/** A type by its OID and typmod. */
export interface TypeReference {
  readonly oid: number;
  readonly typmod: number;
}

/** Names and nothing else, as it becomes part of a statement: maybe of a schema, maybe with a number, maybe an array. */
const plainName = /^(?:(?:"(?:[^"]|"")+"|[a-z_][\w$]*)\.)?(?:"(?:[^"]|"")+"|[a-z_][\w$]*)(?:\((\d+)\))?(?:\[\])*$/i;

/**
 * The types that fields say they had in PostgreSQL, by the metadata that results carry, in the order of the fields; undefined
 * where a field says none, or one that this database does not have. Asks the server only for those that are not built in.
 */
export async function findDeclaredTypes(
  session: PostgresSession,
  fields: readonly Field[],
  signal: AbortSignal,
): Promise<(TypeReference | undefined)[]> {
  const declared = fields.map((field) => field.metadata.get(typeKey));
  const found = new Map<string, TypeReference | undefined>();
  for (const name of declared) if (name !== undefined) found.set(name, parseBuiltin(name));
  const unknown = [...found].flatMap(([name, reference]) =>
    reference === undefined && plainName.test(name) ? [name] : [],
  );
  if (unknown.length > 0) {
    const sql =
      'SELECT pg_catalog.to_regtype(name)::oid::int8 AS oid FROM unnest($1::text[]) WITH ORDINALITY AS t(name, n) ORDER BY n';
    // A number is no part of a name to `to_regtype` before PostgreSQL 17.
    const names = unknown.map((name) => name.replace(/\(\d+\)/, ''));
    const table = await session.query(sql, [text(arrayText(names))], signal);
    const oids = Array.from(table.rows(), (row) => (row.oid === null ? undefined : Number(row.oid)));
    const known = oids.flatMap((oid) => (oid === undefined ? [] : [{ name: '', oid, typmod: -1, format: 1 as const }]));
    await completeTypes(session, known, signal);
    for (const [i, name] of unknown.entries()) {
      const oid = oids[i];
      if (oid !== undefined) found.set(name, { oid, typmod: Number(plainName.exec(name)?.[1] ?? -1) });
    }
  }
  return declared.map((name) => (name === undefined ? undefined : found.get(name)));
}

function parseBuiltin(name: string): TypeReference | undefined {
  try {
    const { oid, typmod } = parseType(name, () => undefined);
    return { oid, typmod };
  } catch (error) {
    if (RecurveError.is(error)) return undefined;
    throw error;
  }
}

function arrayText(values: readonly string[]): string {
  return `{${values.map((value) => `"${value.replace(/["\\]/g, '\\$&')}"`).join()}}`;
}
