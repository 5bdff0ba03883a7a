import { readFile, stat } from 'node:fs/promises';

/** What a line of the password file is found by. */
export interface PasswordKey {
  /** The host as it is given; `localhost` for a Unix socket in its default folder. */
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
}

/** What the password file gives. */
export interface FoundPassword {
  readonly password: string | undefined;
  /** Why the file was passed over though it is there. */
  readonly warning?: string;
}

/**
 * Looks up a password in `~/.pgpass` (the manual, "The Password File"). A file that is not there has none; one that others may
 * read is passed over with a warning, but not on Windows, where folders protect it.
 */
export async function findPassword(
  path: string,
  key: PasswordKey,
  platform: string = process.platform,
): Promise<FoundPassword> {
  let text: string;
  try {
    const status = await stat(path);
    if (!status.isFile()) return { password: undefined, warning: `the password file ${path} is no plain file` };
    if (platform !== 'win32' && (status.mode & 0o077) !== 0) {
      const mode = (status.mode & 0o777).toString(8).padStart(4, '0');
      return {
        password: undefined,
        warning: `the password file ${path} was passed over: others may use it (mode ${mode}, must be 0600)`,
      };
    }
    text = await readFile(path, 'utf8');
  } catch {
    return { password: undefined };
  }
  return { password: readPassword(text, key) };
}

/** The password of the first line `host:port:database:user:password` that fits; `*` fits all, a backslash protects `:` and itself. */
export function readPassword(text: string, { host, port, database, user }: PasswordKey): string | undefined {
  const wanted = [host, String(port), database, user];
  for (const line of text.split('\n')) {
    if (line.startsWith('#')) continue;
    const fields = /^((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):((?:[^:\\]|\\.)*):(.*?)\r?$/.exec(line);
    if (fields === null) continue;
    const fits = wanted.every((value, index) => {
      const field = fields[index + 1] ?? '';
      return field === '*' || field.replace(/\\(.)/g, '$1') === value;
    });
    if (fits) return fields[5]?.replace(/\\(.)/g, '$1');
  }
  return undefined;
}
