import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  Field,
  FileReader,
  Metadata,
  type MetadataEntry,
  RecordBatch,
  Schema,
  tableFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { FlatbufferReader } from '../../src/arrow/flatbuffer/reader.ts';
import { writeFlatbuffer } from '../../src/arrow/flatbuffer/writer.ts';
import { readMetadata } from '../../src/arrow/ipc/schema.ts';
import { int32, int32Column } from './ipc/example.ts';

/** Latin-1, a lone continuation byte and half a surrogate pair: none of it is UTF-8. */
const noUtf8 = Uint8Array.of(0xe9, 0x80, 0xed, 0xa0, 0x80, 0x00);

const entries: MetadataEntry[] = [
  ['b', '1'],
  [noUtf8, noUtf8],
  ['a', ''],
  ['b', '2\u0000'],
  ['', 'ß'],
  ['b', '1'],
];

function bytesOf(metadata: Metadata | undefined): string[][] {
  const pairs: string[][] = [];
  metadata?.forEachBytes((key, value) =>
    pairs.push([Buffer.from(key).toString('hex'), Buffer.from(value).toString('hex')]),
  );
  return pairs;
}

const hex = entries.map((entry) => entry.map((text) => Buffer.from(text as string).toString('hex')));

describe('metadata', () => {
  it('keep every byte of schema, field, batch and footer, also what is no UTF-8, through any number of round trips', () => {
    const schema = new Schema([new Field('i', int32, { metadata: entries })], entries);
    let table = { schema, batches: [new RecordBatch(schema, [int32Column([1], schema.field(0))], 1, entries)] };
    for (let round = 0; round < 3; round++) {
      const bytes = tableToIPC(table, { format: 'file', metadata: entries });
      const file = FileReader.open(bytes);
      assert.deepEqual(bytesOf(file.metadata), hex);
      table = { schema: file.schema, batches: [...file] };
      assert.deepEqual(bytesOf(table.schema.metadata), hex);
      assert.deepEqual(bytesOf(table.schema.field(0).metadata), hex);
      assert.deepEqual(bytesOf(table.batches[0]?.metadata), hex);
      assert.ok(table.schema.equals(schema) && schema.equals(table.schema));
    }
  });

  it('that were read are visited in place: no byte of them is copied', () => {
    const schema = new Schema([new Field('i', int32, { metadata: entries })], entries);
    const batch = new RecordBatch(schema, [int32Column([1], schema.field(0))], 1, entries);
    const bytes = tableToIPC({ schema, batches: [batch] });
    const table = tableFromIPC(bytes);
    let visited = 0;
    for (const metadata of [table.schema.metadata, table.schema.field(0).metadata, table.batches[0]?.metadata]) {
      metadata?.forEachBytes((key, value) => {
        assert.equal(key.buffer, bytes.buffer);
        assert.equal(value.buffer, bytes.buffer);
        visited++;
      });
    }
    assert.equal(visited, 18);
  });

  it('are text to those who ask for text: the first of a key, U+FFFD for what is no UTF-8', () => {
    const metadata = new Metadata(entries);
    assert.equal(metadata.size, 6);
    assert.equal(metadata.get('b'), '1');
    assert.equal(metadata.get(''), 'ß');
    assert.equal(metadata.get('c'), undefined);
    assert.deepEqual([metadata.has('a'), metadata.has('c')], [true, false]);
    assert.equal([...metadata][1]?.[0], new TextDecoder().decode(noUtf8));
    assert.deepEqual(new Map(metadata).get('b'), '1');
  });

  it('are the same when their bytes are, whether they are held as text or bytes', () => {
    const encode = (text: string | Uint8Array): Uint8Array => new Uint8Array(Buffer.from(text as string));
    const bytes = new Metadata(entries.map(([key, value]) => [encode(key), encode(value)] as const));
    assert.ok(bytes.equals(new Metadata(entries)) && new Metadata(entries).equals(bytes));
    assert.ok(!bytes.equals(new Metadata(entries.slice(1))));
    // Both read as U+FFFD.
    assert.ok(!new Metadata([['k', Uint8Array.of(0xff)]]).equals(new Metadata([['k', Uint8Array.of(0xfe)]])));
    assert.ok(!new Metadata([['k', Uint8Array.of(0xff)]]).equals(new Metadata([['k', '\ufffd']])));
    assert.ok(!new Metadata([['a', 'b']]).equals(new Metadata([['b', 'a']])));
  });

  it('are replaced on fields, schemas and batches, of which all else stays', () => {
    const field = new Field('i', int32, { nullable: false, metadata: { a: '1' } }).withMetadata({ b: noUtf8 });
    assert.deepEqual(bytesOf(field.metadata), [['62', Buffer.from(noUtf8).toString('hex')]]);
    assert.deepEqual([field.name, field.nullable, field.type], ['i', false, int32]);
    const schema = new Schema([field], { a: '1' }).withMetadata(new Map([['c', '2']]));
    assert.deepEqual([...schema.metadata], [['c', '2']]);
    assert.equal(schema.field(0), field);
    const batch = new RecordBatch(schema, [int32Column([1, 2], field)], 2, { a: '1' });
    const other = batch.withMetadata([['d', '3']]);
    assert.deepEqual([...other.metadata], [['d', '3']]);
    assert.deepEqual([...batch.metadata], [['a', '1']]);
    assert.equal(other.columns, batch.columns);
    assert.equal(other.numRows, 2);
    assert.deepEqual([...new RecordBatch(new Schema([]), [], 7).withMetadata({}).metadata], []);
    assert.equal(new RecordBatch(new Schema([]), [], 7).withMetadata({}).numRows, 7);
  });

  it('whose keys or values a message leaves out have empty ones', () => {
    const flatbuffer = writeFlatbuffer([['tables', [[null, ['string', 'v']], [['string', 'k']], []]]]);
    const reader = new FlatbufferReader(flatbuffer, 'here');
    assert.deepEqual(
      [...readMetadata(reader, reader.root(), 0)],
      [
        ['', 'v'],
        ['k', ''],
        ['', ''],
      ],
    );
    assert.equal(readMetadata(reader, reader.root(), 1).size, 0);
  });

  it('that a message leaves out are none', () => {
    const schema = new Schema([new Field('i', int32)]);
    const table = tableFromIPC(tableToIPC({ schema, batches: [new RecordBatch(schema, [int32Column([1])])] }));
    assert.equal(table.schema.metadata, Metadata.empty);
    assert.equal(table.batches[0]?.metadata, Metadata.empty);
  });
});
