import { extensionOf } from '../../../arrow/extension.ts';
import { Field } from '../../../arrow/schema.ts';
import { type DataType, typeToString } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import { arrayOf, builtin, numericOf } from './builtin.ts';
import type { TargetType } from './target.ts';

/** Digits that a `numeric` may declare. */
const maxPrecision = 1000;

/**
 * The PostgreSQL type that the values of an Arrow field have where nothing else says so, by the table in
 * `docs/postgres-ingest.md`; `path` names the column in errors. Throws NOT_IMPLEMENTED where there is none.
 */
export function defaultType(field: Field, path: string): TargetType {
  const { type } = field;
  const extension = extensionOf(field)?.name;
  if (extension === 'arrow.uuid' && type.kind === 'fixed-size-binary' && type.byteWidth === 16) return builtin('uuid');
  if (extension === 'arrow.json' && isText(type)) return builtin('json');
  switch (type.kind) {
    case 'dictionary':
      return defaultType(new Field(field.name, type.value, { metadata: field.metadata }), path);
    case 'run-end-encoded':
      return defaultType(type.values, path);
    case 'list':
    case 'list-view':
    case 'fixed-size-list': {
      let { child } = type;
      // Nested lists are the dimensions of one array.
      while (isList(child.type)) child = child.type.child;
      return arrayOf(defaultType(child, path));
    }
    default:
      return defaultPlainType(type, path);
  }
}

function defaultPlainType(type: DataType, path: string): TargetType {
  switch (type.kind) {
    case 'bool':
      return builtin('bool');
    case 'int':
      if (type.bitWidth === 64) return type.signed ? builtin('int8') : numericOf(20, 0);
      // The narrowest that holds all values.
      if (type.bitWidth === 32) return builtin(type.signed ? 'int4' : 'int8');
      return builtin(type.bitWidth === 16 && !type.signed ? 'int4' : 'int2');
    case 'float':
      return builtin(type.bitWidth === 64 ? 'float8' : 'float4');
    case 'decimal': {
      const { precision, scale } = type;
      const declared = precision >= 1 && precision <= maxPrecision && scale >= 0 && scale <= precision;
      return declared ? numericOf(precision, scale) : builtin('numeric');
    }
    case 'null':
    case 'utf8':
    case 'utf8-view':
      return builtin('text');
    case 'binary':
    case 'binary-view':
    case 'fixed-size-binary':
      return builtin('bytea');
    case 'date':
      return builtin('date');
    case 'time':
      return builtin('time');
    case 'timestamp':
      return builtin(type.timezone === null ? 'timestamp' : 'timestamptz');
    case 'duration':
    case 'interval':
      return builtin('interval');
    case 'struct':
    case 'map':
      return builtin('jsonb');
    default:
      throw new RecurveError(
        'NOT_IMPLEMENTED',
        `column ${path} is ${typeToString(type)}, which PostgreSQL has no type for`,
        { hint: 'write the members of a union as columns of their own' },
      );
  }
}

/** Text of any layout. */
export function isText({ kind }: DataType): boolean {
  return kind === 'utf8' || kind === 'utf8-view';
}

/** Lists of any layout but maps. */
export function isList(
  type: DataType,
): type is Extract<DataType, { readonly kind: 'list' | 'list-view' | 'fixed-size-list' }> {
  return type.kind === 'list' || type.kind === 'list-view' || type.kind === 'fixed-size-list';
}
