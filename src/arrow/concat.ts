import { RecurveError } from '../error.ts';
import { RecordBatch } from './batch.ts';
import type { Column } from './column.ts';
import { concatColumns } from './ipc/concat-nested.ts';
import { Table } from './table.ts';

/** The tables' rows one after the other, over the same buffers. Throws INVALID_ARGUMENT for none, and for another schema. */
export function concatTables(tables: readonly Table[]): Table {
  const [first] = tables;
  if (first === undefined) throw new RecurveError('INVALID_ARGUMENT', 'no table to join');
  return new Table(
    first.schema,
    tables.flatMap(({ schema, batches }, i) => {
      if (!schema.equals(first.schema)) throw otherSchema('table', i, `${schema}`, `${first.schema}`);
      return batches;
    }),
  );
}

/**
 * The batches' rows as one batch, copied, so that every column is one piece; of a single batch that one itself. Its metadata
 * are the first one's. Throws INVALID_ARGUMENT for none, for another schema, for dictionary columns that do not share one
 * dictionary, and NOT_IMPLEMENTED for more than 32-bit offsets can count.
 */
export function concatBatches(batches: readonly RecordBatch[]): RecordBatch {
  const [first] = batches;
  if (first === undefined) throw new RecurveError('INVALID_ARGUMENT', 'no batch to join');
  if (batches.length === 1) return first;
  const { schema } = first;
  batches.forEach((batch, i) => {
    if (!batch.schema.equals(schema)) throw otherSchema('batch', i, `${batch.schema}`, `${schema}`);
  });
  const columns = schema.fields.map((field, c) => {
    const parts = batches.map((batch) => batch.column(c));
    if (!shareDictionaries(parts)) {
      throw new RecurveError('INVALID_ARGUMENT', `column ${JSON.stringify(field.name)} has several dictionaries`, {
        hint: 'keep the batches apart, in a table: concatTables',
      });
    }
    return concatColumns(field, parts);
  });
  const numRows = batches.reduce((sum, batch) => sum + batch.numRows, 0);
  return new RecordBatch(schema, columns, numRows, first.metadata);
}

function shareDictionaries(columns: readonly Column[]): boolean {
  const [first] = columns;
  if (first === undefined) return true;
  return (
    columns.every((column) => column.layout.dictionary === first.layout.dictionary) &&
    (first.layout.children ?? []).every((_, i) =>
      shareDictionaries(columns.flatMap((column) => column.layout.children?.[i] ?? [])),
    )
  );
}

function otherSchema(what: string, index: number, schema: string, expected: string): RecurveError {
  const line = (text: string): string => text.replaceAll('\n', ', ');
  return new RecurveError(
    'INVALID_ARGUMENT',
    `${what} ${index} has another schema: ${line(schema)}; not ${line(expected)}`,
  );
}
