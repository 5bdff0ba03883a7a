import type { RecordBatch } from '../batch.ts';
import type { Column } from '../column.ts';
import type { ColumnCheck } from '../ipc/decoder.ts';
import { valuesField } from '../ipc/dictionary.ts';
import type { Field } from '../schema.ts';
import { childFields } from '../type.ts';
import { checkColumn, type ValidationLevel } from './column.ts';

/** What a reader is to do with the columns of each message, dictionaries' too, by level; undefined for `none`. */
export function columnCheck(level: ValidationLevel): ColumnCheck | undefined {
  if (level === 'none') return undefined;
  return (fields, columns, message, body) => {
    const resident = body instanceof Uint8Array ? body : undefined;
    fields.forEach((field, i) => {
      const column = columns[i];
      if (column !== undefined)
        checkColumn(field, column, level, { message, path: JSON.stringify(field.name), body: resident });
    });
  };
}

/**
 * Checks a batch that came from no reader, or from one that did not validate: its columns and their dictionaries. Throws
 * INVALID_DATA for the first fault, with column, row and byte of the buffer. `level` is `full` when nothing is said.
 */
export function validateBatch(batch: RecordBatch, level: ValidationLevel = 'full'): void {
  const check = columnCheck(level);
  if (check === undefined) return;
  const { fields } = batch.schema;
  const seen = new Set<Column>();
  fields.forEach((field, i) => {
    const column = batch.columns[i];
    if (column !== undefined) checkDictionaries(field, column, check, seen);
  });
  check(fields, batch.columns, '', undefined);
}

function checkDictionaries({ type }: Field, { layout }: Column, check: ColumnCheck, seen: Set<Column>): void {
  if (type.kind === 'dictionary' && layout.dictionary !== undefined && !seen.has(layout.dictionary)) {
    const { dictionary } = layout;
    seen.add(dictionary);
    checkDictionaries(valuesField(type), dictionary, check, seen);
    check([valuesField(type)], [dictionary], `dictionary ${type.id}`, undefined);
  }
  childFields(type).forEach((child, i) => {
    const column = layout.children?.[i];
    if (column !== undefined) checkDictionaries(child, column, check, seen);
  });
}
