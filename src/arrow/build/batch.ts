import { RecurveError } from '../../error.ts';
import { RecordBatch } from '../batch.ts';
import { makeColumn } from '../column/make.ts';
import type { Column, Values } from '../column.ts';
import type { Row } from '../row.ts';
import type { RowOfArrays, RowOfRows, Typed } from '../row-type.ts';
import { type Field, Schema } from '../schema.ts';
import { Table } from '../table.ts';
import type { DataType } from '../type.ts';
import { show } from './builder.ts';
import { inferField, keysOf } from './infer.ts';
import { isRecord } from './list.ts';
import { type BuildOptions, makeBuilder } from './make.ts';
import { propertiesOf, unknownProperty } from './struct.ts';

/**
 * A batch of these rows. A property that is missing is null; one that no field is named (see {@link rowNames} for fields
 * of the same name) is refused. Values as {@link makeBuilder} takes them; INVALID_DATA names column, row and value.
 */
export function batchFromRows(
  schema: Schema,
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  options?: BuildOptions,
): RecordBatch {
  const properties = propertiesOf(schema.fields);
  rows.forEach((row, i) => {
    if (!isRecord(row)) throw new RecurveError('INVALID_DATA', `row ${i}: ${show(row)} is no object`);
    const unknown = unknownProperty(properties, row);
    if (unknown !== undefined) {
      throw new RecurveError(
        'INVALID_DATA',
        `row ${i}: no column ${JSON.stringify(unknown)} among ${JSON.stringify(schema.names)}`,
      );
    }
  });
  const columns = schema.fields.map((field, i) => {
    const builder = makeBuilder(field, options);
    const read = properties[i]?.read;
    for (const row of rows) builder.append(read?.(row));
    return builder.finish();
  });
  return new RecordBatch(schema, columns, rows.length);
}

/** Values of the columns of a batch: by position, or by name where names do not repeat. */
export type ColumnArrays = ReadonlyArray<ArrayLike<unknown>> | Readonly<Record<string, ArrayLike<unknown>>>;

/**
 * A batch of these columns. A typed array whose elements are the type's own (an Int32Array for int32 or date32, a
 * BigInt64Array for int64, timestamp or duration …) is taken in place, not copied; other values as {@link makeBuilder}
 * takes them. Throws INVALID_ARGUMENT when columns are missing, too many or of different lengths.
 */
export function batchFromArrays(schema: Schema, arrays: ColumnArrays, options?: BuildOptions): RecordBatch {
  const { fields, names } = schema;
  const byPosition = Array.isArray(arrays)
    ? arrays
    : names.map((name) => (arrays as Record<string, ArrayLike<unknown>>)[name]);
  const given = Array.isArray(arrays) ? fields.map((_, i) => i) : Object.keys(arrays);
  const missing = fields.findIndex((_, i) => byPosition[i] === undefined);
  const isExact = new Set(names).size === names.length || Array.isArray(arrays);
  if (missing >= 0 || (Array.isArray(arrays) ? arrays.length : given.length) !== fields.length || !isExact) {
    const has = Array.isArray(arrays) ? `${arrays.length} arrays` : `arrays ${JSON.stringify(given)}`;
    throw new RecurveError('INVALID_ARGUMENT', `${has} do not fit the columns ${JSON.stringify(names)}`);
  }
  return new RecordBatch(
    schema,
    fields.map((field, i) => columnFromArray(field, byPosition[i] ?? [], options)),
  );
}

function columnFromArray(field: Field, array: ArrayLike<unknown>, options?: BuildOptions): Column {
  const { type } = field;
  if (array.constructor === ownArray(type)) {
    return makeColumn(field, { type, length: array.length, nullCount: 0, values: array as unknown as Values });
  }
  const builder = makeBuilder(field, options);
  builder.appendAll(array);
  return builder.finish();
}

/** The class of typed arrays all of whose values are a type's. */
function ownArray(type: DataType): unknown {
  switch (type.kind) {
    case 'int':
      if (type.bitWidth === 64) return type.signed ? BigInt64Array : BigUint64Array;
      if (type.bitWidth === 32) return type.signed ? Int32Array : Uint32Array;
      if (type.bitWidth === 16) return type.signed ? Int16Array : Uint16Array;
      return type.signed ? Int8Array : Uint8Array;
    case 'float':
      return type.bitWidth === 64 ? Float64Array : type.bitWidth === 32 ? Float32Array : undefined;
    case 'date':
      return type.unit === 'day' ? Int32Array : undefined;
    case 'timestamp':
    case 'duration':
      return BigInt64Array;
    default:
      return undefined;
  }
}

/**
 * A table of one batch, its types inferred (see {@link inferField}): numbers become int32 or float64, strings utf8, Dates
 * timestamp[ms, UTC]; typed arrays are taken in place. All columns are nullable.
 */
export function tableFromArrays<A extends Readonly<Record<string, ArrayLike<unknown>>>>(
  arrays: A,
): Table<RowOfArrays<A>> {
  const schema = new Schema(Object.entries(arrays).map(([name, values]) => inferField(name, values)));
  return new Table(schema, [batchFromArrays(schema, Object.values(arrays))]);
}

/**
 * A table of one batch. Without a schema the columns are all properties that any row has, in the order in which they appear
 * first, their types inferred (see {@link inferField}).
 */
export function tableFromRows<R extends Readonly<Record<string, unknown>>>(
  rows: readonly R[],
  schema?: undefined,
  options?: BuildOptions,
): Table<RowOfRows<R>>;
export function tableFromRows<R extends Row = Row>(
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  schema: (Schema & Typed<R>) | undefined,
  options?: BuildOptions,
): Table<R>;
export function tableFromRows(
  rows: ReadonlyArray<Readonly<Record<string, unknown>>>,
  schema?: Schema,
  options?: BuildOptions,
): Table {
  if (schema !== undefined) return new Table(schema, [batchFromRows(schema, rows, options)]);
  const names = keysOf(rows);
  const columns = names.map((name) => rows.map((row) => (Object.hasOwn(row, name) ? row[name] : undefined)));
  const inferred = new Schema(names.map((name, i) => inferField(name, columns[i] ?? [])));
  const batch = names.length > 0 ? batchFromArrays(inferred, columns) : new RecordBatch(inferred, [], rows.length);
  return new Table(inferred, [batch]);
}
