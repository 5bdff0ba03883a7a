import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { Channel, type RowSink } from '../../../../src/driver/postgres/wire/channel.ts';
import { RecurveError } from '../../../../src/error.ts';

const servers: Server[] = [];
after(() => {
  for (const server of servers) server.close();
});

/** A channel to a server that does this with each connection. */
async function connectTo(serve: (socket: Socket) => void): Promise<Channel> {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    serve(socket);
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return Channel.open({ host: '127.0.0.1', port }, { signal: AbortSignal.timeout(5000) });
}

/** A message: its type byte, its length with itself, its body. */
function message(type: string, body: Uint8Array | string = ''): Buffer {
  const bytes = Buffer.from(body);
  const head = Buffer.alloc(5);
  head.write(type, 'latin1');
  head.writeInt32BE(bytes.length + 4, 1);
  return Buffer.concat([head, bytes]);
}

/** Notes the bodies of rows; full after `limit` of them. */
function collect(limit = Number.POSITIVE_INFINITY): RowSink & { readonly rows: string[] } {
  const rows: string[] = [];
  return {
    rows,
    get full() {
      return rows.length >= limit;
    },
    take: (bytes, start, end) => {
      let at = start;
      while (rows.length < limit && end - at >= 5 && bytes[at] === 0x44) {
        const length = new DataView(bytes.buffer, bytes.byteOffset + at + 1).getInt32(0);
        if (end - at < 1 + length) break;
        rows.push(Buffer.from(bytes.subarray(at + 5, at + 1 + length)).toString('latin1'));
        at += 1 + length;
      }
      return at;
    },
  };
}

const rows = Array.from({ length: 300 }, (_, i) => `${i}-${'x'.repeat((i * 37) % 900)}`);
const stream = Buffer.concat([
  message('T', 'columns'),
  ...rows.map((row) => message('D', row)),
  message('C', 'SELECT\0'),
]);

/** Writes pieces one after the other, each a read of its own as far as that can be had. */
async function writePieces(socket: Socket, bytes: Uint8Array, size: number): Promise<void> {
  socket.setNoDelay(true);
  for (let at = 0; at < bytes.length; at += size) {
    socket.write(bytes.subarray(at, at + size));
    await new Promise(setImmediate);
  }
}

for (const size of [1, 2, 3, 7, 64, 4096, stream.length]) {
  const part = size < 7 ? stream.subarray(0, 6000 * size) : stream;
  test(`messages and rows are the same whatever the pieces in which they come: ${size} bytes`, async () => {
    const channel = await connectTo((socket) => {
      writePieces(socket, part, size).catch(() => {});
    });
    const head = await channel.readMessage();
    assert.deepEqual([head.type, Buffer.from(head.body).toString()], [0x54, 'columns']);
    const sink = collect();
    if (part === stream) {
      const tail = await channel.readRows(sink);
      assert.equal(tail?.type, 0x43);
      assert.deepEqual(sink.rows, rows);
    } else {
      const some = collect(10);
      assert.equal(await channel.readRows(some), undefined);
      assert.deepEqual(some.rows, rows.slice(0, 10));
    }
    await channel.end();
  });
}

test('rows wait, and with them the server, while nobody reads', async () => {
  let sent = 0;
  const row = message('D', 'y'.repeat(10_000));
  const channel = await connectTo((socket) => {
    const write = (): void => {
      while (sent < 200e6) {
        sent += row.length;
        if (!socket.write(row)) {
          socket.once('drain', write);
          return;
        }
      }
    };
    write();
  });
  const sink = collect(5);
  assert.equal(await channel.readRows(sink), undefined);
  await new Promise((resolve) => setTimeout(resolve, 200));
  assert.ok(channel.receivedBytes < 1e6, `${channel.receivedBytes} bytes were read ahead`);
  const more = collect(2000);
  assert.equal(await channel.readRows(more), undefined);
  assert.equal(more.rows.length, 2000);
  await channel.end();
});

test('a message longer than the buffer is put together, with what follows it', async () => {
  const long = 'z'.repeat(9_000_000);
  const channel = await connectTo((socket) => {
    socket.write(Buffer.concat([message('D', 'first'), message('D', long), message('D', 'last'), message('Z', 'I')]));
  });
  const sink = collect();
  assert.equal((await channel.readRows(sink))?.type, 0x5a);
  assert.deepEqual(
    sink.rows.map((row) => row.length),
    [5, long.length, 4],
  );
  await channel.end();
});

test('what the server says unasked is heard and is no answer', async () => {
  const heard: string[] = [];
  const channel = await connectTo((socket) => {
    setTimeout(() => {
      socket.write(
        Buffer.concat([
          message('S', 'TimeZone\0UTC\0'),
          message('N', 'SNOTICE\0C00000\0Mhello\0\0'),
          message('A', '\0\0\0\x07jobs\0ready\0'),
          message('Z', 'I'),
        ]),
      );
    }, 50);
  });
  channel.listener = {
    notice: ({ message: text }) => heard.push(text),
    notification: ({ processId, channel: name, payload }) => heard.push(`${processId} ${name} ${payload}`),
  };
  assert.equal((await channel.readMessage()).type, 0x5a);
  assert.equal(channel.parameters.get('TimeZone'), 'UTC');
  assert.deepEqual(heard, ['hello', '7 jobs ready']);
  await channel.end();
});

test('a connection that breaks rejects whoever reads, once all that came has been read, and every later call', async () => {
  const channel = await connectTo((socket) => {
    socket.end(Buffer.concat([message('D', 'a'), message('D', 'b')]));
  });
  const sink = collect(1);
  assert.equal(await channel.readRows(sink), undefined);
  const rest = collect();
  await assert.rejects(channel.readRows(rest), (error) => RecurveError.is(error) && error.status === 'IO');
  assert.deepEqual(rest.rows, ['b']);
  await assert.rejects(channel.readMessage(), /closed the connection/);
  await assert.rejects(channel.write(Buffer.from('x')), /closed the connection/);
});

test("the server's last word between statements is told by the next call", async () => {
  const channel = await connectTo((socket) => {
    socket.end(message('E', 'SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0'));
  });
  await channel.closed;
  const { type, body } = await channel.readMessage();
  assert.equal(type, 0x45);
  assert.match(Buffer.from(body).toString(), /57P01.*administrator command/s);
  await assert.rejects(channel.readMessage(), (error) => RecurveError.is(error) && error.status === 'IO');
});

test('bytes that are no message end in an error, not in a wait', async () => {
  for (const bytes of ['HTTP/1.1 400 Bad Request\r\n', 'D\0\0\0\x03xxxxx', 'D\xff\xff\xff\xff']) {
    const channel = await connectTo((socket) => {
      socket.write(Buffer.from(bytes, 'latin1'));
      setTimeout(() => socket.end(), 100);
    });
    await assert.rejects(channel.readMessage(), (error) => RecurveError.is(error) && error.status === 'IO');
    await channel.end();
  }
});

test('what a sink throws is thrown to its caller, and the rows can be passed over', async () => {
  const channel = await connectTo((socket) => {
    socket.write(Buffer.concat([message('D', 'a'), message('D', 'b'), message('Z', 'I')]));
  });
  const failing: RowSink = {
    full: false,
    take: () => {
      throw new RangeError('no');
    },
  };
  await assert.rejects(channel.readRows(failing), /^RangeError: no$/);
  const sink = collect();
  assert.equal((await channel.readRows(sink))?.type, 0x5a);
  assert.deepEqual(sink.rows, ['a', 'b']);
  await channel.end();
});

test('connecting where nothing listens is IO with the place', async () => {
  const channel = Channel.open({ host: '127.0.0.1', port: 1 }, { signal: AbortSignal.timeout(5000) });
  await assert.rejects(
    channel,
    (error) => RecurveError.is(error) && error.status === 'IO' && /127\.0\.0\.1:1\b/.test(error.message),
  );
});

test('connecting is stopped by its signal', async () => {
  const signal = AbortSignal.abort(new Error('enough'));
  await assert.rejects(Channel.open({ host: '127.0.0.1', port: 1 }, { signal }), /enough/);
});
