import assert from 'node:assert/strict';
import { createServer, get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { PassThrough, Writable } from 'node:stream';
import { describe, it } from 'node:test';
import {
  type BatchInput,
  encodeBatches,
  encodeTransform,
  type RecordBatch,
  RecurveError,
  type Schema,
  streamBatches,
  tableFromIPC,
  tableToIPC,
  writeBatches,
} from 'recurve/arrow';
import { int32Batch, mixedBatches, mixedSchema } from './example.ts';

const input = { schema: mixedSchema, batches: mixedBatches() };
const wide = int32Batch(Array.from({ length: 25_000 }, (_, i) => i));

/** Batches without end; says how many were taken and whether it was let go. */
class Source implements AsyncIterable<RecordBatch> {
  readonly schema: Schema = wide.schema;
  taken = 0;
  released = false;
  readonly #fail: number;

  constructor(fail: number = Number.POSITIVE_INFINITY) {
    this.#fail = fail;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<RecordBatch> {
    try {
      for (;;) {
        if (this.taken === this.#fail) throw new Error('the source broke');
        this.taken++;
        yield wide;
      }
    } finally {
      this.released = true;
    }
  }
}

function collect(chunks: Uint8Array[]): WritableStream<Uint8Array> {
  return new WritableStream({ write: (chunk) => void chunks.push(chunk) });
}

async function pause(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 20));
}

function hasStatus(status: string): (error: unknown) => boolean {
  return (error) => RecurveError.is(error) && error.status === status;
}

describe('batches are written', () => {
  for (const format of ['stream', 'file'] as const) {
    const expected = Buffer.from(tableToIPC(input, { format }));

    it(`to web and Node streams as a ${format}, the same bytes as in one piece`, async () => {
      const web: Uint8Array[] = [];
      await writeBatches(input, collect(web), { format });
      const node = new PassThrough({ highWaterMark: 1 << 20 });
      await writeBatches(input, node, { format });
      const response = await new Response(streamBatches(input, { format })).arrayBuffer();
      const batches = ReadableStream.from(input.batches) as ReadableStream<RecordBatch>;
      const piped = await new Response(batches.pipeThrough(encodeTransform(mixedSchema, { format }))).arrayBuffer();
      const encoded: Uint8Array[] = [];
      for await (const chunk of encodeBatches(input, { format })) encoded.push(chunk);
      for (const bytes of [
        Buffer.concat(web),
        node.read(),
        Buffer.from(response),
        Buffer.from(piped),
        Buffer.concat(encoded),
      ]) {
        assert.deepEqual(bytes, expected);
      }
    });
  }

  it('from tables, async iterables with a schema, and batches beside their schema', async () => {
    async function* batches(): AsyncGenerator<RecordBatch> {
      yield* mixedBatches();
    }
    const table = tableFromIPC(tableToIPC(input));
    const inputs: BatchInput[] = [
      table,
      { schema: mixedSchema, batches: batches() },
      Object.assign(batches(), { schema: mixedSchema }),
    ];
    for (const each of inputs) {
      const chunks: Uint8Array[] = [];
      await writeBatches(each, collect(chunks));
      assert.equal(tableFromIPC(chunks).numRows, 4);
    }
  });

  it('as far as the sink takes them, and no further', async () => {
    const source = new Source();
    const controller = new AbortController();
    const { signal } = controller;
    const stuck = new WritableStream<Uint8Array>({ write: () => new Promise(() => {}) });
    const writing = writeBatches(source, stuck, { signal });
    await pause();
    assert.ok(source.taken <= 2, `${source.taken} batches`);
    controller.abort();
    await assert.rejects(writing, hasStatus('CANCELLED'));
    assert.ok(source.released);

    const other = new Source();
    const slow = new Writable({ highWaterMark: 250_000, write: () => {} });
    const unfinished = writeBatches(other, slow, { signal: AbortSignal.timeout(50) });
    await pause();
    // Two batches of 100 KB fit, the third fills it.
    assert.equal(other.taken, 3);
    // A time-out's own timer does not keep the process alive.
    const keepAlive = setTimeout(() => {}, 5000);
    await assert.rejects(unfinished, hasStatus('TIMEOUT'));
    clearTimeout(keepAlive);
    assert.ok(slow.destroyed && other.released);
  });

  it('by a web stream only when it is read', async () => {
    const source = new Source();
    const reader = streamBatches(source).getReader();
    await pause();
    assert.equal(source.taken, 0);
    await reader.read();
    assert.equal(source.taken, 0);
    await reader.read();
    await reader.read();
    assert.equal(source.taken, 1);
    await reader.cancel();
    assert.ok(source.released);
  });

  it('to a client over HTTP that goes away, which lets the source go', async () => {
    const source = new Source();
    let failure: unknown;
    const server = createServer((_, response) => {
      writeBatches(source, response).catch((error: unknown) => {
        failure = error;
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await new Promise<void>((resolve) => {
      get({ port, host: '127.0.0.1' }, (response) => {
        response.once('data', () => response.destroy());
        response.once('close', resolve);
      });
    });
    while (failure === undefined) await pause();
    assert.ok(source.released);
    await new Promise((resolve) => server.close(resolve));
  });
});

describe('a source that fails', () => {
  it('fails the sink, which never ends as if it were complete', async () => {
    let aborted: unknown;
    const web = new WritableStream<Uint8Array>({
      close: () => assert.fail('it was closed'),
      abort: (reason) => {
        aborted = reason;
      },
    });
    await assert.rejects(writeBatches(new Source(2), web), /the source broke/);
    await pause();
    assert.match(String(aborted), /the source broke/);

    const node = new PassThrough();
    node.resume();
    await assert.rejects(writeBatches(new Source(2), node), /the source broke/);
    assert.ok(node.destroyed && !node.writableFinished);

    const reader = streamBatches(new Source(1)).getReader();
    await assert.rejects(async () => {
      while (!(await reader.read()).done);
    }, /the source broke/);
  });
});

describe('a sink that fails', () => {
  it('at any chunk lets the source go, with its one error', async () => {
    for (let failing = 0; failing < 8; failing++) {
      let count = 0;
      const web = new WritableStream<Uint8Array>({
        write() {
          if (count++ === failing) throw new Error('the disk is full');
        },
      });
      count = 0;
      const source = new Source();
      await assert.rejects(writeBatches(source, web), /the disk is full/);
      assert.ok(source.released || source.taken === 0);

      let written = 0;
      const node = new Writable({
        write: (_chunk, _encoding, callback) => callback(written++ === failing ? new Error('the disk is full') : null),
      });
      const other = new Source();
      await assert.rejects(writeBatches(other, node), /the disk is full/);
      assert.ok(node.destroyed && (other.released || other.taken === 0));
    }
  });

  it('at its end, or was closed before, is an error too', async () => {
    const web = new WritableStream<Uint8Array>({ close: () => Promise.reject(new Error('the disk is full')) });
    await assert.rejects(writeBatches(input, web), /the disk is full/);
    const node = new Writable({
      write: (_chunk, _encoding, callback) => callback(),
      final: (callback) => callback(new Error('the disk is full')),
    });
    await assert.rejects(writeBatches(input, node), /the disk is full/);
    const closed = new PassThrough();
    closed.destroy();
    await assert.rejects(writeBatches(new Source(), closed));
  });
});

describe('an abort', () => {
  it('ends the writing though the source never answers', async () => {
    async function* never(): AsyncGenerator<RecordBatch> {
      yield wide;
      await new Promise(() => {});
    }
    const signal = AbortSignal.timeout(10);
    const keepAlive = setTimeout(() => {}, 5000);
    const sink = collect([]);
    await assert.rejects(
      writeBatches({ schema: wide.schema, batches: never() }, sink, { signal }),
      hasStatus('TIMEOUT'),
    );
    clearTimeout(keepAlive);
  });

  it('that came before leaves both sides untouched', async () => {
    const source = new Source();
    const chunks: Uint8Array[] = [];
    const writing = writeBatches(source, collect(chunks), { signal: AbortSignal.abort() });
    await assert.rejects(writing, hasStatus('CANCELLED'));
    assert.deepEqual([source.taken, chunks.length <= 1], [0, true]);
  });
});

it('a sink can be left open', async () => {
  const node = new PassThrough({ highWaterMark: 1 << 20 });
  const chunks: Uint8Array[] = [];
  const web = collect(chunks);
  for (const sink of [node, web]) {
    await writeBatches(input, sink, { keepOpen: true });
    await writeBatches(input, sink);
  }
  const twice = Buffer.concat([tableToIPC(input), tableToIPC(input)]);
  assert.deepEqual(node.read(), twice);
  assert.deepEqual(Buffer.concat(chunks), twice);
});
