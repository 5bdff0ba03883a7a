import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RecurveError } from 'recurve';
import { type RecordBatch, Table, tableToIPC, validateBatch } from 'recurve/arrow';
import { batchByteLength } from 'recurve/delivery';
import { builtinTypes } from '../../../../src/driver/postgres/decode/builtin.ts';
import { type PgBinaryReader, pgBinaryToArrow } from '../../../../src/driver/postgres/decode/copy-file.ts';
import { RowDecoder, type RowLimit } from '../../../../src/driver/postgres/decode/row-decoder.ts';
import { parseType } from '../../../../src/driver/postgres/decode/type-text.ts';
import { toMessages } from './copy-out.ts';
import { header, int8, int16, int32, int64, readAll, signature, trailer, tuple, wire } from './wire.ts';

const columns = [
  { name: 'id', type: 'int8' },
  { name: 'amount', type: 'numeric(12,2)' },
  { name: 'text', type: 'text' },
  { name: 'flag', type: 'bool' },
  { name: 'list', type: 'int4[]' },
  { name: 'range', type: 'daterange' },
  { name: 'day', type: 'date' },
  { name: 'point', type: 'point' },
  { name: 'address', type: 'inet' },
  { name: 'sum', type: 'numeric' },
];

/** A row whose values, widths and NULLs depend on its number. */
function row(i: number): Uint8Array {
  const numeric = wire(
    int16(2),
    int16(0),
    int16(i % 3 === 0 ? 0x4000 : 0),
    int16(2),
    int16(1 + (i % 9999)),
    int16(2500),
  );
  const list = wire(int32(1), int32(0), int32(23), int32(2), int32(1), int32(4), int32(i), int32(-1));
  const values: Uint8Array[] = [
    int64(BigInt(i) ** 4n),
    numeric,
    wire('é'.repeat(i % 90)),
    int8(i & 1),
    i % 4 === 0 ? wire(int32(0), int32(0), int32(23)) : list,
    i % 5 === 0 ? int8(1) : wire(int8(2), int32(4), int32(i), int32(4), int32(i + 1)),
    int32(i),
    wire(int64(BigInt(i)), int64(0n)),
    Uint8Array.of(2, 32, 0, 4, 10, 0, i >> 8, i),
    numeric,
  ];
  return tuple(...values.map((value, c) => ((i * 31 + c * 17) % 11 === 0 && i % 2 === 1 ? null : value)));
}

const rowCount = 700;
const rows = Array.from({ length: rowCount }, (_, i) => row(i));
const file = wire(header, ...rows, trailer);
const all = { maxRows: 1 << 20, maxBytes: 1 << 28, firstRows: 1 << 20 };

function decoder(framing: 'rows' | 'copy' | 'file', limit: RowLimit = all): RowDecoder {
  const known = columns.map(({ name, type }) => ({ name, ...parseType(type, () => undefined), format: 1 as const }));
  return new RowDecoder(known, builtinTypes, { framing, limit });
}

/** Gives pieces to a decoder as a channel does: from one buffer, in which only what was not taken stays. */
function feed(rowDecoder: RowDecoder, pieces: Iterable<Uint8Array>): RecordBatch[] {
  const batches: RecordBatch[] = [];
  const memory = new Uint8Array(1 << 20);
  let end = 0;
  const keep = (batch: RecordBatch | undefined): void => {
    if (batch === undefined) return;
    validateBatch(batch, 'full');
    batches.push(batch);
  };
  for (const piece of pieces) {
    memory.set(piece, end);
    end += piece.length;
    let start = 0;
    for (;;) {
      start = rowDecoder.take(memory, start, end);
      if (!rowDecoder.full) break;
      keep(rowDecoder.finish());
    }
    memory.copyWithin(0, start, end);
    end -= start;
    memory.fill(0xaa, end);
  }
  assert.equal(end, 0);
  keep(rowDecoder.finish());
  return batches;
}

function* cut(bytes: Uint8Array, lengths: readonly number[]): Generator<Uint8Array> {
  let at = 0;
  for (let i = 0; at < bytes.length; i++) {
    const next = at + (lengths[i % lengths.length] ?? 1);
    yield bytes.slice(at, next);
    at = next;
  }
}

function tableOf(batches: readonly RecordBatch[]): Table {
  const [first] = batches;
  assert.ok(first);
  return new Table(first.schema, batches);
}

async function ipcOf(source: PgBinaryReader): Promise<Uint8Array> {
  return tableToIPC(await source.table());
}

const pieceLengths = fc.array(fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 9000 })), {
  minLength: 1,
  maxLength: 20,
});

describe('rows cut anywhere', async () => {
  const expected = await ipcOf(pgBinaryToArrow(file, columns));

  it('give the same batches, of a file', async () => {
    await fc.assert(
      fc.asyncProperty(pieceLengths, async (lengths) => {
        assert.deepEqual(await ipcOf(pgBinaryToArrow(cut(file, lengths), columns)), expected);
      }),
      { numRuns: 20 },
    );
  });

  for (const framing of ['rows', 'copy'] as const) {
    const messages = toMessages(file, framing);
    it(`give the same batches, of ${framing}`, () => {
      fc.assert(
        fc.property(pieceLengths, (lengths) => {
          assert.deepEqual(tableToIPC(tableOf(feed(decoder(framing), cut(messages, lengths)))), expected);
        }),
        { numRuns: 20 },
      );
    });
  }

  it('come from a web stream and an async iterable too', async () => {
    const stream = new Blob([file]).stream() as unknown as ReadableStream<Uint8Array>;
    assert.deepEqual(await ipcOf(pgBinaryToArrow(stream, columns)), expected);
    const iterable = (async function* () {
      yield* cut(file, [777]);
    })();
    assert.deepEqual(await ipcOf(pgBinaryToArrow(iterable, columns)), expected);
  });
});

describe('batches of rows', () => {
  const messages = toMessages(file, 'rows');

  it('end at the limit of rows, the first sooner', () => {
    const batches = feed(decoder('rows', { maxRows: 300, maxBytes: 1 << 28, firstRows: 10 }), [messages]);
    assert.deepEqual(
      batches.map(({ numRows }) => numRows),
      [10, 300, 300, 90],
    );
  });

  it('never take more bytes than allowed, but for a single row, and as many as fit', () => {
    for (const maxBytes of [1, 200, 1000, 5000, 20_000]) {
      const batches = feed(decoder('rows', { maxRows: 1 << 20, maxBytes, firstRows: 1 << 20 }), [messages]);
      assert.equal(
        batches.reduce((sum, { numRows }) => sum + numRows, 0),
        rowCount,
      );
      batches.forEach((batch, i) => {
        const byteLength = batchByteLength(batch);
        assert.ok(batch.numRows === 1 || byteLength <= maxBytes, `${byteLength} bytes in ${batch.numRows} rows`);
        if (i < batches.length - 1) assert.ok(byteLength > maxBytes - 600 || batch.numRows === 1, `only ${byteLength}`);
      });
      const table = batches.flatMap((batch) => [...batch.column('id')]);
      const whole = feed(decoder('rows'), [messages]).flatMap((batch) => [...batch.column('id')]);
      assert.deepEqual(table, whole);
    }
  });

  it('do not change when the bytes are overwritten that they came from', () => {
    const bytes = messages.slice();
    const rowDecoder = decoder('rows');
    assert.equal(rowDecoder.take(bytes, 0, bytes.length), bytes.length);
    bytes.fill(0xff);
    const batch = rowDecoder.finish();
    assert.ok(batch);
    validateBatch(batch, 'full');
    assert.equal(batch.column('id').at(3), 81n);
  });

  it('leave what is no row', () => {
    const rowDecoder = decoder('rows');
    const bytes = wire(messages, 'C', int32(4));
    assert.equal(rowDecoder.take(bytes, 0, bytes.length), messages.length);
    assert.equal(rowDecoder.numRows, rowCount);
    assert.equal(rowDecoder.take(bytes, messages.length, bytes.length), messages.length);
  });

  it('of no columns are counted', () => {
    const rowDecoder = new RowDecoder([], builtinTypes, { framing: 'rows', limit: all });
    const bytes = wire(...Array.from({ length: 3 }, () => wire('D', int32(6), int16(0))));
    assert.equal(rowDecoder.take(bytes, 0, bytes.length), bytes.length);
    assert.equal(rowDecoder.finish()?.numRows, 3);
  });

  it('have 1,600 columns where the table has', async () => {
    const wide = Array.from({ length: 1600 }, (_, i) => ({ name: `c${i}`, type: i % 2 === 0 ? 'int4' : 'text' }));
    const tuples = Array.from({ length: 50 }, (_, r) =>
      tuple(...wide.map((_, i) => (i % 3 === 0 ? null : i % 2 === 0 ? int32(r * i) : wire(`${r},${i}`)))),
    );
    const [batch] = await readAll(wire(header, ...tuples, trailer), wide);
    assert.ok(batch);
    for (const i of [0, 1, 2, 4, 5, 1597, 1598, 1599]) {
      const expected = tuples.map((_, r) => (i % 3 === 0 ? null : i % 2 === 0 ? r * i : `${r},${i}`));
      assert.deepEqual([...batch.column(i)], expected);
    }
  });
});

describe('a file', () => {
  it('is whole: cut off anywhere it is an error that says where', async () => {
    const short = wire(header, row(1), row(2), trailer);
    for (let length = 0; length < short.length; length++) {
      await assert.rejects(readAll(short.subarray(0, length), columns), (error) => {
        assert.ok(RecurveError.is(error));
        assert.equal(error.status, 'INVALID_DATA');
        assert.match(error.message, new RegExp(`^the file is cut off at byte ${length}: `));
        return true;
      });
    }
    assert.equal((await readAll(short, columns))[0]?.numRows, 2);
  });

  it('gives the rows before the fault', async () => {
    const seen: number[] = [];
    const reading = async (): Promise<void> => {
      const options = { batch: { maxRows: 100 } };
      for await (const batch of pgBinaryToArrow(file.subarray(0, file.length - 10), columns, options))
        seen.push(batch.numRows);
    };
    await assert.rejects(reading(), /cut off at byte/);
    assert.deepEqual(seen, [100, 100, 100, 100, 100, 100]);
  });

  it('ends where COPY says', async () => {
    const read = readAll(wire(header, row(1), trailer, int16(0)), columns);
    await assert.rejects(read, /bytes behind the end of COPY, from byte \d+ on$/);
  });

  it('begins as COPY does', async () => {
    await assert.rejects(readAll(wire('PGCOPX\n'), columns), /byte 5 is 0x58/);
    await assert.rejects(readAll(wire('1,2,3\n'), columns), /byte 0 is 0x31/);
    const withOids = wire(signature, int32(1 << 16), int32(0), trailer);
    await assert.rejects(readAll(withOids, columns), { status: 'NOT_IMPLEMENTED', message: /carry OIDs/ });
    await assert.rejects(readAll(wire(signature, int32(1 << 17), int32(0)), columns), { status: 'NOT_IMPLEMENTED' });
    assert.deepEqual(await readAll(wire(signature, int32(1), int32(3), 'ext', trailer), columns), []);
  });

  it('without rows has its schema', async () => {
    const reader = pgBinaryToArrow(wire(header, trailer), columns);
    assert.deepEqual(
      reader.schema.names,
      columns.map(({ name }) => name),
    );
    const table = await reader.table();
    assert.equal(table.numRows, 0);
    assert.equal(table.numCols, columns.length);
  });

  it('is read once', async () => {
    const reader = pgBinaryToArrow(file, columns);
    await reader.table();
    await assert.rejects(reader.table(), { status: 'INVALID_STATE' });
  });

  it('of COPY messages may begin with its end', () => {
    const rowDecoder = decoder('copy');
    const bytes = toMessages(wire(header, trailer), 'copy');
    assert.equal(rowDecoder.take(bytes, 0, bytes.length), bytes.length);
    assert.ok(rowDecoder.ended);
    assert.equal(rowDecoder.finish(), undefined);
  });
});

describe('corrupt rows', () => {
  const short = wire(header, ...rows.slice(0, 40), trailer);
  const messages = toMessages(short, 'rows');
  const faults = fc.array(
    fc.record({ at: fc.nat(), value: fc.oneof(fc.nat(255), fc.constantFrom(0, 0x7f, 0x80, 0xff)) }),
    {
      minLength: 1,
      maxLength: 4,
    },
  );
  const corrupted = (bytes: Uint8Array, changes: readonly { at: number; value: number }[]): Uint8Array => {
    const copy = bytes.slice();
    for (const { at, value } of changes) copy[at % copy.length] = value;
    return copy;
  };

  it('of a file end in INVALID_DATA, or are valid Arrow', async () => {
    await fc.assert(
      fc.asyncProperty(faults, async (changes) => {
        try {
          await readAll(corrupted(short, changes), columns);
        } catch (error) {
          assert.ok(RecurveError.is(error), String(error));
          assert.ok(error.status === 'INVALID_DATA' || error.status === 'NOT_IMPLEMENTED', error.status);
        }
      }),
      { numRuns: 1000 },
    );
  });

  it('of messages end in INVALID_DATA, or are valid Arrow, or are not all there', () => {
    fc.assert(
      fc.property(faults, (changes) => {
        const bytes = corrupted(messages, changes);
        const rowDecoder = decoder('rows');
        try {
          rowDecoder.take(bytes, 0, bytes.length);
          const batch = rowDecoder.finish();
          if (batch !== undefined) validateBatch(batch, 'full');
        } catch (error) {
          assert.ok(RecurveError.is(error), String(error));
          assert.equal(error.status, 'INVALID_DATA');
        }
      }),
      { numRuns: 1000 },
    );
  });
});
