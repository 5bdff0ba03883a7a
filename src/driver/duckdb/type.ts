import { extensionField, opaqueField, uuidField } from '../../arrow/extension.ts';
import { Field, Schema } from '../../arrow/schema.ts';
import type { DataType, IntType, TimeUnit } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';
import type { Binding } from './binding.ts';
import type { NativeResult, NativeType } from './read/native.ts';

/** What the type of a column depends on besides its DuckDB type. */
export interface TypeContext {
  readonly binding: Binding;
  /** The session's `TimeZone` setting, the zone of TIMESTAMP WITH TIME ZONE. */
  readonly timezone: string;
  /** The id of the next dictionary: one a dictionary, counted over the whole schema. */
  nextDictionaryId: bigint;
}

/** The schema of a result, by the table in `docs/duckdb-types.md`. Throws NOT_IMPLEMENTED for a type that is not in it. */
export function readSchema(binding: Binding, result: NativeResult, timezone: string): Schema {
  const context: TypeContext = { binding, timezone, nextDictionaryId: 0n };
  const fields: Field[] = [];
  for (let i = 0; i < binding.column_count(result); i++) {
    fields.push(makeField(context, binding.column_name(result, i), binding.column_logical_type(result, i)));
  }
  return new Schema(fields);
}

/** The Arrow field of a DuckDB type, nullable as every column of a DuckDB result is. */
export function makeField(context: TypeContext, name: string, type: NativeType): Field {
  const { binding } = context;
  const { Type } = binding;
  const id = binding.get_type_id(type);
  switch (id) {
    case Type.UUID:
      return uuidField(name);
    case Type.VARCHAR:
      return binding.logical_type_get_alias(type) === 'JSON'
        ? extensionField(name, utf8, { name: 'arrow.json', metadata: '' })
        : new Field(name, utf8);
    case Type.TIME_TZ:
      return opaqueField(name, { kind: 'fixed-size-binary', byteWidth: 8 }, 'time_tz', 'DuckDB');
    case Type.BIT:
      return opaqueField(name, binary, 'bit', 'DuckDB');
    case Type.BIGNUM:
      return opaqueField(name, binary, 'bignum', 'DuckDB');
    case Type.GEOMETRY:
      return extensionField(name, binary, { name: 'geoarrow.wkb', metadata: geometryMetadata(binding, type) });
    case Type.VARIANT:
      return opaqueField(name, makeField(context, name, variantStorage(binding)).type, 'variant', 'DuckDB');
    default:
      return new Field(name, plainTypes(binding).get(id) ?? makeType(context, name, type));
  }
}

const utf8: DataType = { kind: 'utf8', large: false };
const binary: DataType = { kind: 'binary', large: false };

const plainTypesOf = new WeakMap<Binding, Map<number, DataType>>();

/** The types that need nothing but their id. */
function plainTypes(binding: Binding): Map<number, DataType> {
  const known = plainTypesOf.get(binding);
  if (known !== undefined) return known;
  const { Type } = binding;
  const timestamp = (unit: TimeUnit): DataType => ({ kind: 'timestamp', unit, timezone: null });
  const wide: DataType = { kind: 'decimal', precision: 38, scale: 0, bitWidth: 128 };
  const types = new Map<number, DataType>([
    [Type.SQLNULL, { kind: 'null' }],
    [Type.BOOLEAN, { kind: 'bool' }],
    [Type.TINYINT, int(8, true)],
    [Type.SMALLINT, int(16, true)],
    [Type.INTEGER, int(32, true)],
    [Type.BIGINT, int(64, true)],
    [Type.UTINYINT, int(8, false)],
    [Type.USMALLINT, int(16, false)],
    [Type.UINTEGER, int(32, false)],
    [Type.UBIGINT, int(64, false)],
    [Type.HUGEINT, wide],
    [Type.UHUGEINT, wide],
    [Type.FLOAT, { kind: 'float', bitWidth: 32 }],
    [Type.DOUBLE, { kind: 'float', bitWidth: 64 }],
    [Type.BLOB, binary],
    [Type.DATE, { kind: 'date', unit: 'day' }],
    [Type.TIME, { kind: 'time', unit: 'us' }],
    [Type.TIME_NS, { kind: 'time', unit: 'ns' }],
    [Type.TIMESTAMP_S, timestamp('s')],
    [Type.TIMESTAMP_MS, timestamp('ms')],
    [Type.TIMESTAMP, timestamp('us')],
    [Type.TIMESTAMP_NS, timestamp('ns')],
    [Type.INTERVAL, { kind: 'interval', unit: 'month-day-nano' }],
  ]);
  plainTypesOf.set(binding, types);
  return types;
}

function int(bitWidth: IntType['bitWidth'], signed: boolean): IntType {
  return { kind: 'int', bitWidth, signed };
}

function makeType(context: TypeContext, name: string, type: NativeType): DataType {
  const { binding } = context;
  const { Type } = binding;
  const id = binding.get_type_id(type);
  switch (id) {
    case Type.DECIMAL:
      return {
        kind: 'decimal',
        precision: binding.decimal_width(type),
        scale: binding.decimal_scale(type),
        bitWidth: 128,
      };
    case Type.TIMESTAMP_TZ:
      return { kind: 'timestamp', unit: 'us', timezone: context.timezone };
    case Type.ENUM:
      return {
        kind: 'dictionary',
        id: context.nextDictionaryId++,
        index: enumIndex(binding, type),
        value: utf8,
        ordered: false,
      };
    // The names of the children are those that DuckDB's own Arrow export gives.
    case Type.LIST:
      return { kind: 'list', child: makeField(context, 'l', binding.list_type_child_type(type)), large: false };
    case Type.ARRAY: {
      const child = makeField(context, '', binding.array_type_child_type(type));
      return { kind: 'fixed-size-list', child, listSize: binding.array_type_array_size(type) };
    }
    case Type.STRUCT:
      return { kind: 'struct', children: structFields(context, type) };
    case Type.MAP: {
      const key = makeField(context, 'key', binding.map_type_key_type(type));
      const value = makeField(context, 'value', binding.map_type_value_type(type));
      const required = new Field(key.name, key.type, { nullable: false, metadata: key.metadata });
      const child = new Field('entries', { kind: 'struct', children: [required, value] }, { nullable: false });
      return { kind: 'map', child, keysSorted: false };
    }
    case Type.UNION: {
      const children = unionFields(context, name, type);
      return { kind: 'union', mode: 'sparse', typeIds: children.map((_, i) => i), children };
    }
    default:
      throw new RecurveError(
        'NOT_IMPLEMENTED',
        `column ${JSON.stringify(name)} is of DuckDB type ${id}, which has no Arrow type`,
        {
          hint: 'cast the column to VARCHAR',
        },
      );
  }
}

function structFields(context: TypeContext, type: NativeType): Field[] {
  const { binding } = context;
  return Array.from({ length: binding.struct_type_child_count(type) }, (_, i) =>
    makeField(context, binding.struct_type_child_name(type, i), binding.struct_type_child_type(type, i)),
  );
}

function unionFields(context: TypeContext, name: string, type: NativeType): Field[] {
  const { binding } = context;
  const count = binding.union_type_member_count(type);
  if (count > 127) {
    throw new RecurveError(
      'NOT_IMPLEMENTED',
      `column ${JSON.stringify(name)} is a UNION of ${count} members, Arrow has at most 127`,
      {
        hint: 'cast the column to VARCHAR',
      },
    );
  }
  return Array.from({ length: count }, (_, i) =>
    makeField(context, binding.union_type_member_name(type, i), binding.union_type_member_type(type, i)),
  );
}

/** The index type of an ENUM's dictionary: DuckDB's own width for its values. */
function enumIndex(binding: Binding, type: NativeType): IntType {
  const { Type } = binding;
  const id = binding.enum_internal_type(type);
  return int(id === Type.UTINYINT ? 8 : id === Type.USMALLINT ? 16 : 32, false);
}

/** GeoArrow's metadata: the coordinate reference system, if the type has one. */
function geometryMetadata(binding: Binding, type: NativeType): string {
  const crs = binding.geometry_type_get_crs(type);
  if (crs === null || crs === '') return '{}';
  try {
    const parsed: unknown = JSON.parse(crs);
    if (typeof parsed === 'object' && parsed !== null) return JSON.stringify({ crs_type: 'projjson', crs: parsed });
  } catch {
    // Not PROJJSON: WKT2 or a name.
  }
  return JSON.stringify(/^\w+:\w+$/.test(crs) ? { crs_type: 'authority_code', crs } : { crs });
}

/** How DuckDB keeps a VARIANT: keys, a tree of children, and typed places in a blob. */
export function variantStorage(binding: Binding): NativeType {
  const { Type } = binding;
  const plain = (id: number): NativeType => binding.create_logical_type(id);
  const list = (child: NativeType): NativeType => binding.create_list_type(child);
  const pair = (first: number, second: number, names: string[]): NativeType =>
    binding.create_struct_type([plain(first), plain(second)], names);
  return binding.create_struct_type(
    [
      list(plain(Type.VARCHAR)),
      list(pair(Type.UINTEGER, Type.UINTEGER, ['keys_index', 'values_index'])),
      list(pair(Type.UTINYINT, Type.UINTEGER, ['type_id', 'byte_offset'])),
      plain(Type.BLOB),
    ],
    ['keys', 'children', 'values', 'data'],
  );
}
