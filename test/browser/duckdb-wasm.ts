import { AsyncDuckDB, createWorker, VoidLogger } from '@duckdb/duckdb-wasm';
import { batchFromRows, RecurveError, Table, tableFromIPC, tableToIPC, typeToString } from 'recurve/arrow';
import { rows, schema, toPlainRows } from './duckdb-table.ts';

/** A result of DuckDB as recurve read it: types by column, and the rows by `toPlainRows`; or why it was refused. */
export interface QueryResult {
  readonly types: Record<string, string>;
  readonly rows: unknown[];
  readonly error?: string;
}

/**
 * Opens DuckDB in a worker with what is served under `/duckdb`, gives it, as streams of our writer, the tables `samples` (see
 * `duckdb-table.ts`), `no_batch` and `no_row`, of the same schema, and runs queries.
 */
export async function queryDuckDB(queries: readonly string[]): Promise<QueryResult[]> {
  const database = new AsyncDuckDB(new VoidLogger(), await createWorker(served('duckdb-browser-eh.worker.js')));
  try {
    await database.instantiate(served('duckdb-eh.wasm'));
    const connection = await database.connectInternal();
    const tables = {
      samples: new Table(schema, [batchFromRows(schema, rows)]),
      no_batch: new Table(schema, []),
      no_row: new Table(schema, [batchFromRows(schema, [])]),
    };
    for (const [name, table] of Object.entries(tables)) {
      await database.insertArrowFromIPCStream(connection, tableToIPC(table), { name, create: true });
    }
    const results: QueryResult[] = [];
    for (const sql of queries) results.push(readResult(await database.runQuery(connection, sql)));
    return results;
  } finally {
    await database.terminate();
  }
}

function served(file: string): string {
  return new URL(`/duckdb/${file}`, import.meta.url).href;
}

function readResult(bytes: Uint8Array): QueryResult {
  try {
    const table = tableFromIPC(bytes);
    const types = table.schema.fields.map(({ name, type }) => [name, typeToString(type)]);
    return { types: Object.fromEntries(types), rows: toPlainRows(table.toArray()) };
  } catch (error) {
    if (!RecurveError.is(error)) throw error;
    return { types: {}, rows: [], error: error.message };
  }
}
