import { RecurveError } from '../../error.ts';
import { bitmapByteLength, copyBits, setBits } from '../bitmap.ts';
import { makeColumn } from '../column/make.ts';
import type { Column, ColumnLayout, Values } from '../column.ts';
import type { Field } from '../schema.ts';
import { byteWidth, childFields, type DataType, type DictionaryType } from '../type.ts';
import { valuesClass } from './values-class.ts';

/**
 * Bits in use of the buffers made here, some of which have room behind them. Only the column that uses all of them grows
 * in place: what others see of the buffer stays as it is.
 */
const usedBits = new WeakMap<ArrayBufferLike, number>();

/**
 * Room for `bitCount` bits that begin with the first `keptBits` of `base`: in place where there is room behind them, else
 * a copy. One that makes up the most of the new buffer is taken to grow again, and gets room for half as much.
 */
function grow(base: Values | null | undefined, keptBits: number, bitCount: number): Uint8Array<ArrayBuffer> {
  const byteLength = bitmapByteLength(bitCount);
  if (base != null && usedBits.get(base.buffer) === base.byteOffset * 8 + keptBits) {
    const buffer = base.buffer as ArrayBuffer;
    if (base.byteOffset + byteLength <= buffer.byteLength) {
      usedBits.set(buffer, base.byteOffset * 8 + bitCount);
      return new Uint8Array(buffer, base.byteOffset, byteLength);
    }
  }
  const room = keptBits > bitCount / 2 ? byteLength / 2 : 0;
  const bytes = new Uint8Array(new ArrayBuffer(Math.ceil((byteLength + room) / 8) * 8), 0, byteLength);
  if (base != null) copyBits(bytes, 0, new Uint8Array(base.buffer, base.byteOffset, base.byteLength), 0, keptBits);
  usedBits.set(bytes.buffer, bitCount);
  return bytes;
}

/** Joins the buffers of the types that {@link concatFlat} leaves out. */
export type ConcatNested = (type: DataType, columns: readonly Column[], length: number) => Partial<ColumnLayout>;

/** A column of no values. `dictionaryOf` gives the dictionaries of dictionary types inside of it. */
export function emptyColumn(field: Field, dictionaryOf: (type: DictionaryType) => Column): Column {
  const { type } = field;
  return makeColumn(field, {
    type,
    length: 0,
    nullCount: 0,
    ...(type.kind !== 'null' && { validity: null }),
    ...(hasValues(type) && { values: allocateValues(type, 0) }),
    ...(hasOffsets(type) && {
      offsets: isLarge(type)
        ? new BigInt64Array(1)
        : new Int32Array(type.kind === 'union' || type.kind === 'list-view' ? 0 : 1),
    }),
    ...(type.kind === 'list-view' && { sizes: type.large ? new BigInt64Array(0) : new Int32Array(0) }),
    ...((type.kind === 'utf8' || type.kind === 'binary') && { data: new Uint8Array(0) }),
    ...(childFields(type).length > 0 && {
      children: childFields(type).map((child) => emptyColumn(child, dictionaryOf)),
    }),
    ...(type.kind === 'dictionary' && { dictionary: dictionaryOf(type) }),
  });
}

/**
 * One column of the values of several, in order; of a single one that one itself. Dictionary columns must share one
 * dictionary. Throws NOT_IMPLEMENTED when 32-bit offsets cannot count the whole.
 */
export function concatFlat(field: Field, columns: readonly Column[], concatNested: ConcatNested): Column {
  const [first] = columns;
  if (first !== undefined && columns.length === 1) return first;
  const { type } = field;
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  const nulls = ['null', 'union', 'run-end-encoded'].includes(type.kind) ? {} : concatValidity(columns, length);
  return makeColumn(field, { type, length, ...nulls, ...concatBuffers(type, columns, length, concatNested) });
}

function concatValidity(columns: readonly Column[], length: number): Pick<ColumnLayout, 'validity' | 'nullCount'> {
  const nullCount = columns.reduce((sum, column) => sum + column.nullCount, 0);
  if (nullCount === 0) return { validity: null, nullCount };
  return { validity: concatBits(columns, length, (column) => column.validity), nullCount };
}

/** The bits that `bitsOf` gives of each column, which are ones where it gives none. */
function concatBits(
  columns: readonly Column[],
  length: number,
  bitsOf: (column: Column) => Uint8Array | null,
): Uint8Array {
  let at = 0;
  const [first] = columns;
  if (first !== undefined && first.bitOffset === 0 && bitsOf(first) !== null) at = first.length;
  const out = grow(first && bitsOf(first), at, length);
  for (const column of at === 0 ? columns : columns.slice(1)) {
    const bits = bitsOf(column);
    if (bits === null) setBits(out, at, column.length);
    else copyBits(out, at, bits, column.bitOffset, column.length);
    at += column.length;
  }
  return out;
}

function concatBuffers(
  type: DataType,
  columns: readonly Column[],
  length: number,
  concatNested: ConcatNested,
): Partial<ColumnLayout> {
  switch (type.kind) {
    case 'null':
      return { nullCount: length };
    case 'bool':
      return { values: concatBits(columns, length, ({ layout }) => layout.values as Uint8Array) };
    case 'utf8':
    case 'binary': {
      const offsets = concatOffsets(type, columns, length);
      const parts = columns.map((column) => (column.layout.data as Uint8Array).subarray(...spanOf(column)));
      return { offsets, data: concatBytes(parts) };
    }
    case 'int':
    case 'float':
    case 'decimal':
    case 'fixed-size-binary':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'duration':
    case 'interval':
      return { values: concatValues(type, columns) };
    default:
      return concatNested(type, columns, length);
  }
}

export function tooLong(count: number, what: string): RecurveError {
  return new RecurveError(
    'NOT_IMPLEMENTED',
    `a dictionary has grown to ${count} values, which its ${what} cannot count`,
  );
}

function hasValues(type: DataType): boolean {
  return byteWidth(type) !== undefined || type.kind === 'bool' || type.kind === 'union';
}

function hasOffsets(type: DataType): boolean {
  switch (type.kind) {
    case 'utf8':
    case 'binary':
    case 'list':
    case 'list-view':
    case 'map':
      return true;
    default:
      return type.kind === 'union' && type.mode === 'dense';
  }
}

function isLarge(type: DataType): boolean {
  return 'large' in type && type.large;
}

export function childOf(column: Column): Column {
  return column.layout.children?.[0] as Column;
}

/** First and last offset of a column. */
export function spanOf({ layout, length }: Column): [start: number, end: number] {
  return [Number(layout.offsets?.[0] ?? 0), Number(layout.offsets?.[length] ?? 0)];
}

export function allocateValues(type: DataType, length: number): Values {
  const values = valuesClass(type);
  const byteLength = length * (byteWidth(type) ?? 1);
  return new values(new ArrayBuffer(byteLength), 0, byteLength / values.BYTES_PER_ELEMENT);
}

export function concatValues(type: DataType, columns: readonly Column[]): Values {
  const width = byteWidth(type) ?? 1;
  const parts = columns.map((column) => {
    const { buffer, byteOffset } = column.layout.values as Values;
    return new Uint8Array(buffer, byteOffset, column.length * width);
  });
  const { buffer, byteOffset, byteLength } = concatBytes(parts);
  const values = valuesClass(type);
  return new values(buffer, byteOffset, byteLength / values.BYTES_PER_ELEMENT);
}

function concatBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  let at = first?.length ?? 0;
  const out = grow(first, at * 8, parts.reduce((sum, part) => sum + part.length, 0) * 8);
  for (const part of parts.slice(1)) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

export function concatOffsets(type: DataType, columns: readonly Column[], length: number): Int32Array | BigInt64Array {
  const wide = isLarge(type);
  const bits = wide ? 64 : 32;
  const [first] = columns;
  const Offsets = wide ? BigInt64Array : Int32Array;
  // Those that begin at 0 stay as they are.
  const kept =
    first !== undefined && first.layout.offsets instanceof Offsets && spanOf(first)[0] === 0 ? first.length + 1 : 0;
  const { buffer, byteOffset } = grow(first?.layout.offsets, kept * bits, (length + 1) * bits);
  const offsets = new Offsets(buffer, byteOffset, length + 1);
  let at = kept === 0 ? 0 : kept - 1;
  let base = Number(offsets[at]);
  for (const column of kept === 0 ? columns : columns.slice(1)) {
    const source = column.layout.offsets ?? [];
    const [start, end] = spanOf(column);
    if (!wide && base + end - start > 0x7fffffff) {
      throw new RecurveError(
        'NOT_IMPLEMENTED',
        `a dictionary has grown to ${base + end - start} bytes, which 32-bit offsets cannot count`,
      );
    }
    for (let i = 0; i <= column.length; i++) {
      const offset = Number(source[i]) - start + base;
      if (wide) (offsets as BigInt64Array)[at + i] = BigInt(offset);
      else (offsets as Int32Array)[at + i] = offset;
    }
    at += column.length;
    base += end - start;
  }
  return offsets;
}
