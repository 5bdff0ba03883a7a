/** recurve's arms of the suite `ipc`. */
import { tableFromIPC as apacheTable } from 'apache-arrow';
import { type ChunkedColumn, type Table, tableFromIPC, tableToIPC, type ValidationLevel } from 'recurve/arrow';
import { Digest, digestValues } from '../harness/digest.ts';
import { freeBuffer } from '../harness/free-buffer.ts';
import type { Arm } from '../harness/suite.ts';
import { addValue, digestRows, type PlainRow, type ReadRows, readEveryProperty } from '../input/plain-row.ts';
import { digestTable as digestApacheTable } from '../peers/apache-arrow.ts';

/** `validate` is for the cell `decode-read`: the others say in their names what they validate, or nothing. */
export function openArm(cell: string, bytes: Uint8Array, validate: ValidationLevel = 'full'): Arm {
  let table: Table;
  let values: ChunkedColumn;
  let names: ChunkedColumn;
  const prepare = (): void => {
    table = tableFromIPC(bytes, { validate: 'none' });
    values = table.column('value');
    names = table.column('name');
  };
  switch (cell) {
    case 'open':
      return { run: () => tableFromIPC(bytes, { validate: 'none' }), digest: digestTable } satisfies Arm<Table>;
    case 'decode-none':
      return { run: () => tableFromIPC(bytes, { validate: 'none' }), digest: digestSum } satisfies Arm<Table>;
    case 'decode-full':
      return { run: () => tableFromIPC(bytes), digest: digestSum } satisfies Arm<Table>;
    case 'decode-read':
      return { run: () => readAll(tableFromIPC(bytes, { validate })), digest: digestValues } satisfies Arm<unknown[]>;
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

/** The arrays of all columns, as one of their last values each: all of them would be too much to digest. */
function readAll(table: Table): unknown[] {
  return ['id', 'value', 'name'].map((name) => table.column(name).toArray()[table.numRows - 1]);
}

function iterate(table: Table): number {
  let sum = 0;
  for (const name of ['id', 'value', 'name']) for (const value of table.column(name)) sum = addValue(sum, value);
  return sum;
}

/** Rows and the sum of a column. */
function digestSum(table: Table): string {
  return digestValues([table.numRows, sumChunks(table.column('value'))]);
}

function digestTable(table: Table): string {
  const digest = new Digest();
  digest.add(
    ['id', 'value', 'name'].map((name) => table.column(name).toArray()),
    table.numRows,
  );
  return digest.toString();
}
