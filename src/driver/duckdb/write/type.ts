import { extensionOf } from '../../../arrow/extension.ts';
import type { Field } from '../../../arrow/schema.ts';
import { type DataType, type DecimalType, typeToString } from '../../../arrow/type.ts';
import { RecurveError } from '../../../error.ts';
import type { Binding } from '../binding.ts';
import type { NativeType } from '../read/native.ts';
import { readOpaqueKind } from './opaque.ts';

/** DuckDB's longest ARRAY. */
const maxArraySize = 100_000;

/**
 * The DuckDB type that holds the values of an Arrow field, by the table in `docs/duckdb.md`; `path` names the column in
 * errors. Dictionaries are their values' type. Throws NOT_IMPLEMENTED where DuckDB has no such type.
 */
export function toNativeType(binding: Binding, field: Field, path: string): NativeType {
  const extension = extensionOf(field)?.name;
  if (isUuid(field)) return binding.create_logical_type(binding.Type.UUID);
  if (extension === 'arrow.json' && field.type.kind === 'utf8') {
    const json = binding.create_logical_type(binding.Type.VARCHAR);
    binding.logical_type_set_alias(json, 'JSON');
    return json;
  }
  const opaque = readOpaqueKind(field);
  if (opaque !== undefined) {
    const { Type } = binding;
    return binding.create_logical_type({ bit: Type.BIT, bignum: Type.BIGNUM, time_tz: Type.TIME_TZ }[opaque]);
  }
  return toPlainType(binding, field.type, path);
}

/** As {@link toNativeType}, for a type without a field. */
function toPlainType(binding: Binding, type: DataType, path: string): NativeType {
  const { Type } = binding;
  const plain = (id: number): NativeType => binding.create_logical_type(id);
  switch (type.kind) {
    case 'null':
      return plain(Type.INTEGER);
    case 'bool':
      return plain(Type.BOOLEAN);
    case 'int': {
      const { bitWidth, signed } = type;
      if (bitWidth === 8) return plain(signed ? Type.TINYINT : Type.UTINYINT);
      if (bitWidth === 16) return plain(signed ? Type.SMALLINT : Type.USMALLINT);
      if (bitWidth === 32) return plain(signed ? Type.INTEGER : Type.UINTEGER);
      return plain(signed ? Type.BIGINT : Type.UBIGINT);
    }
    case 'float':
      return plain(type.bitWidth === 64 ? Type.DOUBLE : Type.FLOAT);
    case 'decimal':
      return toDecimalType(binding, type, path);
    case 'utf8':
      return plain(Type.VARCHAR);
    case 'binary':
    case 'fixed-size-binary':
      return plain(Type.BLOB);
    case 'date':
      return plain(Type.DATE);
    case 'time':
      return plain(type.unit === 'ns' ? Type.TIME_NS : Type.TIME);
    case 'timestamp':
      if (type.timezone !== null) return plain(Type.TIMESTAMP_TZ);
      return plain(
        { s: Type.TIMESTAMP_S, ms: Type.TIMESTAMP_MS, us: Type.TIMESTAMP, ns: Type.TIMESTAMP_NS }[type.unit],
      );
    case 'duration':
    case 'interval':
      return plain(Type.INTERVAL);
    case 'list':
      return binding.create_list_type(toNativeType(binding, type.child, path));
    case 'fixed-size-list': {
      const child = toNativeType(binding, type.child, path);
      if (type.listSize >= 1 && valuesPerRow(type) <= maxArraySize) {
        return binding.create_array_type(child, type.listSize);
      }
      throw unsupported(path, type, `an ARRAY has 1 to ${maxArraySize} values, those of ARRAYs in it included`);
    }
    case 'struct':
    case 'union':
      return toNamedType(binding, type.kind, type.children, path);
    case 'map': {
      const [key, value] = type.child.type.kind === 'struct' ? type.child.type.children : [];
      if (key === undefined || value === undefined) throw unsupported(path, type, 'a MAP has keys and values');
      return binding.create_map_type(toNativeType(binding, key, path), toNativeType(binding, value, path));
    }
    case 'utf8-view':
    case 'binary-view':
    case 'list-view':
    case 'run-end-encoded':
      throw unsupported(path, type, 'write it as utf8, binary or list, and runs as plain values');
    case 'dictionary':
      return toPlainType(binding, type.value, path);
  }
}

function toDecimalType(binding: Binding, type: DecimalType, path: string): NativeType {
  const { precision, scale } = type;
  if (precision >= 1 && precision <= 38 && scale >= 0 && scale <= precision)
    return binding.create_decimal_type(precision, scale);
  throw unsupported(path, type, 'a DECIMAL has up to 38 digits, and a scale from 0 to the number of digits');
}

function toNamedType(binding: Binding, kind: 'struct' | 'union', children: readonly Field[], path: string): NativeType {
  const names = children.map((child) => child.name);
  const folded = new Set(names.map((name) => name.toLowerCase()));
  if (folded.size === 0 || folded.size < names.length || folded.has('')) {
    const shown = JSON.stringify(names);
    throw new RecurveError('NOT_IMPLEMENTED', `column ${path} has a ${kind} of the names ${shown}`, {
      hint: 'DuckDB needs one name at least, none empty, and none twice in upper and lower case alike',
    });
  }
  const types = children.map((child) => toNativeType(binding, child, `${path}.${child.name}`));
  return kind === 'struct' ? binding.create_struct_type(types, names) : binding.create_union_type(types, names);
}

function unsupported(path: string, type: DataType, hint: string): RecurveError {
  return new RecurveError('NOT_IMPLEMENTED', `column ${path} is ${typeToString(type)}, which DuckDB has no type for`, {
    hint,
  });
}

/** Whether a field is a UUID in DuckDB; its name alone does not make it one. */
export function isUuid(field: Field): boolean {
  const { type } = field;
  return type.kind === 'fixed-size-binary' && type.byteWidth === 16 && extensionOf(field)?.name === 'arrow.uuid';
}

/** The most values that a row of a type takes in a vector below it, by the sizes of its fixed-size lists. */
export function valuesPerRow(type: DataType): number {
  switch (type.kind) {
    case 'fixed-size-list':
      return type.listSize * valuesPerRow(type.child.type);
    case 'struct':
    case 'union':
      return Math.max(1, ...type.children.map((child) => valuesPerRow(child.type)));
    case 'dictionary':
      return valuesPerRow(type.value);
    default:
      return 1;
  }
}
