import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as flechette from '@uwdata/flechette';
import * as arrow from 'apache-arrow';
import fc from 'fast-check';
import { type DataType, Field, type RecordBatch, Schema, tableFromIPC, tableToIPC } from 'recurve/arrow';
import { tableValues } from './column-value.ts';
import { dictionaryOf, int32, utf8 } from './example.ts';
import { arbitraryBatchesOf } from './random-batch.ts';

const units = ['s', 'ms', 'us', 'ns'] as const;
const item = new Field('item', int32);
const struct: DataType = { kind: 'struct', children: [new Field('x', int32), new Field('y', utf8)] };

const types: readonly DataType[] = [
  { kind: 'null' },
  { kind: 'bool' },
  ...([8, 16, 32, 64] as const).flatMap((bitWidth) =>
    [true, false].map((signed): DataType => ({ kind: 'int', bitWidth, signed })),
  ),
  ...([16, 32, 64] as const).map((bitWidth): DataType => ({ kind: 'float', bitWidth })),
  ...([32, 64, 128, 256] as const).map((bitWidth): DataType => ({ kind: 'decimal', precision: 9, scale: 2, bitWidth })),
  { kind: 'utf8', large: false },
  { kind: 'utf8', large: true },
  { kind: 'binary', large: false },
  { kind: 'binary', large: true },
  { kind: 'fixed-size-binary', byteWidth: 5 },
  { kind: 'date', unit: 'day' },
  { kind: 'date', unit: 'ms' },
  ...units.map((unit): DataType => ({ kind: 'time', unit })),
  ...units.map((unit): DataType => ({ kind: 'timestamp', unit, timezone: unit === 'us' ? 'Europe/Berlin' : null })),
  ...units.map((unit): DataType => ({ kind: 'duration', unit })),
  ...(['year-month', 'day-time', 'month-day-nano'] as const).map((unit): DataType => ({ kind: 'interval', unit })),
  { kind: 'list', child: item, large: false },
  { kind: 'list', child: item, large: true },
  { kind: 'list', child: new Field('item', struct), large: false },
  { kind: 'fixed-size-list', child: item, listSize: 3 },
  struct,
  {
    kind: 'map',
    child: new Field(
      'entries',
      { kind: 'struct', children: [new Field('key', utf8, { nullable: false }), new Field('value', int32)] },
      { nullable: false },
    ),
    keysSorted: false,
  },
  { kind: 'union', mode: 'sparse', typeIds: [0, 1], children: [new Field('a', int32), new Field('b', utf8)] },
  { kind: 'union', mode: 'dense', typeIds: [3, 7], children: [new Field('a', int32), new Field('b', utf8)] },
  dictionaryOf(5n),
  { ...dictionaryOf(6n, int32), index: { kind: 'int', bitWidth: 32, signed: false } },
];

const schema = new Schema(types.map((type, i) => new Field(`c${i}`, type)));
const samples = fc
  .sample(arbitraryBatchesOf(schema, { minLength: 1, maxLength: 3 }), { numRuns: 15, seed: 17 })
  .filter((batches) => batches.some((batch) => batch.numRows > 0));

/** What the values of our table are when a foreign library has read it from us, written it, and we have read that. */
function check(name: string, reencode: (bytes: Uint8Array) => Uint8Array, leftOut: (type: DataType) => boolean): void {
  it(`${name} reads what we write, and we what it writes`, () => {
    const fields = schema.fields.filter((field) => !leftOut(field.type));
    const kept = new Schema(fields);
    assert.ok(fields.length >= types.length - 3);
    assert.ok(samples.length > 8);
    for (const sample of samples) {
      const batches = sample.map((batch) => pick(batch, kept));
      const expected = tableValues(tableFromIPC(tableToIPC({ schema: kept, batches })));
      for (const format of ['stream', 'file'] as const) {
        const theirs = tableFromIPC(reencode(tableToIPC({ schema: kept, batches }, { format })));
        assert.equal(`${withoutIds(theirs.schema)}`, `${withoutIds(kept)}`);
        assert.deepEqual(tableValues(theirs), expected);
      }
    }
  });
}

function pick(batch: RecordBatch, kept: Schema): RecordBatch {
  const columns = kept.fields.map((field) => batch.column(batch.schema.fields.indexOf(field)));
  return new (batch.constructor as typeof RecordBatch)(kept, columns, batch.numRows);
}

/** Dictionaries are numbered anew by other writers; the text of a type does not say how. */
function withoutIds(of: Schema): string[] {
  return of.fields.map((field) => `${field}`);
}

describe('foreign implementations', () => {
  check(
    'apache-arrow, streams',
    (bytes) => arrow.tableToIPC(arrow.tableFromIPC(bytes), 'stream'),
    () => false,
  );
  check(
    'apache-arrow, files',
    (bytes) => arrow.tableToIPC(arrow.tableFromIPC(bytes), 'file'),
    () => false,
  );
  check(
    'flechette, streams',
    (bytes) => flechetteEncode(bytes, 'stream'),
    () => false,
  );
  check(
    'flechette, files',
    (bytes) => flechetteEncode(bytes, 'file'),
    () => false,
  );

  it('see the values that we wrote', () => {
    const simple = new Schema(
      schema.fields.filter(({ type }) => ['null', 'bool', 'int', 'float', 'utf8'].includes(type.kind)),
    );
    for (const sample of samples) {
      const bytes = tableToIPC({ schema: simple, batches: sample.map((batch) => pick(batch, simple)) });
      const expected = tableValues(tableFromIPC(bytes));
      const theirs = arrow.tableFromIPC(bytes);
      assert.deepEqual(
        simple.fields.map((_, i) => [...(theirs.getChildAt(i) ?? [])]),
        expected,
      );
      const others = flechette.tableFromIPC(bytes, { useBigInt: true });
      assert.deepEqual(
        simple.fields.map((_, i) => [...others.getChildAt(i)]),
        expected,
      );
    }
  });
});

function flechetteEncode(bytes: Uint8Array, format: 'stream' | 'file'): Uint8Array {
  return flechette.tableToIPC(flechette.tableFromIPC(bytes), { format }) ?? new Uint8Array(0);
}
