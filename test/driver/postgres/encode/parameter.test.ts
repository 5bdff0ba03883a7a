import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
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
import { encodeColumnValue } from '../../../../src/driver/postgres/encode/parameter.ts';
import { oneColumn } from './one-column.ts';

function columnOf(type: DataType | Field, ...values: unknown[]): Column {
  const table = oneColumn(type instanceof Field ? type : new Field('c', type), values);
  return table.batches[0]?.columns[0] as Column;
}

function hex(bytes: Uint8Array | null): string | null {
  return bytes && Buffer.from(bytes).toString('hex');
}

describe('a parameter of Arrow is typed and binary', () => {
  // Layouts by the manual and the server's send functions; OIDs of pg_type.dat.
  const cases: readonly [name: string, Column, oid: number, format: 0 | 1, bytes: string | null][] = [
    ['an int16', columnOf(int16(), -1), 21, 1, 'ffff'],
    ['a null', columnOf(int32(), null), 23, 1, null],
    ['a null of no type', columnOf(nullType(), null), 0, 0, null],
    ['a text', columnOf(utf8(), 'é'), 25, 1, 'c3a9'],
    ['a truth value', columnOf(bool(), true), 16, 1, '01'],
    ['a decimal', columnOf(decimal128(10, 2), '-1.5'), 1700, 1, '0002000040000002' + '00011388'],
    ['a timestamp', columnOf(timestamp('s', 'UTC'), 946_684_801n), 1184, 1, '00000000000f4240'],
    [
      'a uuid',
      columnOf(uuidField('u'), `${'0'.repeat(8)}-0000-0000-0000-${'0'.repeat(11)}1`),
      2950,
      1,
      `${'0'.repeat(31)}1`,
    ],
    ['bytes of a fixed width', columnOf(fixedSizeBinary(2), Uint8Array.of(1, 2)), 17, 1, '0102'],
    [
      'a list',
      columnOf(list(int32()), [7, null]),
      1007,
      1,
      '00000001' + '00000000' + '00000017' + '00000002' + '00000001' + '00000004' + '00000007' + 'ffffffff',
    ],
    ['a struct', columnOf(struct({ a: int32() }), { a: 1 }), 3802, 1, `01${Buffer.from('{"a":1}').toString('hex')}`],
  ];
  for (const [name, value, oid, format, bytes] of cases) {
    test(name, () => {
      const encoded = encodeColumnValue(value);
      assert.deepEqual({ ...encoded, bytes: hex(encoded.bytes) }, { oid, format, bytes });
    });
  }
});

test('what is no value of PostgreSQL is refused', () => {
  const refused: [Column, string, RegExp][] = [
    [columnOf(int32(), 1, 2), 'INVALID_ARGUMENT', /a column of 2 values, one is bound/],
    [columnOf(timestamp('ns'), 1n), 'INVALID_DATA', /finer than the microseconds/],
    [columnOf(union('dense', [new Field('a', int32())]), { child: 0, value: 1 }), 'NOT_IMPLEMENTED', /is .*union/],
  ];
  for (const [value, status, message] of refused) {
    assert.throws(() => encodeColumnValue(value, 'parameter $1'), { status, message });
    assert.throws(() => encodeColumnValue(value, 'parameter $1'), /parameter \$1/);
  }
});
