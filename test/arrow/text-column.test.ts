import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Column, Field, makeColumn, RecurveError } from 'recurve/arrow';

const field = new Field('t', { kind: 'utf8', large: false });
const encoder = new TextEncoder();

/** A column of these byte strings, null for null, with 32- or 64-bit offsets. */
function columnOf(values: ReadonlyArray<Uint8Array | string | null>, large = false): Column {
  const parts = values.map((value) =>
    typeof value === 'string' ? encoder.encode(value) : (value ?? new Uint8Array(0)),
  );
  const ends = [0];
  for (const part of parts) ends.push((ends.at(-1) ?? 0) + part.length);
  const data = new Uint8Array(ends.at(-1) ?? 0);
  parts.forEach((part, i) => {
    data.set(part, ends[i]);
  });
  const validity = new Uint8Array((values.length + 7) >> 3);
  values.forEach((value, i) => {
    if (value !== null) validity[i >> 3] = (validity[i >> 3] ?? 0) | (1 << (i & 7));
  });
  const type = { kind: 'utf8', large } as const;
  const offsets = large ? BigInt64Array.from(ends, BigInt) : Int32Array.from(ends);
  return makeColumn(field, { type, length: values.length, validity, nullCount: -1, offsets, data });
}

function everyWay(column: Column): unknown[][] {
  const forward = Array.from({ length: column.length }, (_, i) => column.at(i));
  const backward = Array.from({ length: column.length }, (_, i) => column.at(column.length - 1 - i)).reverse();
  return [Array.from(column.toArray()), [...column], forward, backward];
}

/** What the WHATWG decoder makes of one value alone; the byte order mark is text like any other. */
function decoded(value: Uint8Array | string | null): string | null {
  return value === null || typeof value === 'string'
    ? value
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(value);
}

describe('text column', () => {
  it('gives the same text read in order, backwards, at once and in slices of slices, with 32- and 64-bit offsets', () => {
    const text = fc.oneof(fc.string(), fc.string({ unit: 'binary' }), fc.constant('\ufeffbom'), fc.constant('\ufffd'));
    const value = fc.oneof(fc.constant(null), text, text, fc.uint8Array({ maxLength: 6 }));
    fc.assert(
      fc.property(fc.array(value, { maxLength: 40 }), fc.boolean(), fc.nat(40), fc.nat(40), (values, large, a, b) => {
        const expected = values.map(decoded);
        const column = columnOf(values, large);
        for (const got of everyWay(column)) assert.deepEqual(got, expected);
        const slice = column.slice(a).slice(0, b);
        for (const got of everyWay(slice)) assert.deepEqual(got, expected.slice(a).slice(0, b));
      }),
    );
  });

  it('decodes characters of two, three and four bytes at any distance from a block’s end', () => {
    for (const character of ['é', '中', '😀']) {
      for (let shift = 0; shift < 5; shift++) {
        const values = ['a'.repeat(16384 - shift), character, 'b'.repeat(16380 + shift), character.repeat(3), ''];
        for (const got of everyWay(columnOf(values))) assert.deepEqual(got, values);
      }
    }
  });

  it('reads values longer than a block, and short ones beside them', () => {
    const values = ['x', 'é'.repeat(40_000), '', 'y'.repeat(1_000_000), null, 'z'];
    for (const got of everyWay(columnOf(values))) assert.deepEqual(got, values);
  });

  it('keeps what is no UTF-8 inside of its own value', () => {
    // A character split by a value's end, lone continuation bytes, an overlong form.
    const values = [
      Uint8Array.of(0x61, 0xc3),
      Uint8Array.of(0xa9, 0x62),
      Uint8Array.of(0x80, 0x80),
      Uint8Array.of(0xc0, 0xaf),
      'é',
    ];
    const expected = ['a\ufffd', '\ufffdb', '\ufffd\ufffd', '\ufffd\ufffd', 'é'];
    for (const got of everyWay(columnOf(values))) assert.deepEqual(got, expected);
  });

  it('has null outside of the column', () => {
    const column = columnOf(['a', 'b']);
    assert.deepEqual([column.at(-1), column.at(2), column.at(Number.NaN)], [null, null, null]);
    assert.deepEqual([column.isValid(-1), column.isValid(2)], [false, false]);
  });

  it('reads a column without values', () => {
    assert.deepEqual(everyWay(columnOf([])), [[], [], [], []]);
  });

  it('throws INVALID_DATA for offsets that decrease or leave the data', () => {
    for (const offsets of [Int32Array.of(0, 3, 1, 4), Int32Array.of(0, 1, 2, 99), Int32Array.of(0, -1, 2, 4)]) {
      const column = makeColumn(field, { type: field.type, length: 3, offsets, data: encoder.encode('abcd') });
      assert.throws(
        () => column.toArray(),
        (error) => RecurveError.is(error) && error.status === 'INVALID_DATA',
      );
    }
  });
});
