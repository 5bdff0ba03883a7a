import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import fc from 'fast-check';
import { Digest, digestValues } from '../../bench/harness/digest.ts';

function digestRows(rows: readonly (readonly unknown[])[], batchSizes: readonly number[] = [rows.length]): string {
  const digest = new Digest();
  let start = 0;
  for (const size of batchSizes) {
    const batch = rows.slice(start, start + size);
    digest.add(
      (rows[0] ?? []).map((_, c) => batch.map((values) => values[c])),
      batch.length,
    );
    start += size;
  }
  return digest.toString();
}

const cell = fc.oneof(
  fc.integer(),
  fc.double(),
  fc.string(),
  fc.constant(null),
  fc.boolean(),
  fc.bigInt(),
  fc.uint8Array({ maxLength: 5 }),
  fc.array(fc.integer(), { maxLength: 3 }),
);

describe('bench digest', () => {
  test('does not depend on the order of rows or on where batches end', () => {
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 20 });
    fc.assert(
      fc.property(rows, fc.nat(), (list, cut) => {
        const at = cut % (list.length + 1);
        const expected = digestRows(list);
        assert.equal(digestRows(list.toReversed()), expected);
        assert.equal(digestRows(list, [at, list.length - at]), expected);
      }),
    );
  });

  test('depends on which values share a row', () => {
    assert.notEqual(
      digestRows([
        [1, 'a'],
        [2, 'b'],
      ]),
      digestRows([
        [1, 'b'],
        [2, 'a'],
      ]),
    );
    assert.notEqual(digestRows([['a', 'b']]), digestRows([['b', 'a']]));
    assert.notEqual(digestRows([['ab', '']]), digestRows([['a', 'b']]));
  });

  test('counts how often a row comes', () => {
    assert.notEqual(digestValues([1, 1, 2]), digestValues([1, 2, 2]));
    assert.notEqual(digestValues([1]), digestValues([1, 1]));
    assert.notEqual(digestValues([]), digestValues([null]));
  });

  test('tells every two of these values apart', () => {
    const values = [
      null,
      '',
      '0',
      'null',
      0,
      -0,
      1,
      1.5,
      -1,
      NaN,
      Infinity,
      -Infinity,
      true,
      false,
      2 ** 53,
      2n ** 53n + 1n,
      2n ** 64n,
      'a',
      'A',
      'é',
      'e\u0301',
      new Uint8Array([97]),
      new Uint8Array(),
      [],
      [1],
      [null],
      [[1]],
      [1, 2],
      [12],
      new Date(1),
      {},
      { a: 1 },
      { a: 2 },
      { b: 1 },
      new Map([['a', 1]]),
    ];
    const digests = new Map(values.map((value) => [digestValues([value]), value]));
    assert.equal(digests.size, values.length);
  });

  test('is the same for a whole number as number and as bigint, up to 2^53', () => {
    for (const value of [0, 1, -7, 2 ** 31, 2 ** 53, -(2 ** 53)]) {
      assert.equal(digestValues([value]), digestValues([BigInt(value)]), `${value}`);
    }
    assert.equal(digestValues(BigInt64Array.of(1n, -2n)), digestValues(Int32Array.of(1, -2)));
  });

  test('is the same for NaN of any bits, for the keys of an object in any order, and for typed and plain lists', () => {
    const bits = new DataView(new ArrayBuffer(8));
    bits.setBigUint64(0, 0xfff8_0000_0000_0001n);
    assert.equal(digestValues([bits.getFloat64(0)]), digestValues([NaN]));
    assert.equal(digestValues([{ a: 1, b: 2 }]), digestValues([{ b: 2, a: 1 }]));
    assert.equal(digestValues([Float64Array.of(1, 2)]), digestValues([[1, 2]]));
  });

  test('refuses what has no canonical form', () => {
    class Odd {}
    assert.throws(() => digestValues([undefined]), /undefined/);
    assert.throws(() => digestValues([new Odd()]), /Odd/);
    assert.throws(() => digestValues([() => 1]), /function/);
    assert.throws(() => new Digest().add([[1, 2], [1]], 2), /shorter/);
  });

  test('changes with any single value of a large column', () => {
    const column = Float64Array.from({ length: 10_000 }, (_, i) => i / 8);
    const expected = digestValues(column);
    for (const at of [0, 1, 5000, 9999]) {
      const changed = Float64Array.from(column);
      changed[at] = (changed[at] ?? 0) + 2 ** -20;
      assert.notEqual(digestValues(changed), expected, `at ${at}`);
    }
  });
});
