import { RecurveError } from '../error.ts';
import type { MetadataInput } from './metadata.ts';
import type { FieldOf, IntervalValue, ItemOf, ListValue, RowOf, Typed, ValueOf } from './row-type.ts';
import { Field, type FieldOptions, Schema } from './schema.ts';
import type {
  BinaryType,
  BinaryViewType,
  BoolType,
  DataType,
  DateType,
  DecimalType,
  DictionaryType,
  DurationType,
  FixedSizeBinaryType,
  FixedSizeListType,
  FloatType,
  IntervalType,
  IntType,
  ListType,
  ListViewType,
  MapType,
  NullType,
  RunEndEncodedType,
  StructType,
  TimestampType,
  TimeType,
  TimeUnit,
  UnionType,
  Utf8Type,
  Utf8ViewType,
} from './type.ts';

// Plain functions, so that a bundle holds those that are called. All throw INVALID_ARGUMENT for what Arrow has no type for.

/** A field; nullable unless `options` say otherwise. */
export function field<const N extends string, T extends DataType, const O extends FieldOptions = FieldOptions>(
  name: N,
  type: T,
  options?: O,
): FieldOf<N, T, O> {
  if (typeof name !== 'string') throw refused('field', 'name', name, 'a string');
  return new Field(name, type, options);
}

/** A schema of these fields, whose rows the compiler knows: see {@link RowOf}. Names that repeat are beyond it. */
export function schemaOf<const F extends readonly Field[]>(
  fields: F,
  metadata?: MetadataInput,
): Schema & Typed<RowOf<F>> {
  return new Schema(fields, metadata);
}

export function nullType(): NullType & Typed<null> {
  return { kind: 'null' };
}

export function bool(): BoolType & Typed<boolean> {
  return { kind: 'bool' };
}

/** An integer type by its parts. */
export function int(bitWidth: 8 | 16 | 32 | 64, signed: boolean): IntType {
  return { kind: 'int', bitWidth, signed };
}

export function int8(): IntType & Typed<number> {
  return int(8, true);
}

export function int16(): IntType & Typed<number> {
  return int(16, true);
}

export function int32(): IntType & Typed<number> {
  return int(32, true);
}

export function int64(): IntType & Typed<bigint> {
  return int(64, true);
}

export function uint8(): IntType & Typed<number> {
  return int(8, false);
}

export function uint16(): IntType & Typed<number> {
  return int(16, false);
}

export function uint32(): IntType & Typed<number> {
  return int(32, false);
}

export function uint64(): IntType & Typed<bigint> {
  return int(64, false);
}

export function float16(): FloatType & Typed<number> {
  return { kind: 'float', bitWidth: 16 };
}

export function float32(): FloatType & Typed<number> {
  return { kind: 'float', bitWidth: 32 };
}

export function float64(): FloatType & Typed<number> {
  return { kind: 'float', bitWidth: 64 };
}

function decimal(bitWidth: 32 | 64 | 128 | 256, maxPrecision: number, precision: number, scale: number): DecimalType {
  checkInteger(`decimal${bitWidth}`, 'precision', precision, 1, maxPrecision);
  checkInteger(`decimal${bitWidth}`, 'scale', scale, -(2 ** 31), 2 ** 31 - 1);
  return { kind: 'decimal', precision, scale, bitWidth };
}

/** Decimals of at most 9 digits, `scale` of them behind the point. */
export function decimal32(precision: number, scale = 0): DecimalType & Typed<string> {
  return decimal(32, 9, precision, scale);
}

/** Decimals of at most 18 digits, `scale` of them behind the point. */
export function decimal64(precision: number, scale = 0): DecimalType & Typed<string> {
  return decimal(64, 18, precision, scale);
}

/** Decimals of at most 38 digits, `scale` of them behind the point. */
export function decimal128(precision: number, scale = 0): DecimalType & Typed<string> {
  return decimal(128, 38, precision, scale);
}

/** Decimals of at most 76 digits, `scale` of them behind the point. */
export function decimal256(precision: number, scale = 0): DecimalType & Typed<string> {
  return decimal(256, 76, precision, scale);
}

export function utf8(): Utf8Type & Typed<string> {
  return { kind: 'utf8', large: false };
}

/** Text with 64-bit offsets: for columns of more than 2 GiB a batch. */
export function largeUtf8(): Utf8Type & Typed<string> {
  return { kind: 'utf8', large: true };
}

export function binary(): BinaryType & Typed<Uint8Array> {
  return { kind: 'binary', large: false };
}

/** Bytes with 64-bit offsets: for columns of more than 2 GiB a batch. */
export function largeBinary(): BinaryType & Typed<Uint8Array> {
  return { kind: 'binary', large: true };
}

/** Text behind views: short values in place, long ones in buffers of up to 2 GiB each. */
export function utf8View(): Utf8ViewType & Typed<string> {
  return { kind: 'utf8-view' };
}

/** Bytes behind views, as {@link utf8View}. */
export function binaryView(): BinaryViewType & Typed<Uint8Array> {
  return { kind: 'binary-view' };
}

export function fixedSizeBinary(byteWidth: number): FixedSizeBinaryType & Typed<Uint8Array> {
  checkInteger('fixedSizeBinary', 'byteWidth', byteWidth, 0, 2 ** 31 - 1);
  return { kind: 'fixed-size-binary', byteWidth };
}

/** Days. */
export function date32(): DateType & Typed<number> {
  return { kind: 'date', unit: 'day' };
}

/** Milliseconds, but whole days only. */
export function date64(): DateType & Typed<bigint> {
  return { kind: 'date', unit: 'ms' };
}

export function time32(unit: 's' | 'ms'): TimeType & Typed<number> {
  return { kind: 'time', unit: checkUnit('time32', unit, ['s', 'ms']) };
}

export function time64(unit: 'us' | 'ns'): TimeType & Typed<bigint> {
  return { kind: 'time', unit: checkUnit('time64', unit, ['us', 'ns']) };
}

/** Instants when there is a `timezone` (a name of the time zone database or an offset such as `+05:30`), else clock readings. */
export function timestamp(unit: TimeUnit, timezone: string | null = null): TimestampType & Typed<bigint> {
  if (timezone !== null && typeof timezone !== 'string')
    throw refused('timestamp', 'timezone', timezone, 'a string or null');
  return { kind: 'timestamp', unit: checkUnit('timestamp', unit, units), timezone };
}

export function duration(unit: TimeUnit): DurationType & Typed<bigint> {
  return { kind: 'duration', unit: checkUnit('duration', unit, units) };
}

export function interval<U extends IntervalType['unit']>(unit: U): IntervalType & Typed<IntervalValue<U>> {
  return { kind: 'interval', unit: checkUnit('interval', unit, ['year-month', 'day-time', 'month-day-nano']) };
}

/** Lists of any length. A type in place of a field makes a nullable child named `item`, as Arrow does by convention. */
export function list<C extends Field | DataType>(child: C): ListType & Typed<ListValue<ItemOf<C>>> {
  return { kind: 'list', child: toField(child, 'item'), large: false };
}

/** Lists with 64-bit offsets. */
export function largeList<C extends Field | DataType>(child: C): ListType & Typed<ListValue<ItemOf<C>>> {
  return { kind: 'list', child: toField(child, 'item'), large: true };
}

/** Lists by offset and size each. */
export function listView<C extends Field | DataType>(child: C): ListViewType & Typed<ListValue<ItemOf<C>>> {
  return { kind: 'list-view', child: toField(child, 'item'), large: false };
}

/** List views with 64-bit offsets and sizes. */
export function largeListView<C extends Field | DataType>(child: C): ListViewType & Typed<ListValue<ItemOf<C>>> {
  return { kind: 'list-view', child: toField(child, 'item'), large: true };
}

/** Runs of equal values, counted by `runEnds` (default int32). */
export function runEndEncoded<C extends Field | DataType>(
  values: C,
  runEnds: IntType = int32(),
): RunEndEncodedType & Typed<ItemOf<C>> {
  if (runEnds.kind !== 'int' || !runEnds.signed || runEnds.bitWidth === 8)
    throw refused('runEndEncoded', 'runEnds', runEnds.kind, 'int16, int32 or int64');
  return {
    kind: 'run-end-encoded',
    runEnds: new Field('run_ends', runEnds, { nullable: false }),
    values: toField(values, 'values'),
  };
}

export function fixedSizeList<C extends Field | DataType>(
  child: C,
  listSize: number,
): FixedSizeListType & Typed<ListValue<ItemOf<C>>> {
  checkInteger('fixedSizeList', 'listSize', listSize, 0, 2 ** 31 - 1);
  return { kind: 'fixed-size-list', child: toField(child, 'item'), listSize };
}

/** From fields, or from types by name (nullable). */
export function struct<const S extends readonly Field[] | Readonly<Record<string, DataType>>>(
  children: S,
): StructType & Typed<RowOf<S>> {
  return { kind: 'struct', children: toFields(children) };
}

/** Types in place of fields make a non-null `key` and a nullable `value`. */
export function map<K extends Field | DataType, V extends Field | DataType>(
  key: K,
  value: V,
  options: { readonly keysSorted?: boolean } = {},
): MapType & Typed<Array<[key: NonNullable<ItemOf<K>>, value: ItemOf<V>]>> {
  const keyField: Field = 'kind' in key ? new Field('key', key, { nullable: false }) : (key as Field);
  if (keyField.nullable) throw refused('map', 'key', `${keyField}`, 'a field that is not nullable');
  const entries: StructType = { kind: 'struct', children: [keyField, toField(value, 'value')] };
  return {
    kind: 'map',
    child: new Field('entries', entries, { nullable: false }),
    keysSorted: options.keysSorted ?? false,
  };
}

/** `typeIds` are 0, 1, 2 … unless given: one a child, distinct, from 0 to 127. */
export function union(
  mode: 'sparse' | 'dense',
  children: readonly Field[] | Readonly<Record<string, DataType>>,
  typeIds?: readonly number[],
): UnionType {
  checkUnit('union', mode, ['sparse', 'dense']);
  const fields = toFields(children);
  const ids = typeIds ?? fields.map((_, i) => i);
  for (const id of ids) checkInteger('union', 'type id', id, 0, 127);
  if (ids.length !== fields.length || new Set(ids).size !== ids.length) {
    throw refused('union', 'typeIds', `[${ids}]`, `${fields.length} distinct ids, one a child`);
  }
  return { kind: 'union', mode, typeIds: ids, children: fields };
}

/** See {@link dictionary}. */
export interface DictionaryOptions {
  /** What ties the type to its values in a stream. Default: one that this process has not used yet. */
  readonly id?: bigint;
  /** Whether the order of the values means something. Default false. */
  readonly ordered?: boolean;
}

let nextDictionaryId = 0n;

/** Indices of type `index` (default int32) into values of type `value`. Give an `id` where types shall compare as equal. */
export function dictionary<T extends DataType>(
  value: T,
  index: IntType = int32(),
  options: DictionaryOptions = {},
): DictionaryType & Typed<ValueOf<T>> {
  if (index.kind !== 'int') throw refused('dictionary', 'index', index.kind, 'an integer type');
  if (value.kind === 'dictionary')
    throw refused('dictionary', 'value', value.kind, 'a type that is no dictionary itself');
  return { kind: 'dictionary', id: options.id ?? nextDictionaryId++, index, value, ordered: options.ordered ?? false };
}

const units = ['s', 'ms', 'us', 'ns'] as const;

function toField(child: Field | DataType, name: string): Field {
  return 'kind' in child ? new Field(name, child) : child;
}

function toFields(children: readonly Field[] | Readonly<Record<string, DataType>>): readonly Field[] {
  return Array.isArray(children)
    ? children
    : Object.entries(children).map(([name, type]) => new Field(name, type as DataType));
}

function checkUnit<U extends string>(type: string, unit: U, allowed: readonly U[]): U {
  if (!allowed.includes(unit)) throw refused(type, 'unit', unit, `one of ${allowed.join(', ')}`);
  return unit;
}

function checkInteger(type: string, what: string, value: number, min: number, max: number): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw refused(type, what, value, `a whole number from ${min} to ${max}`);
}

function refused(type: string, what: string, value: unknown, wanted: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `${type}: ${what} ${String(value)} is not ${wanted}`);
}
