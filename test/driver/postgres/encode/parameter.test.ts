import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import type { Parameter } from 'recurve';
import {
  bool,
  type DataType,
  decimal128,
  Field,
  fixedSizeBinary,
  int16,
  int32,
  list,
  nullType,
  struct,
  timestamp,
  union,
  utf8,
  uuidField,
} from 'recurve/arrow';
import type { Column } from '../../../../src/arrow/column.ts';
import { encodeParameter } from '../../../../src/driver/postgres/encode/parameter.ts';
import { oneColumn } from './one-column.ts';

const what = 'parameter $1';

function columnOf(type: DataType | Field, ...values: unknown[]): Column {
  const table = oneColumn(type instanceof Field ? type : new Field('c', type), values);
  return table.batches[0]?.columns[0] as Column;
}

function hex(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString('hex');
}

describe('a parameter is typed and binary', () => {
  // Layouts by the manual and the server's send functions; OIDs of pg_type.dat.
  const cases: readonly [name: string, Parameter, oid: number, format: 0 | 1, bytes: string | null][] = [
    ['true', true, 16, 1, '01'],
    ['false', false, 16, 1, '00'],
    ['a whole number', -2, 20, 1, 'fffffffffffffffe'],
    ['the greatest safe number', Number.MAX_SAFE_INTEGER, 20, 1, '001fffffffffffff'],
    ['a fraction', 0.5, 701, 1, '3fe0000000000000'],
    ['minus zero', -0, 701, 1, '8000000000000000'],
    ['a number beyond 2^53', 2 ** 60, 701, 1, '43b0000000000000'],
    ['a bigint', -(2n ** 63n), 20, 1, '8000000000000000'],
    ['a bigint beyond int8', 2n ** 63n, 1700, 0, Buffer.from('9223372036854775808').toString('hex')],
    ['a Date', new Date('2000-01-01T00:00:00.001Z'), 1184, 1, '00000000000003e8'],
    ['a Date before 2000', new Date(0), 1184, 1, BigInt.asUintN(64, -946_684_800_000_000n).toString(16)],
    ['bytes', Uint8Array.of(0, 255), 17, 1, '00ff'],
    ['an int16 of Arrow', columnOf(int16(), -1), 21, 1, 'ffff'],
    ['a null of Arrow', columnOf(int32(), null), 23, 1, null],
    ['a null of no type of Arrow', columnOf(nullType(), null), 0, 0, null],
    ['a text of Arrow', columnOf(utf8(), 'é'), 25, 1, 'c3a9'],
    ['a truth value of Arrow', columnOf(bool(), true), 16, 1, '01'],
    ['a decimal of Arrow', columnOf(decimal128(10, 2), '-1.5'), 1700, 1, '0002000040000002' + '00011388'],
    ['a timestamp of Arrow', columnOf(timestamp('s', 'UTC'), 946_684_801n), 1184, 1, '00000000000f4240'],
    [
      'a uuid of Arrow',
      columnOf(uuidField('u'), `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(11)}1`),
      2950,
      1,
      `${'0'.repeat(31)}1`,
    ],
    ['bytes of a fixed width of Arrow', columnOf(fixedSizeBinary(2), Uint8Array.of(1, 2)), 17, 1, '0102'],
    [
      'a list of Arrow',
      columnOf(list(int32()), [7, null]),
      1007,
      1,
      '00000001' + '00000000' + '00000017' + '00000002' + '00000001' + '00000004' + '00000007' + 'ffffffff',
    ],
    [
      'a struct of Arrow',
      columnOf(struct({ a: int32() }), { a: 1 }),
      3802,
      1,
      `01${Buffer.from('{"a":1}').toString('hex')}`,
    ],
  ];
  for (const [name, value, oid, format, bytes] of cases) {
    test(name, () => {
      const encoded = encodeParameter(value, { what });
      assert.deepEqual({ ...encoded, bytes: hex(encoded.bytes) }, { oid, format, bytes });
    });
  }

  test('but for text and null, whose type the statement says', () => {
    assert.deepEqual(encodeParameter('2024-01-01', { what }), {
      oid: 0,
      format: 0,
      bytes: new TextEncoder().encode('2024-01-01'),
    });
    for (const nothing of [null, undefined]) {
      assert.deepEqual(encodeParameter(nothing, { what }), { oid: 0, format: 0, bytes: null });
    }
  });

  test('and an integer is int4 where that is wanted and holds it', () => {
    const oidOf = (value: number): number => encodeParameter(value, { what, integers: 'narrow' }).oid;
    assert.deepEqual([2_147_483_647, -2_147_483_648, 2_147_483_648, -0].map(oidOf), [23, 23, 20, 701]);
    assert.equal(hex(encodeParameter(-2, { what, integers: 'narrow' }).bytes), 'fffffffe');
  });
});

test('what is no value of PostgreSQL is refused without being told', () => {
  const refused: [Parameter, string, RegExp][] = [
    ['\ud800 secret', 'INVALID_ARGUMENT', /half of a surrogate pair/],
    ['a\0secret', 'INVALID_ARGUMENT', /a zero character/],
    [new Date(Number.NaN), 'INVALID_ARGUMENT', /an invalid Date/],
    [columnOf(int32(), 1, 2), 'INVALID_ARGUMENT', /a column of 2 values, one is bound/],
    [{} as never, 'INVALID_ARGUMENT', /of a type that cannot be bound/],
    [columnOf(timestamp('ns'), 1n), 'INVALID_DATA', /finer than the microseconds/],
    [columnOf(union('dense', [new Field('a', int32())]), { child: 0, value: 1 }), 'NOT_IMPLEMENTED', /is .*union/],
  ];
  for (const [value, status, message] of refused) {
    assert.throws(
      () => encodeParameter(value, { what }),
      (error: Error & { status: string }) => {
        assert.equal(error.status, status);
        assert.match(error.message, message);
        assert.match(error.message, /parameter \$1/);
        assert.doesNotMatch(error.message, /secret/);
        return true;
      },
    );
  }
});
