import { RecurveError } from '../../error.ts';
import { Field } from '../schema.ts';
import type { DataType } from '../type.ts';
import {
  binary,
  bool,
  float32,
  float64,
  int,
  int32,
  int64,
  list,
  nullType,
  struct,
  timestamp,
  uint64,
  utf8,
} from '../type-factory.ts';
import { show } from './builder.ts';
import { isRecord } from './list.ts';

/**
 * The type of a column of JavaScript values, nulls left aside:
 *
 * - a typed array: its elements' type;
 * - numbers: int32 when all are whole, fit and none is −0, else float64;
 * - bigints, or bigints and whole safe numbers: int64, or uint64 when only that holds them all;
 * - booleans: bool; strings: utf8; Dates: timestamp[ms, UTC]; Uint8Array: binary;
 * - arrays and other typed arrays: a list of what all their items together are;
 * - plain objects: a struct of all their properties, in the order in which they appear first;
 * - nothing but nulls: null.
 *
 * Throws INVALID_ARGUMENT, naming column, row and value, for anything else and for values of different kinds.
 */
export function inferField(name: string, values: ArrayLike<unknown>): Field {
  return new Field(
    name,
    inferType(name, values, (i) => i),
  );
}

function inferType(path: string, values: ArrayLike<unknown>, rowOf: (index: number) => number): DataType {
  const typed = typedArrayType(values);
  if (typed !== undefined) return typed;
  let kind: Kind | undefined;
  let allInt32 = true;
  let min = 0n;
  let max = 0n;
  for (let i = 0; i < values.length; i++) {
    const value = values[i];
    if (value === null || value === undefined) continue;
    const found = kindOf(value);
    const fits = kind === undefined || found === kind || (isNumeric(found) && isNumeric(kind));
    if (found === undefined || !fits) throw mixed(path, rowOf(i), value, kind, found);
    kind = kind === undefined || kind === found ? found : 'bigint';
    if (found === 'number') allInt32 &&= value === ((value as number) | 0) && !Object.is(value, -0);
    if (found === 'bigint') {
      if ((value as bigint) < min) min = value as bigint;
      if ((value as bigint) > max) max = value as bigint;
    }
  }
  switch (kind) {
    case undefined:
      return nullType();
    case 'number':
      return allInt32 ? int32() : float64();
    case 'bigint':
      return min >= 0n && max >= 2n ** 63n ? uint64() : int64();
    case 'boolean':
      return bool();
    case 'string':
      return utf8();
    case 'date':
      return timestamp('ms', 'UTC');
    case 'bytes':
      return binary();
    case 'list':
      return inferList(path, values, rowOf);
    case 'object':
      return inferStruct(path, values, rowOf);
  }
}

type Kind = 'number' | 'bigint' | 'boolean' | 'string' | 'date' | 'bytes' | 'list' | 'object';

function isNumeric(kind: Kind | undefined): boolean {
  return kind === 'number' || kind === 'bigint';
}

function kindOf(value: NonNullable<unknown>): Kind | undefined {
  switch (typeof value) {
    case 'number':
    case 'bigint':
    case 'boolean':
    case 'string':
      return typeof value as Kind;
    case 'object':
      if (value instanceof Date) return 'date';
      if (value instanceof Uint8Array) return 'bytes';
      if (Array.isArray(value) || typedArrayType(value as never) !== undefined) return 'list';
      return isRecord(value) ? 'object' : undefined;
    default:
      return undefined;
  }
}

function mixed(
  path: string,
  row: number,
  value: unknown,
  kind: Kind | undefined,
  found: Kind | undefined,
): RecurveError {
  const why = found === undefined ? 'has no Arrow type of its own' : `does not go with the ${kind}s before it`;
  return new RecurveError('INVALID_ARGUMENT', `column ${JSON.stringify(path)}, row ${row}: ${show(value)} ${why}`, {
    hint: 'give a schema',
  });
}

function typedArrayType(values: ArrayLike<unknown>): DataType | undefined {
  if (values instanceof Float64Array) return float64();
  if (values instanceof Float32Array) return float32();
  if (values instanceof BigInt64Array) return int64();
  if (values instanceof BigUint64Array) return uint64();
  if (values instanceof Int8Array || values instanceof Int16Array || values instanceof Int32Array) {
    return int((values.BYTES_PER_ELEMENT * 8) as 8, true);
  }
  const unsigned = values instanceof Uint8Array || values instanceof Uint16Array || values instanceof Uint32Array;
  if (unsigned || values instanceof Uint8ClampedArray) return int((values.BYTES_PER_ELEMENT * 8) as 8, false);
  return undefined;
}

function inferList(path: string, values: ArrayLike<unknown>, rowOf: (index: number) => number): DataType {
  const items: unknown[] = [];
  const rows: number[] = [];
  const classes = new Set<unknown>();
  let typed: DataType | undefined;
  for (let i = 0; i < values.length; i++) {
    const value = values[i] as ArrayLike<unknown> | null | undefined;
    if (value === null || value === undefined) continue;
    classes.add(value.constructor);
    typed ??= typedArrayType(value);
    for (let k = 0; k < value.length; k++) {
      items.push(value[k]);
      rows.push(rowOf(i));
    }
  }
  // Typed arrays of one class say more than their values do.
  if (typed !== undefined && classes.size === 1) return list(typed);
  return list(inferType(`${path}.item`, items, (i) => rows[i] ?? 0));
}

function inferStruct(path: string, values: ArrayLike<unknown>, rowOf: (index: number) => number): DataType {
  const objects = Array.from(values, (value) => (value ?? undefined) as Record<string, unknown> | undefined);
  const fields = keysOf(objects).map((key) => {
    const column = objects.map((object) =>
      object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined,
    );
    return new Field(key, inferType(`${path}.${key}`, column, rowOf));
  });
  return struct(fields);
}

/** The names of all properties, in the order in which they appear first. */
export function keysOf(objects: ReadonlyArray<Record<string, unknown> | undefined>): string[] {
  const keys = new Set<string>();
  for (const object of objects) if (object !== undefined) for (const key of Object.keys(object)) keys.add(key);
  return [...keys];
}
