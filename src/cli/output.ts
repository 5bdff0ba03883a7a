import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { type FileHandle, open, readlink, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join, resolve } from 'node:path';
import { RecurveError } from '../error.ts';
import { systemCode } from './failure.ts';
import type { Sink } from './io.ts';

/** A file that appears whole or not at all. */
export interface Output extends Sink {
  /** Puts the file in its place. */
  commit(): Promise<void>;
  /** Removes what was written. After `commit`, or a second time, it does nothing. */
  discard(): Promise<void>;
}

/**
 * Opens `path` for writing. A regular file is written under a temporary name beside it and renamed at `commit`, with the
 * permissions of the file that it replaces; a link is followed, also one that points to nothing yet. A pipe or a device is
 * written in place; when `signal` fires, a pipe without a reader is no longer waited for.
 *
 * Errors name the path: NOT_FOUND for a missing folder, INVALID_ARGUMENT for a path that is one, IO for a full disk.
 */
export async function openOutput(path: string, signal?: AbortSignal): Promise<Output> {
  try {
    const existing = await stat(path).catch((error: unknown) => {
      if (systemCode(error) === 'ENOENT') return undefined;
      throw error;
    });
    if (existing?.isDirectory()) {
      throw new RecurveError('INVALID_ARGUMENT', `cannot write ${JSON.stringify(path)}: it is a folder`, {
        exitCode: 1,
      });
    }
    if (existing !== undefined && !existing.isFile()) {
      return new PlainOutput(path, await openInPlace(path, 'w', existing.isFIFO() ? signal : undefined));
    }
    const target = existing === undefined ? await followLinks(path) : await realpath(path);
    const temporary = join(dirname(target), `${basename(target)}.${randomBytes(4).toString('hex')}.partial`);
    const handle = await open(temporary, 'wx');
    const output = new FileOutput(path, handle, { target, temporary });
    if (existing !== undefined) {
      try {
        await handle.chmod(existing.mode & 0o7777);
      } catch (error) {
        await output.discard();
        throw error;
      }
    }
    return output;
  } catch (error) {
    throw writeError(path, error);
  }
}

/** Where links lead that end at nothing; the system refuses circles before. */
async function followLinks(path: string): Promise<string> {
  let target = path;
  for (;;) {
    const next = await readlink(target).catch(() => undefined);
    if (next === undefined) return target;
    target = resolve(dirname(target), next);
  }
}

/** Opens a file; an open of a named pipe that waits for its other end is set free by `signal`, and then rejects with its reason. */
export async function openInPlace(path: string, flags: 'r' | 'w', signal?: AbortSignal): Promise<FileHandle> {
  // Both ends at once: that never waits.
  const release = (): void => {
    const both = open(path, constants.O_RDWR | constants.O_NONBLOCK);
    both.then((handle) => opening.finally(() => handle.close())).catch(() => {});
  };
  const opening = open(path, flags);
  signal?.addEventListener('abort', release, { once: true });
  try {
    const handle = await opening;
    if (signal?.aborted !== true) return handle;
    await handle.close();
    throw signal.reason;
  } finally {
    signal?.removeEventListener('abort', release);
  }
}

/** Writes `bytes` from `offset` on and says how many the system took: at least one, maybe not all. */
export type WriteSome = (bytes: Uint8Array, offset: number) => Promise<number>;

/** Writes all of `bytes`, however little the system takes at a time. */
export async function writeFully(write: WriteSome, bytes: Uint8Array): Promise<void> {
  for (let done = 0; done < bytes.length; ) done += await write(bytes, done);
}

const reasons: Readonly<Record<string, readonly [reason: string, hint?: string]>> = {
  ENOSPC: ['no space left on the device', 'free some space or write elsewhere; no partial file is left'],
  EDQUOT: ['the disk quota is used up', 'free some space or write elsewhere; no partial file is left'],
  EFBIG: [
    'the file would be larger than is allowed',
    'raise the limit (ulimit -f) or write elsewhere; no partial file is left',
  ],
  ENOENT: ['its folder does not exist'],
  ENOTDIR: ['its folder is a file'],
  EACCES: ['permission denied'],
  EPERM: ['permission denied'],
  EROFS: ['the file system is read-only'],
};

/** The error for a write to `name` that failed, in one line. An `EPIPE` is no failure: the reader has had enough. */
export function writeError(name: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  if (code === 'EPIPE') return new RecurveError('IO', `the reader of ${name} has gone`, { exitCode: 0, cause: error });
  const [reason, hint] = reasons[code] ?? [(error as Error).message];
  const where = name === 'standard output' ? name : JSON.stringify(name);
  const status = code === 'ENOENT' || code === 'ENOTDIR' ? 'NOT_FOUND' : 'IO';
  return new RecurveError(status, `cannot write ${where}: ${reason}`, { hint, exitCode: 1, cause: error });
}

/** A pipe, terminal or device. */
class PlainOutput implements Output {
  readonly #path: string;
  readonly #handle: FileHandle;
  #isOpen = true;

  constructor(path: string, handle: FileHandle) {
    this.#path = path;
    this.#handle = handle;
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await writeFully(async (all, offset) => (await this.#handle.write(all, offset)).bytesWritten, bytes);
    } catch (error) {
      throw writeError(this.#path, error);
    }
  }

  async commit(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    try {
      await this.#handle.close();
    } catch (error) {
      throw writeError(this.#path, error);
    }
  }

  async discard(): Promise<void> {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    await this.#handle.close().catch(() => {});
  }
}

/** A regular file under its temporary name. */
class FileOutput implements Output {
  readonly #path: string;
  readonly #names: { readonly target: string; readonly temporary: string };
  readonly #file: PlainOutput;
  #isDone = false;

  constructor(path: string, handle: FileHandle, names: { readonly target: string; readonly temporary: string }) {
    this.#path = path;
    this.#file = new PlainOutput(path, handle);
    this.#names = names;
  }

  write(bytes: Uint8Array): Promise<void> {
    return this.#file.write(bytes);
  }

  async commit(): Promise<void> {
    if (this.#isDone) return;
    try {
      await this.#file.commit();
      await rename(this.#names.temporary, this.#names.target);
      this.#isDone = true;
    } catch (error) {
      await this.discard();
      throw writeError(this.#path, error);
    }
  }

  async discard(): Promise<void> {
    if (this.#isDone) return;
    this.#isDone = true;
    // First the name, since closing waits for a write that hangs; and once more where an open file keeps its name.
    await rm(this.#names.temporary, { force: true }).catch(() => {});
    await this.#file.discard();
    await rm(this.#names.temporary, { force: true });
  }
}
