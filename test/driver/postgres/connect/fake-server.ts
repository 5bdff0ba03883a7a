import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';

/** What a fake server does with one connection. */
export type Script = (peer: FakePeer) => Promise<void> | void;

/** The server's end of one connection: reads what the client sends, and sends whatever it is told. */
export class FakePeer {
  readonly socket: Socket;
  #pending: Uint8Array = new Uint8Array(0);

  constructor(socket: Socket) {
    this.socket = socket;
    socket.on('error', () => {});
  }

  /** The next `byteLength` bytes. */
  async read(byteLength: number): Promise<Buffer> {
    while (this.#pending.length < byteLength) {
      const chunk: unknown = this.socket.read();
      if (chunk instanceof Uint8Array) this.#pending = Buffer.concat([this.#pending, chunk]);
      else if (this.socket.readableEnded || this.socket.destroyed) throw new Error('the client has gone');
      else await Promise.race([once(this.socket, 'readable'), once(this.socket, 'close')]);
    }
    const taken = Buffer.from(this.#pending.subarray(0, byteLength));
    this.#pending = this.#pending.subarray(byteLength);
    return taken;
  }

  /** A message without a type byte: its code and what follows. */
  async readStartup(): Promise<{ readonly code: number; readonly body: Buffer }> {
    const length = (await this.read(4)).readInt32BE();
    const rest = await this.read(length - 4);
    return { code: rest.readInt32BE(), body: rest.subarray(4) };
  }

  /** Refuses TLS, if it is asked for, and reads the start-up message. */
  async readStartupInTheClear(): Promise<Map<string, string>> {
    let message = await this.readStartup();
    if (message.code === 80_877_103) {
      this.socket.write('N');
      message = await this.readStartup();
    }
    const words = message.body.toString('utf8').split('\0');
    const parameters = new Map([['protocol', `${message.code >>> 16}.${message.code & 0xffff}`]]);
    for (let index = 0; index + 1 < words.length && words[index] !== ''; index += 2) {
      parameters.set(words[index] ?? '', words[index + 1] ?? '');
    }
    return parameters;
  }

  /** A message with a type byte; gives its body. */
  async readMessage(): Promise<Buffer> {
    const head = await this.read(5);
    return this.read(head.readInt32BE(1) - 4);
  }

  send(type: string, ...parts: readonly (string | Uint8Array | number)[]): void {
    this.socket.write(message(type, ...parts));
  }

  /** Everything from AuthenticationOk on. */
  letIn({ version = '18.4', key = Buffer.from([1, 2, 3, 4]) }: { version?: string; key?: Uint8Array } = {}): void {
    this.socket.write(
      Buffer.concat([
        message('R', 0),
        message('S', 'server_version\0', `${version}\0`),
        message('K', 4711, key),
        message('Z', 'I'),
      ]),
    );
  }
}

/** A message of the server's; numbers are int32. */
export function message(type: string, ...parts: readonly (string | Uint8Array | number)[]): Buffer {
  const body = Buffer.concat(
    parts.map((part) => {
      if (typeof part !== 'number') return Buffer.from(part);
      const bytes = Buffer.alloc(4);
      bytes.writeInt32BE(part);
      return bytes;
    }),
  );
  const head = Buffer.alloc(5);
  head.write(type);
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}

/** An ErrorResponse. */
export function report(code: string, text: string, severity = 'FATAL'): Buffer {
  return message('E', `S${severity}\0V${severity}\0C${code}\0M${text}\0\0`);
}

/** A server on a port of its own that plays a script for each connection. */
export class FakeServer implements AsyncDisposable {
  readonly port: number;
  /** Connections so far. */
  connections = 0;
  /** What scripts threw, but for clients that went. */
  readonly faults: unknown[] = [];
  readonly #server: Server;
  readonly #sockets: Set<Socket>;

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    const address = server.address();
    this.port = typeof address === 'object' && address !== null ? address.port : 0;
  }

  static async start(script: Script): Promise<FakeServer> {
    const sockets = new Set<Socket>();
    let fake: FakeServer | undefined;
    const server = createServer((socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
      if (fake !== undefined) fake.connections++;
      void (async () => script(new FakePeer(socket)))()
        .catch((error: unknown) => {
          if (!socket.destroyed && !socket.readableEnded) fake?.faults.push(error);
        })
        // Without reading on, it would not see the client go.
        .finally(() => socket.resume());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    fake = new FakeServer(server, sockets);
    return fake;
  }

  /** Connections that are open at this moment. */
  get openConnections(): number {
    return this.#sockets.size;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }
}
