import { RecurveError } from '../../error.ts';
import { bitmapByteLength, copyBits, setBits } from '../bitmap.ts';
import { makeColumn } from '../column/make.ts';
import type { Column, ColumnLayout, Values } from '../column.ts';
import type { Field } from '../schema.ts';
import { byteWidth, childFields, type DataType, type DictionaryType, type UnionType } from '../type.ts';
import { valuesClass } from './column-reader.ts';

/** What a column that grew by a delta was before: the same values, fewer of them. */
const bases = new WeakMap<Column, Column>();

/** Notes that `column` begins with all the values of `base`. */
export function noteExtension(column: Column, base: Column): void {
  bases.set(column, base);
}

/** Whether `column` grew out of `base` by deltas, so that its first `base.length` values are the same. */
export function extendsColumn(column: Column, base: Column): boolean {
  for (let at: Column | undefined = column; at !== undefined; at = bases.get(at)) if (at === base) return true;
  return false;
}

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
      offsets: isLarge(type) ? new BigInt64Array(1) : new Int32Array(type.kind === 'union' ? 0 : 1),
    }),
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
export function concatColumns(field: Field, columns: readonly Column[]): Column {
  const [first] = columns;
  if (first !== undefined && columns.length === 1) return first;
  const { type } = field;
  const length = columns.reduce((sum, column) => sum + column.length, 0);
  const nulls = type.kind === 'null' || type.kind === 'union' ? {} : concatValidity(columns, length);
  return makeColumn(field, { type, length, ...nulls, ...concatBuffers(type, columns, length) });
}

function concatValidity(columns: readonly Column[], length: number): Pick<ColumnLayout, 'validity' | 'nullCount'> {
  const nullCount = columns.reduce((sum, column) => sum + column.nullCount, 0);
  if (nullCount === 0) return { validity: null, nullCount };
  const validity = new Uint8Array(bitmapByteLength(length));
  let at = 0;
  for (const column of columns) {
    if (column.validity === null) setBits(validity, at, column.length);
    else copyBits(validity, at, column.validity, column.bitOffset, column.length);
    at += column.length;
  }
  return { validity, nullCount };
}

function concatBuffers(type: DataType, columns: readonly Column[], length: number): Partial<ColumnLayout> {
  switch (type.kind) {
    case 'null':
      return { nullCount: length };
    case 'bool': {
      const values = new Uint8Array(bitmapByteLength(length));
      let at = 0;
      for (const { layout, bitOffset, length: count } of columns) {
        copyBits(values, at, layout.values as Uint8Array, bitOffset, count);
        at += count;
      }
      return { values };
    }
    case 'utf8':
    case 'binary': {
      const spans = columns.map(spanOf);
      const data = new Uint8Array(spans.reduce((sum, [start, end]) => sum + end - start, 0));
      let at = 0;
      columns.forEach(({ layout }, i) => {
        const [start, end] = spans[i] ?? [0, 0];
        data.set((layout.data as Uint8Array).subarray(start, end), at);
        at += end - start;
      });
      return { data, offsets: concatOffsets(type, columns, length) };
    }
    case 'list':
    case 'map': {
      const children = columns.map((column) => childOf(column).slice(...spanOf(column)));
      return { offsets: concatOffsets(type, columns, length), children: [concatColumns(type.child, children)] };
    }
    case 'fixed-size-list': {
      const children = columns.map((column) => childOf(column).slice(0, column.length * type.listSize));
      return { children: [concatColumns(type.child, children)] };
    }
    case 'struct':
      return { children: concatChildren(type.children, columns, true) };
    case 'union':
      return {
        nullCount: 0,
        values: concatValues(type, columns, length),
        children: concatChildren(type.children, columns, type.mode === 'sparse'),
        ...(type.mode === 'dense' && { offsets: concatUnionOffsets(type, columns, length) }),
      };
    case 'dictionary': {
      const dictionary = columns[0]?.layout.dictionary as Column;
      return { values: concatValues(type, columns, length), dictionary };
    }
    default:
      return { values: concatValues(type, columns, length) };
  }
}

function hasValues(type: DataType): boolean {
  return byteWidth(type) !== undefined || type.kind === 'bool' || type.kind === 'union';
}

function hasOffsets(type: DataType): boolean {
  switch (type.kind) {
    case 'utf8':
    case 'binary':
    case 'list':
    case 'map':
      return true;
    default:
      return type.kind === 'union' && type.mode === 'dense';
  }
}

function isLarge(type: DataType): boolean {
  return 'large' in type && type.large;
}

function childOf(column: Column): Column {
  return column.layout.children?.[0] as Column;
}

/** First and last offset of a column. */
function spanOf({ layout, length }: Column): [start: number, end: number] {
  return [Number(layout.offsets?.[0] ?? 0), Number(layout.offsets?.[length] ?? 0)];
}

function allocateValues(type: DataType, length: number): Values {
  const values = valuesClass(type);
  const byteLength = length * (byteWidth(type) ?? 1);
  return new values(new ArrayBuffer(byteLength), 0, byteLength / values.BYTES_PER_ELEMENT);
}

function concatValues(type: DataType, columns: readonly Column[], length: number): Values {
  const out = allocateValues(type, length);
  const perValue = length === 0 ? 0 : out.length / length;
  let at = 0;
  for (const { layout, length: count } of columns) {
    out.set((layout.values as Values).subarray(0, count * perValue) as never, at);
    at += count * perValue;
  }
  return out;
}

function concatOffsets(type: DataType, columns: readonly Column[], length: number): Int32Array | BigInt64Array {
  const wide = isLarge(type);
  const offsets = wide ? new BigInt64Array(length + 1) : new Int32Array(length + 1);
  let at = 0;
  let base = 0;
  for (const column of columns) {
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

/** Children of structs and sparse unions are cut to the length of their parent, those of dense unions stay whole. */
function concatChildren(fields: readonly Field[], columns: readonly Column[], cut: boolean): Column[] {
  return fields.map((field, i) => {
    const children = columns.map((column) => {
      const child = column.layout.children?.[i] as Column;
      return cut ? child.slice(0, column.length) : child;
    });
    return concatColumns(field, children);
  });
}

function concatUnionOffsets(type: UnionType, columns: readonly Column[], length: number): Int32Array {
  const offsets = new Int32Array(length);
  const shifts = new Int32Array(128);
  let at = 0;
  for (const { layout, length: count } of columns) {
    const typeIds = layout.values as Int8Array;
    const source = layout.offsets as Int32Array;
    for (let i = 0; i < count; i++) offsets[at + i] = (source[i] ?? 0) + (shifts[typeIds[i] ?? 0] ?? 0);
    type.typeIds.forEach((id, child) => {
      shifts[id] = (shifts[id] ?? 0) + (layout.children?.[child]?.length ?? 0);
    });
    at += count;
  }
  return offsets;
}
