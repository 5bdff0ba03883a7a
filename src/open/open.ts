import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallOptions } from '../adbc/call.ts';
import { type Database, openDatabase } from '../adbc/database.ts';
import { describe } from '../adbc/options.ts';
import { isSecretKey, redactUri } from '../adbc/redact.ts';
import type { Driver, PasswordSource } from '../adbc/spi.ts';
import { RecurveError } from '../error.ts';
import { diagnosticsObserver } from './diagnostics.ts';
import { type Profile, readProfile } from './profile.ts';
import { keepSecrets } from './secret.ts';

/**
 * A database's options, ADBC's and the driver's own, by their keys, all as strings. Those that `open` reads itself: `uri`;
 * `profile`, name or absolute path of a connection profile; `driver`, the name of the driver, which must be the URI's.
 */
export interface OpenOptions {
  readonly [key: string]: string;
}

/** What {@link open} takes besides the options of the database. */
export interface OpenCallOptions extends CallOptions {
  /** Folders in which connection profiles are looked for first. Default: none. */
  readonly profileSearchPaths?: readonly string[] | undefined;
  /** Asked for the password of each new connection, such as a token; see {@link PasswordSource}. */
  readonly password?: PasswordSource | undefined;
}

/** Which driver serves a scheme; it is loaded when a database is first opened with it. */
const postgres = lazyDriver('postgres', () => import('../driver/postgres/index.ts'));
const drivers: ReadonlyMap<string, Driver> = new Map([
  ['duckdb', lazyDriver('duckdb', () => import('../driver/duckdb/index.ts'))],
  ['postgres', postgres],
  ['postgresql', postgres],
]);

const profileUri = /^profile:\/\/(.*)$/is;

/**
 * Opens a database: finds the driver by the URI's scheme (`duckdb:` in memory, `duckdb:///path/file.db`,
 * `postgresql://host/database`), loads it and hands it the options. A connection profile (`profile://name`, `profile:///absolute/path.toml`, or the option `profile`)
 * adds its options to those given, which win, and may name the driver in place of a URI.
 *
 * Throws INVALID_ARGUMENT for what is no URI and for a scheme without a driver, naming those there are (exit code 2 of the
 * command), NOT_FOUND for a profile that is not there; what the driver throws otherwise. No password stands in a message,
 * nor does what a profile takes from the environment.
 */
export async function open(
  options: string | OpenOptions,
  { profileSearchPaths, ...callOptions }: OpenCallOptions = {},
): Promise<Database> {
  const given = readOptions(options);
  const profile = await readNamedProfile(given, checkPaths(profileSearchPaths));
  const { driver, read } = resolveDriver(given, profile);
  return openDatabase(keepSecrets(driver, profile?.secrets ?? []), read, {
    ...callOptions,
    observer: diagnosticsObserver(),
  });
}

/** The profile that the options name; undefined when they name none. */
async function readNamedProfile(
  given: ReadonlyMap<string, string>,
  searchPaths: readonly string[],
): Promise<Profile | undefined> {
  const uri = given.get('uri');
  const byUri = profileUri.exec(uri ?? '')?.[1];
  const byKey = given.get('profile');
  if (byUri !== undefined && byKey !== undefined) {
    throw usage('uri and profile both name a profile', 'give one of the two');
  }
  const name = byUri ?? byKey;
  return name === undefined ? undefined : readProfile(name, { environment: process.env, searchPaths });
}

/** The driver, and the options for it: those given before those of the profile. */
function resolveDriver(
  given: ReadonlyMap<string, string>,
  profile: Profile | undefined,
): { readonly driver: Driver; readonly read: ReadonlyMap<string, string> } {
  const read = new Map([...(profile?.options ?? []), ...given]);
  if (profileUri.test(given.get('uri') ?? '')) {
    read.delete('uri');
    const uri = profile?.options.get('uri');
    if (uri !== undefined) read.set('uri', uri);
  }
  const names = [given.get('driver'), profile?.driver].filter((name) => name !== undefined);
  for (const key of ['profile', 'driver']) read.delete(key);
  const uri = read.get('uri') ?? (names[0] === undefined ? undefined : `${names[0]}:`);
  if (uri === undefined) {
    throw usage(
      profile === undefined ? 'open needs a uri' : `the profile ${profile.path} gives neither uri nor driver`,
      profile === undefined ? 'for a database in memory: duckdb:' : 'give one of them in the options',
    );
  }
  const fromProfile = profile?.options.get('uri') === uri;
  // PostgreSQL's keywords and values are no URI: the driver's name says whose they are.
  const named = schemeOf.test(uri) || !uri.includes('=') ? undefined : drivers.get(names[0] ?? '');
  if (fromProfile && named === undefined && !schemeOf.test(uri)) {
    throw usage(`the profile ${profile.path} has an option uri that is no URI`);
  }
  const driver = named ?? drivers.get(readScheme(uri));
  if (driver === undefined) {
    const schemes = [...drivers.keys()].map((scheme) => `${scheme}:`).join(', ');
    // Any part of a profile's may come from the environment.
    const shown = fromProfile ? `${readScheme(uri)}:…` : redactUri(uri);
    throw usage(`no driver for ${JSON.stringify(shown)}: known schemes are ${schemes}`);
  }
  const other = names.find((name) => (drivers.get(name)?.name ?? name) !== driver.name);
  if (other !== undefined) {
    const source = other === given.get('driver') ? 'the option driver' : `the profile ${profile?.path}`;
    throw usage(`${source} asks for the driver ${describe(other)}, but the uri is for ${driver.name}`);
  }
  return { driver, read: read.set('uri', uri) };
}

function checkPaths(paths: readonly string[] | undefined): readonly string[] {
  if (paths === undefined) return [];
  if (Array.isArray(paths) && paths.every((path) => typeof path === 'string')) return paths;
  throw usage(`option profileSearchPaths is ${describe(paths)}, but must be an array of strings`);
}

function lazyDriver(name: string, load: () => Promise<{ readonly driver: Driver }>): Driver {
  return { name, open: async (options, call) => (await load()).driver.open(options, call) };
}

function readOptions(options: string | OpenOptions): ReadonlyMap<string, string> {
  if (typeof options === 'string') return new Map([['uri', options]]);
  if (typeof options !== 'object' || options === null) {
    throw usage(`open needs a URI or an object of options, not ${describe(options)}`);
  }
  for (const [key, value] of Object.entries(options)) {
    if (typeof value === 'string') continue;
    throw usage(`option ${key} is ${isSecretKey(key) ? `a ${typeof value}` : describe(value)}, but must be a string`);
  }
  return new Map(Object.entries(options));
}

/** RFC 3986, 3.1. One letter is a drive of Windows. */
const schemeOf = /^([a-z][a-z0-9+.-]+):/i;

/** The scheme in lower case. */
function readScheme(uri: string): string {
  const scheme = schemeOf.exec(uri)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase();
  throw usage(`${JSON.stringify(redactUri(uri))} is not a URI`, `did you mean ${meantFor(uri)}?`);
}

function meantFor(uri: string): string {
  if (uri === '' || uri === ':memory:') return 'duckdb: (a database in memory)';
  // Words of key=value are a connection string, not a path.
  if (uri.includes('=')) return 'something like duckdb:///path/file.db, or driver=postgres for its keywords';
  return pathToFileURL(resolve(uri)).href.replace(/^file:/, 'duckdb:');
}

function usage(message: string, hint?: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', message, { hint, exitCode: 2 });
}
