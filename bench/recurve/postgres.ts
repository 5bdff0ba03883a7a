/** recurve's arms of the suite `postgres`. */
import pg from 'pg';
import { type Connection, open } from 'recurve';
import { Digest } from '../harness/digest.ts';
import type { Arm, Input } from '../harness/suite.ts';
import { type ColumnKind, queryOf, TARGET } from '../input/postgres.ts';
import { readSite } from '../input/postgres-server.ts';
import { digestTarget } from '../peers/postgres-floor.ts';
import { toCanonical } from '../peers/postgres-value.ts';

export async function openArm(cell: string, arm: string, input: Input): Promise<Arm> {
  const { uri, wideUri } = readSite(input);
  const { sql, kinds } = queryOf(cell);
  const database = await open({ uri: cell === 'connect' ? wideUri : uri });
  if (cell === 'connect') {
    return {
      async run() {
        const connection = await database.connect();
        return { connection, rows: await countRows(connection, sql) };
      },
      release: ({ connection }) => void connection.close(),
      digest: ({ connection }) => digestBatches(connection, sql, kinds),
      close: () => database.close(),
    } satisfies Arm<{ connection: Connection; rows: number }>;
  }
  const connection = await database.connect();
  // Between runs the harness collects garbage, and V8 drops code that was compiled for objects of which none is alive: a
  // result that is being read elsewhere in the process, as in a server, keeps one of each.
  const elsewhere = (await (await database.connect()).query(sql))[Symbol.asyncIterator]();
  const held = await elsewhere.next();
  const close = async (): Promise<void> => {
    if (!held.done) await elsewhere.return?.();
    await connection.close();
    await database.close();
  };
  if (cell === 'ingest') return { ...(await openIngest(connection, uri, sql)), close };
  const path = arm === 'recurve-copy' ? 'copy' : 'rows';
  return {
    run: () => countRows(connection, sql, path),
    digest: () => digestBatches(connection, sql, kinds, path),
    close,
  } satisfies Arm<number>;
}

/** Takes every batch and lets go of it, as a reader of a stream does. */
async function countRows(connection: Connection, sql: string, path?: string): Promise<number> {
  let rows = 0;
  for await (const batch of await connection.query(sql, [], { path })) rows += batch.numRows;
  return rows;
}

/** Of the same statement run once more: what was timed is gone. */
async function digestBatches(
  connection: Connection,
  sql: string,
  kinds: readonly ColumnKind[],
  path?: string,
): Promise<string> {
  const digest = new Digest();
  for await (const { columns, numRows } of await connection.query(sql, [], { path })) {
    digest.add(
      kinds.map((kind, i) => toCanonical(kind, columns[i]?.toArray() ?? [])),
      numRows,
    );
  }
  return digest.toString();
}

/** Fills the target with what `sql` gives, from memory. */
async function openIngest(connection: Connection, uri: string, sql: string): Promise<Arm<number>> {
  const table = await (await connection.query(sql)).table();
  const client = new pg.Client({ connectionString: uri });
  await client.connect();
  // It sits idle, and must not keep the process alive.
  client.on('error', () => {});
  return {
    async run() {
      await connection.execute(`truncate ${TARGET}`);
      return connection.ingest(TARGET, table, { mode: 'append' });
    },
    digest: () => digestTarget(client).finally(() => client.end()),
  };
}
