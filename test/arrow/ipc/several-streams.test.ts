import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  FileReader,
  RecurveError,
  StreamReader,
  type Table,
  tableFromIPC,
  tablesFromIPC,
  tableToIPC,
} from 'recurve/arrow';
import { tableValues } from './column-value.ts';
import { int32Batch, mixedBatches, mixedSchema } from './example.ts';
import { listMessages } from './message-list.ts';

const first = int32Batch([1, null, 3]);
const parts = [
  tableToIPC({ schema: first.schema, batches: [first, first] }),
  tableToIPC({ schema: mixedSchema, batches: mixedBatches() }),
  tableToIPC({ schema: mixedSchema, batches: [] }),
];
const expected = parts.map((part) => tableValues(tableFromIPC(part)));
const joined = new Uint8Array(Buffer.concat(parts));
const padded = new Uint8Array(Buffer.concat(parts.flatMap((part) => [part, Buffer.alloc(12)])));

async function readAll(chunks: Iterable<Uint8Array>): Promise<unknown[]> {
  const tables: Table[] = [];
  for await (const reader of StreamReader.all(chunks)) tables.push(await reader.table());
  return tables.map(tableValues);
}

function hasStatus(status: string): (error: unknown) => boolean {
  return (error) => RecurveError.is(error) && error.status === status;
}

describe('streams back to back', () => {
  it('are read one by one, whatever the chunks are and with zeroes between them', async () => {
    for (const data of [joined, padded]) {
      assert.deepEqual(tablesFromIPC(data).map(tableValues), expected);
      assert.deepEqual(await readAll(Array.from(data, (byte) => Uint8Array.of(byte))), expected);
      for (let cut = 0; cut <= data.length; cut += 13) {
        assert.deepEqual(await readAll([data.slice(0, cut), data.slice(cut)]), expected);
      }
    }
  });

  it('are told apart though the second begins with a zero byte, as with the framing of before 0.15', () => {
    // The first word is then the size of the metadata, which may be a multiple of 256.
    for (let fields = 1; fields < 400; fields++) {
      const batch = int32Batch([fields]);
      const schema = batch.schema.withMetadata({ k: 'x'.repeat(fields) });
      const stream = tableToIPC({ schema, batches: [] }, { alignment: 8 });
      if (stream[4] !== 0) continue;
      const legacy = new Uint8Array(Buffer.concat([stream.subarray(4, -8), Buffer.alloc(4)]));
      const [, table] = tablesFromIPC(new Uint8Array(Buffer.concat([parts[0] as Uint8Array, Buffer.alloc(8), legacy])));
      assert.equal(table?.schema.metadata.get('k')?.length, fields);
      return;
    }
    assert.fail('no such size was met');
  });

  it('are passed over where they are left unread', async () => {
    const rows: number[] = [];
    for await (const reader of StreamReader.all([joined])) {
      const { value } = await reader.next();
      rows.push(value?.numRows ?? 0);
      if (rows.length === 1) await reader.return();
    }
    assert.deepEqual(rows, [3, 3, 0]);
  });

  it('are none in an empty source', async () => {
    assert.deepEqual(await readAll([]), []);
    assert.deepEqual(await readAll([new Uint8Array(0)]), []);
    assert.deepEqual(tablesFromIPC(new Uint8Array(0)), []);
  });

  it('let the source go when left early, and when one is malformed', async () => {
    for (const second of [parts[1], Buffer.from('this is no stream')]) {
      let released = false;
      async function* source(): AsyncGenerator<Uint8Array> {
        try {
          yield parts[0] as Uint8Array;
          yield second as Uint8Array;
          yield parts[2] as Uint8Array;
        } finally {
          released = true;
        }
      }
      const reading = async (): Promise<void> => {
        let count = 0;
        for await (const reader of StreamReader.all(source())) {
          await reader.table();
          if (++count === 2) break;
        }
      };
      if (second === parts[1]) await reading();
      else await assert.rejects(reading(), hasStatus('INVALID_DATA'));
      assert.ok(released);
    }
  });

  it('that end in the middle of one throw, at any byte, after those that are whole', async () => {
    const pair = Buffer.concat([parts[0] as Uint8Array, parts[0] as Uint8Array]);
    const length = pair.length / 2;
    const ends = listMessages(pair.subarray(length)).map(({ end }) => length + end);
    for (let cut = length + 1; cut < pair.length; cut++) {
      // Between messages a stream may end: the marker is optional.
      if (ends.includes(cut)) continue;
      const tables: unknown[] = [];
      await assert.rejects(async () => {
        for await (const reader of StreamReader.all([pair.subarray(0, cut)])) tables.push(await reader.table());
      }, hasStatus('INVALID_DATA'));
      assert.equal(tables.length, 1);
      assert.throws(() => tablesFromIPC(pair.subarray(0, cut)), hasStatus('INVALID_DATA'));
    }
  });

  it('are refused by tableFromIPC, with a hint', () => {
    for (const input of [joined, parts]) {
      assert.throws(
        () => tableFromIPC(input),
        (error) =>
          RecurveError.is(error) && /follow the end/.test(error.message) && /tablesFromIPC/.test(`${error.hint}`),
      );
    }
  });
});

describe('one stream or file in pieces', () => {
  it('is one table, wherever it is cut', () => {
    for (const format of ['stream', 'file'] as const) {
      const whole = tableToIPC({ schema: mixedSchema, batches: mixedBatches() }, { format });
      const table = tableValues(tableFromIPC(whole));
      for (let cut = 0; cut <= whole.length; cut += 7) {
        const pieces = [whole.slice(0, cut), whole.slice(cut).buffer];
        assert.deepEqual(tableValues(tableFromIPC(pieces)), table);
      }
    }
    assert.throws(() => tableFromIPC([]), hasStatus('INVALID_DATA'));
  });
});

describe('a file where a stream was expected, and the other way round', () => {
  const file = tableToIPC({ schema: first.schema, batches: [first] }, { format: 'file' });

  it('is recognised by its magic', async () => {
    assert.equal((await (await StreamReader.from([file])).table()).numRows, 3);
    assert.deepEqual(await readAll([file]), [tableValues(tableFromIPC(file))]);
    assert.equal(tablesFromIPC(file).length, 1);
    assert.throws(() => FileReader.open(parts[0] as Uint8Array), /this is no Arrow file/);
  });
});
