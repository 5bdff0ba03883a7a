import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Column,
  dictionary,
  Field,
  FileReader,
  field,
  int8,
  list,
  type Metadata,
  makeBuilder,
  RecordBatch,
  Schema,
  StreamWriter,
  struct,
  type Table,
  tableFromIPC,
  tableToIPC,
  unifyDictionaries,
  utf8,
} from 'recurve/arrow';
import { dictionaryColumn, listColumn, textColumn } from '../arrow/ipc/example.ts';
import { dictionaryMessages } from '../arrow/ipc/message-list.ts';
import { runPython } from './python.ts';

interface Described {
  readonly batches: unknown[][][];
  readonly metadata: [schema: string[][], fields: string[][][], batches: string[][][]];
}

test('streams of pyarrow whose dictionaries grow, change and hold dictionaries are read, and what is written of them by pyarrow', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-interop-'));
  t.after(() => rm(directory, { recursive: true }));
  const written = (await runPython('pyarrow_dictionaries.py', ['write', directory])) as {
    versions: { pyarrow: string };
    streams: Record<string, Described>;
  };
  t.diagnostic(`peer: pyarrow ${written.versions.pyarrow}`);
  assert.equal(Object.keys(written.streams).length, 5);
  const again: Record<string, Described> = {};
  for (const [name, expected] of Object.entries(written.streams)) {
    await t.test(`${name}, read`, async () => {
      const table = tableFromIPC(await readFile(join(directory, `${name}.arrows`)));
      assert.deepEqual(describeTable(table), expected);
      const stream = join(directory, `${name}.out.arrows`);
      await writeFile(stream, tableToIPC(table));
      again[stream] = expected;
      const file = join(directory, `${name}.out.arrow`);
      await writeFile(file, tableToIPC(unifyDictionaries(table), { format: 'file' }));
      again[file] = expected;
    });
  }
  const read = (await runPython('pyarrow_dictionaries.py', ['read', ...Object.keys(again)])) as typeof again;
  for (const [path, expected] of Object.entries(again)) {
    await t.test(`${path.slice(directory.length + 1)}, written`, () => assert.deepEqual(read[path], expected));
  }
});

test('dictionaries that recurve writes batch by batch from fresh columns are what pyarrow reads', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'recurve-interop-'));
  t.after(() => rm(directory, { recursive: true }));
  const expected: Record<string, unknown[][][]> = {};
  for (const { name, schema, batches, messages } of writtenStreams()) {
    const path = join(directory, `${name}.arrows`);
    const writer = new StreamWriter(schema);
    const chunks = batches.flatMap((batch) => [
      ...writer.writeDictionaries(batch, { metadata: { of: 'the dictionary' } }),
      ...writer.write(batch, { metadata: { of: name } }),
    ]);
    const bytes = new Uint8Array(Buffer.concat([...chunks, ...writer.finish()]));
    assert.deepEqual(
      dictionaryMessages(bytes).filter((message) => message.startsWith('dictionary')),
      messages,
      name,
    );
    await writeFile(path, bytes);
    expected[path] = batches.map((batch) => batch.columns.map(plainValues));
    if (!hasReplacement(messages)) {
      const file = join(directory, `${name}.arrow`);
      await writeFile(file, tableToIPC({ schema, batches }, { format: 'file' }));
      assert.equal(FileReader.open(await readFile(file)).batchCount, batches.length);
      expected[file] = expected[path];
    }
  }
  const read = (await runPython('pyarrow_dictionaries.py', ['read', ...Object.keys(expected)])) as Record<
    string,
    Described
  >;
  for (const [path, values] of Object.entries(expected)) {
    const name = path.slice(directory.length + 1);
    await t.test(name, () => {
      assert.deepEqual(read[path]?.batches, values);
      if (!name.endsWith('.arrows')) return;
      const of = Buffer.from(name.slice(0, -'.arrows'.length)).toString('hex');
      assert.deepEqual(read[path]?.metadata[2], Array(values.length).fill([['6f66', of]]));
    });
  }
});

function hasReplacement(messages: readonly string[]): boolean {
  const whole = messages.filter((message) => !message.endsWith('delta'));
  return whole.length > new Set(whole).size;
}

interface WrittenStream {
  readonly name: string;
  readonly schema: Schema;
  readonly batches: RecordBatch[];
  readonly messages: string[];
}

function* writtenStreams(): Generator<WrittenStream> {
  const color = field('c', dictionary(utf8(), int8(), { id: 1n }));
  const schema = new Schema([color]);
  const words = (values: (string | null)[], of = color): Column =>
    dictionaryColumn(of, [values.length - 1, null, 0], textColumn(values));
  yield {
    name: 'growing',
    schema,
    batches: [['a'], ['a', 'bc'], ['a', 'bc', null, 'd'], ['a', 'bc', null, 'd']].map(
      (values) => new RecordBatch(schema, [words(values)]),
    ),
    messages: ['dictionary 1', 'dictionary 1 delta', 'dictionary 1 delta'],
  };
  yield {
    name: 'changing',
    schema,
    batches: [['a', 'b'], ['x'], ['x', 'y'], ['x']].map((values) => new RecordBatch(schema, [words(values)])),
    messages: ['dictionary 1', 'dictionary 1', 'dictionary 1 delta', 'dictionary 1'],
  };
  const twice = new Schema([color, color.withName('other')]);
  yield {
    name: 'shared',
    schema: twice,
    batches: [['a'], ['a', 'b']].map((values) => new RecordBatch(twice, [words(values), words(['a'])])),
    messages: ['dictionary 1', 'dictionary 1 delta'],
  };
  const inner = field('item', dictionary(utf8(), int8(), { id: 7n }));
  const outer = new Field('o', dictionary(list(inner), int8(), { id: 3n }));
  const nested = new Schema([outer]);
  const lists = (offsets: number[], values: string[]): RecordBatch => {
    const child = dictionaryColumn(inner, [0, 1, 2].slice(0, offsets.at(-1)), textColumn(values));
    const items = listColumn(new Field('', list(inner)), offsets, child);
    return new RecordBatch(nested, [dictionaryColumn(outer, [offsets.length - 2, 0], items)]);
  };
  yield {
    name: 'nested',
    schema: nested,
    batches: [
      lists([0, 2], ['a', 'b']),
      lists([0, 2], ['a', 'b']),
      lists([0, 2], ['a', 'b', 'c']),
      lists([0, 2, 3], ['a', 'b', 'c', 'd']),
      lists([0, 2], ['x', 'y']),
    ],
    messages: [
      ...['dictionary 7', 'dictionary 3', 'dictionary 7 delta'],
      ...['dictionary 7 delta', 'dictionary 3'],
      ...['dictionary 7', 'dictionary 3'],
    ],
  };
  yield {
    name: 'nested-growing',
    schema: nested,
    batches: [lists([0, 2], ['a', 'b']), lists([0, 2], ['a', 'b', 'c']), lists([0, 2], ['a', 'b', 'c'])],
    messages: ['dictionary 7', 'dictionary 3', 'dictionary 7 delta'],
  };
  const point = field('s', dictionary(struct([field('x', int8()), field('y', utf8())]), int8(), { id: 5n }));
  const points = new Schema([point]);
  yield {
    name: 'structs',
    schema: points,
    batches: [1, 3].map((length) => {
      const builder = makeBuilder(point);
      for (let i = 0; i < length; i++) builder.append({ x: i, y: `${i}` });
      return new RecordBatch(points, [builder.finish()]);
    }),
    messages: ['dictionary 5', 'dictionary 5 delta'],
  };
}

function describeTable({ schema, batches }: Table): Described {
  return {
    batches: batches.map((batch) => batch.columns.map(plainValues)),
    metadata: [
      hexPairs(schema.metadata),
      schema.fields.map((one) => hexPairs(one.metadata)),
      batches.map((batch) => hexPairs(batch.metadata)),
    ],
  };
}

function hexPairs(metadata: Metadata): string[][] {
  const pairs: string[][] = [];
  metadata.forEachBytes((...pair) => pairs.push(pair.map((bytes) => Buffer.from(bytes).toString('hex'))));
  return pairs;
}

/** As JSON has them; small numbers only. */
function plainValues(column: Column): unknown[] {
  const text = JSON.stringify([...column], (_, value) => (typeof value === 'bigint' ? Number(value) : value));
  return JSON.parse(text) as unknown[];
}
