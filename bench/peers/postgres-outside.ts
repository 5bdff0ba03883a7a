/** The arms of the suite `postgres` in other languages: Python's and Java's clients, where this machine has them. */
import { spawnSync } from 'node:child_process';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { tableFromIPC } from 'apache-arrow';
import { Digest } from '../harness/digest.ts';
import type { Arm, Input } from '../harness/suite.ts';
import { type ColumnKind, queryOf } from '../input/postgres.ts';
import { readSite } from '../input/postgres-server.ts';
import { OutsideProcess } from './outside-process.ts';
import { toCanonical } from './postgres-value.ts';

/** Arms by the Python package that they are made of. */
const packages = { 'adbc-c': 'adbc-driver-postgresql', psycopg: 'psycopg', connectorx: 'connectorx' } as const;

const python = process.env.RECURVE_PYTHON || undefined;
const jar = process.env.RECURVE_PGJDBC || undefined;

/** What there is on this machine. */
export interface OutsideArms {
  /** Versions by what is measured. */
  readonly versions: Readonly<Record<string, string>>;
  /** Why an arm is missing, by its name. */
  readonly absent: Readonly<Record<string, string>>;
}

/** Looks for the packages of Python and the jar of Java. */
export function findOutsideArms(): OutsideArms {
  const versions: Record<string, string> = {};
  const absent: Record<string, string> = {};
  const found = python === undefined ? {} : pythonVersions(python);
  for (const [arm, name] of Object.entries(packages)) {
    const version = found[name];
    if (version !== undefined && found.pyarrow !== undefined) versions[name] = version;
    else absent[arm] = `RECURVE_PYTHON names no Python that has ${name} and pyarrow`;
  }
  if (Object.keys(versions).length > 0) Object.assign(versions, { pyarrow: found.pyarrow, python: found.python });
  const driver = jar === undefined ? undefined : driverVersion(jar);
  if (driver === undefined) absent.jdbc = 'RECURVE_PGJDBC names no jar of org.postgresql:postgresql that java can run';
  else versions.pgjdbc = driver;
  return { versions, absent };
}

export async function openArm(cell: string, arm: string, input: Input): Promise<Arm> {
  const { uri, wideUri } = readSite(input);
  const { sql, kinds } = queryOf(cell);
  const at = cell === 'connect' ? wideUri : uri;
  const dump = join(input.folder, `${cell}-${arm}-${process.pid}`);
  const child =
    arm === 'jdbc'
      ? new OutsideProcess('java', ['-cp', jar ?? '', peer('postgres_jdbc.java'), cell, jdbcUrl(at), sql], {
          name: arm,
        })
      : new OutsideProcess(python ?? '', ['-B', peer('postgres_clients.py'), arm, cell, at, sql], { name: arm });
  return {
    ...child.arm<unknown>(),
    async digest() {
      await child.ask(`dump ${dump}`);
      return arm === 'jdbc' ? digestLines(dump, kinds) : digestArrow(dump, kinds);
    },
  } satisfies Arm;
}

function peer(name: string): string {
  return fileURLToPath(new URL(name, import.meta.url));
}

function pythonVersions(command: string): Readonly<Record<string, string>> {
  const code = `
import importlib.metadata as metadata, json, platform
found = {"python": platform.python_version()}
for name in ${JSON.stringify([...Object.values(packages), 'pyarrow'])}:
    try:
        found[name] = metadata.version(name)
    except metadata.PackageNotFoundError:
        pass
print(json.dumps(found))`;
  const { status, stdout } = spawnSync(command, ['-c', code], { encoding: 'utf8' });
  return status === 0 ? (JSON.parse(stdout) as Record<string, string>) : {};
}

/** The driver says its version when its jar is run. */
function driverVersion(path: string): string | undefined {
  const { stdout } = spawnSync('java', ['-jar', path], { encoding: 'utf8' });
  return /PostgreSQL JDBC Driver (\S+)/.exec(stdout ?? '')?.[1];
}

function jdbcUrl(uri: string): string {
  const { hostname, port, pathname, username, password } = new URL(uri);
  const query = new URLSearchParams({ user: decodeURIComponent(username) });
  if (password !== '') query.set('password', decodeURIComponent(password));
  return `jdbc:postgresql://${hostname}:${port || 5432}${pathname}?${query}`;
}

async function digestArrow(path: string, kinds: readonly ColumnKind[]): Promise<string> {
  const digest = new Digest();
  for (const batch of tableFromIPC(await readFile(path)).batches) {
    digest.add(
      kinds.map((kind, i) => toCanonical(kind, batch.getChildAt(i)?.toArray() ?? [])),
      batch.numRows,
    );
  }
  return digest.toString();
}

async function digestLines(path: string, kinds: readonly ColumnKind[]): Promise<string> {
  const digest = new Digest();
  const columns: string[][] = kinds.map(() => []);
  const flush = (): void => {
    digest.add(
      kinds.map((kind, i) => toCanonical(kind, columns[i] ?? [])),
      columns[0]?.length ?? 0,
    );
    for (const column of columns) column.length = 0;
  };
  for await (const line of createInterface({ input: createReadStream(path) })) {
    for (const [i, field] of line.split('\t').entries()) columns[i]?.push(field);
    if ((columns[0]?.length ?? 0) >= 10_000) flush();
  }
  flush();
  return digest.toString();
}
