import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { bitmapByteLength, copyBits, countOnes, getBit, setBit, setBits } from '../../src/arrow/bitmap.ts';

// The model: a bitmap as an array of booleans, bit i of byte k being element 8k + i (columnar format, "Validity bitmaps").
function toBools(bytes: Uint8Array): boolean[] {
  return [...bytes].flatMap((byte) => [1, 2, 4, 8, 16, 32, 64, 128].map((mask) => (byte & mask) !== 0));
}

const bytes = fc.uint8Array({ minLength: 0, maxLength: 24 });

describe('bitmap', () => {
  it('reads the example of the specification, bits of a byte from the right', () => {
    // Columnar format: [0, 1, null, 2, null, 3] has the validity byte 00101011.
    assert.deepEqual(
      [0, 1, 2, 3, 4, 5].map((i) => getBit(Uint8Array.of(0b00101011), i)),
      [true, true, false, true, false, true],
    );
  });

  it('needs a byte for every eight bits begun', () => {
    assert.deepEqual([0, 1, 7, 8, 9, 64, 65].map(bitmapByteLength), [0, 1, 1, 1, 2, 8, 9]);
  });

  it('reads, sets and counts like an array of booleans', () => {
    fc.assert(
      fc.property(bytes, fc.nat(200), fc.nat(200), (bitmap, a, b) => {
        const bits = toBools(bitmap);
        const offset = Math.min(a, bits.length);
        const count = Math.min(b, bits.length - offset);
        const part = bits.slice(offset, offset + count);
        assert.equal(countOnes(bitmap, offset, count), part.filter(Boolean).length);
        assert.deepEqual(
          bits.map((_, i) => getBit(bitmap, i)),
          bits,
        );
        const set = bitmap.slice();
        setBits(set, offset, count);
        assert.deepEqual(
          toBools(set),
          bits.map((bit, i) => bit || (i >= offset && i < offset + count)),
        );
        if (bits.length > 0) {
          const one = bitmap.slice();
          setBit(one, offset % bits.length);
          assert.deepEqual(
            toBools(one),
            bits.map((bit, i) => bit || i === offset % bits.length),
          );
        }
      }),
    );
  });

  it('copies any run of bits to any place and touches no other', () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat(200), fc.nat(200), fc.nat(200), (source, target, a, b, c) => {
        const from = toBools(source);
        const to = toBools(target);
        const sourceOffset = Math.min(a, from.length);
        const targetOffset = Math.min(b, to.length);
        const count = Math.min(c, from.length - sourceOffset, to.length - targetOffset);
        const copied = target.slice();
        copyBits(copied, targetOffset, source, sourceOffset, count);
        to.splice(targetOffset, count, ...from.slice(sourceOffset, sourceOffset + count));
        assert.deepEqual(toBools(copied), to);
      }),
    );
  });
});
