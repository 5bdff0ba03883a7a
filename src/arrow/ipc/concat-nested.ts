import { RecurveError } from '../../error.ts';
import { makeColumn } from '../column/make.ts';
import type { Column, ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import type { DataType, DictionaryType, ListViewType, RunEndEncodedType, UnionType } from '../type.ts';
import {
  allocateValues,
  childOf,
  concatFlat,
  concatOffsets,
  concatValues,
  emptyColumn,
  spanOf,
  tooLong,
} from './concat.ts';
import { trimRuns } from './view-plan.ts';

/**
 * One column of the values of several, in order; of a single one that one itself. Dictionary columns must share one
 * dictionary. Throws NOT_IMPLEMENTED when 32-bit offsets cannot count the whole.
 */
export function concatColumns(field: Field, columns: readonly Column[]): Column {
  return concatFlat(field, columns, concatNested);
}

/** See {@link JoinColumns}; the buffers are copied into one each. */
export function joinColumns(
  field: Field,
  columns: readonly Column[],
  dictionaryOf: (type: DictionaryType) => Column,
): Column {
  return columns.length === 0 ? emptyColumn(field, dictionaryOf) : concatColumns(field, columns);
}

/** The buffers of columns of views, dictionary columns, and those that have children. */
function concatNested(type: DataType, columns: readonly Column[], length: number): Partial<ColumnLayout> {
  switch (type.kind) {
    case 'utf8-view':
    case 'binary-view':
      return concatViews(type, columns);
    case 'list-view':
      return concatListViews(type, columns, length);
    case 'run-end-encoded':
      return { nullCount: 0, children: concatRuns(type, columns) };
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
        values: concatValues(type, columns),
        children: concatChildren(type.children, columns, type.mode === 'sparse'),
        ...(type.mode === 'dense' && { offsets: concatUnionOffsets(type, columns, length) }),
      };
    case 'dictionary': {
      const dictionary = columns[0]?.layout.dictionary as Column;
      return { values: concatValues(type, columns), dictionary };
    }
    default:
      throw new RecurveError('INTERNAL', `a column of ${type.kind} has no parts`);
  }
}

function concatViews(type: DataType, columns: readonly Column[]): Partial<ColumnLayout> {
  const values = concatValues(type, columns) as Int32Array;
  const buffers: Uint8Array[] = [];
  let at = 0;
  for (const { layout, length: count } of columns) {
    for (const end = at + count; at < end; at++) {
      if ((values[4 * at] ?? 0) > 12) values[4 * at + 2] = (values[4 * at + 2] ?? 0) + buffers.length;
    }
    buffers.push(...(layout.buffers ?? []));
  }
  return { values, buffers };
}

function concatListViews(type: ListViewType, columns: readonly Column[], length: number): Partial<ColumnLayout> {
  const offsets = type.large ? new BigInt64Array(length) : new Int32Array(length);
  const sizes = type.large ? new BigInt64Array(length) : new Int32Array(length);
  let at = 0;
  let base = 0;
  for (const column of columns) {
    const child = childOf(column);
    if (!type.large && base + child.length > 0x7fffffff) throw tooLong(base + child.length, 'offsets');
    for (let i = 0; i < column.length; i++, at++) {
      const offset = Number(column.layout.offsets?.[i]) + base;
      offsets[at] = type.large ? BigInt(offset) : offset;
      sizes[at] = column.layout.sizes?.[i] as never;
    }
    base += child.length;
  }
  return { offsets, sizes, children: [concatColumns(type.child, columns.map(childOf))] };
}

function concatRuns(type: RunEndEncodedType, columns: readonly Column[]): Column[] {
  const parts = columns.map((column) => trimRuns(type, column));
  const field = type.runEnds;
  const count = parts.reduce((sum, [ends]) => sum + ends.length, 0);
  const values = allocateValues(field.type, count);
  let at = 0;
  let base = 0;
  parts.forEach(([ends], i) => {
    for (const end of ends.layout.values ?? []) {
      const sum = Number(end) + base;
      values[at] = values instanceof BigInt64Array ? BigInt(sum) : sum;
      if (Number(values[at]) !== sum) throw tooLong(sum, 'run ends');
      at++;
    }
    base += columns[i]?.length ?? 0;
  });
  const runEnds = makeColumn(field, { type: field.type, length: count, nullCount: 0, values });
  return [
    runEnds,
    concatColumns(
      type.values,
      parts.map(([, runs]) => runs),
    ),
  ];
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
