/** PostgreSQL's wire with nothing behind it: the bytes of a result are received and dropped. The floors of the suite `postgres`. */
import { connect, type Socket } from 'node:net';
import { RecurveError } from 'recurve/arrow';

/** Linux gives a loopback connection up to this much at once. */
const readBytes = 256 * 1024;

/** ReadyForQuery outside of a transaction: what every answer ends with. */
const ready = [0x5a, 0, 0, 0, 5, 0x49];

export interface BareSocketOptions {
  /**
   * Whether to leave the socket alone for a millisecond after a small read of a long answer, so that more is there for the
   * next: fewer reads of more bytes each, and fewer wake-ups of both sides.
   */
  readonly gather?: boolean;
}

/** A connection that sends bytes and knows of the answer only how long it is and where it ends. */
export class BareSocket {
  readonly #socket: Socket;
  readonly #buffer: Uint8Array;
  readonly #gather: boolean;
  readonly #tail = new Uint8Array(6);
  #byteLength = 0;
  #answered: ((error?: Error) => void) | undefined;
  /** Told of each piece, which is overwritten afterwards. */
  onPiece: ((piece: Uint8Array) => void) | undefined;

  private constructor(socket: Socket, buffer: Uint8Array, gather: boolean) {
    this.#socket = socket;
    this.#buffer = buffer;
    this.#gather = gather;
  }

  /**
   * Connects and starts up, as far as the first ReadyForQuery. Throws UNAUTHENTICATED where the server asks for a password:
   * a floor has none.
   */
  static async open(uri: string, { gather = false }: BareSocketOptions = {}): Promise<BareSocket> {
    const { hostname, port, username, pathname } = new URL(uri);
    const buffer = new Uint8Array(readBytes);
    let bare: BareSocket | undefined;
    const socket = connect({
      host: hostname,
      port: Number(port || 5432),
      noDelay: true,
      onread: { buffer, callback: (byteLength) => bare?.arrive(byteLength) ?? true },
    });
    bare = new BareSocket(socket, buffer, gather);
    socket.on('error', (error) => bare?.answer(error));
    socket.on('close', () => bare?.answer(new RecurveError('IO', 'the server closed the bare socket')));
    const words = ['user', decodeURIComponent(username), 'database', pathname.slice(1), ''];
    await bare.exchange(message('', int32(196_608), ...words.map(text)));
    return bare;
  }

  /** Sends and gives the length of the answer, when it is complete. */
  async exchange(bytes: Uint8Array): Promise<number> {
    this.#byteLength = 0;
    const answered = new Promise<void>((resolve, reject) => {
      this.#answered = (error) => (error === undefined ? resolve() : reject(error));
    });
    this.#socket.write(bytes);
    await answered;
    return this.#byteLength;
  }

  close(): void {
    this.#socket.end(message('X'));
  }

  arrive(byteLength: number): boolean {
    const piece = this.#buffer.subarray(0, byteLength);
    if (this.#byteLength === 0) this.#check(piece);
    this.#byteLength += byteLength;
    this.onPiece?.(piece);
    const tail = this.#tail;
    if (byteLength < tail.length) tail.copyWithin(0, byteLength);
    tail.set(piece.subarray(-tail.length), Math.max(0, tail.length - byteLength));
    if (ready.every((byte, i) => tail[i] === byte)) this.answer();
    else if (this.#gather && this.#byteLength > 2 ** 20 && byteLength < readBytes / 2) {
      setTimeout(() => this.#socket.resume(), 1);
      return false;
    }
    return true;
  }

  answer(error?: Error): void {
    this.#answered?.(error);
    this.#answered = undefined;
  }

  /** The first message of an answer: an error, or a request for a password. */
  #check(piece: Uint8Array): void {
    if (piece[0] === 0x45) {
      const fields = new TextDecoder().decode(piece.subarray(5)).split('\0');
      this.answer(new RecurveError('IO', `the bare socket got an error: ${fields.join(' ')}`));
    } else if (piece[0] === 0x52 && piece[8] !== 0) {
      this.answer(
        new RecurveError('UNAUTHENTICATED', 'the server wants a password, and a bare socket has none', {
          hint: 'let the server trust this machine',
        }),
      );
    }
  }
}

/** A query by the extended protocol, results in binary, in one write. */
export function extendedQuery(sql: string): Uint8Array {
  return Buffer.concat([
    message('P', text(''), text(sql), int16(0)),
    // Portal, statement, no parameters, one format for all columns: binary.
    message('B', text(''), text(''), int16(0), int16(0), int16(1), int16(1)),
    message('D', text('P')),
    message('E', text(''), int32(0)),
    message('S'),
  ]);
}

/** A query by the simple protocol. */
export function simpleQuery(sql: string): Uint8Array {
  return message('Q', text(sql));
}

/** A message of one type byte, or of none. */
export function message(type: string, ...parts: readonly Uint8Array[]): Uint8Array {
  const body = Buffer.concat(parts);
  return Buffer.concat([Buffer.from(type), int32(body.length + 4), body]);
}

function text(value: string): Uint8Array {
  return Buffer.from(`${value}\0`);
}

function int16(value: number): Uint8Array {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Uint8Array {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}
