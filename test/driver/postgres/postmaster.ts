import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { type Account, cleanEnvironment, type Installation, takeOver } from './installation.ts';

/** How a server is started. */
export interface PostmasterOptions {
  /** Lines of `pg_hba.conf`. */
  readonly hba: readonly string[];
  /** Settings of `postgresql.conf` by name; they go before our own. */
  readonly settings: Readonly<Record<string, string | number | boolean>>;
  /** Files that the server reads, such as its key, by name: private to it, in {@link Postmaster.folder}. */
  readonly files: Readonly<Record<string, Uint8Array>>;
}

const startMs = 60_000;
const logChars = 1 << 20;
/** The longest path of a socket that every system takes. */
const socketPathChars = 100;

/** Nothing is kept, so nothing need reach the disk; nothing happens by itself. */
const ownSettings: PostmasterOptions['settings'] = {
  fsync: false,
  full_page_writes: false,
  synchronous_commit: false,
  autovacuum: false,
  max_wal_size: '1GB',
  log_checkpoints: false,
  listen_addresses: '127.0.0.1',
};

/**
 * Becomes the server. Beside it waits a process that reads a line from this one: its end, however it came, stops the server
 * and removes its folders. It is forked twice, so that it is no child of the server.
 */
const script = `
bin=$1 template=$2 folder=$3 sockets=$4
shift 4
umask 077
cp -R "$template" "$folder/data" || exit 1
( (
  read -r word <&3
  if [ "$word" != stopped ]; then
    kill -QUIT $$
    # A first process that reaps nobody keeps its number alive.
    for _ in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
      kill -0 $$ && { sleep 0.1 || sleep 1; }
    done
    kill -KILL $$
  fi
  rm -rf "$folder" "$sockets"
) >/dev/null 2>&1 & )
exec "$bin/postgres" -D "$folder/data" -k "$sockets" "$@" 3<&-
`;

/** A running server, which ends with this process whatever ends that. */
export class Postmaster {
  readonly port: number;
  /** Its files. */
  readonly folder: string;
  /** Where its Unix socket is. */
  readonly socketFolder: string;
  readonly #child: ChildProcess;
  /** To the process that waits for our end. */
  readonly #watcher: Socket;
  readonly #ready: Promise<void>;
  readonly #ended: Promise<void>;
  #log = '';

  private constructor(installation: Installation, options: PostmasterOptions, port: number) {
    const { bin, template, runs, account } = installation;
    this.port = port;
    this.folder = makeScratch(runs, '', account);
    const isLong = join(this.folder, '.s.PGSQL.65535').length > socketPathChars;
    this.socketFolder = isLong ? makeScratch('/tmp', 'recurve-pg-', account) : this.folder;
    const hba = Buffer.from(options.hba.map((line) => `${line}\n`).join(''));
    for (const [name, bytes] of Object.entries({ ...options.files, 'pg_hba.conf': hba })) {
      writeFileSync(join(this.folder, name), bytes);
      takeOver(join(this.folder, name), 0o600, account);
    }
    const settings = { ...ownSettings, ...options.settings, port, hba_file: join(this.folder, 'pg_hba.conf') };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    this.#child = spawn('/bin/sh', ['-c', script, 'sh', bin, template, this.folder, this.socketFolder, ...flags], {
      // A group of its own: Ctrl-C is for this process.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe', 'pipe'],
      cwd: '/',
      env: cleanEnvironment,
      ...account,
    });
    this.#watcher = this.#child.stdio[3] as Socket;
    this.#ready = this.#waitUntilReady();
    this.#ended = this.#waitUntilEnded();
  }

  /** Starts a server on a port of its own. Throws what its log says when it does not come up. */
  static async start(installation: Installation, options: PostmasterOptions): Promise<Postmaster> {
    for (let attempt = 1; ; attempt++) {
      const postmaster = new Postmaster(installation, options, await findPort());
      try {
        await postmaster.#ready;
        postmaster.#release();
        return postmaster;
      } catch (error) {
        await postmaster.stop();
        // Somebody else took the port in between.
        if (attempt >= 5 || !postmaster.log.includes('Address already in use')) throw error;
      }
    }
  }

  /** A signal to it is a signal to the server. */
  get processId(): number {
    return this.#child.pid ?? -1;
  }

  /** The last MiB of what it logged. */
  get log(): string {
    return this.#log;
  }

  /** Ends it, by default without a farewell, and resolves when its folders are gone; a second time does nothing. */
  async stop(signal: 'SIGINT' | 'SIGQUIT' = 'SIGQUIT'): Promise<void> {
    this.#child.ref();
    this.#watcher.ref();
    this.#child.kill(signal);
    await this.#ended;
  }

  #waitUntilReady(): Promise<void> {
    return new Promise((resolve, reject) => {
      const fail = (why: string): void => {
        clearTimeout(timer);
        reject(new Error(`PostgreSQL did not start: ${why}\n${this.#log}`));
      };
      const timer = setTimeout(() => fail(`not ready after ${startMs / 1000} s`), startMs);
      this.#child.once('error', (error) => fail(error.message));
      this.#child.once('close', (code, signal) => fail(`it ended with ${signal ?? `exit code ${code}`}`));
      let isReady = false;
      this.#child.stderr?.setEncoding('utf8').on('data', (text: string) => {
        this.#log = (this.#log + text).slice(-logChars);
        if (isReady || !this.#log.includes('ready to accept connections')) return;
        isReady = true;
        clearTimeout(timer);
        resolve();
      });
    });
  }

  #waitUntilEnded(): Promise<void> {
    return new Promise((resolve) => {
      this.#watcher.on('error', () => {});
      this.#child.once('exit', () => this.#watcher.end('stopped\n'));
      this.#watcher.once('close', () => {
        for (const folder of [this.folder, this.socketFolder]) rmSync(folder, { recursive: true, force: true });
        resolve();
      });
      this.#watcher.resume();
    });
  }

  /** From here on it does not keep this process alive. */
  #release(): void {
    this.#child.unref();
    this.#watcher.unref();
    (this.#child.stderr as Socket).unref();
  }
}

/** A private folder of the account's, whatever the umask. */
function makeScratch(place: string, prefix: string, account: Account | undefined): string {
  const folder = mkdtempSync(`${place}/${prefix}`);
  takeOver(folder, 0o700, account);
  return folder;
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error(`no port in ${address}`);
  return address.port;
}
