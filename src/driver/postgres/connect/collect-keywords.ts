import { homedir } from 'node:os';
import { nearest } from '../../../adbc/nearest.ts';
import { isSecretKey } from '../../../adbc/redact.ts';
import type { RecurveError } from '../../../error.ts';
import { type KeywordValue, readConninfo } from './conninfo.ts';
import { adbcKeywords, keywords } from './keyword.ts';
import { readService } from './service-file.ts';
import { isUri, readUri } from './uri.ts';
import { usageError } from './usage-error.ts';

/** Where settings come from besides the options. */
export interface KeywordContext {
  /** Default: that of the process. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Names of options that are the driver's own; they are handed back and may also stand in the URI. */
  readonly ownOptions?: readonly string[];
  /** Default: that of the process's user. */
  readonly homeFolder?: string;
}

/** Values by libpq's keywords, and those of the driver's own options. */
export interface CollectedKeywords {
  readonly values: ReadonlyMap<string, string>;
  readonly own: ReadonlyMap<string, string>;
  /** Whether the password was given, rather than found in the environment. */
  readonly givesPassword: boolean;
}

/**
 * Puts together what is given, in libpq's order: options before what stands in `uri` (a URI, or keywords and values), before the service
 * that one of them or PGSERVICE names, before the environment. Throws INVALID_ARGUMENT for an unknown keyword, with the nearest one.
 */
export function collectKeywords(options: ReadonlyMap<string, string>, context: KeywordContext = {}): CollectedKeywords {
  const { environment = process.env, ownOptions = [] } = context;
  const own = new Map<string, string>();
  const values = new Map<string, string>();
  const add = (name: string, keyword: string, value: string, before?: string): void => {
    if (keywords.has(keyword)) values.set(keyword, value);
    else if (ownOptions.includes(name)) own.set(name, value);
    else throw unknownKeyword(name, ownOptions, before);
  };
  const uri = options.get('uri');
  let before: string | undefined;
  for (const [name, value] of uri === undefined ? [] : isUri(uri) ? readUri(uri) : readConninfo(uri)) {
    add(name, name, value, before);
    before = name;
  }
  for (const [name, value] of options) if (name !== 'uri') add(name, adbcKeywords.get(name) ?? name, value);
  for (const [keyword, value] of values) {
    if (!value.includes('\0')) continue;
    throw usageError(`${isSecretKey(keyword) ? keyword : `${keyword} ${JSON.stringify(value)}`} holds a NUL`);
  }
  const service = values.get('service') ?? environment.PGSERVICE;
  if (service) {
    const places = {
      named: values.get('servicefile') || environment.PGSERVICEFILE || undefined,
      homeFolder: context.homeFolder ?? homedir(),
      systemFolder: environment.PGSYSCONFDIR || undefined,
    };
    addMissing(values, checkService(readService(service, places), service));
  }
  const givesPassword = values.has('password');
  addMissing(values, environmentValues(environment));
  return { values, own, givesPassword };
}

function addMissing(values: Map<string, string>, pairs: Iterable<KeywordValue>): void {
  for (const [keyword, value] of pairs) if (!values.has(keyword)) values.set(keyword, value);
}

function* environmentValues(environment: Readonly<Record<string, string | undefined>>): Generator<KeywordValue> {
  for (const [keyword, { variable }] of keywords) {
    const value = variable === undefined ? undefined : environment[variable];
    if (value) yield [keyword, value];
  }
}

function checkService(pairs: readonly KeywordValue[], service: string): readonly KeywordValue[] {
  const unknown = pairs.find(([keyword]) => !keywords.has(keyword))?.[0];
  if (unknown === undefined) return pairs;
  const meant = nearest(unknown, [...keywords.keys()]);
  throw usageError(
    `the service ${JSON.stringify(service)} has an unknown keyword ${JSON.stringify(unknown)}`,
    meant && `did you mean ${meant}?`,
  );
}

/** `before`: the keyword that stands before it in the same string. */
function unknownKeyword(name: string, ownOptions: readonly string[], before: string | undefined): RecurveError {
  if (before !== undefined && isSecretKey(before)) {
    // It may be the rest of a secret.
    return usageError(
      `what comes after the value of ${before} is no connection setting`,
      'is the value quoted, or percent-encoded, as it must be?',
    );
  }
  const meant = nearest(name, [...keywords.keys(), ...adbcKeywords.keys(), ...ownOptions]);
  return usageError(
    `unknown connection setting: ${JSON.stringify(name)}`,
    meant === undefined ? 'docs/postgres.md lists them' : `did you mean ${meant}?`,
  );
}
