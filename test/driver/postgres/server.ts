import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { findInstallation, findPackage } from './installation.ts';
import { Postmaster, type PostmasterOptions } from './postmaster.ts';

/** Where tests are pointed at a server that is there already; its user must be allowed to create databases. */
const elsewhere = process.env.RECURVE_TEST_POSTGRES || undefined;
const binaries = findPackage();

/** Why there is no PostgreSQL to test with, for `skip`; false when there is one. */
export const withoutPostgres: string | false = elsewhere === undefined && binaries instanceof Error && binaries.message;

/** Why no server can be started with settings of a test's own, for `skip`; false when it can. */
export const withoutOwnPostgres: string | false =
  elsewhere === undefined
    ? withoutPostgres
    : 'it starts a server with its own settings, and RECURVE_TEST_POSTGRES names one that is as it is';

/** What a server of a test's own is like; as little as it needs. */
export interface TestServerOptions {
  /** Lines of `pg_hba.conf` in place of "anybody on this machine"; `postgres` is always let in. */
  readonly hba?: readonly string[];
  /** `ssl=on` with this certificate of `tls/`, and its authority for certificates of clients. */
  readonly tls?: 'server' | 'server-sha512' | 'elsewhere' | 'expired';
  /** As in `postgresql.conf`, e.g. `{ max_connections: 5 }`. */
  readonly settings?: PostmasterOptions['settings'];
  /** Folder of another PostgreSQL's `postgres` and `initdb`, e.g. `/usr/lib/postgresql/15/bin`. */
  readonly bin?: string;
}

const anybody = ['local all all trust', 'host all all 127.0.0.1/32 trust'];
const superuser = ['local all postgres trust', 'host all postgres 127.0.0.1/32 trust'];

/** A client that need not keep the process alive, which its types do not know. */
type SharedClient = pg.Client & { ref(): void; unref(): void };

/** A PostgreSQL server to test with. */
export class TestServer {
  /** Of its superuser, or the user of RECURVE_TEST_POSTGRES, and its database. */
  readonly uri: string;
  /** As `server_version_num`, e.g. 180004. */
  readonly version: number;
  /** The process, its log, its folders and its end; undefined for a server that was there before. */
  readonly postmaster: Postmaster | undefined;
  #client: Promise<SharedClient> | undefined;
  #databases = 0;

  constructor(uri: string, version: number, postmaster: Postmaster | undefined) {
    this.uri = uri;
    this.version = version;
    this.postmaster = postmaster;
  }

  /** The rows of a statement of set-up, run by `pg` on a connection that all share. */
  async query(sql: string, parameters: readonly unknown[] = []): Promise<Record<string, unknown>[]> {
    this.#client ??= this.#connect();
    const connecting = this.#client;
    const client = await connecting;
    client.ref();
    try {
      return (await client.query(sql, [...parameters])).rows as Record<string, unknown>[];
    } catch (error) {
      // Anything graver than an error of the statement ends the session.
      if (!(error instanceof pg.DatabaseError && error.severity === 'ERROR') && this.#client === connecting) {
        this.#client = undefined;
      }
      throw error;
    } finally {
      client.unref();
    }
  }

  /** A new, empty database. */
  async createDatabase(): Promise<TestDatabase> {
    const name = `test_${process.pid}_${randomBytes(4).toString('hex')}_${++this.#databases}`;
    // Copying files takes 15 ms, logging them 25.
    await this.query(`CREATE DATABASE ${name}${this.version >= 150000 ? ' STRATEGY = file_copy' : ''}`);
    return new TestDatabase(this, name);
  }

  /** The server's URI with something else in it. */
  uriWith(change: (uri: URL) => void): string {
    const uri = new URL(this.uri);
    change(uri);
    return uri.href;
  }

  async #connect(): Promise<SharedClient> {
    const client = new pg.Client({ connectionString: this.uri }) as SharedClient;
    client.on('error', () => {
      this.#client = undefined;
    });
    try {
      await client.connect();
    } catch (error) {
      this.#client = undefined;
      throw error;
    }
    return client;
  }
}

/** A database of one test. */
export class TestDatabase {
  readonly server: TestServer;
  readonly name: string;
  readonly uri: string;

  constructor(server: TestServer, name: string) {
    this.server = server;
    this.name = name;
    this.uri = server.uriWith((uri) => {
      uri.pathname = `/${name}`;
    });
  }

  /** The rows of a statement of set-up, run by `pg` on a connection of its own. */
  async query(sql: string, parameters?: readonly unknown[]): Promise<Record<string, unknown>[]> {
    return withClient(this.uri, async (client) => {
      const result = parameters === undefined ? await client.query(sql) : await client.query(sql, [...parameters]);
      // Several statements in one text have several results.
      const last = Array.isArray(result) ? (result.at(-1) as pg.QueryResult) : result;
      return last.rows as Record<string, unknown>[];
    });
  }

  /** Drops it, whoever is connected. */
  async close(): Promise<void> {
    await this.server.query(`DROP DATABASE IF EXISTS ${this.name} WITH (FORCE)`);
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }
}

/** Works with a client of `pg`, and ends it. */
export async function withClient<T>(uri: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: uri });
  client.on('error', () => {});
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}

let shared: Promise<TestServer> | undefined;

/**
 * The server that all tests of this process share: PostgreSQL 18, started at the first call, or the one that
 * RECURVE_TEST_POSTGRES names. Tests that use it `skip` by {@link withoutPostgres}, and leave its settings alone.
 */
export function testServer(): Promise<TestServer> {
  shared ??= elsewhere === undefined ? startTestServer() : connectTo(elsewhere);
  return shared;
}

/** A fresh database on the shared server, dropped after the test. */
export async function openTestDatabase(t: Pick<TestContext, 'after'>): Promise<TestDatabase> {
  const database = await (await testServer()).createDatabase();
  t.after(() => database.close());
  return database;
}

/**
 * A server of a test's own, which stops it: `await server.postmaster?.stop()`. Tests that use it `skip` by
 * {@link withoutOwnPostgres}.
 */
export async function startTestServer(options: TestServerOptions = {}): Promise<TestServer> {
  const source = options.bin ?? binaries;
  if (source instanceof Error) throw source;
  const installation = await findInstallation(source);
  const hba = options.hba === undefined ? anybody : [...superuser, ...options.hba];
  const files: Record<string, Uint8Array> = {};
  const settings = { ...options.settings };
  if (options.tls !== undefined) {
    files['server.crt'] = readFileSync(tlsFile(`${options.tls}.crt`));
    files['server.key'] = readFileSync(tlsFile(`${options.tls}.key`));
    files['ca.crt'] = readFileSync(tlsFile('ca.crt'));
    // Relative to the data folder.
    Object.assign(settings, { ssl: true, ssl_cert_file: '../server.crt', ssl_key_file: '../server.key' });
    Object.assign(settings, { ssl_ca_file: '../ca.crt' });
  }
  const postmaster = await Postmaster.start(installation, { hba, settings, files });
  try {
    return await connectTo(`postgresql://postgres@127.0.0.1:${postmaster.port}/postgres`, postmaster);
  } catch (error) {
    await postmaster.stop();
    throw error;
  }
}

/** The path of a file in `tls/`, whose README says what there is. */
export function tlsFile(name: string): string {
  return fileURLToPath(new URL(`tls/${name}`, import.meta.url));
}

async function connectTo(uri: string, postmaster?: Postmaster): Promise<TestServer> {
  // The URI says it all: what somebody has set for another server would reach every client here.
  for (const name of Object.keys(process.env)) if (/^PG[A-Z]+$/.test(name)) delete process.env[name];
  const [row] = await withClient(uri, async (client) => (await client.query('SHOW server_version_num')).rows);
  return new TestServer(uri, Number((row as { server_version_num: string }).server_version_num), postmaster);
}
