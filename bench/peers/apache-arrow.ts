/** apache-arrow's arms of the suite `ipc`. */
import {
  type Data,
  type Float64,
  type Int32,
  type Table,
  tableFromIPC,
  tableToIPC,
  type Utf8,
  type Vector,
} from 'apache-arrow';
import { Digest, digestValues } from '../harness/digest.ts';
import { freeBuffer } from '../harness/free-buffer.ts';
import type { Arm } from '../harness/suite.ts';
import { addValue, digestRows, type PlainRow, type ReadRows, readEveryProperty } from '../input/plain-row.ts';

type Columns = { id: Int32; value: Float64; name: Utf8 };
/** The way of each cell is the fastest of those that the library documents; `docs/bench.md` names the others. */
export function openArm(cell: string, bytes: Uint8Array): Arm {
  let table: Table<Columns>;
  let values: Vector<Float64>;
  let names: Vector<Utf8>;
  const prepare = (): void => {
    table = tableFromIPC<Columns>(bytes);
    values = columnOf(table, 'value');
    names = columnOf(table, 'name');
  };
  switch (cell) {
    case 'open':
      return { run: () => tableFromIPC<Columns>(bytes), digest: digestTable } satisfies Arm<Table<Columns>>;
    case 'decode-none':
      return { run: () => tableFromIPC<Columns>(bytes), digest: digestSum } satisfies Arm<Table<Columns>>;
    case 'iterate':
      return { prepare, run: () => iterate(table), digest: (sum) => digestValues([sum]) } satisfies Arm<number>;
    case 'bulk-sum':
      return {
        prepare,
        run: () => sumChunks(values.data),
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
      return { prepare, run: () => readRows(table), digest: digestRows } satisfies Arm<ReadRows>;
    case 'encode':
      return {
        prepare,
        run: () => tableToIPC(table, 'stream'),
        release: freeBuffer,
        digest: (stream) => digestTable(tableFromIPC<Columns>(stream)),
      } satisfies Arm<Uint8Array>;
    default:
      throw new RangeError(`no cell ${cell}`);
  }
}

function columnOf<K extends keyof Columns>(table: Table<Columns>, name: K): Vector<Columns[K]> {
  const column = table.getChild(name);
  if (column === null) throw new Error(`no column ${name}`);
  return column;
}

function iterate(table: Table<Columns>): number {
  let sum = 0;
  for (const name of ['id', 'value', 'name'] as const)
    for (const value of columnOf(table, name)) sum = addValue(sum, value);
  return sum;
}

/** Rows and the sum of a column. */
function digestSum(table: Table<Columns>): string {
  return digestValues([table.numRows, sumChunks(columnOf(table, 'value').data)]);
}

function sumChunks(chunks: ReadonlyArray<Data<Float64>>): number {
  let sum = 0;
  for (const { values, length } of chunks) for (let i = 0; i < length; i++) sum += values[i] ?? 0;
  return sum;
}

function sumValues(vector: Vector<Float64>): number {
  let sum = 0;
  const { length } = vector;
  for (let i = 0; i < length; i++) sum += vector.get(i) ?? 0;
  return sum;
}

/** The rows that the table gives are proxies; `toJSON` makes plain objects, and reading those is faster. */
function readRows(table: Table<Columns>): ReadRows {
  const rows = new Array<PlainRow>(table.numRows);
  let i = 0;
  for (const proxy of table) rows[i++] = proxy.toJSON() as PlainRow;
  return readEveryProperty(rows);
}

/** Digest of a table of three columns, also for what other arms have encoded. */
export function digestTable(table: Table): string {
  const digest = new Digest();
  const columns = ['id', 'value', 'name'].map((name) => [...(table.getChild(name) ?? [])]);
  digest.add(columns, table.numRows);
  return digest.toString();
}
