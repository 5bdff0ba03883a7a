import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import {
  RecordBatch as Batch,
  dictionary,
  Field,
  FileReader,
  FileWriter,
  makeColumn,
  type RecordBatch,
  Schema,
  StreamWriter,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  utf8,
} from 'recurve/arrow';
import { batchValues } from '../arrow/ipc/column-value.ts';
import { arbitraryBatchesOf, arbitrarySchema } from '../arrow/ipc/random-batch.ts';
import { recurve, temporaryFolder } from './run-command.ts';

const join = (chunks: Uint8Array[]): Uint8Array => Uint8Array.from(Buffer.concat(chunks));

function checkSame(actual: readonly RecordBatch[], expected: readonly RecordBatch[]): void {
  assert.equal(actual.length, expected.length);
  actual.forEach((batch, i) => {
    const wanted = expected[i] as RecordBatch;
    assert.ok(batch.schema.equals(wanted.schema), 'schema');
    assert.ok(batch.metadata.equals(wanted.metadata), 'metadata');
    assert.equal(batch.numRows, wanted.numRows);
    assert.deepEqual(batchValues(batch), batchValues(wanted));
  });
}

describe('convert between Arrow files and streams', () => {
  const at = temporaryFolder();

  test('keeps schema, batches, metadata, dictionaries and values of any type', async () => {
    const cases = arbitrarySchema.chain((schema) => arbitraryBatchesOf(schema).map((batches) => ({ schema, batches })));
    await fc.assert(
      fc.asyncProperty(cases, async ({ schema, batches }) => {
        writeFileSync(at('in.arrow'), tableToIPC({ schema, batches }, { format: 'file' }));
        const toStream = await recurve(['convert', at('in.arrow'), '-', '-f', 'arrows']);
        assert.deepEqual([toStream.code, toStream.err], [0, '']);
        const stream = tableFromIPC(toStream.bytes);
        assert.ok(stream.schema.equals(schema));
        checkSame(stream.batches, batches);
        const toFile = await recurve(['convert', '-', at('out.arrow')], { stdin: toStream.bytes });
        assert.deepEqual([toFile.code, toFile.err], [0, '']);
        checkSame(tableFromIPC(readFileSync(at('out.arrow'))).batches, batches);
      }),
      { numRuns: 100 },
    );
  });

  test("keeps the footer's metadata from file to file, also by way of a pipe, and says where it cannot", async () => {
    const batch = makeBatch({ a: [1, 2] });
    const writer = new FileWriter(batch.schema, { metadata: [['origin', 'here']] });
    const bytes = join([...writer.write(batch), ...writer.finish()]);
    const { code } = await recurve(['convert', '-', at('footer.arrow')], { stdin: bytes });
    assert.equal(code, 0);
    assert.deepEqual([...FileReader.open(readFileSync(at('footer.arrow'))).metadata], [['origin', 'here']]);
    const stream = await recurve(['convert', at('footer.arrow'), at('footer.arrows')]);
    assert.deepEqual([stream.code, stream.err], [0, "note: arrows has no place for the footer's metadata (1 entry)\n"]);
  });

  test('refuses a dictionary that changes where a file is to be written, naming the column', async () => {
    const type = dictionary(utf8());
    const schema = new Schema([new Field('city', type)]);
    const write = (values: string[]): RecordBatch => {
      const { columns } = makeBatch({ city: values });
      const layout = { type, length: 1, nullCount: 0, values: Int32Array.of(0), dictionary: columns[0] };
      return new Batch(schema, [makeColumn(new Field('city', type), layout as Parameters<typeof makeColumn>[1])]);
    };
    const writer = new StreamWriter(schema);
    const bytes = join([...writer.write(write(['Rome'])), ...writer.write(write(['Oslo'])), ...writer.finish()]);
    const { code, err } = await recurve(['convert', '-', at('changed.arrow')], { stdin: bytes });
    assert.equal(code, 1);
    assert.match(err, /^error\[INVALID_ARGUMENT\]: .*column "city" changes between batches/);
    assert.ok(!readdirSync(dirname(at('x'))).some((name) => name.startsWith('changed')));
  });

  test('can write over the file that it reads', async () => {
    const bytes = tableToIPC(batchesOf(makeBatch({ a: [1, 2, 3] })), { format: 'file' });
    writeFileSync(at('same.arrow'), bytes);
    const { code } = await recurve(['convert', at('same.arrow'), at('same.arrow'), '-f', 'arrows']);
    assert.equal(code, 0);
    assert.deepEqual([...tableFromIPC(readFileSync(at('same.arrow'))).column('a')], [1, 2, 3]);
  });

  test('of an input that is cut off fails with its name and leaves no file', async () => {
    const bytes = tableToIPC(batchesOf(makeBatch({ a: [1, 2, 3] })), { format: 'file' });
    writeFileSync(at('cut.arrow'), bytes.subarray(0, bytes.length - 20));
    const { code, err } = await recurve(['convert', at('cut.arrow'), at('never.arrows')]);
    assert.equal(code, 1);
    assert.ok(err.startsWith(`error[INVALID_DATA]: ${JSON.stringify(at('cut.arrow'))}: `), err);
    assert.ok(!readdirSync(dirname(at('x'))).some((name) => name.startsWith('never')));
  });
});

describe('convert', () => {
  const at = temporaryFolder();

  test('refuses what it cannot know with exit code 2', async () => {
    const refused: [argv: string[], message: RegExp][] = [
      [[at('a.csv')], /IN and OUT are wanted/],
      [[at('a.csv'), '-'], /standard output has no suffix/],
      [[at('a.csv'), at('b.xyz')], /no format has the suffix/],
      [['-', at('b.csv')], /neither its first bytes nor its name tell the format of standard input/],
      [[at('a.csv'), at('b.csv'), '--from', 'cvs'], /--from "cvs" is not known/],
    ];
    for (const [argv, message] of refused) {
      const { code, out, err } = await recurve(['convert', ...argv], { stdin: 'a\n1\n' });
      assert.deepEqual([code, out], [2, ''], err);
      assert.match(err, message);
    }
  });

  test('says in one line that there is no such file, with exit code 1', async () => {
    const { code, err } = await recurve(['convert', at('none.csv'), at('b.csv')]);
    assert.deepEqual(
      [code, err],
      [1, `error[NOT_FOUND]: cannot read ${JSON.stringify(at('none.csv'))}: there is no such file\n`],
    );
  });

  test('tells formats by their first bytes, not by the name', async () => {
    writeFileSync(at('misnamed.csv'), tableToIPC(batchesOf(makeBatch({ a: [7] }))));
    const { code, out } = await recurve(['convert', at('misnamed.csv'), '-', '-f', 'jsonl']);
    assert.deepEqual([code, out], [0, '{"a":7}\n']);
  });
});

function batchesOf(batch: RecordBatch): { schema: Schema; batches: RecordBatch[] } {
  return { schema: batch.schema, batches: [batch] };
}

function makeBatch(columns: Parameters<typeof tableFromArrays>[0]): RecordBatch {
  return tableFromArrays(columns).batches[0] as RecordBatch;
}
