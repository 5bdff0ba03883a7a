import {
  DuckDBArrayValue,
  DuckDBBitValue,
  DuckDBBlobValue,
  DuckDBDateValue,
  DuckDBDecimalValue,
  DuckDBIntervalValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
  DuckDBTimestampMillisecondsValue,
  DuckDBTimestampNanosecondsValue,
  DuckDBTimestampSecondsValue,
  DuckDBTimestampTZValue,
  DuckDBTimestampValue,
  DuckDBTimeTZValue,
  DuckDBTimeValue,
  DuckDBUnionValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import type { RecordBatch } from '../../../../src/arrow/batch.ts';
import type { MonthDayNano } from '../../../../src/arrow/column/interval.ts';
import { FixedSizeListColumn, ListColumn, MapColumn } from '../../../../src/arrow/column/list.ts';
import { StructColumn } from '../../../../src/arrow/column/struct.ts';
import { UnionColumn } from '../../../../src/arrow/column/union.ts';
import type { Column } from '../../../../src/arrow/column.ts';
import { childFields } from '../../../../src/arrow/type.ts';

/** A value without its library: text for scalars, arrays for lists, pairs for structs and maps. */
export type Canonical = null | string | readonly Canonical[];

/** The values of one column of batches. */
export function arrowColumn(batches: readonly RecordBatch[], index: number): Canonical[] {
  return batches.flatMap((batch) => {
    const column = batch.column(index);
    return Array.from({ length: column.length }, (_, row) => arrowValue(column, row));
  });
}

function arrowValue(column: Column, row: number): Canonical {
  if (!column.isValid(row)) return null;
  const { type } = column;
  if (column instanceof ListColumn || column instanceof MapColumn) {
    const items = arrowRange(column.child, Number(column.offsets[row]), Number(column.offsets[row + 1]));
    // A map's entry: the pairs of the struct without their names.
    return column instanceof MapColumn
      ? items.map((entry) => (entry as Canonical[]).map((pair) => pair?.[1] ?? null))
      : items;
  }
  if (column instanceof FixedSizeListColumn) {
    return arrowRange(column.child, row * column.listSize, (row + 1) * column.listSize);
  }
  if (column instanceof StructColumn) {
    return childFields(type).map((field, i) => [field.name, child(column, i, row)]);
  }
  if (column instanceof UnionColumn) return child(column, column.childAt(row), row);
  const value = column.at(row);
  if (value === null) return null;
  if (type.kind === 'interval') {
    const { months, days, nanoseconds } = value as MonthDayNano;
    return `${months} ${days} ${nanoseconds}`;
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  return Object.is(value, -0) ? '-0' : String(value);
}

function arrowRange(column: Column, start: number, end: number): Canonical[] {
  return Array.from({ length: end - start }, (_, i) => arrowValue(column, start + i));
}

function child(column: StructColumn | UnionColumn, index: number, row: number): Canonical {
  const found = column.children[index];
  if (found === undefined) throw new RangeError(`no child ${index}`);
  return arrowValue(found, row);
}

/** A value of the official API in the same form. */
export function officialValue(value: DuckDBValue): Canonical {
  if (value === null) return null;
  if (value instanceof DuckDBListValue || value instanceof DuckDBArrayValue) return value.items.map(officialValue);
  if (value instanceof DuckDBStructValue)
    return Object.entries(value.entries).map(([name, item]) => [name, officialValue(item)]);
  if (value instanceof DuckDBMapValue)
    return value.entries.map(({ key, value: item }) => [officialValue(key), officialValue(item)]);
  if (value instanceof DuckDBUnionValue) return officialValue(value.value);
  if (value instanceof DuckDBIntervalValue) return `${value.months} ${value.days} ${value.micros * 1000n}`;
  if (value instanceof DuckDBBlobValue) return Buffer.from(value.bytes).toString('hex');
  if (value instanceof DuckDBBitValue) return Buffer.from(value.data).toString('hex');
  if (value instanceof DuckDBDateValue) return String(value.days);
  if (value instanceof DuckDBDecimalValue) return value.toString();
  if (value instanceof DuckDBTimeTZValue) {
    const bytes = Buffer.alloc(8);
    bytes.writeBigUInt64LE(value.bits);
    return bytes.toString('hex');
  }
  if (value instanceof DuckDBTimeValue) return String(value.micros);
  if (value instanceof DuckDBTimestampSecondsValue) return String(value.seconds);
  if (value instanceof DuckDBTimestampMillisecondsValue) return String(value.millis);
  if (value instanceof DuckDBTimestampNanosecondsValue) return String(value.nanos);
  if (value instanceof DuckDBTimestampValue || value instanceof DuckDBTimestampTZValue) return String(value.micros);
  if (typeof value === 'object' && 'nanos' in value) return String(value.nanos);
  return Object.is(value, -0) ? '-0' : String(value);
}
