/** recurve's arms of the suite `duckdb`. */
import { open as openFile, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Table as ApacheTable, tableFromIPC as apacheTable, DataType } from 'apache-arrow';
import { type Connection, open } from 'recurve';
import { FileWriter } from 'recurve/arrow';
import { Digest } from '../harness/digest.ts';
import type { Arm, Input } from '../harness/suite.ts';
import { queryOf } from '../input/duckdb.ts';
import { threads } from '../peers/duckdb-node-api.ts';

export async function openArm(cell: string, input: Input): Promise<Arm> {
  const { setup, sql } = queryOf(cell, input.quick);
  const database = await open({ uri: 'duckdb:', threads });
  const connection = await database.connect();
  if (setup !== undefined) await connection.execute(setup);
  // Between runs the harness collects garbage, and V8 drops code that was compiled for objects of which none is alive: a
  // result that is being read elsewhere in the process, as in a server, keeps one of each.
  const elsewhere = (await (await database.connect()).query(sql))[Symbol.asyncIterator]();
  const held = await elsewhere.next();
  const close = async (): Promise<void> => {
    if (!held.done) await elsewhere.return?.();
    await connection.close();
    await database.close();
  };
  if (cell === 'flights-to-file') {
    const file = join(input.folder, 'recurve');
    return {
      run: () => writeArrow(connection, sql, file),
      digest: async () => digestArrow(apacheTable(await readFile(file))),
      close,
    };
  }
  return {
    run: () => countRows(connection, sql),
    digest: () => digestBatches(connection, sql),
    close,
  } satisfies Arm<number>;
}

/** Takes every batch and lets go of it, as a reader of a stream does. */
async function countRows(connection: Connection, sql: string): Promise<number> {
  let rows = 0;
  for await (const batch of await connection.query(sql)) rows += batch.numRows;
  return rows;
}

/** Of the same statement run once more: what was timed is gone. */
async function digestBatches(connection: Connection, sql: string): Promise<string> {
  const digest = new Digest();
  for await (const { columns, numRows } of await connection.query(sql)) {
    digest.add(
      columns.map((column) => column.toArray()),
      numRows,
    );
  }
  return digest.toString();
}

/** Writes an Arrow file batch by batch, the next one on its way meanwhile; returns its bytes. */
async function writeArrow(connection: Connection, sql: string, path: string): Promise<number> {
  const file = await openFile(path, 'w');
  try {
    const result = await connection.query(sql);
    const writer = new FileWriter(result.schema);
    let size = (await file.writev(writer.start())).bytesWritten;
    for await (const batch of result) size += (await file.writev(writer.write(batch))).bytesWritten;
    return size + (await file.writev(writer.finish())).bytesWritten;
  } finally {
    await file.close();
  }
}

/** Read by another library than the one that wrote; 64-bit values from their buffers, since it gives timestamps as ms. */
function digestArrow(table: ApacheTable): string {
  const digest = new Digest();
  for (const batch of table.batches) {
    const columns = batch.schema.fields.map(({ type }, i) => {
      const vector = batch.getChildAt(i);
      if (vector === null) throw new Error(`no column ${i}`);
      if (vector.nullCount === 0 && (DataType.isTimestamp(type) || DataType.isInt(type)))
        return vector.data[0]?.values ?? [];
      return [...vector];
    });
    digest.add(columns, batch.numRows);
  }
  return digest.toString();
}
