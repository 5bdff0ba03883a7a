import assert from 'node:assert/strict';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { Table as ForeignTable, tableFromArrays as foreignTable, tableToIPC as writeForeign } from 'apache-arrow';
import { FileWriter, tableFromArrays, tableToIPC } from 'recurve/arrow';
import { nativeZstd } from '../../src/platform/node.ts';
import { recurve, temporaryFolder } from './run-command.ts';

const at = temporaryFolder();

const bytesOf = (columns: Parameters<typeof tableFromArrays>[0], format: 'file' | 'stream'): Uint8Array =>
  tableToIPC(tableFromArrays(columns), { format });

async function inspectJson(bytes: Uint8Array, ...options: string[]): Promise<Record<string, unknown>> {
  const { code, out, err } = await recurve(['inspect', '-', '--json', ...options], { stdin: bytes });
  assert.deepEqual([code, err], [0, '']);
  return JSON.parse(out);
}

describe('inspect', () => {
  test('tells a file from a stream by its first bytes, whatever its name', async () => {
    for (const format of ['file', 'stream'] as const) {
      writeFileSync(at('x.csv'), bytesOf({ a: [1] }, format));
      const { code, out } = await recurve(['inspect', at('x.csv')]);
      assert.equal(code, 0);
      assert.match(out, new RegExp(`^.*x\\.csv: Arrow ${format}, metadata V5`));
    }
  });

  test('counts what a foreign writer wrote: rows, nulls, bytes of buffers, dictionaries', async () => {
    const table = foreignTable({ n: Int32Array.of(1, 2, 3), t: ['a', 'bb', 'a'] });
    const found = await inspectJson(writeForeign(new ForeignTable(table.batches), 'stream'));
    const columns = found.columns as { path: string[]; values: number; nulls: number; bufferBytes: object }[];
    assert.deepEqual([found.rows, found.batches, found.validated], [3, 1, 'default']);
    assert.deepEqual(columns[0]?.path, ['n']);
    assert.deepEqual([columns[0]?.values, columns[0]?.nulls], [3, 0]);
    // apache-arrow makes dictionaries of text.
    const [dictionary] = found.dictionaries as { type: string; messages: number; values: number }[];
    assert.deepEqual([dictionary?.type, dictionary?.messages, dictionary?.values], ['utf8', 1, 2]);
  });

  test('gives the sizes of the columnar format', async () => {
    const found = await inspectJson(bytesOf({ n: [1.5, null, 2.5], t: ['a', 'bb', ''] }, 'file'));
    const columns = found.columns as { bufferBytes: Record<string, number>; nulls: number }[];
    // 3 doubles; 4 offsets of 4 bytes and 3 bytes of text; a bitmap of 1 byte.
    assert.deepEqual(columns[0], {
      path: ['n'],
      type: 'float64',
      values: 3,
      nulls: 1,
      bufferBytes: { validity: 1, values: 24 },
    });
    assert.deepEqual(columns[1]?.bufferBytes, { validity: 0, offsets: 16, data: 3 });
    assert.equal(found.alignment, 64);
  });

  test('lists each message with its place, and the messages make up the file', async () => {
    const bytes = bytesOf({ n: [1, 2, 3] }, 'stream');
    const { messages } = await inspectJson(bytes, '--messages');
    const list = messages as {
      kind: string;
      offset: number;
      metadataLength: number;
      bodyLength: number;
      rows: number;
    }[];
    assert.deepEqual(
      list.map(({ kind, rows }) => [kind, rows]),
      [
        ['schema', null],
        ['batch', 3],
      ],
    );
    let end = 0;
    for (const { offset, metadataLength, bodyLength } of list) {
      assert.equal(offset, end);
      end += metadataLength + bodyLength;
    }
    // The end-of-stream marker has 8 bytes.
    assert.equal(end + 8, bytes.length);
    const { out } = await recurve(['inspect', '-', '--messages'], { stdin: bytes });
    assert.match(out, /^message +offset +metadata bytes +body bytes +rows$/m);
  });

  test('shows the metadata of schema and footer, with control characters as escapes', async () => {
    const table = tableFromArrays({ 'a\u001b[31m': [1] });
    const schema = table.schema.withMetadata([['key', 'value']]);
    const writer = new FileWriter(schema, { metadata: [['made by', 'hand']] });
    const bytes = Uint8Array.from(Buffer.concat([...writer.start(), ...writer.finish()]));
    const { code, out } = await recurve(['inspect', '-'], { stdin: bytes });
    assert.equal(code, 0);
    assert.ok(out.includes('metadata "key" = "value"') && out.includes('metadata "made by" = "hand"'), out);
    assert.ok(!out.includes('\u001b'));
  });

  test('of Parquet, a missing file and nothing at all says what is wrong', async () => {
    writeFileSync(at('x.arrow'), 'PAR1....PAR1');
    const cases: [argv: string[], stdin: string, code: number, message: RegExp][] = [
      [[at('x.arrow')], '', 1, /^error\[INVALID_DATA\]: .*no Arrow file or stream, but Parquet\nhint: /],
      [[at('none')], '', 1, /^error\[NOT_FOUND\]: cannot read .*no such file\n$/],
      [['-'], '', 1, /^error\[INVALID_DATA\]: standard input: the stream is empty/],
      [[], '', 2, /a file is wanted/],
    ];
    for (const [argv, stdin, expected, message] of cases) {
      const { code, err, out } = await recurve(['inspect', ...argv], { stdin });
      assert.deepEqual([code, out], [expected, '']);
      assert.match(err, message);
    }
  });
});

describe('inspect --validate', () => {
  /** A stream of one batch of a text and a number column, with one byte changed. */
  const damaged = (change: (bytes: Uint8Array, text: number) => void): Uint8Array => {
    const bytes = bytesOf({ t: ['needle', 'x'], n: [1, 2] }, 'stream');
    change(bytes, Buffer.from(bytes).indexOf('needle'));
    return bytes;
  };
  const levels = async (bytes: Uint8Array): Promise<number[]> =>
    Promise.all(
      ['none', 'minimal', 'default', 'full'].map(
        async (level) => (await recurve(['inspect', '-', '--validate', level], { stdin: bytes })).code,
      ),
    );

  test('full finds text that is no UTF-8, with message, column and row', async () => {
    const bytes = damaged((all, text) => {
      all[text + 6] = 0xff;
    });
    assert.deepEqual(await levels(bytes), [0, 0, 0, 1]);
    const { err } = await recurve(['inspect', '-', '--validate', 'full'], { stdin: bytes });
    assert.equal(
      err,
      'error[INVALID_DATA]: standard input: message 1: column "t", row 1, byte 70 of the body: the text is not UTF-8\n',
    );
  });

  test('default finds a buffer whose offsets leave its data, none does not look into bodies', async () => {
    const bytes = damaged((all, text) => {
      // The last of the three offsets, which stand 64 bytes before the text.
      new DataView(all.buffer, all.byteOffset).setInt32(text - 64 + 8, 1000, true);
    });
    assert.deepEqual(await levels(bytes), [0, 1, 1, 1]);
    const { err } = await recurve(['inspect', '-'], { stdin: bytes });
    assert.match(err, /message 1: column "t" has offsets from 0 to 1000/);
  });

  test('every level finds an input that is cut off', async () => {
    for (const format of ['file', 'stream'] as const) {
      const bytes = bytesOf({ t: ['a'] }, format);
      assert.deepEqual(await levels(bytes.subarray(0, bytes.length - 40)), [1, 1, 1, 1], format);
    }
  });

  const corpus = process.env.ARROW_TEST_DATA;
  const verdictFile = corpus === undefined ? '' : join(corpus, '../arrow-testing-verdicts.json');
  const skip = existsSync(verdictFile) ? false : 'ARROW_TEST_DATA names no corpus with verdicts';

  test("full agrees with Arrow C++ on the fuzzers' corpus", { skip }, async () => {
    const { verdicts } = JSON.parse(readFileSync(verdictFile, 'utf8')) as { verdicts: Record<string, string> };
    const differs: string[] = [];
    for (const [name, verdict] of Object.entries(verdicts)) {
      const { code, err } = await recurve(['inspect', join(corpus ?? '', name), '--validate', 'full']);
      assert.ok(code === 0 || code === 1, `${name}: ${code}`);
      assert.doesNotMatch(err, /INTERNAL/, name);
      if (verdict.startsWith('valid') !== (code === 0)) differs.push(name);
    }
    // Damage that zstd's assembly for x86-64 passes over, and with it Arrow C++: see docs/decision/010.
    const onlyNative = /-6295340960776192$/;
    assert.deepEqual(nativeZstd() === null ? differs.filter((name) => !onlyNative.test(name)) : differs, []);
  });
});
