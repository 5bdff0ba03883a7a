import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between a client and a server and counts how often the client speaks, waits and is answered. */
export class CountingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  /** As the client must be given it: the server's own with the address of the proxy. */
  readonly uri: string;
  /** Flights of the client: bytes that it sent after bytes of the server, or first of all. Each that is answered is a round trip. */
  flights = 0;
  /** Connections that were made. */
  connections = 0;

  private constructor(server: Server, uri: string) {
    this.#server = server;
    this.uri = uri;
  }

  /** `uri` is of a server that listens on TCP. */
  static async open(uri: string): Promise<CountingProxy> {
    const { hostname, port } = new URL(uri);
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('the proxy has no port');
    const own = new URL(uri);
    own.host = `127.0.0.1:${address.port}`;
    const proxy = new CountingProxy(server, own.href);
    server.on('connection', (client) => proxy.#join(client, connect({ host: hostname, port: Number(port || 5432) })));
    return proxy;
  }

  /** The flights that `work` needs. */
  async count(work: () => Promise<unknown>): Promise<number> {
    const before = this.flights;
    await work();
    return this.flights - before;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  #join(client: Socket, server: Socket): void {
    this.connections++;
    let isClientsTurn = true;
    client.on('data', (bytes) => {
      if (isClientsTurn) this.flights++;
      isClientsTurn = false;
      server.write(bytes);
    });
    server.on('data', (bytes) => {
      isClientsTurn = true;
      client.write(bytes);
    });
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', () => other.destroy());
      socket.on('end', () => other.end());
      socket.on('close', () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
  }
}
