import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import type { RecordBatch } from '../../../src/arrow/batch.ts';
import { makeColumn } from '../../../src/arrow/column/make.ts';
import type { Column } from '../../../src/arrow/column.ts';
import { jsonReader } from '../../../src/arrow/json.ts';
import { Field } from '../../../src/arrow/schema.ts';
import { textReader } from '../../../src/arrow/text.ts';
import type { DataType, TimeUnit } from '../../../src/arrow/type.ts';
import { ByteBuffer } from '../../../src/cli/format/byte-buffer.ts';
import { type CellStyle, cellWriter, cellWriters } from '../../../src/cli/format/cell.ts';
import { RecurveError } from '../../../src/error.ts';
import { open } from '../../../src/open/index.ts';

/** A style that leaves text as it is, so that what the cells write can be compared with the readers. */
const bare: CellStyle = {
  json: false,
  nullText: '<null>',
  writeText: (out, bytes, start, end) => out.writeBytes(bytes, start, end),
};
const json: CellStyle = {
  json: true,
  nullText: 'null',
  writeText: (out, bytes, start, end) =>
    out.writeText(JSON.stringify(new TextDecoder().decode(bytes.subarray(start, end)))),
};

function written(write: (out: ByteBuffer) => void): string {
  const out = new ByteBuffer(4);
  write(out);
  return new TextDecoder().decode(out.take());
}

function assertSame(field: Field, column: Column): void {
  const text = textReader(field, column);
  const asJson = jsonReader(field, column);
  const [textCell, jsonCell] = [cellWriter(field, column, bare), cellWriter(field, column, json)];
  for (let row = 0; row < column.length; row++) {
    const where = `${field} row ${row}`;
    assert.equal(
      written((out) => textCell.write(out, row)),
      text(row) ?? '<null>',
      where,
    );
    assert.equal(
      written((out) => jsonCell.write(out, row)),
      asJson(row),
      where,
    );
  }
}

function assertBatch(batch: RecordBatch): void {
  batch.columns.forEach((column, i) => {
    assertSame(batch.schema.field(i), column);
  });
  const cells = cellWriters(batch, json);
  for (let row = 0; row < batch.numRows; row++) {
    for (const cell of cells) JSON.parse(written((out) => cell.write(out, row)));
  }
}

describe('a cell', () => {
  test('of every DuckDB type is written as the readers read it', async () => {
    const database = await open('duckdb:');
    try {
      const connection = await database.connect();
      const names = (await (await connection.query('describe from test_all_types()')).table())
        .column('column_name')
        .toArray();
      const refused: unknown[] = [];
      for (const name of Array.from(names)) {
        const result = await connection.query(`select "${name}" from test_all_types()`);
        try {
          for await (const batch of result) assertBatch(batch);
        } catch (error) {
          // Extremes that Arrow has no room for: the driver says so rather than alter them.
          if (!RecurveError.is(error) || error.status !== 'INVALID_DATA') throw error;
          refused.push(name);
        }
      }
      assert.ok(names.length > 50 && refused.length < 12, `${names.length} types, refused: ${refused}`);
    } finally {
      await database.close();
    }
  });

  const sixtyFourBits = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
  const near = fc.oneof(
    sixtyFourBits,
    fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }),
    fc.bigInt({ min: -100n, max: 100n }),
  );

  const int64Column = (type: DataType, values: readonly bigint[]): Column =>
    makeColumn(new Field('c', type), { type, length: values.length, nullCount: 0, values: BigInt64Array.from(values) });

  for (const unit of ['s', 'ms', 'us', 'ns'] satisfies TimeUnit[]) {
    for (const timezone of [null, 'Europe/Berlin']) {
      test(`of a timestamp in ${unit} ${timezone === null ? 'without' : 'with'} zone is the reader's text`, () => {
        const type: DataType = { kind: 'timestamp', unit, timezone };
        fc.assert(
          fc.property(fc.array(near, { minLength: 1 }), (values) =>
            assertSame(new Field('c', type), int64Column(type, values)),
          ),
        );
      });
    }
  }

  test('of a date is the reader’s text over all 32 bits', () => {
    const type: DataType = { kind: 'date', unit: 'day' };
    const days = fc.oneof(
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
      fc.integer({ min: -800_000, max: 3_000_000 }),
    );
    fc.assert(
      fc.property(fc.array(days, { minLength: 1 }), (values) => {
        const layout = { type, length: values.length, nullCount: 0, values: Int32Array.from(values) };
        assertSame(new Field('c', type), makeColumn(new Field('c', type), layout));
      }),
    );
  });

  test('of an integer has its digits, signed or not, whatever its size', () => {
    fc.assert(
      fc.property(fc.array(near, { minLength: 1 }), (values) => {
        const signed: DataType = { kind: 'int', bitWidth: 64, signed: true };
        assertSame(new Field('c', signed), int64Column(signed, values));
        const type: DataType = { kind: 'int', bitWidth: 64, signed: false };
        const layout = { type, length: values.length, nullCount: 0, values: BigUint64Array.from(values) };
        assertSame(new Field('c', type), makeColumn(new Field('c', type), layout));
      }),
    );
  });

  test('of text that is not UTF-8 never leaves as it is', () => {
    const type: DataType = { kind: 'utf8', large: false };
    const column = makeColumn(new Field('c', type), {
      type,
      length: 2,
      nullCount: 0,
      offsets: Int32Array.of(0, 2, 3),
      data: Uint8Array.of(0x61, 0xff, 0x62),
    });
    const cell = cellWriter(new Field('c', type), column, bare);
    assert.equal(
      written((out) => cell.write(out, 0)),
      'a\ufffd',
    );
    assert.equal(
      written((out) => cell.write(out, 1)),
      'b',
    );
  });
});
