import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { type RecordBatch, RecurveError, StreamReader, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { batchValues, tableValues } from './column-value.ts';
import { int32Batch, mixedBatches, mixedSchema } from './example.ts';

const bytes = tableToIPC({ schema: mixedSchema, batches: mixedBatches() });
const expected = mixedBatches().map(batchValues);

async function readAll(reader: StreamReader): Promise<unknown[]> {
  const batches: unknown[] = [];
  for await (const batch of reader) batches.push(batchValues(batch));
  return batches;
}

function hasStatus(status: string): (error: unknown) => boolean {
  return (error) => RecurveError.is(error) && error.status === status;
}

/** A source that gives some bytes and then waits for ever; tells when it was let go. */
function stuckSource(head: Uint8Array): { source: ReadableStream<Uint8Array>; cancelled: () => unknown } {
  let reason: unknown = 'not cancelled';
  const source = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(head),
    cancel: (given) => {
      reason = given;
    },
  });
  return { source, cancelled: () => reason };
}

describe('StreamReader', () => {
  it('reads the same from two chunks cut at any byte, and from single bytes', async () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      const reader = await StreamReader.from([bytes.slice(0, cut), bytes.slice(cut)]);
      assert.deepEqual(await readAll(reader), expected);
    }
    const single = Array.from(bytes, (byte) => Uint8Array.of(byte));
    assert.deepEqual(await readAll(await StreamReader.from(single)), expected);
  });

  it('takes web streams, Node streams, async and plain iterables, and bytes', async () => {
    const chunks = [bytes.slice(0, 700), new Uint8Array(0), bytes.slice(700)];
    const sources = [
      ReadableStream.from(chunks) as ReadableStream<Uint8Array>,
      Readable.from(chunks),
      Readable.from(chunks).iterator(),
      chunks,
      bytes,
      bytes.buffer,
    ];
    for (const source of sources) assert.deepEqual(await readAll(await StreamReader.from(source)), expected);
  });

  it('has the schema before a batch has come', async () => {
    const { source } = stuckSource(bytes.subarray(0, 2000));
    const reader = await StreamReader.from(source);
    assert.ok(reader.schema.equals(mixedSchema));
    await reader.return();
  });

  it('reads a body in place where its chunk is aligned, and joins several chunks into one buffer', async () => {
    const { body } = await readOne([bytes]);
    assert.equal(body.buffer, bytes.buffer);
    const pieces = [bytes.slice(0, 1700), bytes.slice(1700, 1733), bytes.slice(1733)];
    const joined = await readOne(pieces);
    assert.ok(pieces.every((piece) => piece.buffer !== joined.body.buffer));
    const shifted = new Uint8Array(bytes.length + 3).subarray(3);
    shifted.set(bytes);
    assert.notEqual((await readOne([shifted])).body.buffer, shifted.buffer);
  });

  it('reads a file front to back', async () => {
    const file = tableToIPC({ schema: mixedSchema, batches: mixedBatches() }, { format: 'file' });
    const single = Array.from(file, (byte) => Uint8Array.of(byte));
    assert.deepEqual(await readAll(await StreamReader.from(single)), expected);
  });

  it('reads the framing of before 0.15, and a stream without an end marker', async () => {
    const legacy = toLegacyFraming(bytes);
    assert.deepEqual(await readAll(await StreamReader.from([legacy])), expected);
    assert.deepEqual(tableValues(tableFromIPC(legacy)), tableValues(tableFromIPC(bytes)));
    assert.deepEqual(await readAll(await StreamReader.from([bytes.subarray(0, -8)])), expected);
    assert.equal(tableFromIPC(bytes.subarray(0, -8)).numRows, 4);
  });

  it('throws what its source threw, then and after', async () => {
    async function* failing(): AsyncGenerator<Uint8Array> {
      yield bytes.slice(0, -100);
      throw new Error('the wire broke');
    }
    const reader = await StreamReader.from(failing());
    await reader.next();
    await assert.rejects(reader.next(), /the wire broke/);
    await assert.rejects(reader.next(), /the wire broke/);
    await assert.rejects(reader.table(), /the wire broke/);
  });

  it('throws when cut off, then and after', async () => {
    const reader = await StreamReader.from([bytes.subarray(0, -20)]);
    await reader.next();
    await assert.rejects(reader.next(), hasStatus('INVALID_DATA'));
    await assert.rejects(reader.next(), hasStatus('INVALID_DATA'));
  });

  it('lets its source go when left early', async () => {
    let released = false;
    async function* endless(): AsyncGenerator<Uint8Array> {
      try {
        yield bytes.subarray(0, -8);
        yield bytes;
      } finally {
        released = true;
      }
    }
    for await (const batch of await StreamReader.from(endless())) {
      assert.equal(batch.numRows, 3);
      break;
    }
    assert.ok(released);
  });

  it('can be closed twice, also while a call waits, and then ends', async () => {
    const { source, cancelled } = stuckSource(bytes.subarray(0, 2000));
    const reader = await StreamReader.from(source);
    const waiting = [reader.next(), reader.next(), reader.next()];
    await new Promise(setImmediate);
    await reader.return();
    await reader.return();
    const ends = await Promise.all(waiting);
    assert.equal(ends.at(-1)?.done, true);
    assert.equal(cancelled(), undefined);
    assert.deepEqual(await reader.next(), { done: true, value: undefined });
  });

  it('stops at once when aborted, with the status of the reason', async () => {
    for (const [signal, status] of [
      [AbortSignal.timeout(5), 'TIMEOUT'],
      [abortSoon(), 'CANCELLED'],
    ] as const) {
      const { source, cancelled } = stuckSource(bytes.subarray(0, 1600));
      const reader = await StreamReader.from(source, { signal });
      await assert.rejects(reader.table(), hasStatus(status));
      await assert.rejects(reader.next(), hasStatus(status));
      assert.ok(RecurveError.is(cancelled()));
    }
    await assert.rejects(StreamReader.from([bytes], { signal: AbortSignal.abort() }), hasStatus('CANCELLED'));
  });

  it('stops when aborted though its generator never answers', async () => {
    async function* never(): AsyncGenerator<Uint8Array> {
      yield bytes.subarray(0, 1600);
      await new Promise(() => {});
    }
    const reader = await StreamReader.from(never(), { signal: abortSoon() });
    await assert.rejects(reader.table(), hasStatus('CANCELLED'));
  });

  it('refuses what is no source of bytes', async () => {
    await assert.rejects(StreamReader.from(['text'] as never), /must give Uint8Array chunks, not string/);
    await assert.rejects(StreamReader.from(5 as never), hasStatus('INVALID_ARGUMENT'));
  });

  it('allocates for what has come, not for what was announced', async () => {
    const batch = int32Batch([1, 2, 3]);
    const whole = tableToIPC({ schema: batch.schema, batches: [batch] });
    const view = new DataView(whole.buffer);
    // The body's length, 64, is the only such 64-bit number in the second message.
    const start = 8 + view.getInt32(4, true);
    let at = start;
    while (view.getBigInt64(at, true) !== 64n) at += 4;
    view.setBigInt64(at, 2n ** 50n, true);
    await assert.rejects(
      async () => (await StreamReader.from([whole])).table(),
      /after \d+ of the 1125899906842624 bytes of its body/,
    );
    assert.throws(() => tableFromIPC(whole), /of the 1125899906842624 bytes of its body/);
  });
});

async function readOne(chunks: Uint8Array[]): Promise<{ batch: RecordBatch; body: Int32Array }> {
  const { value } = await (await StreamReader.from(chunks)).next();
  assert.ok(value);
  return { batch: value, body: value.column(0).layout.values as Int32Array };
}

function abortSoon(): AbortSignal {
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 5);
  return controller.signal;
}

/** Leaves out the continuation markers. */
function toLegacyFraming(stream: Uint8Array): Uint8Array {
  const view = new DataView(stream.buffer, stream.byteOffset, stream.byteLength);
  const parts: Uint8Array[] = [];
  for (let at = 0; at < stream.length; ) {
    const size = view.getInt32(at + 4, true);
    const next = size === 0 ? at + 8 : nextMarker(stream, at + 8 + size);
    parts.push(stream.subarray(at + 4, next));
    at = next;
  }
  return new Uint8Array(Buffer.concat(parts));
}

/** Messages stand at multiples of 64 and begin with the marker; bodies of the example hold no such word there. */
function nextMarker(stream: Uint8Array, from: number): number {
  let at = from;
  while (Buffer.from(stream.buffer, stream.byteOffset + at, 4).readInt32LE() !== -1) at += 64;
  return at;
}
