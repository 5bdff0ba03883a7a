import { RecordBatch } from '../arrow/batch.ts';
import { bitmapByteLength } from '../arrow/bitmap.ts';
import { makeBuilder } from '../arrow/build/make.ts';
import { makeColumn } from '../arrow/column/make.ts';
import type { Column } from '../arrow/column.ts';
import type { Field } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import { childFields } from '../arrow/type.ts';
import { RecurveError } from '../error.ts';
import { objectsSchema } from './objects.ts';

/**
 * One level of a catalog, flat: a row an object, those of one parent next to each other, parents in the order of the level
 * above. Columns are those of the level's struct but for its lists, in order, of the same types; names of fields and
 * nullability may differ.
 */
export interface ObjectLevel {
  readonly columns: readonly Column[];
  /** Where the objects of each parent begin, and, last, the end: one more than there are parents. */
  readonly offsets: Int32Array;
}

/** A catalog level by level; a level that is left out was not asked for, and its lists are null. */
export interface ObjectLevels {
  readonly catalogs: Column;
  readonly dbSchemas?: ObjectLevel | undefined;
  readonly tables?: ObjectLevel | undefined;
  /** Of tables. */
  readonly columns?: ObjectLevel | undefined;
  /** Of tables. */
  readonly constraints?: ObjectLevel | undefined;
}

/** The table of `objectsSchema` over the columns of flat levels, which are taken in place. */
export function makeObjectsTable(levels: ObjectLevels): Table {
  const [nameField, schemasField] = objectsSchema.fields;
  if (nameField === undefined || schemasField === undefined) throw new RecurveError('INTERNAL', 'no fields');
  const { catalogs, dbSchemas, tables } = levels;
  const tableLists =
    tables === undefined ? undefined : ([levels.columns, levels.constraints] as const satisfies readonly unknown[]);
  const nestTables = (field: Field, count: number): Column =>
    makeList(field, count, tables, (level, itemFields) => [
      ...level.columns,
      ...itemFields.slice(level.columns.length).map((child, i) => {
        return makeList(child, lengthOf(level), tableLists?.[i], (leaf) => leaf.columns);
      }),
    ]);
  const schemas = makeList(schemasField, catalogs.length, dbSchemas, (level, itemFields) => [
    ...level.columns,
    ...itemFields.slice(level.columns.length).map((child) => nestTables(child, lengthOf(level))),
  ]);
  return new Table(objectsSchema, [new RecordBatch(objectsSchema, [conform(nameField, catalogs), schemas])]);
}

function lengthOf(level: ObjectLevel): number {
  return level.offsets[level.offsets.length - 1] ?? 0;
}

/** A list column of structs; all null where there is no level. */
function makeList(
  field: Field,
  length: number,
  level: ObjectLevel | undefined,
  childrenOf: (level: ObjectLevel, itemFields: readonly Field[]) => readonly Column[],
): Column {
  const { type } = field;
  const [item] = childFields(type);
  if (item === undefined) throw new RecurveError('INTERNAL', `${field} is no list`);
  if (level === undefined) {
    const offsets = new Int32Array(length + 1);
    const validity = new Uint8Array(bitmapByteLength(length));
    const children = [makeBuilder(item).finish()];
    return makeColumn(field, { type, length, nullCount: length, validity, offsets, children });
  }
  if (level.offsets.length !== length + 1) {
    throw new RecurveError('INTERNAL', `${field.name}: ${level.offsets.length} offsets for ${length} parents`);
  }
  const itemFields = childFields(item.type);
  const children = childrenOf(level, itemFields).map((child, i) => {
    const itemField = itemFields[i];
    if (itemField === undefined) throw new RecurveError('INTERNAL', `${field.name} has no child ${i}`);
    return conform(itemField, child);
  });
  const struct = makeColumn(item, { type: item.type, length: lengthOf(level), nullCount: 0, children });
  return makeColumn(field, { type, length, nullCount: 0, offsets: level.offsets, children: [struct] });
}

/** The same buffers under another field, whose type differs in the names and nullability of children only. */
function conform(field: Field, column: Column): Column {
  const { type } = field;
  const { layout } = column;
  if (!field.nullable && column.nullCount > 0) {
    throw new RecurveError('INTERNAL', `${column.nullCount} nulls in ${field}, which has none`);
  }
  const fields = childFields(type);
  if (column.type.kind !== type.kind) throw new RecurveError('INTERNAL', `${column.type.kind} in place of ${field}`);
  if (fields.length === 0) return column;
  const children = layout.children?.map((child, i) => {
    const childField = fields[i];
    return childField === undefined ? child : conform(childField, child);
  });
  return makeColumn(field, { ...layout, type, ...(children && { children }) });
}
