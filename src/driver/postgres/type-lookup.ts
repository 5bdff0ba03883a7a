import { missingTypes } from './decode/schema.ts';
import type { PgAttribute, PgColumn, PgType } from './decode/type.ts';
import { unmeasuredArrays } from './result-type.ts';
import type { PostgresSession } from './session.ts';
import type { WireParameter } from './wire/message-writer.ts';

/** `pg_range` tells of multiranges since PostgreSQL 14. */
const firstWithMultiranges = 140_000;

function lookupSql(hasMultiranges: boolean): string {
  const rangeOfMultirange = hasMultiranges
    ? ', (SELECT r.rngtypid FROM pg_catalog.pg_range r WHERE r.rngmultitypid = t.oid)'
    : '';
  const attributes = `FROM pg_catalog.pg_attribute a
    WHERE t.typtype = 'c' AND a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped`;
  return `SELECT t.oid, t.typname::text AS name, n.nspname::text AS schema, t.typtype::text AS typtype,
  t.typcategory::text AS category, t.typtypmod AS typmod, t.typndims AS dimensions, t.typsend::oid <> 0 AS sends,
  COALESCE((SELECT r.rngsubtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid)${rangeOfMultirange},
    NULLIF(t.typbasetype, 0), NULLIF(t.typelem, 0)) AS element,
  (SELECT pg_catalog.array_agg(a.attname::text ORDER BY a.attnum) ${attributes}) AS attribute_names,
  (SELECT pg_catalog.array_agg(a.atttypid ORDER BY a.attnum) ${attributes}) AS attribute_oids,
  (SELECT pg_catalog.array_agg(a.atttypmod ORDER BY a.attnum) ${attributes}) AS attribute_typmods,
  (SELECT pg_catalog.array_agg(a.attndims::int4 ORDER BY a.attnum) ${attributes}) AS attribute_dimensions,
  (SELECT pg_catalog.array_agg(e.enumlabel::text ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e
    WHERE e.enumtypid = t.oid) AS labels
FROM pg_catalog.pg_type t
JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
WHERE t.oid = ANY ($1::pg_catalog.oid[])`;
}

/** Looks up what is not known of the types of columns, and of all that they are made of. */
export async function completeTypes(
  session: PostgresSession,
  columns: readonly PgColumn[],
  signal: AbortSignal,
): Promise<void> {
  const { types } = session;
  for (let missing = missingTypes(columns, types); missing.length > 0; missing = missingTypes(columns, types)) {
    types.add(await lookupTypes(session, missing, signal));
  }
  const arrays = unmeasuredArrays(columns, types);
  if (arrays.length > 0) await lookupDimensions(session, arrays, signal);
}

/**
 * What the catalog says of these types. OIDs that it does not have, since the type was dropped meanwhile, come as `unknown`
 * without a binary form.
 */
async function lookupTypes(
  session: PostgresSession,
  oids: readonly number[],
  signal: AbortSignal,
): Promise<readonly PgType[]> {
  const bytes = new TextEncoder().encode(`{${oids.join()}}`);
  const sql = lookupSql(session.serverVersion >= firstWithMultiranges);
  const table = await session.query(sql, [{ oid: 0, format: 0, bytes }], signal);
  const types = Array.from(table.rows(), (row) => toType(row as unknown as TypeRow));
  const found = new Set(types.map(({ oid }) => oid));
  const missing = oids.filter((oid) => !found.has(oid));
  return [
    ...types,
    ...missing.map((oid): PgType => ({ oid, name: 'unknown', schema: 'pg_catalog', kind: 'base', hasBinary: false })),
  ];
}

/** Notes how many dimensions the arrays in these columns of tables were declared with. */
async function lookupDimensions(
  session: PostgresSession,
  columns: readonly PgColumn[],
  signal: AbortSignal,
): Promise<void> {
  const pairs = columns.map(({ tableOid = 0, attributeNumber = 0 }) => [tableOid, attributeNumber] as const);
  const text = (values: readonly number[]): WireParameter => {
    return { oid: 0, format: 0, bytes: new TextEncoder().encode(`{${values.join()}}`) };
  };
  const table = await session.query(
    `SELECT a.attrelid AS relation, a.attnum AS number, a.attndims::int4 AS dimensions FROM pg_catalog.pg_attribute a
    WHERE a.attrelid = ANY ($1::pg_catalog.oid[]) AND a.attnum = ANY ($2::pg_catalog.int2[])`,
    [text(pairs.map(([relation]) => relation)), text(pairs.map(([, number]) => number))],
    signal,
  );
  for (const [relation, number] of pairs) session.types.setDimensions(relation, number, 0);
  for (const row of table.rows()) {
    session.types.setDimensions(Number(row.relation), Number(row.number), Number(row.dimensions));
  }
}

/** A row of the query. */
interface TypeRow {
  readonly oid: number;
  readonly name: string;
  readonly schema: string;
  readonly typtype: string;
  readonly category: string;
  readonly typmod: number;
  readonly dimensions: number;
  readonly sends: boolean;
  readonly element: number | null;
  readonly attribute_names: Iterable<string> | null;
  readonly attribute_oids: Iterable<number> | null;
  readonly attribute_typmods: Iterable<number> | null;
  readonly attribute_dimensions: Iterable<number> | null;
  readonly labels: Iterable<string> | null;
}

const kinds: Readonly<Record<string, PgType['kind']>> = {
  c: 'composite',
  d: 'domain',
  e: 'enum',
  m: 'multirange',
  p: 'pseudo',
  r: 'range',
};

function toType(row: TypeRow): PgType {
  const { oid, name, schema, typtype, category, typmod, dimensions, element, labels, sends } = row;
  // An array of a domain or of composites is of category A too; int2vector and the like are PostgreSQL's own.
  const kind = kinds[typtype] ?? (category === 'A' && element !== null ? 'array' : 'base');
  return {
    oid,
    name,
    schema,
    kind,
    hasBinary: sends,
    ...(element !== null && kind !== 'base' && { element }),
    ...(kind === 'domain' && { typmod, dimensions }),
    ...(kind === 'composite' && { attributes: readAttributes(row) }),
    ...(labels !== null && { labels: [...labels] }),
  };
}

function readAttributes(row: TypeRow): PgAttribute[] {
  const oids = [...(row.attribute_oids ?? [])];
  const typmods = [...(row.attribute_typmods ?? [])];
  const dimensions = [...(row.attribute_dimensions ?? [])];
  return Array.from(row.attribute_names ?? [], (name, i) => {
    return { name, oid: oids[i] ?? 0, typmod: typmods[i] ?? -1, dimensions: Math.max(1, dimensions[i] ?? 1) };
  });
}
