import { isSecretKey } from '../../adbc/redact.ts';
import type { DriverCall, DriverConnection, DriverDatabase } from '../../adbc/spi.ts';
import { RecurveError } from '../../error.ts';
import { type Binding, loadBinding } from './binding.ts';
import { DuckdbConnection } from './connection.ts';
import { fromNative, toRecurveError } from './error.ts';
import { collectGarbage } from './garbage.ts';
import { quoteIdentifier, quoteText } from './quote.ts';
import { NativeSession } from './session.ts';
import { readSettings } from './setting.ts';
import { runInSlot } from './slot.ts';

type NativeDatabase = Awaited<ReturnType<Binding['open']>>;
type InstanceCache = ReturnType<Binding['create_instance_cache']>;

/** One for the process: the same file opened twice is one instance, which DuckDB needs. */
let cache: InstanceCache | undefined;

/** Settings of a session that no database takes when it is opened. */
type SessionSettings = ReadonlyMap<string, string>;

/** Opens a database by URI and settings, see {@link readSettings}. Throws what DuckDB says, naming the path, with exit code 3. */
export async function openDatabase(
  options: ReadonlyMap<string, string>,
  { signal }: DriverCall,
): Promise<DriverDatabase> {
  const { path, settings } = readSettings(options);
  const binding = loadBinding();
  const config = binding.create_config();
  const sessionSettings = new Map<string, string>();
  for (const [name, value] of settings) {
    try {
      binding.set_config(config, name, value);
    } catch {
      // The bindings do not say why, nor which settings belong to a session.
      await checkSetting(binding, name, value);
      sessionSettings.set(name, value);
    }
  }
  cache ??= binding.create_instance_cache();
  const instances = cache;
  let native: NativeDatabase;
  try {
    native = await runInSlot(() => binding.get_or_create_from_cache(instances, path, config), signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : openError(error, path);
  }
  if (signal.aborted) {
    binding.close_sync(native);
    throw signal.reason;
  }
  return new DuckdbDatabase(binding, native, sessionSettings);
}

/** An open instance. */
class DuckdbDatabase implements DriverDatabase {
  readonly #binding: Binding;
  readonly #native: NativeDatabase;
  readonly #sessionSettings: SessionSettings;
  #cutStreams = 0;

  constructor(binding: Binding, native: NativeDatabase, sessionSettings: SessionSettings) {
    this.#binding = binding;
    this.#native = native;
    this.#sessionSettings = sessionSettings;
  }

  async connect({ signal }: DriverCall): Promise<DriverConnection> {
    const binding = this.#binding;
    let session: NativeSession;
    try {
      session = new NativeSession(binding, await runInSlot(() => binding.connect(this.#native), signal));
    } catch (error) {
      throw signal.aborted ? signal.reason : fromNative(error, { exitCode: 3 });
    }
    try {
      signal.throwIfAborted();
      for (const [name, value] of this.#sessionSettings) {
        await session.query(`SET ${quoteIdentifier(name)} = ${quoteText(value)}`, signal);
      }
    } catch (error) {
      await session.close();
      throw error;
    }
    return new DuckdbConnection(session, (cutStreams) => {
      this.#cutStreams += cutStreams;
    });
  }

  async close(): Promise<void> {
    // What still points at the instance would keep its file locked, and a thread of the next open waiting for it.
    if (this.#cutStreams > 0) await collectGarbage();
    this.#binding.close_sync(this.#native);
  }
}

/** Throws DuckDB's reason for refusing a setting; returns when it is one of a session. */
async function checkSetting(binding: Binding, name: string, value: string): Promise<void> {
  const shown = `setting ${name} = ${isSecretKey(name) ? '***' : value}`;
  const native = await runInSlot(() => binding.open(':memory:'));
  const connection = await runInSlot(() => binding.connect(native));
  try {
    const scope = `SELECT 1 FROM duckdb_settings() WHERE name = ${quoteText(name)} AND scope = 'LOCAL'`;
    if (binding.row_count(await runInSlot(() => binding.query(connection, scope))) > 0) return;
    await runInSlot(() => binding.query(connection, `SET GLOBAL ${quoteIdentifier(name)} = ${quoteText(value)}`));
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    throw new RecurveError('INVALID_ARGUMENT', `${shown}: ${toRecurveError(message).message}`, {
      exitCode: 2,
      cause: error,
    });
  } finally {
    binding.disconnect_sync(connection);
    binding.close_sync(native);
  }
  throw new RecurveError('INVALID_ARGUMENT', `${shown}: DuckDB refuses the value`, { exitCode: 2 });
}

function openError(error: unknown, path: string): RecurveError {
  const known = fromNative(error, { exitCode: 3 });
  const { status, message, details, cause } = known;
  const locked = message.includes('Could not set lock');
  return new RecurveError(status, message.includes(path) ? message : `${message} (${path})`, {
    hint: locked ? 'close it in the other process, or open it read-only in both' : known.hint,
    exitCode: status === 'INVALID_ARGUMENT' ? 2 : 3,
    details,
    cause,
  });
}
