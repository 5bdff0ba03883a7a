import { extensionOf } from '../../../arrow/extension.ts';
import { type Field, Schema } from '../../../arrow/schema.ts';
import { type DataType, typeToString } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import { builtinTypes } from './builtin.ts';
import { typeKey } from './plan.ts';
import type { PgColumn, PgType, PgTypes } from './type.ts';
import { parseType } from './type-text.ts';

/** A column by its type as SQL writes it, e.g. `numeric(12,2)`, `text[]`, `timestamptz`; or by OID and typmod (default −1). */
export type PgColumnInput =
  | { readonly name: string; readonly type: string }
  | { readonly name: string; readonly oid: number; readonly typmod?: number; readonly dimensions?: number };

/** Columns as they were given, made those that a decoder takes, with the types they are of. Throws INVALID_ARGUMENT. */
export function readColumns(
  given: readonly PgColumnInput[] | Schema,
  extraTypes: readonly PgType[],
): { readonly columns: PgColumn[]; readonly types: PgTypes } {
  const extra = new Map(extraTypes.map((type) => [type.oid, type]));
  const types: PgTypes = { get: (oid) => extra.get(oid) ?? builtinTypes.get(oid) };
  const find = (name: string): PgType | undefined =>
    extraTypes.find((type) => type.name === name || `${type.schema}.${type.name}` === name);
  const inputs = given instanceof Schema ? given.fields.map(inputOf) : given;
  const columns = inputs.map((input): PgColumn => {
    if (!('type' in input)) return { ...input, typmod: input.typmod ?? -1, format: 1 };
    return { name: input.name, ...parseType(input.type, find), format: 1 };
  });
  return { columns, types };
}

function inputOf(field: Field): PgColumnInput {
  return { name: field.name, type: field.metadata.get(typeKey) ?? typeOf(field) };
}

/** The type of PostgreSQL whose Arrow form a field is. */
function typeOf(field: Field): string {
  const extension = extensionOf(field)?.name;
  if (extension === 'arrow.uuid') return 'uuid';
  if (extension === 'arrow.json') return 'jsonb';
  const text = typeOfData(field.type);
  if (text !== undefined && extension === undefined) return text;
  const what = extension ?? typeToString(field.type);
  throw new RecurveError(
    'INVALID_ARGUMENT',
    `no type of PostgreSQL is known for column ${JSON.stringify(field.name)}, ${what}`,
    {
      hint: `name it by the field's metadata: ${typeKey}`,
    },
  );
}

function typeOfData(type: DataType): string | undefined {
  switch (type.kind) {
    case 'bool':
      return 'bool';
    case 'int':
      if (!type.signed) return type.bitWidth === 32 ? 'oid' : type.bitWidth === 64 ? 'xid8' : undefined;
      return type.bitWidth === 8 ? undefined : `int${type.bitWidth / 8}`;
    case 'float':
      return type.bitWidth === 16 ? undefined : `float${type.bitWidth / 8}`;
    case 'decimal':
      return `numeric(${type.precision},${type.scale})`;
    case 'utf8':
      return type.large ? undefined : 'text';
    case 'binary':
      return type.large ? undefined : 'bytea';
    case 'date':
      return type.unit === 'day' ? 'date' : undefined;
    case 'time':
      return type.unit === 'us' ? 'time' : undefined;
    case 'timestamp':
      return type.unit !== 'us' ? undefined : type.timezone === null ? 'timestamp' : 'timestamptz';
    case 'interval':
      return type.unit === 'month-day-nano' ? 'interval' : undefined;
    case 'list': {
      const element = typeOfData(type.child.type);
      return type.large || element === undefined ? undefined : `${element}[]`;
    }
    default:
      return undefined;
  }
}
