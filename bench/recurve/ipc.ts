/** recurve's arms of the suite `ipc`. */
import { tableFromIPC as apacheTable } from 'apache-arrow';
import { type ChunkedColumn, type Table, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { Digest, digestValues } from '../harness/digest.ts';
import { freeBuffer } from '../harness/free-buffer.ts';
import type { Arm } from '../harness/suite.ts';
import { digestRows, type PlainRow, type ReadRows, readEveryProperty } from '../input/plain-row.ts';
import { digestTable as digestApacheTable } from '../peers/apache-arrow.ts';

export function openArm(cell: string, bytes: Uint8Array): Arm {
  let table: Table;
  let values: ChunkedColumn;
  let names: ChunkedColumn;
  const prepare = (): void => {
    table = tableFromIPC(bytes);
    values = table.column('value');
    names = table.column('name');
  };
  switch (cell) {
    case 'open':
      return { run: () => tableFromIPC(bytes), digest: digestTable } satisfies Arm<Table>;
    case 'bulk-sum':
      return {
        prepare,
        run: () => sumChunks(values),
        digest: (sum) => digestValues([sum]),
      } satisfies Arm<number>;
    case 'value-sum':
      return {
        prepare,
        run: () => sumValues(values),
        digest: (sum) => digestValues([sum]),
      } satisfies Arm<number>;
    case 'strings':
      return { prepare, run: () => names.toArray(), digest: digestValues } satisfies Arm<ArrayLike<unknown>>;
    case 'rows':
      return {
        prepare,
        run: () => readEveryProperty(table.toArray() as PlainRow[]),
        digest: digestRows,
      } satisfies Arm<ReadRows>;
    case 'encode':
      return {
        prepare,
        run: () => tableToIPC(table),
        release: freeBuffer,
        digest: (stream) => digestApacheTable(apacheTable(stream)),
      } satisfies Arm<Uint8Array>;
    default:
      throw new RangeError(`no cell ${cell}`);
  }
}

/** A chunk of numbers without nulls gives its values as a view of the buffer. */
function sumChunks(column: ChunkedColumn): number {
  let sum = 0;
  for (const chunk of column.chunks) {
    const values = chunk.toArray() as Float64Array;
    const { length } = values;
    for (let i = 0; i < length; i++) sum += values[i] ?? 0;
  }
  return sum;
}

function sumValues(column: ChunkedColumn): number {
  let sum = 0;
  const { length } = column;
  for (let i = 0; i < length; i++) sum += column.at(i) as number;
  return sum;
}

function digestTable(table: Table): string {
  const digest = new Digest();
  digest.add(
    ['id', 'value', 'name'].map((name) => table.column(name).toArray()),
    table.numRows,
  );
  return digest.toString();
}
