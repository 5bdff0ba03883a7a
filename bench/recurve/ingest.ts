/** recurve's arm of the suite `ingest`, and the files that all arms read. */
import { readFile, writeFile } from 'node:fs/promises';
import { open } from 'recurve';
import { tableToIPC } from 'recurve/arrow';
import { Digest } from '../harness/digest.ts';
import type { Arm, Input } from '../harness/suite.ts';
import { inputFile, rowsSql } from '../input/ingest.ts';
import { threads } from '../peers/duckdb-node-api.ts';

/** The rows of a cell as a Parquet file, written by DuckDB, and as an Arrow stream. */
export async function writeInputs(cell: string, { folder, quick }: Input): Promise<void> {
  const database = await open({ uri: 'duckdb:', threads });
  try {
    const connection = await database.connect();
    const sql = rowsSql(cell, quick);
    await connection.execute(`copy (${sql}) to '${inputFile(folder, cell, 'parquet')}' (format parquet)`);
    const table = await (await connection.query(sql)).table();
    await writeFile(inputFile(folder, cell, 'arrows'), tableToIPC(table));
  } finally {
    await database.close();
  }
}

export async function openArm(cell: string, { folder }: Input): Promise<Arm> {
  const database = await open({ uri: 'duckdb:', threads });
  const connection = await database.connect();
  const bytes = new Uint8Array(await readFile(inputFile(folder, cell, 'arrows')));
  return {
    prepare: async () => {
      await connection.execute('drop table if exists target');
    },
    run: () => connection.ingest('target', bytes, { mode: 'replace' }),
    digest: async () => {
      const digest = new Digest();
      for await (const { columns, numRows } of await connection.query('from target')) {
        digest.add(
          columns.map((column) => column.toArray()),
          numRows,
        );
      }
      return digest.toString();
    },
    close: () => database.close(),
  } satisfies Arm<number>;
}
