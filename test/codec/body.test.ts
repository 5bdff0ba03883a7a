import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  batchFromArrays,
  type Codec,
  dictionary,
  FileRangeReader,
  FileReader,
  FileWriter,
  field,
  int32,
  list,
  makeBuilder,
  RecordBatch,
  RecurveError,
  Schema,
  StreamReader,
  StreamWriter,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  utf8,
} from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { batchValues } from '../arrow/ipc/column-value.ts';
import { arbitraryBatchesOf, arbitrarySchema } from '../arrow/ipc/random-batch.ts';

const codecs = await loadCodecs();
const names = ['lz4', 'zstd'] as const;
const fails =
  (status: string, message: RegExp) =>
  (error: unknown): boolean =>
    RecurveError.is(error) && error.status === status && message.test(error.message);

const numbers = tableFromArrays({ i: Int32Array.from({ length: 5000 }, (_, i) => i >> 4) });

/** The body of the last message before the end-of-stream mark, whose first buffer with bytes is the values of `i`. */
function bodyOf(stream: Uint8Array): DataView {
  const view = new DataView(stream.buffer, stream.byteOffset);
  let at = 0;
  for (;;) {
    const start = at + 8 + view.getInt32(at + 4, true);
    const isSchema = at === 0;
    if (!isSchema) return new DataView(stream.buffer, stream.byteOffset + start);
    at = start;
  }
}

/** Messages of one batch whose buffers a codec of the test's own makes. */
function writeWith(codec: Codec): Uint8Array {
  return tableToIPC(numbers, { compression: codec });
}

const cases = arbitrarySchema.chain((schema) => arbitraryBatchesOf(schema).map((batches) => ({ schema, batches })));

describe('compressed bodies', () => {
  for (const compression of names) {
    it(`of any schema read back as they were written, by every reader (${compression})`, async () => {
      await fc.assert(
        fc.asyncProperty(cases, async (input) => {
          const expected = input.batches.map(batchValues);
          const stream = tableToIPC(input, { compression, codecs });
          assert.deepEqual(tableFromIPC(stream, { codecs }).batches.map(batchValues), expected);
          assert.deepEqual((await (await StreamReader.from(stream)).table()).batches.map(batchValues), expected);
          const file = tableToIPC(input, { compression, codecs, format: 'file' });
          assert.deepEqual([...FileReader.open(file, { codecs })].map(batchValues), expected);
          const read = async (offset: number, length: number) => file.subarray(offset, offset + length);
          const ranges = await FileRangeReader.open({ size: file.length, read });
          assert.deepEqual((await ranges.table()).batches.map(batchValues), expected);
        }),
        { numRuns: 40 },
      );
    });

    it(`come out of StreamWriter and FileWriter as out of tableToIPC (${compression})`, () => {
      for (const format of ['stream', 'file'] as const) {
        const options = { compression, codecs };
        const writer =
          format === 'file' ? new FileWriter(numbers.schema, options) : new StreamWriter(numbers.schema, options);
        const chunks = [...numbers.batches.flatMap((batch) => writer.write(batch)), ...writer.finish()];
        assert.deepEqual(Buffer.concat(chunks), Buffer.from(tableToIPC(numbers, { ...options, format })));
      }
    });

    it(`shrink, and dictionaries with them (${compression})`, () => {
      const column = field('d', dictionary(utf8()));
      const builder = makeBuilder(column);
      builder.appendAll(Array.from({ length: 3000 }, (_, i) => `a rather long value number ${i % 1500}`));
      const schema = new Schema([column]);
      const batches = [new RecordBatch(schema, [builder.finish()])];
      const bytes = tableToIPC({ schema, batches }, { compression, codecs });
      assert.ok(bytes.length < tableToIPC({ schema, batches }).length / 2);
      assert.deepEqual(tableFromIPC(bytes, { codecs }).toArray(), batches[0]?.toArray());
    });

    it(`that would not get smaller are stored as they are, behind −1 (${compression})`, () => {
      const noise = tableFromArrays({ i: Int32Array.from({ length: 500 }, (_, i) => Math.imul(i + 1, 0x9e3779b1)) });
      const bytes = tableToIPC(noise, { compression, codecs });
      assert.equal(bodyOf(bytes).getBigInt64(0, true), -1n);
      assert.deepEqual(tableFromIPC(bytes, { codecs }).toArray(), noise.toArray());
    });

    it(`that are damaged are our error or other values, never more bytes (${compression})`, () => {
      const bytes = tableToIPC(numbers, { compression, codecs });
      fc.assert(
        fc.property(fc.nat(bytes.length - 1), fc.integer({ min: 1, max: 255 }), (at, mask) => {
          const broken = bytes.slice();
          broken[at] = (broken[at] ?? 0) ^ mask;
          try {
            tableFromIPC(broken, { codecs }).toArray();
          } catch (error) {
            if (!RecurveError.is(error)) throw error;
          }
        }),
        { numRuns: 400 },
      );
    });
  }

  it('hold empty buffers without a length before them', () => {
    const schema = new Schema([field('l', list(int32()))]);
    const batches = [batchFromArrays(schema, { l: [] })];
    for (const compression of names) {
      const bytes = tableToIPC({ schema, batches }, { compression, codecs });
      assert.equal(tableFromIPC(bytes, { codecs }).numRows, 0);
    }
  });

  it('need codecs where nothing can be awaited: the error names the call', () => {
    for (const compression of names) {
      const bytes = tableToIPC(numbers, { compression, codecs });
      assert.throws(
        () => tableFromIPC(bytes),
        (error) =>
          RecurveError.is(error) &&
          error.status === 'INVALID_STATE' &&
          /message 1: column "i", values in \w+: there is no codec for (lz4|zstd)/.test(error.message) &&
          /tableFromIPC\(bytes, \{ codecs: await loadCodecs\(\) \}\)/.test(error.hint ?? ''),
      );
      assert.throws(() => tableToIPC(numbers, { compression }), fails('INVALID_STATE', /no codec for/));
    }
  });

  it('whose length is not what was said are INVALID_DATA with column, buffer and codec', () => {
    for (const compression of names) {
      for (const said of [0n, 19_999n, 20_001n, 50_000n]) {
        const bytes = tableToIPC(numbers, { compression, codecs });
        bodyOf(bytes).setBigInt64(0, said, true);
        const error = fails('INVALID_DATA', new RegExp(`^message 1: column "i", values in ${compression}: `));
        assert.throws(() => tableFromIPC(bytes, { codecs }), error, `${compression} ${said}`);
      }
    }
  });

  it('beyond the limit are refused before the codec is asked', () => {
    const asked: number[] = [];
    const codec: Codec = {
      name: 'zstd',
      compress: () => Uint8Array.of(1),
      decompress: (_, byteLength) => {
        asked.push(byteLength);
        return new Uint8Array(byteLength);
      },
    };
    const bytes = writeWith(codec);
    assert.throws(
      () => tableFromIPC(bytes, { codecs: [codec], maxDecompressedBytes: 19_999 }),
      fails('INVALID_DATA', /expands to 20000 bytes, of at most 19999 left/),
    );
    bodyOf(bytes).setBigInt64(0, 2n ** 30n + 1n, true);
    assert.throws(() => tableFromIPC(bytes, { codecs: [codec] }), fails('INVALID_DATA', /1073741825 bytes/));
    bodyOf(bytes).setBigInt64(0, -2n, true);
    assert.throws(() => tableFromIPC(bytes, { codecs: [codec] }), fails('INVALID_DATA', /expands to -2 bytes/));
    assert.deepEqual(asked, []);
  });

  it('share the limit among the buffers of a batch', () => {
    const two = tableFromArrays({ a: new Int32Array(1000), b: new Int32Array(1000) });
    const bytes = tableToIPC(two, { compression: 'lz4', codecs });
    assert.equal(tableFromIPC(bytes, { codecs, maxDecompressedBytes: 8000 }).numRows, 1000);
    assert.throws(
      () => tableFromIPC(bytes, { codecs, maxDecompressedBytes: 7999 }),
      fails('INVALID_DATA', /column "b"/),
    );
  });

  it('of a codec that gives another length are INVALID_DATA', () => {
    const codec: Codec = { name: 'lz4', compress: () => Uint8Array.of(1), decompress: () => new Uint8Array(3) };
    assert.throws(
      () => tableFromIPC(writeWith(codec), { codecs: [codec] }),
      fails('INVALID_DATA', /expands to 3 bytes instead of 20000/),
    );
  });
});
