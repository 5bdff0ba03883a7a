/** JavaScript's drivers in the suite `postgres`: `pg` and `postgres.js`, each the fastest documented way. */
import pg from 'pg';
import postgres from 'postgres';
import { Digest } from '../harness/digest.ts';
import type { Arm, Input } from '../harness/suite.ts';
import { type ColumnKind, queryOf } from '../input/postgres.ts';
import { readSite } from '../input/postgres-server.ts';
import { toCanonical } from './postgres-value.ts';

type Rows = ReadonlyArray<readonly unknown[]>;

export async function openArm(cell: string, arm: string, input: Input): Promise<Arm> {
  const { uri, wideUri } = readSite(input);
  const { sql, kinds } = queryOf(cell);
  const digest = (rows: Rows): string => digestRows(rows, kinds);
  if (cell === 'connect') return arm === 'pg' ? connectPg(wideUri, sql, digest) : connectPostgres(wideUri, sql, digest);
  if (arm === 'pg') {
    const client = new pg.Client({ connectionString: uri });
    await client.connect();
    return { run: () => queryPg(client, sql), digest, close: () => client.end() } satisfies Arm<Rows>;
  }
  const client = postgres(uri, { max: 1 });
  return { run: () => queryPostgres(client, sql), digest, close: () => client.end() } satisfies Arm<Rows>;
}

async function queryPg(client: pg.Client, sql: string): Promise<Rows> {
  const { rows } = await client.query<unknown[]>({ text: sql, rowMode: 'array' });
  return rows;
}

async function queryPostgres(client: postgres.Sql, sql: string): Promise<Rows> {
  return client.unsafe(sql, [], { prepare: true }).values();
}

/** A connection and what came over it first. */
interface Connected<C> {
  readonly client: C;
  readonly rows: Rows;
}

function connectPg(uri: string, sql: string, digest: (rows: Rows) => string): Arm {
  return {
    async run() {
      const client = new pg.Client({ connectionString: uri });
      await client.connect();
      return { client, rows: await queryPg(client, sql) };
    },
    release: ({ client }) => void client.end(),
    digest: ({ rows }) => digest(rows),
  } satisfies Arm<Connected<pg.Client>>;
}

function connectPostgres(uri: string, sql: string, digest: (rows: Rows) => string): Arm {
  return {
    async run() {
      const client = postgres(uri, { max: 1 });
      return { client, rows: await queryPostgres(client, sql) };
    },
    release: ({ client }) => void client.end(),
    digest: ({ rows }) => digest(rows),
  } satisfies Arm<Connected<postgres.Sql>>;
}

/** Rows in pieces: columns of a million values each would be a second copy of everything. */
function digestRows(rows: Rows, kinds: readonly ColumnKind[]): string {
  const digest = new Digest();
  for (let start = 0; start < rows.length; start += 10_000) {
    const piece = rows.slice(start, start + 10_000);
    digest.add(
      kinds.map((kind, i) =>
        toCanonical(
          kind,
          piece.map((row) => row[i]),
        ),
      ),
      piece.length,
    );
  }
  return digest.toString();
}
