import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { CallOptions } from '../adbc/call.ts';
import { type Database, openDatabase } from '../adbc/database.ts';
import { describe } from '../adbc/options.ts';
import { isSecretKey, redactUri } from '../adbc/redact.ts';
import type { Driver } from '../adbc/spi.ts';
import { RecurveError } from '../error.ts';

/** A database's options: its URI, and those of ADBC and of the driver by their keys, all as strings. */
export interface OpenOptions {
  readonly uri: string;
  readonly [key: string]: string;
}

/** Which driver serves a scheme; it is loaded when a database is first opened with it. */
const drivers: ReadonlyMap<string, Driver> = new Map([
  ['duckdb', lazyDriver('duckdb', () => import('../driver/duckdb/index.ts'))],
]);

/**
 * Opens a database: finds the driver by the URI's scheme (`duckdb:` in memory, `duckdb:///path/file.db`), loads it and
 * hands it the options.
 *
 * Throws INVALID_ARGUMENT for what is no URI and for a scheme without a driver, naming those there are (exit code 2 of the
 * command); what the driver throws otherwise. A password never stands in a message.
 */
export async function open(options: string | OpenOptions, callOptions?: CallOptions): Promise<Database> {
  const read = readOptions(options);
  const uri = read.get('uri') ?? '';
  const driver = drivers.get(readScheme(uri));
  if (driver === undefined) {
    const schemes = [...drivers.keys()].map((scheme) => `${scheme}:`).join(', ');
    throw usage(`no driver for ${JSON.stringify(redactUri(uri))}: known schemes are ${schemes}`);
  }
  return openDatabase(driver, read, callOptions);
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
  if (options.uri === undefined) throw usage('open needs a uri', 'for a database in memory: duckdb:');
  return new Map(Object.entries(options));
}

/** The scheme in lower case (RFC 3986, 3.1). One letter is a drive of Windows. */
function readScheme(uri: string): string {
  const scheme = /^([a-z][a-z0-9+.-]+):/i.exec(uri)?.[1];
  if (scheme !== undefined) return scheme.toLowerCase();
  throw usage(`${JSON.stringify(redactUri(uri))} is not a URI`, `did you mean ${meantFor(uri)}?`);
}

function meantFor(uri: string): string {
  if (uri === '' || uri === ':memory:') return 'duckdb: (a database in memory)';
  // Words of key=value are somebody else's connection string, not a path.
  if (uri.includes('=')) return 'something like duckdb:///path/file.db';
  return pathToFileURL(resolve(uri)).href.replace(/^file:/, 'duckdb:');
}

function usage(message: string, hint?: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', message, { hint, exitCode: 2 });
}
