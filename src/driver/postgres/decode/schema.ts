import type { Schema } from '../../../arrow/schema.ts';
import { type DecodeOptions, readDecodeOptions } from './option.ts';
import { isReadable, planColumns, schemaOfPlans } from './plan.ts';
import type { PgColumn, PgType, PgTypes } from './type.ts';

/** The Arrow schema of columns, by `docs/postgres-types.md`; that of the batches of a `RowDecoder`. */
export function readSchema(columns: readonly PgColumn[], types: PgTypes, options: DecodeOptions = {}): Schema {
  return schemaOfPlans(planColumns(columns, types, readDecodeOptions(options)));
}

/**
 * Whether a column is to be asked for as text: its type, or one inside of it, cannot be sent in binary or is not known here
 * (an anonymous record, a type of an extension), or is an array where the options want text. Its schema is then that of
 * `format: 0`.
 */
export function needsText(column: PgColumn, types: PgTypes, options: DecodeOptions = {}): boolean {
  const full = readDecodeOptions(options);
  const [plan] = planColumns([{ ...column, format: 1 }], types, full);
  if (plan === undefined || !isReadable(plan)) return true;
  return somePart(
    column.oid,
    types,
    new Set(),
    (type) => !type.hasBinary || (full.arrays === 'text' && type.kind === 'array'),
  );
}

/** OIDs of types that the columns are of, or that those are made of, and that are not known. */
export function missingTypes(columns: readonly PgColumn[], types: PgTypes): number[] {
  const seen = new Set<number>();
  for (const { oid } of columns) somePart(oid, types, seen, () => false);
  return [...seen].filter((oid) => types.get(oid) === undefined);
}

/** Whether `test` holds for a type or one that it is made of. What was visited is added to `seen`. */
function somePart(oid: number, types: PgTypes, seen: Set<number>, test: (type: PgType) => boolean): boolean {
  if (seen.has(oid)) return false;
  seen.add(oid);
  const type = types.get(oid);
  if (type === undefined) return false;
  const parts = [
    ...(type.element === undefined ? [] : [type.element]),
    ...(type.attributes ?? []).map((one) => one.oid),
  ];
  return test(type) || parts.some((part) => somePart(part, types, seen, test));
}
