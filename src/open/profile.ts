import { readFile } from 'node:fs/promises';
import { isSecretKey } from '../adbc/redact.ts';
import { RecurveError } from '../error.ts';
import { findProfile } from './profile-search.ts';

/** What a connection profile says. */
export interface Profile {
  /** Its file. */
  readonly path: string;
  /** The driver that it is for; undefined: any. */
  readonly driver: string | undefined;
  /** Options by their keys, variables filled in. */
  readonly options: ReadonlyMap<string, string>;
  /** Values that no message may show: those that come from the environment and passwords. */
  readonly secrets: readonly string[];
}

/** Where profiles and their variables are looked up. */
export interface ProfileContext {
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Folders that are searched before all others. */
  readonly searchPaths: readonly string[];
}

const knownKeys = ['profile_version', 'driver', 'Options'];

/**
 * Finds a connection profile by its name, or reads the file of an absolute path, as ADBC's driver managers do
 * (Arrow ADBC, "Connection Profiles", version 1): TOML with `profile_version = 1`, an optional `driver` and a table
 * `[Options]` of strings, numbers and booleans, in whose strings `{{ env_var(NAME) }}` stands for a variable of the
 * environment, empty when it is not set.
 *
 * Throws NOT_FOUND with every place that was searched, IO for a file that cannot be read, INVALID_ARGUMENT for one that is
 * no profile, with the line or the key. No message shows a value.
 */
export async function readProfile(name: string, context: ProfileContext): Promise<Profile> {
  const path = await findProfile(name, context);
  const tables = await parseFile(path);
  const unknown = Object.keys(tables).find((key) => !knownKeys.includes(key));
  if (unknown !== undefined) {
    throw invalid(
      path,
      `has an unknown key ${unknown}`,
      `known: ${knownKeys.join(', ')}; options stand below [Options]`,
    );
  }
  const { profile_version: version, driver, Options: table } = tables;
  if (version !== 1 && version !== 1n) {
    throw invalid(
      path,
      version === undefined ? 'has no profile_version' : `has another profile_version than 1`,
      'write profile_version = 1',
    );
  }
  if (driver !== undefined && typeof driver !== 'string') throw invalid(path, 'has a driver that is no string');
  if (table !== undefined && !isTable(table)) throw invalid(path, 'has Options that are no table');
  return { path, driver, ...readOptions(path, table ?? {}, context.environment) };
}

async function parseFile(path: string): Promise<Readonly<Record<string, unknown>>> {
  const { parse, TomlError } = await import('smol-toml');
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? ` (${cause.code})` : '';
    throw new RecurveError('IO', `cannot read the profile ${path}${code}`, { cause, exitCode: 2 });
  }
  try {
    return parse(text, { integersAsBigInt: 'asNeeded' });
  } catch (error) {
    // Neither its message nor the error itself: both show lines of the file.
    const place = error instanceof TomlError ? ` (line ${error.line}, column ${error.column})` : '';
    throw invalid(path, `is not TOML${place}`);
  }
}

function readOptions(
  path: string,
  table: Readonly<Record<string, unknown>>,
  environment: ProfileContext['environment'],
): { readonly options: Map<string, string>; readonly secrets: string[] } {
  const options = new Map<string, string>();
  const secrets: string[] = [];
  for (const [key, value] of flatten(table, '')) {
    if (options.has(key)) throw invalid(path, `has the option ${key} twice`);
    if (typeof value === 'string') {
      const filled = substitute(value, environment);
      if (filled === undefined) {
        throw invalid(path, `has an option ${key} with something else in {{ }} than env_var(NAME)`);
      }
      options.set(key, filled.text);
      secrets.push(...filled.values, ...(isSecretKey(key) ? [filled.text] : []), ...secretsOfUri(filled.text));
    } else if (typeof value === 'number' || typeof value === 'bigint' || typeof value === 'boolean') {
      options.set(key, String(value));
      if (isSecretKey(key)) secrets.push(String(value));
    } else {
      throw invalid(path, `has an option ${key} that is no string, number or boolean`);
    }
  }
  return { options, secrets: secrets.filter((secret) => secret !== '') };
}

/** A key with dots that is not quoted makes tables in TOML; as an option it is one key. */
function* flatten(table: Readonly<Record<string, unknown>>, prefix: string): Generator<[key: string, value: unknown]> {
  for (const [key, value] of Object.entries(table)) {
    if (isTable(value)) yield* flatten(value, `${prefix}${key}.`);
    else yield [prefix + key, value];
  }
}

/** Undefined where the braces hold something else. What a variable holds is not looked at again. */
function substitute(
  text: string,
  environment: ProfileContext['environment'],
): { readonly text: string; readonly values: string[] } | undefined {
  const values: string[] = [];
  let understood = true;
  const filled = text.replace(/\{\{(.*?)\}\}/gs, (_, inside: string) => {
    const name = /^\s*env_var\(\s*([^\s()]+)\s*\)\s*$/.exec(inside)?.[1];
    if (name === undefined) {
      understood = false;
      return '';
    }
    const value = environment[name] ?? '';
    values.push(value);
    return value;
  });
  return understood ? { text: filled, values } : undefined;
}

/** The password of the user part, as it is written and as it is meant; options with telling names come by their keys. */
function secretsOfUri(uri: string): string[] {
  const password = /^[a-z][a-z0-9+.-]*:\/\/[^/?#:@]*:(.*)@/is.exec(uri)?.[1];
  const secrets = password === undefined ? [] : [password];
  for (const [, key = '', value = ''] of uri.matchAll(/[?&;]([^=?&;#]+)=([^&;#]*)/g)) {
    if (isSecretKey(key)) secrets.push(value);
  }
  return [...secrets, ...secrets.map(decode)];
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}

function invalid(path: string, fault: string, hint?: string): RecurveError {
  return new RecurveError('INVALID_ARGUMENT', `the profile ${path} ${fault}`, { hint, exitCode: 2 });
}
