import { type Field, makeBuilder, RecordBatch, Schema, Table } from 'recurve/arrow';
import { makeColumn } from '../../../../src/arrow/column/make.ts';
import type { Values } from '../../../../src/arrow/column.ts';

/** A table of one column with these values, without the first `skipped`, in one batch. A typed array is taken unchecked. */
export function oneColumn(field: Field, values: ArrayLike<unknown>, skipped = 0): Table {
  const schema = new Schema([field]);
  const column = ArrayBuffer.isView(values)
    ? makeColumn(field, { type: field.type, length: values.length, values: values as Values, nullCount: 0 })
    : fill(field, values);
  return new Table(schema, [new RecordBatch(schema, [column.slice(skipped)])]);
}

function fill(field: Field, values: ArrayLike<unknown>): ReturnType<typeof makeColumn> {
  const builder = makeBuilder(field);
  for (const value of Array.from(values)) builder.append(value as never);
  return builder.finish();
}
