import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import {
  batchFromArrays,
  parquetVariantExtension,
  parquetVariantField,
  RecurveError,
  readVariant,
  Schema,
} from 'recurve/arrow';

const noNames = Uint8Array.of(0x01, 0, 0);
const hex = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));

// Bytes put together by hand from parquet-format's VariantEncoding.md: header = value_header << 2 | basic_type.
const primitives: ReadonlyArray<readonly [string, string, unknown]> = [
  ['null', '00', null],
  ['true', '04', true],
  ['false', '08', false],
  ['int8', '0c ff', -1],
  ['int16', '10 00 80', -32768],
  ['int32', '14 ff ff ff 7f', 2147483647],
  ['int64', '18 00 00 00 00 00 00 00 80', -(2n ** 63n)],
  ['double', '1c 00 00 00 00 00 00 f0 3f', 1],
  ['decimal4', '20 02 d2 04 00 00', '12.34'],
  ['decimal8', '24 03 ff ff ff ff ff ff ff ff', '-0.001'],
  ['decimal16', '28 00 00 00 00 00 00 00 00 00 01 00 00 00 00 00 00 00', '18446744073709551616'],
  ['date', '2c 02 00 00 00', '1970-01-03'],
  ['timestamp of microseconds', '30 ff ff ff ff ff ff ff ff', '1969-12-31T23:59:59.999999Z'],
  ['timestamp without zone', '34 40 42 0f 00 00 00 00 00', '1970-01-01T00:00:01'],
  ['float', '38 00 00 80 3f', 1],
  ['binary', '3c 02 00 00 00 01 02', Uint8Array.of(1, 2)],
  ['string', '40 02 00 00 00 c3 a9', 'é'],
  ['time', '44 40 42 0f 00 00 00 00 00', '00:00:01'],
  ['timestamp of nanoseconds', '48 01 00 00 00 00 00 00 00', '1970-01-01T00:00:00.000000001Z'],
  ['timestamp of nanoseconds without zone', '4c 01 00 00 00 00 00 00 00', '1970-01-01T00:00:00.000000001'],
  ['uuid', '50 00 11 22 33 44 55 66 77 88 99 aa bb cc dd ee ff', '00112233-4455-6677-8899-aabbccddeeff'],
  ['short string', '09 68 69', 'hi'],
];

describe('a Parquet variant', () => {
  for (const [name, bytes, expected] of primitives) {
    it(`of ${name}`, () => assert.deepEqual(readVariant(noNames, hex(bytes)), expected));
  }

  it('nests objects and arrays, whatever the names', () => {
    // Names "a" and "__proto__"; {a: [1, null], __proto__: "x"}.
    const metadata = hex('01 02 00 01 0a 61 5f5f70726f746f5f5f');
    const array = '03 02 00 02 03 0c01 00';
    const value = hex(`02 02 00 01 00 08 0a ${array} 05 78`);
    const read = readVariant(metadata, value) as object;
    assert.deepEqual(Object.entries(read), [
      ['a', [1, null]],
      ['__proto__', 'x'],
    ]);
    assert.equal(Object.getPrototypeOf(read), Object.prototype);
  });

  it('is a column’s value where it is asked for; shredded ones are refused by name', () => {
    const batch = batchFromArrays(new Schema([parquetVariantField('v')]), [
      [{ metadata: noNames, value: hex('0c 07') }, null],
    ]);
    assert.deepEqual(batch.toArray({ extensions: [parquetVariantExtension] }), [{ v: 7 }, { v: null }]);
  });

  it('that is malformed ends in an error, never in a crash, a hang or much memory', () => {
    const bytes = fc.uint8Array({ maxLength: 40 });
    const field = parquetVariantField('v');
    fc.assert(
      fc.property(bytes, bytes, fc.boolean(), (metadata, value, valid) => {
        const batch = batchFromArrays(new Schema([field]), [[{ metadata: valid ? noNames : metadata, value }]]);
        try {
          batch.toArray({ extensions: [parquetVariantExtension] });
        } catch (error) {
          assert.ok(RecurveError.is(error) && error.message.startsWith('column "v", row 0: arrow.parquet.variant: '));
        }
      }),
      { numRuns: 2000 },
    );
    // An array of itself: the offset of its only element points back to its header is not possible (offsets are unsigned),
    // but a count of 2^32 - 1 is.
    assert.throws(() => readVariant(noNames, hex('13 ff ff ff ff 00')), RangeError);
  });
});
