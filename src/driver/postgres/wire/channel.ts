import { connect, type Socket } from 'node:net';
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls';
import { RecurveError } from '../../../error.ts';
import { BodyReader, type Message, MessageType } from './message-reader.ts';
import { readReport, type ServerReport } from './report.ts';

/** Where a server listens: a TCP port or a socket in the file system. */
export type ServerAddress = { readonly host: string; readonly port: number } | { readonly path: string };

/** What takes rows where they lie: see {@link Channel.readRows}. */
export interface RowSink {
  /**
   * Takes complete messages of rows, one after the other, from `bytes[start, end)` and gives the offset of the first byte
   * that it did not take: the start of a message that is not whole or of another kind, or, once it is `full`, of any.
   * The bytes are overwritten afterwards.
   */
  take(bytes: Uint8Array, start: number, end: number): number;
  /** Whether it takes no more. */
  readonly full: boolean;
}

/** Told what the server says unasked. */
export interface ChannelListener {
  notice?(report: ServerReport): void;
  notification?(notification: Notification): void;
}

/** How a socket is opened. */
export interface ChannelOptions {
  readonly signal: AbortSignal;
  /** Idle time before the first keepalive; 0: the system's. Default: none are sent. */
  readonly keepAliveIdleMs?: number | undefined;
}

/** Of LISTEN and NOTIFY. */
export interface Notification {
  readonly processId: number;
  readonly channel: string;
  readonly payload: string;
}

/** Of one read. Linux gives a loopback connection up to this much at once. */
const readBytes = 256 * 1024;
/** Before it: where the beginning of a message waits for its rest. Longer ones are put together elsewhere. */
const headBytes = 32 * 1024;
/** First memory of a long message: its length is the peer's word, so memory grows with what has arrived. */
const firstLongBytes = 4 * 1024 * 1024;
/**
 * A server sends rows in pieces of 8 KB, and reading each as it comes wakes both sides for each. After the first bytes of a long
 * result a TCP socket is therefore left alone for a moment after a small read: 100 MB of rows took 0.77 of the time and a
 * sixth of the client's CPU. Not where the system holds little for the reader: over a local socket it took 1.5 of the time.
 */
const gatherMs = 1;
const gatherAfterBytes = 1024 * 1024;
const smallReadBytes = readBytes / 2;

type Request =
  | {
      readonly kind: 'message';
      readonly resolve: (message: Message) => void;
      readonly reject: (error: unknown) => void;
    }
  | {
      readonly kind: 'rows';
      readonly sink: RowSink;
      readonly resolve: (message: Message | undefined) => void;
      readonly reject: (error: unknown) => void;
    };

/**
 * A connection to a server as messages, read when asked for: until then the socket, and so the server, waits. One read is
 * outstanding at a time. Bytes are read into one buffer and rows are taken from it in place; only the beginning of a
 * message that is not whole is moved.
 *
 * Once the connection is broken every read and write rejects: with the server's last word where there was one.
 */
export class Channel {
  /** What the server reports of its settings, e.g. `server_version`; kept up to date. */
  readonly parameters: Map<string, string> = new Map();
  readonly address: ServerAddress;
  listener: ChannelListener = {};
  /** Longest message that is taken; default: what the protocol allows. A longer one breaks the connection. */
  messageLimit: number | undefined;
  /** Bytes received, since the start. */
  receivedBytes = 0;
  /** Bytes sent, since the start. */
  sentBytes = 0;
  #socket: Socket;
  #isSecure = false;
  readonly #memory: Uint8Array;
  /** Where unread bytes lie: in `#memory`, or in a long message's own. */
  #bytes: Uint8Array;
  #start = headBytes;
  #end = headBytes;
  #long: { bytes: Uint8Array; length: number; readonly target: number } | undefined;
  /** Of a TLS connection: what did not fit. */
  #backlog: Uint8Array[] = [];
  #request: Request | undefined;
  #paused = false;
  /** Bytes of rows since another message came. */
  #streamedBytes = 0;
  #gathering: NodeJS.Timeout | undefined;
  #failure: RecurveError | undefined;
  /** The server's farewell that came between statements: the next read gets it. */
  #farewell: Message | undefined;
  #closed: Promise<void>;
  #wakeByte: (() => void) | undefined;

  private constructor(socket: Socket, memory: Uint8Array, address: ServerAddress) {
    this.#socket = socket;
    this.#memory = memory;
    this.#bytes = memory;
    this.address = address;
    this.#closed = this.#watch(socket);
  }

  /** Opens a socket. Rejects with `signal.reason`, or IO where nothing listens. */
  static open(address: ServerAddress, { signal, keepAliveIdleMs }: ChannelOptions): Promise<Channel> {
    const memory = new Uint8Array(headBytes + readBytes);
    return new Promise<Channel>((resolve, reject) => {
      let channel: Channel | undefined;
      const socket = connect({
        ...address,
        noDelay: true,
        keepAlive: keepAliveIdleMs !== undefined,
        keepAliveInitialDelay: keepAliveIdleMs ?? 0,
        onread: {
          buffer: memory.subarray(headBytes),
          callback: (byteLength) => (channel === undefined ? true : channel.#arrive(byteLength)),
        },
      });
      const stop = (): void => {
        socket.destroy();
        reject(signal.reason);
      };
      const settle = (): void => {
        signal.removeEventListener('abort', stop);
        socket.removeListener('error', refuse);
      };
      const refuse = (error: Error): void => {
        settle();
        reject(toConnectError(error, address));
      };
      socket.once('error', refuse);
      socket.once('connect', () => {
        settle();
        channel = new Channel(socket, memory, address);
        resolve(channel);
      });
      signal.addEventListener('abort', stop, { once: true });
      if (signal.aborted) stop();
    });
  }

  /** Resolves when the socket is closed. */
  get closed(): Promise<void> {
    return this.#closed;
  }

  /** Why it cannot be used any more. */
  get failure(): RecurveError | undefined {
    return this.#failure;
  }

  /**
   * The one byte that answers an SSLRequest. More of them are not the server's (CVE-2021-23222): IO, unless the byte begins a
   * report of an error, which nobody goes on after.
   */
  async readByte(): Promise<number> {
    while (this.#start === this.#end) {
      if (this.#failure !== undefined) throw this.#failure;
      await new Promise<void>((resolve) => {
        this.#wakeByte = resolve;
      });
    }
    const byte = this.#bytes[this.#start] ?? 0;
    if (this.#end - this.#start > 1 && byte !== MessageType.ErrorResponse) {
      const error = new RecurveError('IO', 'bytes came before the encryption that they should be under', {
        hint: 'somebody may be interfering with the connection',
      });
      this.destroy(error);
      throw error;
    }
    this.#start = this.#end = headBytes;
    return byte;
  }

  /** Goes on over TLS. Rejects with what TLS says, the connection closed. */
  secure(options: ConnectionOptions, { signal }: { readonly signal: AbortSignal }): Promise<TLSSocket> {
    return new Promise((resolve, reject) => {
      const plain = this.#socket;
      const socket = connectTls({ ...options, socket: plain });
      const stop = (): void => {
        socket.destroy();
        reject(signal.reason);
      };
      const refuse = (error: Error): void => {
        signal.removeEventListener('abort', stop);
        reject(error);
      };
      signal.addEventListener('abort', stop, { once: true });
      socket.once('error', refuse);
      socket.once('close', () => refuse(closedError()));
      socket.once('secureConnect', () => {
        signal.removeEventListener('abort', stop);
        socket.removeListener('error', refuse);
        this.#socket = socket;
        this.#isSecure = true;
        this.#closed = this.#watch(socket);
        socket.on('data', (chunk: Uint8Array) => this.#feed(chunk));
        resolve(socket);
      });
    });
  }

  /** Resolves once the bytes are with the system and may be changed. */
  write(bytes: Uint8Array): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    this.sentBytes += bytes.length;
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (error) => {
        if (error) reject(this.#fail(error));
        else resolve();
      });
    });
  }

  /** Writes without waiting: a fault is told by the next read. */
  send(bytes: Uint8Array): void {
    this.write(bytes).catch(() => {});
  }

  /** The next message. What the server says unasked goes to `listener` and `parameters`. */
  readMessage(): Promise<Message> {
    return new Promise((resolve, reject) => this.#ask({ kind: 'message', resolve, reject }));
  }

  /** Gives rows to the sink until it is full (undefined) or another message comes. What the sink throws is passed on. */
  readRows(sink: RowSink): Promise<Message | undefined> {
    return new Promise((resolve, reject) => this.#ask({ kind: 'rows', sink, resolve, reject }));
  }

  /** Says good-bye, if it can be said, and closes. Resolves when the socket is closed. */
  async end(farewell?: Uint8Array): Promise<void> {
    if (this.#failure === undefined) {
      this.#failure = closedError();
      if (farewell === undefined) this.#socket.end();
      else this.#socket.end(farewell);
      this.#socket.resume();
      const timer = setTimeout(() => this.#socket.destroy(), 500);
      await this.#closed;
      clearTimeout(timer);
    }
    await this.#closed;
  }

  /** Closes at once; whoever reads gets `error`. */
  destroy(error: RecurveError): void {
    this.#fail(error);
    this.#socket.destroy();
  }

  /** Whether an idle connection keeps the process alive. */
  ref(alive: boolean): void {
    if (alive) this.#socket.ref();
    else this.#socket.unref();
  }

  /** Of the socket's own buffer. Gives whether more is wanted. */
  #arrive(byteLength: number): boolean {
    this.receivedBytes += byteLength;
    if (this.#long !== undefined) this.#extendLong(this.#memory, headBytes, headBytes + byteLength);
    else this.#end = headBytes + byteLength;
    const wantsMore = this.#run();
    this.#streamedBytes = this.#request?.kind === 'rows' ? this.#streamedBytes + byteLength : 0;
    const canGather = wantsMore && byteLength < smallReadBytes && this.#streamedBytes > gatherAfterBytes;
    return canGather && this.#gather() ? false : wantsMore;
  }

  /** Leaves the socket alone for a moment. False where that does not pay. */
  #gather(): boolean {
    if ('path' in this.address || this.#isSecure || this.#long !== undefined) return false;
    if (this.#gathering === undefined) this.#gathering = setTimeout(() => this.#socket.resume(), gatherMs);
    else this.#gathering.refresh();
    return true;
  }

  /** Of TLS: in pieces of what the buffer takes. */
  #feed(chunk: Uint8Array): void {
    if (this.#backlog.length > 0 || this.#paused) {
      this.#backlog.push(chunk);
      return;
    }
    for (let at = 0; at < chunk.length; ) {
      const piece = chunk.subarray(at, at + readBytes);
      this.#memory.set(piece, headBytes);
      at += piece.length;
      if (!this.#arrive(piece.length)) {
        if (at < chunk.length) this.#backlog.push(chunk.subarray(at));
        this.#socket.pause();
        return;
      }
    }
  }

  #ask(request: Request): void {
    if (this.#request !== undefined) {
      request.reject(new RecurveError('INTERNAL', 'two reads at once on one connection'));
      return;
    }
    if (this.#farewell !== undefined && this.#start === this.#end) {
      const farewell = this.#farewell;
      this.#farewell = undefined;
      request.resolve(farewell);
      return;
    }
    this.#request = request;
    if (!this.#paused) {
      if (this.#failure !== undefined) this.#settleFailure(this.#failure);
      return;
    }
    if (!this.#run()) return;
    const backlog = this.#backlog;
    this.#backlog = [];
    for (const chunk of backlog) this.#feed(chunk);
    if (this.#paused) return;
    if (this.#failure !== undefined) this.#settleFailure(this.#failure);
    else this.#socket.resume();
  }

  /** Serves the request from what is there. Gives whether the buffer is free for more; else the socket must wait. */
  #run(): boolean {
    if (this.#wakeByte !== undefined) {
      const wake = this.#wakeByte;
      this.#wakeByte = undefined;
      wake();
      return true;
    }
    try {
      this.#serve();
    } catch (error) {
      const request = this.#request;
      this.#request = undefined;
      this.#paused = true;
      // What nobody asked for and nobody can read: thrown here it would end the process.
      if (request === undefined) this.destroy(RecurveError.is(error) ? error : this.#explain(undefined));
      else request.reject(error);
      return false;
    }
    this.#paused = !this.#keepTail();
    return !this.#paused;
  }

  #serve(): void {
    for (;;) {
      const request = this.#request;
      if (request?.kind === 'rows') {
        const { sink } = request;
        if (sink.full) {
          this.#request = undefined;
          request.resolve(undefined);
          return;
        }
        this.#start = sink.take(this.#bytes, this.#start, this.#end);
        if (sink.full) continue;
      }
      const available = this.#end - this.#start;
      if (available < 5) return;
      const type = this.#bytes[this.#start] ?? 0;
      const byteLength = 1 + readUint32(this.#bytes, this.#start + 1);
      if (byteLength < 5 || byteLength > (this.messageLimit ?? 0x7fff_ffff)) {
        this.#giveUp(type, byteLength - 1);
        return;
      }
      if (available < byteLength) return;
      const isUnasked =
        type === MessageType.NoticeResponse ||
        type === MessageType.ParameterStatus ||
        type === MessageType.NotificationResponse;
      if (!isUnasked && request === undefined && type !== MessageType.ErrorResponse) return;
      const body = this.#bytes.slice(this.#start + 5, this.#start + byteLength);
      if (request === undefined && !isUnasked && !isFatal(readReport(body))) return;
      if (isUnasked) {
        this.#start += byteLength;
        this.#hear(type, body);
      } else if (request === undefined) {
        // The socket closes next.
        this.#start += byteLength;
        this.#farewell = { type, body };
      } else {
        if (request.kind === 'rows' && (type === MessageType.DataRow || type === MessageType.CopyData)) {
          throw new RecurveError('INTERNAL', 'a whole row was not taken');
        }
        this.#start += byteLength;
        this.#request = undefined;
        request.resolve({ type, body });
        // Without a request nothing but what comes unasked is read: see above.
        if (this.#start === this.#end) return;
      }
    }
  }

  /** Moves what is not whole to where the next read continues it. False: what is there waits for a request. */
  #keepTail(): boolean {
    const tail = this.#end - this.#start;
    if (tail === 0) {
      this.#bytes = this.#memory;
      this.#start = this.#end = headBytes;
      return true;
    }
    const needed = tail < 5 ? 5 : 1 + readUint32(this.#bytes, this.#start + 1);
    if (tail >= needed) return false;
    if (tail <= headBytes && needed <= headBytes + readBytes) {
      this.#memory.set(this.#bytes.subarray(this.#start, this.#end), headBytes - tail);
      this.#bytes = this.#memory;
      this.#start = headBytes - tail;
      this.#end = headBytes;
      return true;
    }
    const bytes = new Uint8Array(Math.min(needed, Math.max(firstLongBytes, tail * 2)));
    bytes.set(this.#bytes.subarray(this.#start, this.#end));
    this.#long = { bytes, length: tail, target: needed };
    this.#bytes = this.#memory;
    this.#start = this.#end = headBytes;
    return true;
  }

  /** Puts what arrived behind a long message's beginning; when it is whole, it is what is read next. */
  #extendLong(source: Uint8Array, start: number, end: number): void {
    const long = this.#long;
    if (long === undefined) return;
    const needed = long.length + (end - start);
    if (needed > long.bytes.length) {
      // Whatever follows the message in this read comes along, at its end.
      const size = needed >= long.target ? needed : Math.max(needed, Math.min(long.target, long.bytes.length * 4));
      const grown = new Uint8Array(size);
      grown.set(long.bytes.subarray(0, long.length));
      long.bytes = grown;
    }
    long.bytes.set(source.subarray(start, end), long.length);
    long.length = needed;
    if (needed < long.target) {
      this.#start = this.#end = headBytes;
      return;
    }
    this.#long = undefined;
    this.#bytes = long.bytes;
    this.#start = 0;
    this.#end = needed;
  }

  #hear(type: number, body: Uint8Array): void {
    if (type === MessageType.NoticeResponse) {
      this.listener.notice?.(readReport(body));
      return;
    }
    const reader = new BodyReader(body);
    if (type === MessageType.ParameterStatus) this.parameters.set(reader.text(), reader.text());
    else {
      const processId = reader.int32();
      this.listener.notification?.({ processId, channel: reader.text(), payload: reader.text() });
    }
  }

  #watch(socket: Socket): Promise<void> {
    return new Promise((resolve) => {
      socket.on('error', (error) => this.#fail(error));
      socket.on('close', () => {
        // A socket that TLS has taken over closes with it.
        if (this.#socket === socket) this.#fail(undefined);
        clearTimeout(this.#gathering);
        resolve();
      });
    });
  }

  #fail(error: Error | undefined): RecurveError {
    this.#failure ??= this.#explain(error);
    this.#wakeByte?.();
    this.#wakeByte = undefined;
    // What has arrived is read first.
    if (!this.#paused) this.#settleFailure(this.#failure);
    return this.#failure;
  }

  #settleFailure(error: RecurveError): void {
    const request = this.#request;
    this.#request = undefined;
    request?.reject(error);
  }

  #explain(error: Error | undefined): RecurveError {
    if (RecurveError.is(error)) return error;
    if (this.#farewell !== undefined) {
      const { message, code } = readReport(this.#farewell.body);
      return new RecurveError('IO', `the server closed the connection: ${message}`, { sqlState: code });
    }
    const why = error === undefined ? 'the server closed the connection' : `the connection broke: ${error.message}`;
    return new RecurveError('IO', why, { hint: 'connect again', cause: error });
  }

  /** Of bytes that are no message: nothing of what is there can be read. */
  #giveUp(type: number, length: number): void {
    const shown = `0x${type.toString(16).padStart(2, '0')}`;
    this.#start = this.#end = headBytes;
    this.#paused = false;
    this.destroy(
      new RecurveError('IO', `the server broke the protocol: message ${shown} of ${length} bytes`, {
        hint: 'is it a PostgreSQL server?',
      }),
    );
  }
}

function readUint32(bytes: Uint8Array, offset: number): number {
  return (
    (((bytes[offset] ?? 0) << 24) |
      ((bytes[offset + 1] ?? 0) << 16) |
      ((bytes[offset + 2] ?? 0) << 8) |
      (bytes[offset + 3] ?? 0)) >>>
    0
  );
}

/** After it the server closes the connection. */
function isFatal({ severity }: ServerReport): boolean {
  return severity === 'FATAL' || severity === 'PANIC';
}

function closedError(): RecurveError {
  return new RecurveError('IO', 'the connection is closed');
}

function toConnectError(error: Error, address: ServerAddress): RecurveError {
  const where = 'path' in address ? address.path : `${address.host}:${address.port}`;
  return new RecurveError('IO', `cannot connect to ${where}: ${error.message}`, {
    hint: 'is the server running, and does it listen there?',
    exitCode: 3,
    cause: error,
  });
}
