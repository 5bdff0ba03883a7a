import type { Column, ColumnLayout } from '../column.ts';
import { extensionOf } from '../extension.ts';
import type { Field } from '../schema.ts';
import { byteWidth, type DataType } from '../type.ts';
import { Int64Column, Uint64Column } from './bigint.ts';
import { BinaryColumn, FixedSizeBinaryColumn, UuidColumn } from './binary.ts';
import { BoolColumn, NullColumn } from './bool.ts';
import { DecimalColumn } from './decimal.ts';
import { DictionaryColumn } from './dictionary.ts';
import { Float16Column } from './float16.ts';
import { DayTimeColumn, MonthDayNanoColumn } from './interval.ts';
import { FixedSizeListColumn, ListColumn, ListViewColumn, MapColumn } from './list.ts';
import {
  Float32Column,
  Float64Column,
  Int8Column,
  Int16Column,
  Int32Column,
  Uint8Column,
  Uint16Column,
  Uint32Column,
} from './number.ts';
import { RunEndEncodedColumn } from './run-end.ts';
import { StructColumn } from './struct.ts';
import { TextColumn } from './text.ts';
import { UnionColumn } from './union.ts';
import { BinaryViewColumn, TextViewColumn } from './view.ts';

type ColumnClass = new (layout: ColumnLayout) => Column;

/** The class by the kind of a type, where that says it all. */
const byKind: Readonly<Partial<Record<DataType['kind'], ColumnClass>>> = {
  null: NullColumn,
  bool: BoolColumn,
  decimal: DecimalColumn,
  utf8: TextColumn,
  binary: BinaryColumn,
  'utf8-view': TextViewColumn,
  'binary-view': BinaryViewColumn,
  'fixed-size-binary': FixedSizeBinaryColumn,
  list: ListColumn,
  'list-view': ListViewColumn,
  'fixed-size-list': FixedSizeListColumn,
  map: MapColumn,
  struct: StructColumn,
  union: UnionColumn,
  'run-end-encoded': RunEndEncodedColumn,
  dictionary: DictionaryColumn,
};

/** Those of numbers by the bytes of one. */
const unsigned: Readonly<Record<number, ColumnClass>> = {
  1: Uint8Column,
  2: Uint16Column,
  4: Uint32Column,
  8: Uint64Column,
};
const signed: Readonly<Record<number, ColumnClass>> = { 1: Int8Column, 2: Int16Column, 4: Int32Column, 8: Int64Column };
const floats: Readonly<Record<number, ColumnClass>> = { 2: Float16Column, 4: Float32Column, 8: Float64Column };
const intervals: Readonly<Record<number, ColumnClass>> = { 4: Int32Column, 8: DayTimeColumn, 16: MonthDayNanoColumn };

/**
 * The column of a field over the given buffers. `field` decides more than the type does: an extension that is known
 * (`arrow.uuid`) gives the column its own accessor. Buffers are taken as they are: no check, no copy.
 */
export function makeColumn(field: Field, layout: ColumnLayout): Column {
  const { type } = layout;
  const { kind } = type;
  const width = byteWidth(type) ?? 0;
  const sizes =
    kind === 'float' ? floats : kind === 'interval' ? intervals : kind === 'int' && !type.signed ? unsigned : signed;
  const isUuid = kind === 'fixed-size-binary' && width === 16 && extensionOf(field)?.name === 'arrow.uuid';
  const Class = isUuid ? UuidColumn : (byKind[kind] ?? sizes[width]);
  if (Class === undefined) throw new TypeError(`no column of ${kind}`);
  return new Class(layout);
}
