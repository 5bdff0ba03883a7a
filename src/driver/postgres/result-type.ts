import type { DecodeOptions } from './decode/option.ts';
import { needsText } from './decode/schema.ts';
import type { PgColumn, PgTypes } from './decode/type.ts';
import type { TypeCatalog } from './type-catalog.ts';

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

/** The columns in the format in which each is best asked for: text where the binary form is none or says nothing. */
export function inBestFormat(
  columns: readonly PgColumn[],
  types: TypeCatalog,
  options: DecodeOptions,
): (PgColumn & { readonly format: 0 | 1 })[] {
  return measured(columns, types).map((column) => ({ ...column, format: needsText(column, types, options) ? 0 : 1 }));
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
