import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server, and fails as networks do. */
export class FaultyProxy {
  readonly #server: Server;
  readonly #pairs = new Set<{ readonly client: Socket; readonly server: Socket }>();
  readonly uri: string;
  /** Bytes of the server that reached the client, over all connections. */
  forwarded = 0;
  #frozen = false;
  #cutAt = Number.POSITIVE_INFINITY;
  #flipAt = Number.POSITIVE_INFINITY;

  private constructor(server: Server, uri: string) {
    this.#server = server;
    this.uri = uri;
  }

  /** `uri` is of a server that listens on TCP. */
  static async open(uri: string): Promise<FaultyProxy> {
    const target = new URL(uri);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    const own = new URL(uri);
    own.host = `127.0.0.1:${address.port}`;
    const proxy = new FaultyProxy(server, own.href);
    server.on('connection', (client) => {
      proxy.#join(client, connect({ host: target.hostname, port: Number(target.port || 5432) }));
    });
    return proxy;
  }

  /** Nothing goes through any more, in either direction, and nobody is told: as when a cable is pulled. */
  freeze(): void {
    this.#frozen = true;
    for (const { client, server } of this.#pairs) {
      client.pause();
      server.pause();
    }
  }

  /** Connections end at once with RST. */
  reset(): void {
    for (const { client, server } of this.#pairs) {
      client.resetAndDestroy();
      server.destroy();
    }
  }

  /** The client is told that the server has ended. */
  end(): void {
    for (const { client, server } of this.#pairs) {
      client.end();
      server.destroy();
    }
  }

  /** After so many more bytes of the server the connection ends: in the middle of a message, most often. */
  cutAfter(bytes: number): void {
    this.#cutAt = this.forwarded + bytes;
  }

  /** The type byte or length that lies so many bytes ahead is changed. */
  flipAfter(bytes: number): void {
    this.#flipAt = this.forwarded + bytes;
  }

  async close(): Promise<void> {
    for (const { client, server } of this.#pairs) {
      client.destroy();
      server.destroy();
    }
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, server: Socket): void {
    const pair = { client, server };
    this.#pairs.add(pair);
    if (this.#frozen) {
      client.pause();
      server.pause();
    }
    client.on('data', (bytes) => server.write(bytes));
    server.on('data', (bytes) => this.#forward(pair, bytes));
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        other.destroy();
        this.#pairs.delete(pair);
      });
    }
  }

  #forward({ client, server }: { readonly client: Socket; readonly server: Socket }, bytes: Buffer): void {
    const left = this.#cutAt - this.forwarded;
    if (left <= bytes.length) {
      client.end(bytes.subarray(0, left));
      this.forwarded += left;
      this.#cutAt = Number.POSITIVE_INFINITY;
      server.destroy();
      return;
    }
    const flip = this.#flipAt - this.forwarded;
    if (flip < bytes.length) {
      bytes[flip] = (bytes[flip] ?? 0) ^ 0xff;
      this.#flipAt = Number.POSITIVE_INFINITY;
    }
    this.forwarded += bytes.length;
    if (!client.write(bytes)) {
      server.pause();
      client.once('drain', () => {
        if (!this.#frozen) server.resume();
      });
    }
  }
}
