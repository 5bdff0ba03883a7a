import { Field, makeColumn, RecordBatch, Schema } from 'recurve/arrow';

const field = new Field('n', { kind: 'int', bitWidth: 32, signed: true });

/** A schema of one int32 column `n`, as {@link numberBatch} makes them. */
export const numberSchema = new Schema([field]);

/** A batch of `rows` rows, 4 bytes each, that count up from `first`. */
export function numberBatch(first: number, rows: number): RecordBatch {
  const values = Int32Array.from({ length: rows }, (_, i) => first + i);
  const column = makeColumn(field, { type: field.type, length: rows, values });
  return new RecordBatch(numberSchema, [column]);
}
