import { describe, it } from 'node:test';
import {
  assertInvalid,
  fileOf,
  float64,
  header,
  int8,
  int16,
  int32,
  int64,
  readAll,
  readColumn,
  trailer,
  tuple,
  wire,
} from './wire.ts';

const numeric = (...words: number[]): Uint8Array => wire(...words.map(int16));

describe('malformed rows', () => {
  it('are refused by column, row and byte', async () => {
    const columns = [
      { name: 'a', type: 'int4' },
      { name: 'b', type: 'text' },
    ];
    const good = tuple(int32(1), wire('x'));
    const read = (bad: Uint8Array): Promise<unknown> => readAll(wire(header, good, bad, trailer), columns);
    await assertInvalid(read(tuple(int32(1))), /^row 1: 1 fields, of 2 columns$/);
    await assertInvalid(
      read(tuple(int16(1), wire('x'))),
      /^column "a", row 1, byte 6 of the row: a field of 2 bytes, its type has 4$/,
    );
    await assertInvalid(
      read(wire(int16(2), int32(4), int32(0), int32(-2))),
      /^column "b", row 1, byte 14 of the row: a field of -2 bytes$/,
    );
  });

  it('have fields no longer than their message', async () => {
    const columns = [{ name: 'a', oid: 25, typmod: -1, format: 1 as const }];
    const { RowDecoder } = await import('../../../../src/driver/postgres/decode/row-decoder.ts');
    const { builtinTypes } = await import('../../../../src/driver/postgres/decode/builtin.ts');
    const limit = { maxRows: 10, maxBytes: 1000, firstRows: 10 };
    const take = async (message: Uint8Array): Promise<number> =>
      new RowDecoder(columns, builtinTypes, { framing: 'rows', limit }).take(message, 0, message.length);
    const row = (...parts: Uint8Array[]): Uint8Array => {
      const body = wire(...parts);
      return wire('D', int32(4 + body.length), body, wire('beyond the message'));
    };
    await assertInvalid(take(row(int16(1), int32(5), wire('abcd'))), /a field of 5 bytes, of the row 4 are left/);
    await assertInvalid(take(row(int16(1), int32(3), wire('abcd'))), /^row 0: 1 bytes behind its last field$/);
    await assertInvalid(take(row(int16(1), int16(0))), /^row 0: it ends before its last field$/);
    await assertInvalid(take(wire('D', int32(5), wire('x'))), /^row 0: 1 bytes$/);
    await assertInvalid(take(wire('D', int32(-5), wire('xxxxxxx'))), /^row 0: a message of -5 bytes$/);
  });
});

describe('malformed values', () => {
  const cases: readonly [name: string, type: string, value: Uint8Array, message: RegExp][] = [
    ['a numeric shorter than its header', 'numeric(10,2)', numeric(0, 0, 0), /a numeric of 6 bytes/],
    [
      'a numeric with fewer digits than it says',
      'numeric(10,2)',
      numeric(2, 0, 0, 0, 1),
      /of 10 bytes that says to have 2 digits/,
    ],
    ['a digit of 10,000', 'numeric(10,2)', numeric(1, 0, 0, 0, 10_000), /the digit 10000 of base 10000/],
    ['a digit of 10,000 in a long numeric', 'numeric', numeric(2, 0, 0, 0, 1, 10_000), /the digit 10000/],
    ['a sign that is none', 'numeric(10,2)', numeric(1, 0, 0x1000, 0, 1), /a numeric of sign 0x1000/],
    ['jsonb of another version', 'jsonb', wire(int8(2), '{}'), /version 2, only 1 is known/],
    ['jsonb without a version', 'jsonb', wire(), /no version byte/],
    ['text that is not UTF-8', 'text', Uint8Array.of(0x68, 0xe4, 0xdf), /text that is not UTF-8: \\x68e4df/],
    ['an array shorter than its header', 'int4[]', int32(1), /an array of 4 bytes/],
    ['an array of seven dimensions', 'int4[]', wire(int32(7), int32(0), int32(23)), /an array of 7 dimensions/],
    ['an array of another type', 'int4[]', wire(int32(0), int32(0), int32(25)), /an array of type 25, not 23/],
    [
      'an array that says to be longer than it is',
      'int4[]',
      wire(int32(1), int32(0), int32(23), int32(2 ** 30), int32(1), int32(4), int32(7)),
      /dimension 1 has 1073741824 elements, in 8 bytes/,
    ],
    [
      'an array of a negative length',
      'int4[]',
      wire(int32(1), int32(0), int32(23), int32(-1), int32(1)),
      /dimension 1 has -1 elements/,
    ],
    [
      'an element beyond its array',
      'text[]',
      wire(int32(1), int32(0), int32(25), int32(1), int32(1), int32(9), 'abc'),
      /"a\.item".*a value of 9 bytes, of the field 3 are left/,
    ],
    [
      'an element of the wrong width',
      'int4[]',
      wire(int32(1), int32(0), int32(23), int32(1), int32(1), int32(3), 'abc'),
      /a value of 3 bytes, its type has 4/,
    ],
    ['bytes behind an array', 'int4[]', wire(int32(0), int32(0), int32(23), int8(0)), /1 bytes behind an array/],
    ['a range without flags', 'int4range', wire(), /a range of 0 bytes/],
    ['unknown flags of a range', 'int4range', int8(0x40), /a range with the flags 0x40/],
    ['a range without its bound', 'int4range', int8(0x02), /a value that ends before its length/],
    ['bytes behind a range', 'int4range', wire(int8(1), int8(0)), /1 bytes behind a range/],
    ['a multirange of too many ranges', 'int4multirange', int32(5), /a multirange of 5 ranges/],
    ['an address of no family', 'inet', wire(int8(9), int8(0), int8(0), int8(0)), /an address of family 9/],
    ['bits that are not there', 'varbit', wire(int32(9), int8(0)), /9 bits in 5 bytes/],
    ['a point of one coordinate', 'point', float64(1), /a point of 8 bytes/],
    ['a polygon of too many points', 'polygon', wire(int32(2), float64(1), float64(2)), /2 points in 16 bytes/],
    ['a lexeme without an end', 'tsvector', wire(int32(1), 'abc'), /a lexeme without an end/],
    ['an operator without operands', 'tsquery', wire(int32(1), int8(2), int8(2)), /a tsquery without an operand/],
    ['a snapshot that is cut', 'pg_snapshot', wire(int32(1), int64(1n), int64(2n)), /1 transactions in 20 bytes/],
    ['a time before midnight', 'time', int64(-1n), /a time of -1 microseconds/],
    ['a time zone beyond a day', 'timetz', wire(int64(0n), int32(90_000)), /90000 seconds west of UTC/],
  ];
  for (const [name, type, value, message] of cases) {
    it(`${name} is refused`, async () => {
      await assertInvalid(readColumn(type, [value]), message);
    });
  }

  it('a character that goes on in the next value is refused', async () => {
    await assertInvalid(readColumn('text', [Uint8Array.of(0xc3), Uint8Array.of(0xa4)]), /row 0.*not UTF-8: \\xc3/);
  });

  it('a member of another type than the composite says is refused', async () => {
    const types = [
      {
        oid: 20_000,
        name: 'pair',
        schema: 'public',
        kind: 'composite',
        hasBinary: true,
        attributes: [{ name: 'x', oid: 23, typmod: -1 }],
      },
    ] as const;
    const read = (value: Uint8Array): Promise<unknown> => readColumn('pair', [value], { types });
    await assertInvalid(read(wire(int32(1), int32(25), int32(4), int32(1))), /member 1 is of type 25, not 23/);
    await assertInvalid(read(int32(2)), /a composite of 2 members, its type has 1/);
    await assertInvalid(read(wire(int32(1), int32(23), int32(4), int32(1), int8(0))), /1 bytes behind a composite/);
  });

  it('a type that holds itself is refused', async () => {
    const types = [
      { oid: 20_000, name: 'loop', schema: 'public', kind: 'domain', hasBinary: true, element: 20_000 },
    ] as const;
    await import('node:assert/strict').then(({ default: assert }) =>
      assert.rejects(readAll(fileOf(), [{ name: 'a', type: 'loop' }], { types }), /more than 64 types in each other/),
    );
  });
});
