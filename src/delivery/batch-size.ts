import type { RecordBatch } from '../arrow/batch.ts';
import type { Column } from '../arrow/column.ts';

/**
 * Bytes of a batch's Arrow buffers: validity, values, offsets and data of its columns and their children, as far as the
 * batch's rows reach. Padding is not counted, nor what a view's underlying memory holds besides.
 *
 * A dictionary counts when it is first met: `seen` remembers them, so that one shared by all batches of a result counts
 * once when every call is given the same set. Default: a set for this batch alone.
 */
export function batchByteLength(batch: RecordBatch, seen: WeakSet<Column> = new WeakSet()): number {
  let bytes = 0;
  for (const column of batch.columns) bytes += columnByteLength(column, seen);
  return bytes;
}

function columnByteLength(column: Column, seen: WeakSet<Column>): number {
  const { values, offsets, data, children, dictionary } = column.layout;
  let bytes = (column.validity?.byteLength ?? 0) + (values?.byteLength ?? 0) + (offsets?.byteLength ?? 0);
  // A dense union's offsets point each into a child of their own and bound nothing.
  const bounded = offsets !== undefined && offsets.length > column.length;
  const first = bounded ? Number(offsets[0]) : 0;
  const last = bounded ? Number(offsets[column.length]) : undefined;
  if (data !== undefined) bytes += last === undefined ? data.byteLength : last - first;
  for (const child of children ?? []) {
    bytes += columnByteLength(last === undefined ? child : child.slice(first, last), seen);
  }
  if (dictionary !== undefined && !seen.has(dictionary)) {
    seen.add(dictionary);
    bytes += columnByteLength(dictionary, seen);
  }
  return bytes;
}
