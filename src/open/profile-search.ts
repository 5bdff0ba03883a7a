import { access } from 'node:fs/promises';
import { homedir } from 'node:os';
import { delimiter, isAbsolute, join } from 'node:path';
import { RecurveError } from '../error.ts';
import type { ProfileContext } from './profile.ts';

/** A folder where profiles may lie, and who named it. */
interface Place {
  readonly folder: string;
  readonly source: string;
}

/**
 * The file of a profile: that of an absolute path, or `NAME.toml` in the first of these folders that has it: the given ones,
 * those of `ADBC_PROFILE_PATH`, `etc/adbc/profiles` of the active conda environment, the user's own. Throws NOT_FOUND.
 */
export async function findProfile(name: string, { environment, searchPaths }: ProfileContext): Promise<string> {
  const file = name.endsWith('.toml') ? name : `${name}.toml`;
  if (name === '') throw new RecurveError('INVALID_ARGUMENT', 'the name of the profile is empty', { exitCode: 2 });
  const absolute = isAbsolute(file);
  const places = absolute ? [] : listPlaces(environment, searchPaths);
  const candidates = absolute ? [file] : places.map(({ folder }) => join(folder, file));
  for (const candidate of candidates) {
    if (await exists(candidate)) return candidate;
  }
  const searched = places.map(({ folder, source }) => `${folder} (${source})`).join(', ');
  throw new RecurveError('NOT_FOUND', `there is no profile ${JSON.stringify(name)}`, {
    hint: absolute ? `looked for the file ${file}` : `looked for ${file} in ${searched}`,
    exitCode: 2,
  });
}

function listPlaces(environment: ProfileContext['environment'], searchPaths: readonly string[]): Place[] {
  const listed = (environment.ADBC_PROFILE_PATH ?? '').split(delimiter).filter((folder) => folder !== '');
  const conda = environment.CONDA_PREFIX;
  return [
    ...searchPaths.map((folder) => ({ folder, source: 'profileSearchPaths' })),
    ...listed.map((folder) => ({ folder, source: 'ADBC_PROFILE_PATH' })),
    ...(conda ? [{ folder: join(conda, 'etc', 'adbc', 'profiles'), source: 'CONDA_PREFIX' }] : []),
    { folder: userFolder(environment), source: 'user' },
  ];
}

function userFolder(environment: ProfileContext['environment']): string {
  const home = environment.HOME ?? homedir();
  if (process.platform === 'darwin') return join(home, 'Library', 'Application Support', 'ADBC', 'Profiles');
  if (process.platform === 'win32') {
    return join(environment.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'ADBC', 'Profiles');
  }
  return join(home, '.config', 'adbc', 'profiles');
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path);
    return true;
  } catch (error) {
    // One that is there and may not be read is not passed over: reading it says so.
    return error instanceof Error && 'code' in error && error.code !== 'ENOENT' && error.code !== 'ENOTDIR';
  }
}
