import { getBit } from '../../arrow/bitmap.ts';
import { UuidColumn } from '../../arrow/column/binary.ts';
import type { DecimalColumn } from '../../arrow/column/decimal.ts';
import type { Column } from '../../arrow/column.ts';
import { Field } from '../../arrow/schema.ts';
import type { DataType, UnionType } from '../../arrow/type.ts';
import { RecurveError } from '../../error.ts';
import type { Binding } from './binding.ts';
import type { NativeType } from './read/native.ts';
import { fixedBytes } from './write/fixed.ts';
import { takeColumn, takeDictionary } from './write/take.ts';
import { toNativeType } from './write/type.ts';

/** A single value of DuckDB. */
export type NativeValue = ReturnType<Binding['create_null_value']>;

/**
 * The value of a column at `index`, of the DuckDB type that its Arrow type has (`docs/duckdb.md`), also when it is null.
 * `what` names it in errors. Throws NOT_IMPLEMENTED for a type that DuckDB does not have, INVALID_DATA for a value that it
 * cannot hold.
 */
export function makeValue(binding: Binding, column: Column, index: number, what: string): NativeValue {
  const field = new Field(what, column.type, column instanceof UuidColumn ? { metadata: uuidMetadata } : {});
  // Throws for a type that DuckDB does not have: the bindings crash on a decimal that is too wide.
  toNativeType(binding, field, what);
  return valueAt({ binding, what }, field, column, index);
}

const uuidMetadata = { 'ARROW:extension:name': 'arrow.uuid', 'ARROW:extension:metadata': '' };

interface ValueContext {
  readonly binding: Binding;
  readonly what: string;
}

function valueAt(context: ValueContext, field: Field, column: Column, index: number): NativeValue {
  const { binding, what } = context;
  const { type, layout } = column;
  if (type.kind === 'dictionary') {
    const value = new Field(field.name, type.value, { metadata: field.metadata });
    return valueAt(context, value, takeDictionary(field, column.slice(index, index + 1)), 0);
  }
  if (!column.isValid(index)) return makeNull(binding, toNativeType(binding, field, what));
  switch (type.kind) {
    case 'list':
      return binding.create_list_value(
        toNativeType(binding, type.child, what),
        range(column, index).map((i) => valueAt(context, type.child, childOf(column, 0), i)),
      );
    case 'map': {
      const entries = childOf(column, 0);
      const [key, value] = type.child.type.kind === 'struct' ? type.child.type.children : [];
      if (key === undefined || value === undefined) break;
      const at = range(column, index);
      return binding.create_map_value(
        toNativeType(binding, field, what),
        at.map((i) => valueAt(context, key, childOf(entries, 0), i)),
        at.map((i) => valueAt(context, value, childOf(entries, 1), i)),
      );
    }
    case 'fixed-size-list': {
      const at = Array.from({ length: type.listSize }, (_, k) => index * type.listSize + k);
      return binding.create_array_value(
        toNativeType(binding, type.child, what),
        at.map((i) => valueAt(context, type.child, childOf(column, 0), i)),
      );
    }
    case 'struct':
      return binding.create_struct_value(
        toNativeType(binding, field, what),
        type.children.map((child, i) => valueAt(context, child, childOf(column, i), index)),
      );
    case 'union':
      return unionValue(context, field, type, column, index);
    case 'bool':
      return binding.create_bool(getBit(layout.values as Uint8Array, column.bitOffset + index));
    case 'utf8':
      return textOf(context, takeColumn(field, column, Int32Array.of(index)));
    case 'binary':
      return binding.create_blob(column.at(index) as Uint8Array);
    case 'fixed-size-binary':
      if (column instanceof UuidColumn) return binding.create_uuid(uuidOf(column.values, index));
      return binding.create_blob(column.at(index) as Uint8Array);
    default:
      return fixedValue(context, type, column.slice(index, index + 1));
  }
  throw new RecurveError('INTERNAL', `${what}: no value of type ${type.kind}`);
}

/** A null of a type: the bindings make such a one only as the child of a list. */
export function makeNull(binding: Binding, type: NativeType): NativeValue {
  return binding.get_list_child(binding.create_list_value(type, [binding.create_null_value()]), 0);
}

function unionValue(context: ValueContext, field: Field, type: UnionType, column: Column, index: number): NativeValue {
  const { binding, what } = context;
  const tag = type.typeIds.indexOf((column.layout.values as Int8Array)[index] ?? -1);
  const member = type.children[tag];
  if (member === undefined) throw new RecurveError('INVALID_DATA', `${what}: the union's type id is none of its own`);
  const position = column.layout.offsets === undefined ? index : Number(column.layout.offsets[index]);
  const value = valueAt(context, member, childOf(column, tag), position);
  return binding.create_union_value(toNativeType(binding, field, what), tag, value);
}

function textOf({ binding, what }: ValueContext, column: Column): NativeValue {
  try {
    return binding.create_varchar(
      new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(column.layout.data),
    );
  } catch (cause) {
    throw new RecurveError('INVALID_DATA', `${what}: the text is not UTF-8`, { cause });
  }
}

/** Of a column of one value: numbers as they are, times and intervals in DuckDB's units. */
function fixedValue({ binding, what }: ValueContext, type: DataType, column: Column): NativeValue {
  const bytes = fixedBytes(column, null, what);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const int64 = (): bigint => view.getBigInt64(0, true);
  switch (type.kind) {
    case 'int':
      return intValue(binding, type.bitWidth, type.signed, view);
    case 'float':
      return type.bitWidth === 64
        ? binding.create_double(view.getFloat64(0, true))
        : binding.create_float(view.getFloat32(0, true));
    case 'decimal':
      return binding.create_decimal({
        width: type.precision,
        scale: type.scale,
        value: (column as DecimalColumn).unscaled(0) ?? 0n,
      });
    case 'date':
      return binding.create_date({ days: view.getInt32(0, true) });
    case 'time':
      return type.unit === 'ns' ? binding.create_time_ns({ nanos: int64() }) : binding.create_time({ micros: int64() });
    case 'timestamp':
      if (type.timezone !== null) return binding.create_timestamp_tz({ micros: int64() });
      if (type.unit === 's') return binding.create_timestamp_s({ seconds: int64() });
      if (type.unit === 'ms') return binding.create_timestamp_ms({ millis: int64() });
      if (type.unit === 'us') return binding.create_timestamp({ micros: int64() });
      return binding.create_timestamp_ns({ nanos: int64() });
    case 'duration':
    case 'interval':
      return binding.create_interval({
        months: view.getInt32(0, true),
        days: view.getInt32(4, true),
        micros: view.getBigInt64(8, true),
      });
    default:
      throw new RecurveError('INTERNAL', `${what}: no value of type ${type.kind}`);
  }
}

function intValue(binding: Binding, bitWidth: number, signed: boolean, view: DataView): NativeValue {
  switch (bitWidth) {
    case 8:
      return signed ? binding.create_int8(view.getInt8(0)) : binding.create_uint8(view.getUint8(0));
    case 16:
      return signed ? binding.create_int16(view.getInt16(0, true)) : binding.create_uint16(view.getUint16(0, true));
    case 32:
      return signed ? binding.create_int32(view.getInt32(0, true)) : binding.create_uint32(view.getUint32(0, true));
    default:
      return signed
        ? binding.create_int64(view.getBigInt64(0, true))
        : binding.create_uint64(view.getBigUint64(0, true));
  }
}

function uuidOf(bytes: Uint8Array, index: number): bigint {
  let value = 0n;
  for (let i = 0; i < 16; i++) value = (value << 8n) | BigInt(bytes[index * 16 + i] ?? 0);
  return value;
}

function range(column: Column, index: number): number[] {
  const { offsets } = column.layout;
  const start = Number(offsets?.[index] ?? 0);
  return Array.from({ length: Number(offsets?.[index + 1] ?? 0) - start }, (_, k) => start + k);
}

function childOf(column: Column, index: number): Column {
  const child = column.layout.children?.[index];
  if (child === undefined) throw new RecurveError('INTERNAL', `a ${column.type.kind} column has no child ${index}`);
  return child;
}
