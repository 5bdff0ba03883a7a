import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  FileReader,
  FileWriter,
  type RecordBatch,
  type Schema,
  StreamReader,
  StreamWriter,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { batchValues } from '../arrow/ipc/column-value.ts';
import { arbitraryBatchesOf, arbitraryMetadata, arbitrarySchema } from '../arrow/ipc/random-batch.ts';

interface Case {
  readonly schema: Schema;
  readonly batches: RecordBatch[];
}

const cases: fc.Arbitrary<Case> = arbitrarySchema.chain((schema) =>
  arbitraryBatchesOf(schema).map((batches) => ({ schema, batches })),
);
const alignment = fc.constantFrom<8 | 16 | 32 | 64>(8, 16, 32, 64);

function checkBatches(actual: readonly RecordBatch[], { schema, batches }: Case): void {
  assert.equal(actual.length, batches.length);
  actual.forEach((batch, i) => {
    const expected = batches[i] as RecordBatch;
    assert.equal(batch.numRows, expected.numRows);
    assert.ok(batch.schema.equals(schema), 'schema');
    assert.ok(batch.metadata.equals(expected.metadata), 'metadata');
    assert.deepEqual(batchValues(batch), batchValues(expected));
    assert.deepEqual(
      batch.columns.map((column) => column.nullCount),
      expected.columns.map((column) => column.nullCount),
    );
  });
}

function join(chunks: Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(chunks));
}

describe('IPC, for any schema and batches', () => {
  it('a stream in one piece reads back as it was written', () => {
    fc.assert(
      fc.property(cases, alignment, (input, alignment) => {
        const bytes = tableToIPC(input, { alignment });
        assert.equal(bytes.buffer.byteLength, bytes.length);
        checkBatches(tableFromIPC(bytes).batches, input);
      }),
    );
  });

  it('a file in one piece reads back as it was written, also batch by batch from the end', () => {
    fc.assert(
      fc.property(cases, alignment, arbitraryMetadata, (input, alignment, metadata) => {
        const reader = FileReader.open(tableToIPC(input, { format: 'file', alignment, metadata }));
        assert.deepEqual([...reader.metadata], metadata);
        checkBatches([...reader], input);
        const backwards = input.batches.map((_, i) => reader.batch(input.batches.length - 1 - i));
        checkBatches(backwards.reverse(), input);
      }),
    );
  });

  it('chunks of the writers are byte for byte what comes in one piece', () => {
    fc.assert(
      fc.property(cases, alignment, (input, alignment) => {
        for (const format of ['stream', 'file'] as const) {
          const writer =
            format === 'stream'
              ? new StreamWriter(input.schema, { alignment })
              : new FileWriter(input.schema, { alignment });
          const chunks = [
            ...writer.start(),
            ...input.batches.flatMap((batch) => writer.write(batch)),
            ...writer.finish(),
          ];
          assert.deepEqual(join(chunks), new Uint8Array(tableToIPC(input, { format, alignment })));
        }
      }),
    );
  });

  it('a stream cut into chunks anywhere reads back as it was written', async () => {
    await fc.assert(
      fc.asyncProperty(cases, fc.array(fc.nat({ max: 300 }), { minLength: 1, maxLength: 20 }), async (input, sizes) => {
        const bytes = tableToIPC(input);
        async function* chunks(): AsyncGenerator<Uint8Array> {
          for (let at = 0, i = 0; at < bytes.length; i++) {
            const size = (sizes[i % sizes.length] ?? 0) + (i % sizes.length === 0 ? 1 : 0);
            yield bytes.slice(at, at + size);
            at += size;
          }
        }
        checkBatches((await (await StreamReader.from(chunks())).table()).batches, input);
      }),
    );
  });

  it('what was read and sliced is written as the slice that it is', () => {
    fc.assert(
      fc.property(cases, fc.nat({ max: 20 }), fc.nat({ max: 20 }), ({ schema, batches }, start, count) => {
        const read = tableFromIPC(tableToIPC({ schema, batches })).batches.map((batch) =>
          batch.slice(start, start + count),
        );
        const again = tableFromIPC(tableToIPC({ schema, batches: read })).batches;
        checkBatches(again, { schema, batches: batches.map((batch) => batch.slice(start, start + count)) });
      }),
    );
  });

  it('input at any byte offset reads the same', () => {
    fc.assert(
      fc.property(cases, fc.integer({ min: 1, max: 8 }), (input, shift) => {
        const bytes = tableToIPC(input, { alignment: 8 });
        const shifted = new Uint8Array(bytes.length + shift).subarray(shift);
        shifted.set(bytes);
        checkBatches(tableFromIPC(shifted).batches, input);
      }),
    );
  });
});
