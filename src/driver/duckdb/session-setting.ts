import { isSecretKey } from '../../adbc/redact.ts';
import { RecurveError } from '../../error.ts';
import type { Binding } from './binding.ts';
import { toRecurveError } from './error.ts';
import { quoteIdentifier, quoteText } from './quote.ts';
import type { NativeSession } from './session.ts';
import { runInSlot } from './slot.ts';

/** DuckDB's settings that no database takes when it is opened: they are set on each connection. */
export type SessionSettings = ReadonlyMap<string, string>;

/** Those of ICU, which comes with DuckDB but is there only once a database is open. */
const icuSettings = ['timezone', 'calendar'];

/** Whether a setting is one that no database takes when it is opened, and that is known beforehand. */
export function isSessionSetting(name: string): boolean {
  return icuSettings.includes(name.toLowerCase());
}

/** Throws DuckDB's reason for refusing a setting; returns when it is one of a session. */
export async function checkSetting(binding: Binding, name: string, value: string): Promise<void> {
  const native = await runInSlot(() => binding.open(':memory:'));
  const connection = await runInSlot(() => binding.connect(native));
  try {
    const scope = `SELECT 1 FROM duckdb_settings() WHERE name = ${quoteText(name)} AND scope = 'LOCAL'`;
    if (binding.row_count(await runInSlot(() => binding.query(connection, scope))) > 0) return;
    await runInSlot(() => binding.query(connection, `SET GLOBAL ${quoteIdentifier(name)} = ${quoteText(value)}`));
  } catch (error) {
    throw settingError(name, value, error);
  } finally {
    binding.disconnect_sync(connection);
    binding.close_sync(native);
  }
  throw settingError(name, value, 'DuckDB refuses the value');
}

/** The error for an open that failed by a setting of an extension that is not there; undefined for other failures. */
export function extensionError(error: unknown, settings: ReadonlyMap<string, string>): RecurveError | undefined {
  const message = error instanceof Error ? error.message : String(error);
  const name = /To set the (\S+) setting, the \S+ extension needs to be loaded/.exec(message)?.[1] ?? '';
  const value = settings.get(name);
  return value === undefined ? undefined : settingError(name, value, error);
}

/** Sets them. Throws INVALID_ARGUMENT (exit code 2) naming the setting; a secret's value is not in it. */
export async function applySettings(
  session: NativeSession,
  settings: SessionSettings,
  signal: AbortSignal,
): Promise<void> {
  for (const [name, value] of settings) {
    try {
      await session.query(`SET ${quoteIdentifier(name)} = ${quoteText(value)}`, signal);
    } catch (error) {
      throw signal.aborted ? signal.reason : settingError(name, value, error);
    }
  }
}

function settingError(name: string, value: string, error: unknown): RecurveError {
  const isSecret = isSecretKey(name);
  const message = error instanceof Error ? error.message : String(error);
  const reason = RecurveError.is(error) ? message : toRecurveError(message).message;
  const extension = /the (\S+) extension needs to be loaded/.exec(message)?.[1];
  return new RecurveError(
    'INVALID_ARGUMENT',
    `setting ${name} = ${isSecret ? '***' : value}: ${isSecret ? reason.replaceAll(value, '***') : reason}`,
    {
      exitCode: 2,
      hint:
        extension === undefined
          ? undefined
          : `leave it out of the URI, and set it in SQL: INSTALL ${extension}; LOAD ${extension}; SET ${name} = …`,
      // The cause of a secret's has the value too.
      cause: isSecret ? undefined : error,
    },
  );
}
