import type { Schema } from '../../arrow/schema.ts';
import { type DecodeOptions, readDecodeOptions } from './decode/option.ts';
import { planColumns, schemaOfPlans } from './decode/plan.ts';
import type { PgColumn, PgTypes } from './decode/type.ts';
import type { TypeCatalog } from './type-catalog.ts';

/** The Arrow schema of columns whose types are known. Throws NOT_FOUND for an OID that is not. */
export function readSchema(columns: readonly PgColumn[], types: PgTypes, options: DecodeOptions): Schema {
  return schemaOfPlans(planColumns(columns, types, readDecodeOptions(options)));
}

/** OIDs that columns need and `types` does not have, through what types are made of as far as it is known. */
export function missingTypes(columns: readonly Pick<PgColumn, 'oid'>[], types: PgTypes): number[] {
  const missing = new Set<number>();
  const seen = new Set<number>();
  const visit = (oid: number): void => {
    if (oid === 0 || seen.has(oid)) return;
    seen.add(oid);
    const type = types.get(oid);
    if (type === undefined) missing.add(oid);
    else {
      if (type.element !== undefined) visit(type.element);
      for (const attribute of type.attributes ?? []) visit(attribute.oid);
    }
  };
  for (const { oid } of columns) visit(oid);
  return [...missing];
}

/** Columns of tables that are arrays whose dimensions were not looked up. */
export function unmeasuredArrays(columns: readonly PgColumn[], types: TypeCatalog): PgColumn[] {
  return columns.filter(({ oid, tableOid = 0, attributeNumber = 0 }) => {
    return tableOid !== 0 && isArray(oid, types) && types.dimensions(tableOid, attributeNumber) === undefined;
  });
}

/** The columns with what was looked up of them. */
export function measured(columns: readonly PgColumn[], types: TypeCatalog): PgColumn[] {
  return columns.map((column) => {
    const { tableOid = 0, attributeNumber = 0 } = column;
    const dimensions = tableOid === 0 ? undefined : types.dimensions(tableOid, attributeNumber);
    return dimensions === undefined || dimensions < 1 ? column : { ...column, dimensions };
  });
}

function isArray(oid: number, types: PgTypes): boolean {
  return types.get(oid)?.kind === 'array';
}

/** Whether the server can send a type in binary, and all that it is made of: an array of what it cannot, it cannot. */
export function sendsBinary(oid: number, types: PgTypes): boolean {
  const type = types.get(oid);
  if (type === undefined) return true;
  if (!type.hasBinary) return false;
  const parts = type.attributes?.map((attribute) => attribute.oid) ?? [];
  if (type.element !== undefined) parts.push(type.element);
  return parts.every((part) => sendsBinary(part, types));
}
