import type { Column, ColumnLayout } from '../column.ts';
import { extensionOf } from '../extension.ts';
import type { Field } from '../schema.ts';
import type { FloatType, IntervalType, IntType } from '../type.ts';
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

/**
 * The column of a field over the given buffers. `field` decides more than the type does: an extension that is known
 * (`arrow.uuid`) gives the column its own accessor. Buffers are taken as they are: no check, no copy.
 */
export function makeColumn(field: Field, layout: ColumnLayout): Column {
  const { type } = layout;
  switch (type.kind) {
    case 'null':
      return new NullColumn(layout);
    case 'bool':
      return new BoolColumn(layout);
    case 'int':
      return makeInt(type, layout);
    case 'float':
      return makeFloat(type, layout);
    case 'decimal':
      return new DecimalColumn(layout);
    case 'utf8':
      return new TextColumn(layout);
    case 'binary':
      return new BinaryColumn(layout);
    case 'utf8-view':
      return new TextViewColumn(layout);
    case 'binary-view':
      return new BinaryViewColumn(layout);
    case 'fixed-size-binary':
      return extensionOf(field)?.name === 'arrow.uuid' && type.byteWidth === 16
        ? new UuidColumn(layout)
        : new FixedSizeBinaryColumn(layout);
    case 'date':
      return type.unit === 'day' ? new Int32Column(layout) : new Int64Column(layout);
    case 'time':
      return type.unit === 's' || type.unit === 'ms' ? new Int32Column(layout) : new Int64Column(layout);
    case 'timestamp':
    case 'duration':
      return new Int64Column(layout);
    case 'interval':
      return makeInterval(type, layout);
    case 'list':
      return new ListColumn(layout);
    case 'list-view':
      return new ListViewColumn(layout);
    case 'fixed-size-list':
      return new FixedSizeListColumn(layout);
    case 'map':
      return new MapColumn(layout);
    case 'struct':
      return new StructColumn(layout);
    case 'union':
      return new UnionColumn(layout);
    case 'run-end-encoded':
      return new RunEndEncodedColumn(layout);
    case 'dictionary':
      return new DictionaryColumn(layout);
  }
}

function makeInt(type: IntType, layout: ColumnLayout): Column {
  switch (type.bitWidth) {
    case 8:
      return type.signed ? new Int8Column(layout) : new Uint8Column(layout);
    case 16:
      return type.signed ? new Int16Column(layout) : new Uint16Column(layout);
    case 32:
      return type.signed ? new Int32Column(layout) : new Uint32Column(layout);
    case 64:
      return type.signed ? new Int64Column(layout) : new Uint64Column(layout);
  }
}

function makeFloat(type: FloatType, layout: ColumnLayout): Column {
  switch (type.bitWidth) {
    case 16:
      return new Float16Column(layout);
    case 32:
      return new Float32Column(layout);
    case 64:
      return new Float64Column(layout);
  }
}

function makeInterval(type: IntervalType, layout: ColumnLayout): Column {
  switch (type.unit) {
    case 'year-month':
      return new Int32Column(layout);
    case 'day-time':
      return new DayTimeColumn(layout);
    case 'month-day-nano':
      return new MonthDayNanoColumn(layout);
  }
}
