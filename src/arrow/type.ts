import type { Field } from './schema.ts';

/** Second, millisecond, microsecond, nanosecond. */
export type TimeUnit = 's' | 'ms' | 'us' | 'ns';

export interface NullType {
  readonly kind: 'null';
}
export interface BoolType {
  readonly kind: 'bool';
}
export interface IntType {
  readonly kind: 'int';
  readonly bitWidth: 8 | 16 | 32 | 64;
  readonly signed: boolean;
}
export interface FloatType {
  readonly kind: 'float';
  readonly bitWidth: 16 | 32 | 64;
}
/** A two's complement integer of `bitWidth` bits that stands for itself times 10 to the power of minus `scale`. */
export interface DecimalType {
  readonly kind: 'decimal';
  /** Decimal digits: at most 9, 18, 38 or 76 by width. */
  readonly precision: number;
  /** May be negative. */
  readonly scale: number;
  readonly bitWidth: 32 | 64 | 128 | 256;
}
/** UTF-8 text; 64-bit offsets when `large`. */
export interface Utf8Type {
  readonly kind: 'utf8';
  readonly large: boolean;
}
/** Bytes; 64-bit offsets when `large`. */
export interface BinaryType {
  readonly kind: 'binary';
  readonly large: boolean;
}
/** UTF-8 text behind views of 16 bytes, which hold up to 12 bytes themselves and else point into any of several buffers. */
export interface Utf8ViewType {
  readonly kind: 'utf8-view';
}
/** Bytes behind views, as {@link Utf8ViewType}. */
export interface BinaryViewType {
  readonly kind: 'binary-view';
}
export interface FixedSizeBinaryType {
  readonly kind: 'fixed-size-binary';
  readonly byteWidth: number;
}
/** Days (32 bits) or milliseconds (64 bits) since 1970-01-01. */
export interface DateType {
  readonly kind: 'date';
  readonly unit: 'day' | 'ms';
}
/** Time of day since midnight: 32 bits for s and ms, 64 for us and ns. */
export interface TimeType {
  readonly kind: 'time';
  readonly unit: TimeUnit;
}
/** 64-bit count since the epoch: in UTC when there is a zone, of the local clock when there is none. */
export interface TimestampType {
  readonly kind: 'timestamp';
  readonly unit: TimeUnit;
  readonly timezone: string | null;
}
export interface DurationType {
  readonly kind: 'duration';
  readonly unit: TimeUnit;
}
export interface IntervalType {
  readonly kind: 'interval';
  readonly unit: 'year-month' | 'day-time' | 'month-day-nano';
}
/** 64-bit offsets when `large`. */
export interface ListType {
  readonly kind: 'list';
  readonly child: Field;
  readonly large: boolean;
}
/** Lists by offset and size each, in any order and maybe overlapping; both 64-bit when `large`. */
export interface ListViewType {
  readonly kind: 'list-view';
  readonly child: Field;
  readonly large: boolean;
}
export interface FixedSizeListType {
  readonly kind: 'fixed-size-list';
  readonly child: Field;
  readonly listSize: number;
}
export interface StructType {
  readonly kind: 'struct';
  readonly children: readonly Field[];
}
/** A list of entries; `child` is a non-null struct of a key and a value, whatever their names. */
export interface MapType {
  readonly kind: 'map';
  readonly child: Field;
  readonly keysSorted: boolean;
}
/** `typeIds[i]` is the id that stands for `children[i]`. */
export interface UnionType {
  readonly kind: 'union';
  readonly mode: 'sparse' | 'dense';
  readonly typeIds: readonly number[];
  readonly children: readonly Field[];
}
/** Runs of equal values: `runEnds`, of int16, int32 or int64 and never null, count the values up to the end of each run. */
export interface RunEndEncodedType {
  readonly kind: 'run-end-encoded';
  readonly runEnds: Field;
  readonly values: Field;
}
/** Indices into values that travel apart, under `id`. */
export interface DictionaryType {
  readonly kind: 'dictionary';
  readonly id: bigint;
  readonly index: IntType;
  readonly value: DataType;
  readonly ordered: boolean;
}

/**
 * A logical type, as plain data (Schema.fbs, `Type`). Extension types are storage types here: their name and metadata
 * stand on the {@link Field}, so that a type nobody knows passes through whole.
 */
export type DataType =
  | NullType
  | BoolType
  | IntType
  | FloatType
  | DecimalType
  | Utf8Type
  | BinaryType
  | Utf8ViewType
  | BinaryViewType
  | FixedSizeBinaryType
  | DateType
  | TimeType
  | TimestampType
  | DurationType
  | IntervalType
  | ListType
  | ListViewType
  | FixedSizeListType
  | StructType
  | MapType
  | UnionType
  | RunEndEncodedType
  | DictionaryType;

/** The child fields of a nested type, in order; none for the others. A dictionary's values count as no child. */
export function childFields(type: DataType): readonly Field[] {
  switch (type.kind) {
    case 'list':
    case 'list-view':
    case 'fixed-size-list':
    case 'map':
      return [type.child];
    case 'struct':
    case 'union':
      return type.children;
    case 'run-end-encoded':
      return [type.runEnds, type.values];
    default:
      return [];
  }
}

/** Values of each child that one value has, where that is a fixed number; undefined for types without children too. */
export function rowsPerRow(type: DataType): number | undefined {
  if (type.kind === 'fixed-size-list') return type.listSize;
  return type.kind === 'struct' || (type.kind === 'union' && type.mode === 'sparse') ? 1 : undefined;
}

/** Bytes a value takes in its data buffer; undefined where the layout has no such buffer or packs bits. */
export function byteWidth(type: DataType): number | undefined {
  switch (type.kind) {
    case 'int':
    case 'float':
    case 'decimal':
      return type.bitWidth / 8;
    case 'utf8-view':
    case 'binary-view':
      return 16;
    case 'fixed-size-binary':
      return type.byteWidth;
    case 'date':
      return type.unit === 'day' ? 4 : 8;
    case 'time':
      return type.unit === 's' || type.unit === 'ms' ? 4 : 8;
    case 'timestamp':
    case 'duration':
      return 8;
    case 'interval':
      return { 'year-month': 4, 'day-time': 8, 'month-day-nano': 16 }[type.unit];
    case 'dictionary':
      return type.index.bitWidth / 8;
    default:
      return undefined;
  }
}

/** The type as a person writes it, e.g. `timestamp[us, UTC]`, `list<item: int32>`, `decimal128(10, 2)`. */
export function typeToString(type: DataType): string {
  const name = `${'large' in type && type.large ? 'large_' : ''}${type.kind.replaceAll('-', '_')}`;
  switch (type.kind) {
    case 'int':
      return `${type.signed ? '' : 'u'}int${type.bitWidth}`;
    case 'float':
      return `${name}${type.bitWidth}`;
    case 'decimal':
      return `${name}${type.bitWidth}(${type.precision}, ${type.scale})`;
    case 'fixed-size-binary':
      return `${name}[${type.byteWidth}]`;
    case 'date':
      return type.unit === 'day' ? 'date32[day]' : 'date64[ms]';
    case 'time':
      return `time${type.unit === 's' || type.unit === 'ms' ? 32 : 64}[${type.unit}]`;
    case 'timestamp':
      return `${name}[${type.unit}${type.timezone === null ? '' : `, ${type.timezone}`}]`;
    case 'duration':
    case 'interval':
      return `${name}[${type.unit}]`;
    case 'list':
    case 'list-view':
      return `${name}<${type.child}>`;
    case 'fixed-size-list':
      return `${name}<${type.child}>[${type.listSize}]`;
    case 'struct':
      return `${name}<${type.children.join(', ')}>`;
    case 'map':
      return `${name}<${childFields(type.child.type).join(', ')}>`;
    case 'union':
      return `${type.mode}_union<${type.children.map((child, i) => `${child}=${type.typeIds[i]}`).join(', ')}>`;
    case 'run-end-encoded':
      return `${name}<run_ends: ${typeToString(type.runEnds.type)}, values: ${typeToString(type.values.type)}>`;
    case 'dictionary':
      return `${name}<values=${typeToString(type.value)}, indices=${typeToString(type.index)}>`;
    default:
      return name;
  }
}

/** Whether two types are the same in every part: names, nullability and metadata of children, dictionary ids. */
export function typeEquals(a: DataType, b: DataType): boolean {
  if (a === b) return true;
  if (a.kind !== b.kind) return false;
  const childrenA = childFields(a);
  const childrenB = childFields(b);
  if (childrenA.length !== childrenB.length) return false;
  if (!childrenA.every((child, i) => childrenB[i] !== undefined && child.equals(childrenB[i]))) return false;
  if (a.kind === 'dictionary' && b.kind === 'dictionary') {
    return typeEquals(a.index, b.index) && typeEquals(a.value, b.value) && a.ordered === b.ordered && a.id === b.id;
  }
  return typeToString(a) === typeToString(b) && (a.kind !== 'map' || a.keysSorted === (b as MapType).keysSorted);
}
