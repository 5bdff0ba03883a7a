import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RecurveError } from '../../../error.ts';
import type { KeywordValue } from './conninfo.ts';
import { usageError } from './usage-error.ts';

/** Where service files are looked for. */
export interface ServiceFilePlaces {
  /** `servicefile` or PGSERVICEFILE; without it the default of the user. */
  readonly named: string | undefined;
  readonly homeFolder: string;
  /** PGSYSCONFDIR; the file of all users is `pg_service.conf` in it. */
  readonly systemFolder: string | undefined;
}

/**
 * The settings of a service (the manual, "The Connection Service File"): of the user's file, or else of the system's.
 * Throws NOT_FOUND where none has it, INVALID_ARGUMENT with file and line for what is no setting.
 */
export function readService(service: string, places: ServiceFilePlaces): KeywordValue[] {
  const own = places.named ?? join(places.homeFolder, '.pg_service.conf');
  const files = [own, ...(places.systemFolder === undefined ? [] : [join(places.systemFolder, 'pg_service.conf')])];
  for (const path of files) {
    const text = readIfThere(path, path === places.named);
    const settings = text === undefined ? undefined : parseService(text, service, path);
    if (settings !== undefined) return settings;
  }
  throw new RecurveError('NOT_FOUND', `there is no service ${JSON.stringify(service)} in ${files.join(' or ')}`, {
    hint: `add a section [${service}], or name another file in PGSERVICEFILE`,
    exitCode: 2,
  });
}

/** Undefined where there is no such section. Of several with one name the first counts. */
function parseService(text: string, service: string, path: string): KeywordValue[] | undefined {
  let settings: KeywordValue[] | undefined;
  for (const [index, line] of text.split('\n').entries()) {
    const trimmed = line.trim();
    if (trimmed === '' || trimmed.startsWith('#')) continue;
    if (trimmed.startsWith('[')) {
      if (settings !== undefined) return settings;
      if (trimmed.startsWith(`[${service}]`)) settings = [];
      continue;
    }
    if (settings === undefined) continue;
    const place = `${path}, line ${index + 1}`;
    if (trimmed.startsWith('ldap')) {
      throw new RecurveError('NOT_IMPLEMENTED', `settings are not looked up in LDAP (${place})`, { exitCode: 2 });
    }
    const equals = trimmed.indexOf('=');
    if (equals < 1) throw usageError(`a line of the service file is no keyword=value (${place})`);
    const keyword = trimmed.slice(0, equals);
    if (keyword === 'service' || keyword === 'servicefile') {
      throw usageError(`a service cannot name another service (${place})`);
    }
    settings.push([keyword, trimmed.slice(equals + 1)]);
  }
  return settings;
}

function readIfThere(path: string, isNamed: boolean): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (!isNamed && (code === 'ENOENT' || code === 'ENOTDIR')) return undefined;
    throw new RecurveError('IO', `cannot read the service file ${path} (${String(code)})`, { cause, exitCode: 2 });
  }
}
