import type { RecordBatch } from '../../arrow/batch.ts';
import type { Column } from '../../arrow/column.ts';
import type { Field } from '../../arrow/schema.ts';
import { ColumnComparison } from './compare-column.ts';

/** What counts as equal. */
export interface CompareOptions {
  /**
   * `whole` (default): a dictionary must have all values that the JSON gives it, in its order. `used`: only the values that
   * rows point at, as the JSON format has no form for dictionaries that change between batches.
   */
  readonly dictionaries?: 'whole' | 'used';
}

/**
 * The first difference between a batch and what it should be, with the column, batch and row it is in; null when they are
 * equal. Values are compared, not buffers: what lies under a null or what no offset leads to does not count.
 */
export function findBatchDifference(
  expected: RecordBatch,
  actual: RecordBatch,
  index: number,
  options: CompareOptions = {},
): string | null {
  if (actual.numRows !== expected.numRows) {
    return `batch ${index} has ${actual.numRows} rows instead of ${expected.numRows}`;
  }
  for (const [i, field] of expected.schema.fields.entries()) {
    const difference = findColumnDifference(field, expected.columns[i] as Column, actual.columns[i] as Column, options);
    if (difference !== null) return `batch ${index}, ${difference}`;
  }
  return null;
}

/** As {@link findBatchDifference} does, for one column. */
function findColumnDifference(
  field: Field,
  expected: Column,
  actual: Column,
  options: CompareOptions = {},
): string | null {
  const name = JSON.stringify(field.name);
  if (actual.length !== expected.length) {
    return `column ${name} has ${actual.length} values instead of ${expected.length}`;
  }
  const comparison = new ColumnComparison(options.dictionaries ?? 'whole');
  const row = comparison.find(field, expected, 0, actual, 0, expected.length);
  return row < 0 ? null : `column ${[name, ...comparison.path].join('.')}, row ${row}: ${comparison.what}`;
}
