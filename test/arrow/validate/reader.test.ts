import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as flechette from '@uwdata/flechette';
import {
  FileRangeReader,
  FileReader,
  RecurveError,
  StreamReader,
  Table,
  tableFromArrays,
  tableFromIPC,
  tableToIPC,
  type ValidationLevel,
} from 'recurve/arrow';
import * as lean from 'recurve/arrow/read';

/** Two batches, of which the second has a byte in its second text that is not UTF-8; also where that byte is. */
function damaged(format: 'stream' | 'file'): { bytes: Uint8Array; at: number } {
  const first = tableFromArrays({ t: ['a', 'b'], n: [1, 2] });
  const second = tableFromArrays({ t: ['xx', 'needle'], n: [1, 2] });
  const batches = [...first.batches, ...second.batches];
  const bytes = tableToIPC(new Table(first.schema, batches), { format });
  const at = Buffer.from(bytes).indexOf('needle');
  bytes[at + 3] = 0xff;
  return { bytes, at };
}

async function refusalOf(read: () => unknown): Promise<RecurveError | undefined> {
  try {
    await read();
    return undefined;
  } catch (error) {
    assert.ok(RecurveError.is(error), `${error}`);
    assert.equal(error.status, 'INVALID_DATA');
    return error;
  }
}

function rangesOf(bytes: Uint8Array): { size: number; read(offset: number, length: number): Promise<Uint8Array> } {
  return { size: bytes.length, read: async (offset, length) => bytes.slice(offset, offset + length) };
}

/** Every way to read, by name: of all there is, with what `validate` says. */
const ways: Readonly<Record<string, (bytes: Uint8Array, validate?: ValidationLevel) => unknown>> = {
  'tableFromIPC of a stream': (bytes, validate) => tableFromIPC(bytes, { validate }),
  'StreamReader of a stream': async (bytes, validate) => (await StreamReader.from(bytes, { validate })).table(),
  'tableFromIPC of a file': (bytes, validate) => tableFromIPC(bytes, { validate }),
  'FileReader of a file': (bytes, validate) => FileReader.open(bytes, { validate }).table(),
  'FileRangeReader of a file': async (bytes, validate) =>
    (await FileRangeReader.open(rangesOf(bytes), { validate })).table(),
};

describe('readers that validate', () => {
  for (const [name, read] of Object.entries(ways)) {
    const { bytes } = damaged(name.endsWith('file') ? 'file' : 'stream');
    it(`${name}: in full unless told otherwise`, async () => {
      assert.match(
        (await refusalOf(() => read(bytes)))?.message ?? '',
        /column "t", row 1, byte \d+ of the body: .*UTF-8/,
      );
      assert.notEqual(await refusalOf(() => read(bytes, 'full')), undefined);
      for (const level of ['none', 'minimal', 'default'] as const) {
        assert.equal(await refusalOf(() => read(bytes, level)), undefined, level);
      }
    });
  }

  it('tell message, column, row and byte, in words and as details', async () => {
    const { bytes, at } = damaged('stream');
    const error = await refusalOf(() => tableFromIPC(bytes));
    const details = Object.fromEntries(
      (error?.details ?? []).map(([key, value]) => [key, Buffer.from(value).toString()]),
    );
    assert.deepEqual([details.message, details.column, details.row], ['message 2', '"t"', '1']);
    // The body of the last message ends where the end-of-stream mark begins.
    const table = tableFromIPC(bytes, { validate: 'none' });
    const { data } = table.batches[1]?.column('t').layout ?? {};
    const bodyStart = bytes.byteOffset + at - Number(details.byte);
    assert.equal((bodyStart - bytes.byteOffset) % 8, 0);
    assert.equal(data?.byteOffset, bodyStart + Number(details.byte) - 2);
    assert.equal(
      error?.message,
      `message 2: column "t", row 1, byte ${details.byte} of the body: the text is not UTF-8`,
    );
  });

  it('name the message of a dictionary, not of the batch that uses it', async () => {
    const type = flechette.dictionary(flechette.utf8());
    const bytes = flechette.tableToIPC(
      flechette.tableFromArrays({ d: ['needle', 'b', 'needle'] }, { types: { d: type } }),
      {
        format: 'stream',
      },
    );
    assert.ok(bytes);
    bytes[Buffer.from(bytes).indexOf('needle')] = 0x80;
    assert.match(
      (await refusalOf(() => tableFromIPC(bytes)))?.message ?? '',
      /^message 1: column "dictionary", row 0, /,
    );
  });

  it('count the bytes of a buffer that had to be copied from its own start', async () => {
    const bytes = tableToIPC(tableFromArrays({ t: ['one', 'two'] }));
    const offsets = tableFromIPC(bytes).batches[0]?.column('t').layout.offsets;
    assert.ok(offsets instanceof Int32Array);
    // Falls from 3 to 2 in the middle.
    new Int32Array(offsets.buffer, offsets.byteOffset, 3).set([3, 2, 6]);
    const shifted = new Uint8Array(bytes.length + 1);
    shifted.set(bytes, 1);
    const error = await refusalOf(() => tableFromIPC(shifted.subarray(1)));
    assert.match(error?.message ?? '', /row 0, byte 4 of its buffer: offset 2 follows 3/);
  });

  it('are left out of the lean entry, which takes a check of one’s own', async () => {
    const { bytes } = damaged('stream');
    assert.equal(await refusalOf(() => lean.tableFromIPC(bytes)), undefined);
    const seen: string[] = [];
    const check: lean.ColumnCheck = (fields, columns, message) => {
      seen.push(`${message}: ${fields.map(({ name }, i) => `${name} ${columns[i]?.length}`).join(', ')}`);
    };
    lean.tableFromIPC(bytes, { check });
    assert.deepEqual(seen, ['message 1: t 2, n 2', 'message 2: t 2, n 2']);
  });
});
