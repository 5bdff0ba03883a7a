/** The arms of the suite `duckdb` that use the official bindings, and DuckDB's own writers of files. */
import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { type DuckDBConnection, DuckDBInstance, DuckDBTimestampValue, type DuckDBValue } from '@duckdb/node-api';
import { Digest } from '../harness/digest.ts';
import type { Arm, Input } from '../harness/suite.ts';
import { queryOf } from '../input/duckdb.ts';

/** Threads of DuckDB, in every arm. */
export const threads: string = String(availableParallelism());

export async function openArm(cell: string, arm: string, input: Input): Promise<Arm> {
  const { setup, sql } = queryOf(cell, input.quick);
  const instance = await DuckDBInstance.create(':memory:', { threads });
  const connection = await instance.connect();
  if (setup !== undefined) await connection.run(setup);
  const close = (): void => {
    connection.closeSync();
    instance.closeSync();
  };
  switch (arm) {
    case 'duckdb-columns':
      return { run: () => readColumns(connection, sql), digest: digestColumns, close } satisfies Arm<DuckDBValue[][]>;
    case 'duckdb-chunks':
      return { run: () => fetchChunks(connection, sql), close };
    case 'copy-parquet':
    case 'copy-csv': {
      const file = join(input.folder, arm);
      const format = arm === 'copy-csv' ? 'csv' : 'parquet';
      return {
        run: () => copyTo(connection, sql, file, format),
        digest: () => digestFile(connection, sql, file, format),
        close,
      };
    }
    default:
      throw new RangeError(`no arm ${arm}`);
  }
}

async function readColumns(connection: DuckDBConnection, sql: string): Promise<DuckDBValue[][]> {
  const result = await connection.stream(sql);
  return result.getColumns();
}

/** Fetches every chunk and touches nothing in it: what the engine and the bindings cost before anybody reads. */
async function fetchChunks(connection: DuckDBConnection, sql: string): Promise<number> {
  const result = await connection.stream(sql);
  let rows = 0;
  for (;;) {
    const chunk = await result.fetchChunk();
    if (chunk === null || chunk.rowCount === 0) return rows;
    rows += chunk.rowCount;
  }
}

function digestColumns(columns: readonly DuckDBValue[][]): string {
  const digest = new Digest();
  digest.add(
    columns.map((column) => column.map(toCanonical)),
    columns[0]?.length ?? 0,
  );
  return digest.toString();
}

function toCanonical(value: DuckDBValue): unknown {
  return value instanceof DuckDBTimestampValue ? value.micros : value;
}

async function copyTo(connection: DuckDBConnection, sql: string, file: string, format: string): Promise<number> {
  await connection.run(`copy (${sql}) to '${file}' (format ${format})`);
  return (await stat(file)).size;
}

/** Reads a file back into the query's own types, so that a CSV is not judged by what a reader guesses. */
async function digestFile(connection: DuckDBConnection, sql: string, file: string, format: string): Promise<string> {
  await connection.run(`create or replace temp table written as select * from (${sql}) limit 0`);
  await connection.run(`copy written from '${file}' (format ${format})`);
  return digestColumns(await readColumns(connection, 'select * from written'));
}
