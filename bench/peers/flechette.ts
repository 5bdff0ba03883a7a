/** flechette's arms of the suite `ipc`. */
import { type Column, type Table, tableFromIPC, tableToIPC } from '@uwdata/flechette';
import { tableFromIPC as apacheTable } from 'apache-arrow';
import { Digest, digestValues } from '../harness/digest.ts';
import { freeBuffer } from '../harness/free-buffer.ts';
import type { Arm } from '../harness/suite.ts';
import { addValue, digestRows, type PlainRow, type ReadRows, readEveryProperty } from '../input/plain-row.ts';
import { digestTable as digestApacheTable } from './apache-arrow.ts';

/**
 * The way of each cell is the fastest of those that the library documents; `docs/bench.md` names the others. `getters`
 * asks for rows that read the table when a property is read, instead of plain objects.
 */
export function openArm(cell: string, bytes: Uint8Array, options: { getters?: boolean } = {}): Arm {
  let table: Table;
  let values: Column<number>;
  let names: Column<string>;
  const prepare = (): void => {
    table = tableFromIPC(bytes, { useProxy: options.getters === true });
    values = table.getChild('value');
    names = table.getChild('name');
  };
  switch (cell) {
    case 'open':
      return { run: () => tableFromIPC(bytes), digest: digestTable } satisfies Arm<Table>;
    case 'decode-none':
      return { run: () => tableFromIPC(bytes), digest: digestSum } satisfies Arm<Table>;
    case 'iterate':
      return { prepare, run: () => iterate(table), digest: (sum) => digestValues([sum]) } satisfies Arm<number>;
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
    case 'rows-csp':
      return {
        prepare,
        run: () => readEveryProperty(table.toArray() as PlainRow[]),
        digest: digestRows,
      } satisfies Arm<ReadRows>;
    case 'encode':
      return {
        prepare,
        run: () => encode(table),
        release: freeBuffer,
        digest: (stream) => digestApacheTable(apacheTable(stream)),
      } satisfies Arm<Uint8Array>;
    default:
      throw new RangeError(`no cell ${cell}`);
  }
}

function iterate(table: Table): number {
  let sum = 0;
  for (const name of ['id', 'value', 'name'] as const)
    for (const value of table.getChild(name)) sum = addValue(sum, value);
  return sum;
}

/** Rows and the sum of a column. */
function digestSum(table: Table): string {
  return digestValues([table.numRows, sumChunks(table.getChild('value'))]);
}

function sumChunks(column: Column<number>): number {
  let sum = 0;
  for (const { values, length } of column.data) {
    const numbers = values as Float64Array;
    for (let i = 0; i < length; i++) sum += numbers[i] ?? 0;
  }
  return sum;
}

function sumValues(column: Column<number>): number {
  let sum = 0;
  const { length } = column;
  for (let i = 0; i < length; i++) sum += column.at(i) ?? 0;
  return sum;
}

function encode(table: Table): Uint8Array {
  const stream = tableToIPC(table, { format: 'stream' });
  if (stream === null) throw new Error('no buffer');
  return stream;
}

function digestTable(table: Table): string {
  const digest = new Digest();
  digest.add(
    ['id', 'value', 'name'].map((name) => table.getChild(name).toArray()),
    table.numRows,
  );
  return digest.toString();
}
