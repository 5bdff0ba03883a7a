import { redactText, redactUri } from '../../adbc/redact.ts';
import type { DriverCall, DriverConnection, DriverDatabase, DriverOpenCall } from '../../adbc/spi.ts';
import { RecurveError } from '../../error.ts';
import { type Binding, loadBinding } from './binding.ts';
import { DuckdbConnection } from './connection.ts';
import { fromNative } from './error.ts';
import { collectGarbage } from './garbage.ts';
import { NativeSession } from './session.ts';
import {
  applySettings,
  checkSetting,
  extensionError,
  isSessionSetting,
  type SessionSettings,
} from './session-setting.ts';
import { readSettings } from './setting.ts';
import { runInSlot } from './slot.ts';

type NativeDatabase = Awaited<ReturnType<Binding['open']>>;
type InstanceCache = ReturnType<Binding['create_instance_cache']>;

/** One for the process: the same file opened twice is one instance, which DuckDB needs. */
let cache: InstanceCache | undefined;

/** Opens a database by URI and settings, see {@link readSettings}. Throws what DuckDB says, naming the path, with exit code 3. */
export async function openDatabase(
  options: ReadonlyMap<string, string>,
  { signal, password }: DriverOpenCall,
): Promise<DriverDatabase> {
  if (password !== undefined) {
    throw new RecurveError('INVALID_ARGUMENT', 'DuckDB takes no password', { exitCode: 2 });
  }
  const { path, settings } = readSettings(options);
  const binding = loadBinding();
  const config = binding.create_config();
  const sessionSettings = new Map<string, string>();
  for (const [name, value] of settings) {
    if (isSessionSetting(name)) sessionSettings.set(name, value);
    else {
      try {
        binding.set_config(config, name, value);
      } catch {
        // The bindings do not say why, nor which settings belong to a session.
        await checkSetting(binding, name, value);
        sessionSettings.set(name, value);
      }
    }
  }
  cache ??= binding.create_instance_cache();
  const instances = cache;
  let native: NativeDatabase;
  try {
    native = await runInSlot(() => binding.get_or_create_from_cache(instances, path, config), signal);
  } catch (error) {
    throw signal.aborted ? signal.reason : (extensionError(error, settings) ?? openError(error, path));
  }
  if (signal.aborted) {
    binding.close_sync(native);
    throw signal.reason;
  }
  const database = new DuckdbDatabase(binding, native, sessionSettings);
  if ([...sessionSettings.keys()].some(isSessionSetting)) await checkSession(database, signal);
  return database;
}

/** What no connection could set is told when the database is opened, not by each connection. */
async function checkSession(database: DuckdbDatabase, signal: AbortSignal): Promise<void> {
  try {
    await (await database.connect({ signal })).close();
  } catch (error) {
    await database.close();
    throw error;
  }
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
      const connect = (): ReturnType<Binding['connect']> => binding.connect(this.#native);
      session = new NativeSession(binding, await runInSlot(connect, signal), connect);
    } catch (error) {
      throw signal.aborted ? signal.reason : fromNative(error, { exitCode: 3 });
    }
    try {
      signal.throwIfAborted();
      await applySettings(session, this.#sessionSettings, signal);
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

function openError(error: unknown, path: string): RecurveError {
  const known = fromNative(error, { exitCode: 3 });
  const { status, details, cause } = known;
  const message = redactText(known.message);
  const shownPath = redactUri(path);
  const locked = message.includes('Could not set lock');
  return new RecurveError(status, known.message.includes(path) ? message : `${message} (${shownPath})`, {
    hint: locked ? 'close it in the other process, or open it read-only in both' : known.hint,
    exitCode: status === 'INVALID_ARGUMENT' ? 2 : 3,
    details,
    cause,
  });
}
