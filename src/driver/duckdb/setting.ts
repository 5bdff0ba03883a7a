import { isAbsolute, resolve } from 'node:path';
import { isSecretKey } from '../../adbc/redact.ts';
import { RecurveError } from '../../error.ts';

/** What a URI and options ask for. */
export interface DatabaseSettings {
  /** What DuckDB opens: an absolute path, `:memory:`, `:memory:name`, or the URI of a remote file. */
  readonly path: string;
  /** DuckDB's settings by name, as text. */
  readonly settings: ReadonlyMap<string, string>;
}

const readOnlyKey = 'adbc.connection.readonly';

/**
 * Reads `duckdb:` (in memory), `duckdb:relative.db`, `duckdb:///absolute.db`, `duckdb::memory:name` and the like. Settings
 * stand in the query (`?access_mode=read_only&threads=2`) or in the options under DuckDB's names, and
 * `adbc.connection.readonly` (`true`, `false`). Path and settings are percent-encoded; a backslash stands for itself.
 *
 * Throws INVALID_ARGUMENT (exit code 2) for a malformed URI and for a setting that is given twice with different values.
 */
export function readSettings(
  options: ReadonlyMap<string, string>,
  platform: string = process.platform,
): DatabaseSettings {
  const uri = options.get('uri') ?? 'duckdb:';
  const [, location = '', query = ''] =
    /^duckdb:([^?]*)\??([\s\S]*)$/i.exec(uri) ?? fail(`${JSON.stringify(uri)} is no duckdb: URI`);
  const settings = new Map<string, string>();
  for (const pair of query.split('&')) {
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    if (equals < 1) fail(`${JSON.stringify(pair)} in the URI is no setting`, 'write name=value');
    addSetting(settings, decode(pair.slice(0, equals)), decode(pair.slice(equals + 1)));
  }
  for (const [name, value] of options) if (name !== 'uri') addSetting(settings, name, value);
  return { path: readPath(location, platform), settings };
}

function addSetting(settings: Map<string, string>, key: string, value: string): void {
  const [name, text] = key === readOnlyKey ? ['access_mode', readOnlyMode(value)] : [key, value];
  if (name.startsWith('adbc.'))
    fail(`the DuckDB driver has no option ${name}`, `known: ${readOnlyKey}, DuckDB's settings`);
  const given = settings.get(name);
  if (given !== undefined && given.toLowerCase() !== text.toLowerCase()) {
    const values = isSecretKey(name)
      ? ', with different values'
      : `: ${JSON.stringify(given)} and ${JSON.stringify(text)}`;
    fail(`the setting ${name} is given twice${values}`);
  }
  settings.set(name, text);
}

function readOnlyMode(value: string): string {
  if (value === 'true') return 'read_only';
  if (value === 'false') return 'automatic';
  return fail(`option ${readOnlyKey} is ${JSON.stringify(value)}, but must be "true" or "false"`);
}

function readPath(location: string, platform: string): string {
  let path = decode(location);
  if (path.includes('\0')) fail('the path of the database holds a NUL');
  if (path === '' || path === '//') return ':memory:';
  if (path.startsWith(':memory:')) return path;
  if (path.startsWith('//')) {
    if (path[2] !== '/') {
      fail(`duckdb:${path} names a host, and DuckDB has none`, 'write duckdb:file.db or duckdb:///absolute/file.db');
    }
    path = path.slice(2);
    if (platform === 'win32' && /^\/[A-Za-z]:/.test(path)) path = path.slice(1);
  }
  // A scheme has two letters at least: one is a drive.
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(path) || isAbsolute(path) || /^[A-Za-z]:[\\/]/.test(path)) return path;
  return resolve(path);
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return fail(`${JSON.stringify(text)} is not percent-encoded`, 'write %25 for a %');
  }
}

function fail(message: string, hint?: string): never {
  throw new RecurveError('INVALID_ARGUMENT', message, { exitCode: 2, hint });
}
