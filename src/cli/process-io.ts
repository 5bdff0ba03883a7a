import { fstatSync, write } from 'node:fs';
import { isatty } from 'node:tty';
import { RecurveError } from '../error.ts';
import type { CommandIo, Terminal } from './io.ts';
import { type WriteSome, writeError, writeFully } from './output.ts';

/** The signals that end a command, with the exit codes that shells give them. */
const endings = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;

/**
 * The real process. The first interrupt fires `signal`, so that the source is told and files are removed; a second one
 * ends the process at once.
 */
export function processIo(): CommandIo {
  const controller = new AbortController();
  for (const [name, exitCode] of Object.entries(endings)) {
    process.once(name, () => {
      const message = name === 'SIGINT' ? 'interrupted' : `ended by ${name}`;
      controller.abort(new RecurveError('CANCELLED', message, { exitCode }));
    });
  }
  // Without a listener a file that grows over its limit (ulimit -f) ends the process; with one the write fails.
  process.on('SIGXFSZ', () => {});
  return {
    stdin: {
      isTerminal: isatty(0),
      [Symbol.asyncIterator]: () => process.stdin[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>,
    },
    stdout: standardOutput(),
    stderr: standardError(),
    env: process.env,
    signal: controller.signal,
  };
}

function standardOutput(): Terminal {
  const { stdout } = process;
  const name = 'standard output';
  // A write's own callback reports the error too; without a listener the event would end the process.
  stdout.on('error', () => {});
  const writeSome = descriptorWriter(1);
  const write = isFile(1)
    ? (bytes: Uint8Array) => writeFully(writeSome, bytes)
    : (bytes: Uint8Array) =>
        new Promise<void>((done, failed) => {
          stdout.write(bytes, (error) => (error ? failed(error) : done()));
        });
  return {
    isTerminal: stdout.isTTY === true,
    get columns() {
      // Some pseudo-terminals say 0.
      return stdout.columns || undefined;
    },
    async write(bytes) {
      try {
        await write(bytes);
      } catch (error) {
        throw writeError(name, isGone(error) ? Object.assign(error, { code: 'EPIPE', syscall: 'write' }) : error);
      }
    },
  };
}

/** What is said on a standard error that nobody reads, or that is full, is lost without harm to the data. */
function standardError(): Terminal {
  const { stderr } = process;
  stderr.on('error', () => {});
  return {
    isTerminal: stderr.isTTY === true,
    get columns() {
      return stderr.columns || undefined;
    },
    write: (bytes) => new Promise((done) => stderr.write(bytes, () => done())),
  };
}

/** Node tells of a pipe without a reader as `EPIPE` at first and then as a stream that was destroyed. */
function isGone(error: unknown): error is Error {
  return (
    error instanceof Error && 'code' in error && (error.code === 'ERR_STREAM_DESTROYED' || error.code === 'ECONNRESET')
  );
}

/** Node's own stream for a file takes a short write, as on a disk that fills up, for a whole one. */
function isFile(descriptor: number): boolean {
  const kind = fstatSync(descriptor);
  return kind.isFile() || (kind.isCharacterDevice() && !isatty(descriptor));
}

function descriptorWriter(descriptor: number): WriteSome {
  return (bytes, offset) =>
    new Promise((done, failed) => {
      write(descriptor, bytes, offset, bytes.length - offset, null, (error, bytesWritten) => {
        if (error === null) done(bytesWritten);
        else failed(error);
      });
    });
}

/**
 * Ends the process although a native call holds a thread, for which `process.exit` would wait: an interrupt by its own
 * signal, which shells tell as the same code; else by becoming a shell that exits with `code`. Where Node cannot do that
 * (before 22.15, and on Windows) by SIGKILL, which is 137.
 */
export function endAtOnce(code: number): void {
  const [signal] = Object.entries(endings).find((ending) => ending[1] === code) ?? ['SIGKILL'];
  if (signal !== 'SIGKILL') process.removeAllListeners(signal);
  else if ('execve' in process && typeof process.execve === 'function') {
    process.execve('/bin/sh', ['sh', '-c', `exit ${code}`]);
  }
  process.kill(process.pid, signal);
}

/** Waits until what was written to standard error has gone out; standard output's writes wait for themselves. */
export async function settle(): Promise<void> {
  await new Promise<void>((done) => process.stderr.write('', () => done()));
}
