import { RecordBatch } from '../../../arrow/batch.ts';
import { batchFromRows } from '../../../arrow/build/batch.ts';
import type { Column } from '../../../arrow/column.ts';
import { Field, Schema } from '../../../arrow/schema.ts';
import { list, struct, utf8 } from '../../../arrow/type-factory.ts';

const usageField: Field = new Field(
  'constraint_column_usage',
  list(
    struct([
      new Field('fk_catalog', utf8()),
      new Field('fk_db_schema', utf8()),
      new Field('fk_table', utf8(), { nullable: false }),
      new Field('fk_column_name', utf8(), { nullable: false }),
    ]),
  ),
);

/** Constraints with what foreign keys refer to in one list a constraint, as `getObjects` has it, instead of flat. */
export function nestUsage(flat: RecordBatch): RecordBatch {
  const kept = ['table_oid', 'constraint_name', 'constraint_type', 'constraint_column_names'];
  const [catalogs, dbSchemas, tables, columns] = ['fk_catalog', 'fk_db_schema', 'fk_table', 'fk_column_names'].map(
    (name) => flat.column(name),
  ) as [Column, Column, Column, Column];
  const rows = Array.from({ length: flat.numRows }, (_, i) => {
    const names = columns.at(i) as Iterable<string> | null;
    if (names === null) return { [usageField.name]: null };
    const place = { fk_catalog: catalogs.at(i), fk_db_schema: dbSchemas.at(i), fk_table: tables.at(i) };
    return { [usageField.name]: Array.from(names, (name) => ({ ...place, fk_column_name: name })) };
  });
  const usage = batchFromRows(new Schema([usageField]), rows).column(usageField.name);
  const schema = new Schema([
    ...kept.map((name) => flat.schema.fields[flat.schema.indexOf(name)] as Field),
    usageField,
  ]);
  return new RecordBatch(schema, [...kept.map((name) => flat.column(name)), usage], flat.numRows);
}
