/** The arms of the suite `ingest` that use the official bindings: their appender, row by row, and DuckDB's own reader of Parquet. */
import {
  type DuckDBAppender,
  type DuckDBConnection,
  DuckDBInstance,
  DuckDBTimestampValue,
  type DuckDBValue,
} from '@duckdb/node-api';
import { Digest } from '../harness/digest.ts';
import type { Arm, Input } from '../harness/suite.ts';
import { columnsOf, inputFile } from '../input/ingest.ts';
import { threads } from './duckdb-node-api.ts';

export async function openArm(cell: string, arm: string, input: Input): Promise<Arm> {
  const instance = await DuckDBInstance.create(':memory:', { threads });
  const connection = await instance.connect();
  const file = inputFile(input.folder, cell, 'parquet');
  const base = {
    prepare: async (): Promise<void> => {
      await connection.run('drop table if exists target');
    },
    digest: () => digestTarget(connection),
    close: (): void => {
      connection.closeSync();
      instance.closeSync();
    },
  };
  switch (arm) {
    case 'duckdb-appender': {
      const values = await (await connection.run(`from '${file}'`)).getColumns();
      return { ...base, run: () => appendRows(connection, cell, values) };
    }
    case 'duckdb-ctas':
      return {
        ...base,
        run: async () => {
          await connection.run(`create or replace table target as from '${file}'`);
        },
      };
    default:
      throw new RangeError(`no arm ${arm}`);
  }
}

type Append = (appender: DuckDBAppender, value: DuckDBValue) => void;

/** The appender's method for each type, as its documentation shows them. */
const appends: Readonly<Record<string, Append>> = {
  INTEGER: (appender, value) => appender.appendInteger(value as number),
  BIGINT: (appender, value) => appender.appendBigInt(value as bigint),
  DOUBLE: (appender, value) => appender.appendDouble(value as number),
  SMALLINT: (appender, value) => appender.appendSmallInt(value as number),
  VARCHAR: (appender, value) => appender.appendVarchar(value as string),
  TIMESTAMP: (appender, value) => appender.appendTimestamp(value as DuckDBTimestampValue),
  BOOLEAN: (appender, value) => appender.appendBoolean(value as boolean),
};

async function appendRows(
  connection: DuckDBConnection,
  cell: string,
  values: readonly (readonly DuckDBValue[])[],
): Promise<number> {
  const columns = columnsOf(cell);
  await connection.run(
    `create or replace table target (${columns.map(({ name, type }) => `${name} ${type}`).join(', ')})`,
  );
  const appender = await connection.createAppender('target');
  const writers = columns.map(({ type }) => appends[type] as Append);
  const rows = values[0]?.length ?? 0;
  for (let row = 0; row < rows; row++) {
    for (let i = 0; i < writers.length; i++) {
      const value = values[i]?.[row] ?? null;
      if (value === null) appender.appendNull();
      else writers[i]?.(appender, value);
    }
    appender.endRow();
  }
  appender.closeSync();
  return rows;
}

async function digestTarget(connection: DuckDBConnection): Promise<string> {
  const columns = await (await connection.run('from target')).getColumns();
  const digest = new Digest();
  digest.add(
    columns.map((column) => column.map((value) => (value instanceof DuckDBTimestampValue ? value.micros : value))),
    columns[0]?.length ?? 0,
  );
  return digest.toString();
}
