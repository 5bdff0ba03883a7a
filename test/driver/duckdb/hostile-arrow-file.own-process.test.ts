import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import test, { after, before, describe } from 'node:test';
import fc from 'fast-check';
import { type Connection, type Database, open, RecurveError } from 'recurve';
import {
  type Column,
  type ColumnLayout,
  type DataType,
  Field,
  makeColumn,
  RecordBatch,
  Schema,
  tableToIPC,
} from 'recurve/arrow';
import { arbitraryBatchesOf, arbitrarySchema } from '../../arrow/ipc/random-batch.ts';
import { firstValue, rejects, rowsOf, scratchFolder } from './fixture.ts';

// In a process of its own: what goes wrong here ends it.

// The fuzz regressions: https://github.com/apache/arrow-testing, data/, Apache-2.0.
const root = process.env.ARROW_TEST_DATA;
const skip = root === undefined || !existsSync(root) ? 'ARROW_TEST_DATA names no arrow-testing data' : false;

const int32: DataType = { kind: 'int', bitWidth: 32, signed: true };
const int64: DataType = { kind: 'int', bitWidth: 64, signed: true };

let database: Database;
let connection: Connection;
before(async () => {
  database = await open('duckdb:');
  connection = await database.connect();
});
after(() => database.close());

function columnOf(type: DataType, layout: Omit<ColumnLayout, 'type'>): Column {
  return makeColumn(new Field('v', type), { type, ...layout });
}

function int64Column(length: number): Column {
  return columnOf(int64, { length, values: new BigInt64Array(length).fill(7n) });
}

/** Writes a file of the one column `v`, of what the writer is told, right or wrong. */
function writeColumnTo(path: string, column: Column, field: Field = new Field('v', column.type)): string {
  const schema = new Schema([field]);
  writeFileSync(path, tableToIPC({ schema, batches: [new RecordBatch(schema, [column])] }, { format: 'file' }));
  return path;
}

/** Whether a file gives rows; else it gives an error of ours. */
async function givesRows(path: string): Promise<boolean> {
  try {
    for await (const batch of await connection.query(`FROM '${path}' LIMIT 5000`)) {
      for (const column of batch.columns) for (let i = 0; i < Math.min(column.length, 50); i++) column.at(i);
    }
    return true;
  } catch (error) {
    assert.ok(RecurveError.is(error), `${path}: ${error}`);
    assert.notEqual(error.status, 'INTERNAL', error.message);
    return false;
  }
}

describe('a damaged Arrow file by name', () => {
  test('of children that are longer than their parent gives the rows of the parent', async (t) => {
    const folder = scratchFolder(t);
    const long = int64Column(1_000_001);
    const child = new Field('a', int64);
    const cases: [name: string, column: Column][] = [
      ['struct', columnOf({ kind: 'struct', children: [child] }, { length: 10, validity: null, children: [long] })],
      [
        'array',
        columnOf({ kind: 'fixed-size-list', listSize: 3, child }, { length: 10, validity: null, children: [long] }),
      ],
      [
        'union',
        columnOf(
          { kind: 'union', mode: 'sparse', typeIds: [5], children: [child] },
          { length: 10, values: new Int8Array(10).fill(5), children: [long] },
        ),
      ],
    ];
    for (const [name, column] of cases) {
      const path = writeColumnTo(join(folder, `${name}.arrow`), column);
      assert.equal(await firstValue(connection, `SELECT count(v) FROM '${path}'`), 10n, name);
      assert.match(String(await firstValue(connection, `SELECT v::VARCHAR FROM '${path}'`)), /7/, name);
    }
  });

  test('of offsets that fall or lie outside is INVALID_DATA with the column and the value', async (t) => {
    const folder = scratchFolder(t);
    const data = new Uint8Array(60).fill(97);
    for (const kind of ['utf8', 'binary'] as const) {
      for (const large of [false, true]) {
        for (const [numbers, row] of [
          [[0, 30, 5, 40], 1],
          [[0, 5, 2, 6], 1],
          [[0, 5, -20, 6], 1],
          [[0, 2, 61, 40], 2],
        ] as const) {
          const offsets = large ? BigInt64Array.from(numbers, BigInt) : Int32Array.from(numbers);
          const column = columnOf({ kind, large }, { length: 3, validity: null, offsets, data });
          const path = writeColumnTo(join(folder, `${kind}-${large}-${numbers.join('_')}.arrow`), column);
          await rejects(
            connection.query(`FROM '${path}'`),
            'INVALID_DATA',
            new RegExp(`column "v", row ${row}, byte \\d+ of the body: offset`),
          );
        }
      }
    }
  });

  test('of dictionary indices that are right in their lower 32 bits only is INVALID_DATA', async (t) => {
    const folder = scratchFolder(t);
    const utf8: DataType = { kind: 'utf8', large: false };
    const dictionary = columnOf(utf8, {
      length: 2,
      validity: null,
      offsets: Int32Array.of(0, 1, 2),
      data: new Uint8Array([97, 98]),
    });
    for (const [bitWidth, signed, values] of [
      [32, false, Uint32Array.of(0, 0xffffffff)],
      [64, true, BigInt64Array.of(0n, 4294967297n)],
      [64, false, BigUint64Array.of(0n, 2n ** 64n - 1n)],
      [8, true, Int8Array.of(0, -1)],
      [8, true, Int8Array.of(0, 2)],
    ] as const) {
      const type: DataType = {
        kind: 'dictionary',
        id: 0n,
        index: { kind: 'int', bitWidth, signed },
        value: utf8,
        ordered: false,
      };
      const column = columnOf(type, { length: 2, validity: null, values, dictionary });
      const path = writeColumnTo(join(folder, `${bitWidth}-${signed}-${values[1]}.arrow`), column);
      await rejects(
        connection.query(`FROM '${path}'`),
        'INVALID_DATA',
        /column "v", row 1, byte \d+ of the body: index \S+ is outside of the dictionary of 2 values/,
      );
    }
  });

  test('of union offsets outside of the member is INVALID_DATA', async (t) => {
    const type: DataType = { kind: 'union', mode: 'dense', typeIds: [5], children: [new Field('a', int64)] };
    const offsets = Int32Array.of(2, 0, 1, 0);
    const column = columnOf(type, { length: 4, values: new Int8Array(4).fill(5), offsets, children: [int64Column(3)] });
    const path = writeColumnTo(join(scratchFolder(t), 'x.arrow'), column);
    const bytes = readFileSync(path);
    const at = bytes.indexOf(Buffer.from(offsets.buffer));
    for (const offset of [-1, -2, 3]) {
      bytes.writeInt32LE(offset, at + 4);
      writeFileSync(path, bytes);
      utimesSync(path, 1, 5 + offset);
      const message = new RegExp(`column "v", row 1, byte \\d+ of the body: offset ${offset} .*of 3 values`);
      await rejects(connection.query(`FROM '${path}'`), 'INVALID_DATA', message);
    }
  });

  test('from the fuzz regressions of arrow-testing gives rows or our error', { skip }, async (t) => {
    const folder = scratchFolder(t);
    let count = 0;
    for (const name of ['arrow-ipc-stream', 'arrow-ipc-file', 'arrow-ipc-tensor-stream', 'forward-compatibility']) {
      for (const entry of readdirSync(join(root ?? '', name), { withFileTypes: true })) {
        if (!entry.isFile() || entry.name.endsWith('.md')) continue;
        const path = join(folder, `${name}-${entry.name}.arrow`);
        writeFileSync(path, readFileSync(join(root ?? '', name, entry.name)));
        await givesRows(path);
        count++;
      }
    }
    assert.equal(count, 138);
  });

  test('with any byte changed gives rows or our error', async (t) => {
    const folder = scratchFolder(t);
    const samples = fc
      .sample(
        arbitrarySchema.chain((schema) =>
          arbitraryBatchesOf(schema, { minLength: 1, maxLength: 1 }).map((batches) => ({ schema, batches })),
        ),
        { numRuns: 16, seed: 7 },
      )
      .map((input) => tableToIPC(input, { format: 'file', alignment: 8 }));
    let rows = 0;
    let count = 0;
    for (const bytes of samples) {
      for (let at = count % 7; at < bytes.length; at += Math.max(7, Math.floor(bytes.length / 60))) {
        const damaged = bytes.slice();
        damaged[at] = (damaged[at] ?? 0) ^ (at % 3 === 0 ? 0xff : 0x80 >>> (at & 7));
        const path = join(folder, `${count++}.arrow`);
        writeFileSync(path, damaged);
        if (await givesRows(path)) rows++;
      }
    }
    assert.ok(count > 300 && rows > 30 && rows < count, `${rows} of ${count}`);
  });
});

describe('a sound Arrow file by name', () => {
  test('may hold a union in a dense union, whose ids need not begin at 0', async (t) => {
    const members = [new Field('p', int32), new Field('q', int32)];
    const ints = (...values: number[]): Column =>
      columnOf(int32, { length: values.length, values: Int32Array.from(values) });
    for (const mode of ['sparse', 'dense'] as const) {
      const inner: DataType = { kind: 'union', mode, typeIds: [5, 7], children: members };
      const innerColumn = columnOf(inner, {
        length: 2,
        values: Int8Array.of(7, 5),
        ...(mode === 'dense' && { offsets: Int32Array.of(0, 0) }),
        children: mode === 'dense' ? [ints(2), ints(1)] : [ints(0, 2), ints(1, 0)],
      });
      const type: DataType = {
        kind: 'union',
        mode: 'dense',
        typeIds: [3, 4],
        children: [new Field('u', inner), new Field('n', int32)],
      };
      const column = columnOf(type, {
        length: 4,
        values: Int8Array.of(4, 3, 4, 3),
        offsets: Int32Array.of(0, 0, 1, 1),
        children: [innerColumn, ints(10, 20)],
      });
      const path = writeColumnTo(join(scratchFolder(t), `${mode}.arrow`), column);
      assert.deepEqual(
        (await rowsOf(connection, `SELECT v::VARCHAR AS s FROM '${path}'`)).map((row) => row.s),
        ['10', '1', '20', '2'],
      );
    }
  });

  test('may hold UUIDs in a dictionary, which come as bytes', async (t) => {
    const value: DataType = { kind: 'fixed-size-binary', byteWidth: 16 };
    const dictionary = columnOf(value, { length: 1, validity: null, values: new Uint8Array(16).fill(65) });
    const type: DataType = {
      kind: 'dictionary',
      id: 0n,
      index: { kind: 'int', bitWidth: 8, signed: true },
      value,
      ordered: false,
    };
    const column = columnOf(type, { length: 3, validity: null, values: new Int8Array(3), dictionary });
    const field = new Field('v', type, { metadata: new Map([['ARROW:extension:name', 'arrow.uuid']]) });
    const path = writeColumnTo(join(scratchFolder(t), 'x.arrow'), column, field);
    assert.equal(await firstValue(connection, `SELECT v::VARCHAR FROM '${path}'`), 'A'.repeat(16));
  });
});
