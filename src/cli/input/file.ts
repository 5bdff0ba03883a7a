import { createWriteStream } from 'node:fs';
import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { raceReason } from '../../arrow/ipc/abort.ts';
import type { ByteRangeSource } from '../../arrow/ipc/file-range-reader.ts';
import { readRange } from '../../driver/file-range.ts';
import { RecurveError } from '../../error.ts';
import { systemCode } from '../failure.ts';
import type { Input } from '../io.ts';
import { writeError } from '../output.ts';
import { headBytes } from './format.ts';

/** Bytes of a read where all of a file is read. */
const chunkBytes = 1 << 20;

/** A file to read, or a stream of bytes such as standard input. */
export interface InputFile {
  /** As in errors: the quoted name, or `standard input`. */
  readonly name: string;
  /** As it was given: `-` for standard input. */
  readonly given: string;
  /** The first bytes, 8 at most. */
  readonly head: Uint8Array;
  /** The bytes from front to back, once. */
  stream(): AsyncIterable<Uint8Array>;
  /** A file on a disk with these bytes: itself, or a copy in the folder for temporary files, which `close` removes. */
  spool(): Promise<SeekableFile>;
  close(): Promise<void>;
}

/** A file that can be read anywhere. */
export interface SeekableFile extends ByteRangeSource {
  /** Absolute. */
  readonly path: string;
}

/**
 * Opens a file, or standard input for `-`; what is no regular file, such as a pipe, is read as a stream. Errors name the
 * file: NOT_FOUND, UNAUTHORIZED, INVALID_ARGUMENT for a folder, all of exit code 1.
 */
export async function openInput(given: string, stdin: Input, signal: AbortSignal): Promise<InputFile> {
  if (given === '-') return StreamFile.open('standard input', given, stdin[Symbol.asyncIterator](), signal);
  const name = JSON.stringify(given);
  const handle = await open(given).catch((error: unknown) => {
    throw readError(name, error);
  });
  try {
    const stats = await handle.stat();
    if (stats.isDirectory()) {
      throw new RecurveError('INVALID_ARGUMENT', `cannot read ${name}: it is a folder`, { exitCode: 1 });
    }
    if (stats.isFile()) {
      const head = await readRange(handle, 0, Math.min(headBytes, stats.size));
      return new DiskFile(given, { handle, size: stats.size, head });
    }
    const chunks = handle.createReadStream({ highWaterMark: chunkBytes });
    return await StreamFile.open(name, given, chunks[Symbol.asyncIterator](), signal);
  } catch (error) {
    await handle.close().catch(() => {});
    throw readError(name, error);
  }
}

/** The error for a read of `name` that failed, in one line. */
function readError(name: string, error: unknown): unknown {
  const code = systemCode(error);
  if (code === undefined) return error;
  const known = { ENOENT: 'there is no such file', ENOTDIR: 'its folder is a file', EACCES: 'permission denied' };
  const reason = known[code as keyof typeof known] ?? (error as Error).message;
  const status = code === 'ENOENT' || code === 'ENOTDIR' ? 'NOT_FOUND' : 'IO';
  return new RecurveError(status, `cannot read ${name}: ${reason}`, { exitCode: 1, cause: error });
}

/** An error, of a system call too, with the file's name in front. */
export function nameError(thrown: unknown, name: string): unknown {
  const error = readError(name, thrown);
  if (!RecurveError.is(error) || error.message.includes(name) || error.exitCode === 2) return error;
  if (error.status === 'CANCELLED' || error.status === 'TIMEOUT') return error;
  const { status, message, hint, sqlState, vendorCode, details, exitCode } = error;
  const more = { hint, sqlState, vendorCode, details, exitCode, cause: error };
  return new RecurveError(status, `${name}: ${message}`, more);
}

/** A regular file. */
class DiskFile implements InputFile {
  readonly name: string;
  readonly given: string;
  readonly head: Uint8Array;
  readonly #handle: FileHandle;
  readonly #size: number;

  constructor(given: string, file: { readonly handle: FileHandle; readonly size: number; readonly head: Uint8Array }) {
    this.name = JSON.stringify(given);
    this.given = given;
    this.head = file.head;
    this.#handle = file.handle;
    this.#size = file.size;
  }

  async *stream(): AsyncIterable<Uint8Array> {
    for (let at = 0; ; ) {
      const { buffer, bytesRead } = await this.#handle.read(new Uint8Array(chunkBytes), 0, chunkBytes, at);
      if (bytesRead === 0) return;
      at += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  async spool(): Promise<SeekableFile> {
    return seekable(this.#handle, resolve(this.given), this.#size);
  }

  close(): Promise<void> {
    return this.#handle.close();
  }
}

/** Bytes that come once, whose first ones were taken off to look at. */
class StreamFile implements InputFile {
  readonly name: string;
  readonly given: string;
  readonly head: Uint8Array;
  readonly #first: readonly Uint8Array[];
  readonly #rest: AsyncIterator<Uint8Array>;
  readonly #signal: AbortSignal;
  #copy: { readonly folder: string; readonly handle: FileHandle } | undefined;

  private constructor(
    names: { readonly name: string; readonly given: string },
    first: readonly Uint8Array[],
    rest: AsyncIterator<Uint8Array>,
    signal: AbortSignal,
  ) {
    this.name = names.name;
    this.given = names.given;
    this.#first = first;
    this.#rest = rest;
    this.#signal = signal;
    this.head = Uint8Array.from(Buffer.concat(first).subarray(0, headBytes));
  }

  static async open(
    name: string,
    given: string,
    chunks: AsyncIterator<Uint8Array>,
    signal: AbortSignal,
  ): Promise<StreamFile> {
    const first: Uint8Array[] = [];
    for (let length = 0; length < headBytes; ) {
      const next = await raceReason(chunks.next(), signal);
      if (next.done === true) break;
      first.push(next.value);
      length += next.value.length;
    }
    return new StreamFile({ name, given }, first, chunks, signal);
  }

  async *stream(): AsyncIterable<Uint8Array> {
    yield* this.#first;
    for (;;) {
      const next = await raceReason(this.#rest.next(), this.#signal);
      if (next.done === true) return;
      yield next.value;
    }
  }

  async spool(): Promise<SeekableFile> {
    const folder = await mkdtemp(join(tmpdir(), 'recurve-input-'));
    const path = join(folder, 'input');
    try {
      const from = Readable.from(this.stream(), { objectMode: false, highWaterMark: chunkBytes });
      await pipeline(from, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal: this.#signal });
      const handle = await open(path);
      this.#copy = { folder, handle };
      return seekable(handle, path, (await handle.stat()).size);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw this.#signal.aborted ? this.#signal.reason : writeError(path, error);
    }
  }

  async close(): Promise<void> {
    await this.#copy?.handle.close();
    if (this.#copy !== undefined) await rm(this.#copy.folder, { recursive: true, force: true });
    // Not awaited: a read of a pipe into which nothing comes ends with the process only.
    this.#rest.return?.()?.catch(() => {});
  }
}

function seekable(handle: FileHandle, path: string, size: number): SeekableFile {
  return { path, size, read: (offset, length) => readRange(handle, offset, length) };
}
