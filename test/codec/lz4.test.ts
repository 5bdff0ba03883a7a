import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { RecurveError } from 'recurve/arrow';
import { lz4 } from 'recurve/codec';
import { xxhash32 } from '../../src/codec/xxhash32.ts';

const { decompress, compress } = lz4();
assert.ok(compress !== undefined);
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);
const ascii = (value: string): number[] => [...new TextEncoder().encode(value)];
const invalid =
  (message: RegExp) =>
  (error: unknown): boolean =>
    RecurveError.is(error) && error.status === 'INVALID_DATA' && message.test(error.message);

function word(value: number): number[] {
  return [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24];
}

/** A frame, by the "LZ4 Frame Format Description": magic, descriptor and its checksum, blocks, end mark. */
function frame(
  flags: number,
  blocks: number[][],
  { contentSize, tail = [] }: { contentSize?: number; tail?: number[] } = {},
) {
  const descriptor = [flags, 0x40, ...(contentSize === undefined ? [] : [...word(contentSize), 0, 0, 0, 0])];
  const checksum = (xxhash32(Uint8Array.from(descriptor)) >>> 8) & 255;
  return Uint8Array.from([...word(0x184d2204), ...descriptor, checksum, ...blocks.flat(), ...word(0), ...tail]);
}

const rawBlock = (value: string): number[] => [...word((value.length | 0x80000000) >>> 0), ...ascii(value)];
const block = (...bytes: number[]): number[] => [...word(bytes.length), ...bytes];
/** 'abc', then a match of `length` bytes 3 back, then 'wxyz!' as the last literals. */
const matching = (length: number): number[] =>
  block((3 << 4) | (length - 4), ...ascii('abc'), 3, 0, 5 << 4, ...ascii('wxyz!'));

describe('XXH32', () => {
  // Vectors of the xxHash project's own sanity test and of its users.
  it('has the published values', () => {
    assert.equal(xxhash32(new Uint8Array(0)), 0x02cc5d05);
    assert.equal(xxhash32(Uint8Array.from(ascii('a'))), 0x550d7456);
    assert.equal(xxhash32(Uint8Array.from(ascii('abc'))), 0x32d153ff);
    assert.equal(xxhash32(Uint8Array.from(ascii('Nobody inspects the spammish repetition'))), 0xe2293b2f);
  });
});

describe('LZ4 frames', () => {
  it('that Arrow C++ wrote are expanded', () => {
    // pyarrow 26: pa.Codec('lz4').compress(…)
    const bytes = Buffer.from(
      '04224d186040821b0000003f616263030008bc2c20616e6420736f206f6e0a00506f206f6e2e00000000',
      'hex',
    );
    assert.equal(text(decompress(bytes, 62)), 'abcabcabcabcabcabcabcabcabcabc, and so on and so on and so on.');
  });

  it('with a match that overlaps itself', () => {
    assert.equal(text(decompress(frame(0x60, [matching(10)]), 18)), 'abcabcabcabcawxyz!');
  });

  it('with blocks stored raw', () => {
    assert.equal(text(decompress(frame(0x60, [rawBlock('one '), rawBlock('two')]), 7)), 'one two');
  });

  it('with linked blocks, whose matches reach into the block before, which those of independent blocks must not', () => {
    const blocks = [rawBlock('abcdefgh'), block(0, 8, 0, 5 << 4, ...ascii('wxyz!'))];
    assert.equal(text(decompress(frame(0x40, blocks), 17)), 'abcdefghabcdwxyz!');
    assert.throws(() => decompress(frame(0x60, blocks), 17), invalid(/offset 8 at byte 0/));
  });

  it('with a content size, which must be right', () => {
    assert.equal(text(decompress(frame(0x68, [rawBlock('abc')], { contentSize: 3 }), 3)), 'abc');
    assert.throws(
      () => decompress(frame(0x68, [rawBlock('abc')], { contentSize: 2 }), 3),
      invalid(/of 2 bytes holds 3/),
    );
    assert.throws(
      () => decompress(frame(0x68, [rawBlock('abc')], { contentSize: 4 }), 3),
      invalid(/of 4 bytes where 3/),
    );
  });

  it('with checksums of blocks and content, which must be right', () => {
    const sum = (value: string): number[] => word(xxhash32(Uint8Array.from(ascii(value))));
    const good = frame(0x74, [[...rawBlock('abc'), ...sum('abc')]], { tail: sum('abc') });
    assert.equal(text(decompress(good, 3)), 'abc');
    const wrongBlock = frame(0x74, [[...rawBlock('abc'), ...sum('abd')]], { tail: sum('abc') });
    assert.throws(() => decompress(wrongBlock, 3), invalid(/checksum of a block/));
    const wrongContent = frame(0x74, [[...rawBlock('abc'), ...sum('abc')]], { tail: sum('abd') });
    assert.throws(() => decompress(wrongContent, 3), invalid(/checksum of the content/));
  });

  it('with a wrong header checksum are refused', () => {
    const bytes = frame(0x60, [rawBlock('abc')]);
    bytes[6] = (bytes[6] ?? 0) ^ 1;
    assert.throws(() => decompress(bytes, 3), invalid(/checksum of a frame header/));
  });

  it('back to back, with skippable ones between them', () => {
    const skippable = [...word(0x184d2a57), ...word(2), 9, 9];
    const bytes = Uint8Array.from([...frame(0x60, [rawBlock('ab')]), ...skippable, ...frame(0x60, [matching(4)])]);
    assert.equal(text(decompress(bytes, 14)), 'ababcabcawxyz!');
  });

  it('with a dictionary are NOT_IMPLEMENTED', () => {
    const error = (thrown: unknown): boolean => RecurveError.is(thrown) && thrown.status === 'NOT_IMPLEMENTED';
    assert.throws(() => decompress(frame(0x61, [rawBlock('abc')]), 3), error);
  });

  it('longer or shorter than was said are refused, nothing written past the end', () => {
    for (const said of [0, 1, 12, 17, 19, 40]) {
      assert.throws(() => decompress(frame(0x60, [matching(10)]), said), invalid(/LZ4/), `${said}`);
    }
  });

  it('that cannot hold what was said are refused before memory is taken', () => {
    assert.throws(() => decompress(frame(0x60, [rawBlock('abc')]), 2 ** 40), invalid(/cannot hold 1099511627776/));
  });
});

describe('LZ4, for any bytes', () => {
  const runs = fc
    .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 60 })), { maxLength: 12 })
    .map((parts) =>
      Uint8Array.from(parts.flatMap(([bytes, times]) => Array.from({ length: times }, () => [...bytes]).flat())),
    );

  it('expands what it compressed', () => {
    fc.assert(fc.property(runs, (bytes) => assert.deepEqual(decompress(compress(bytes), bytes.length), bytes)));
  });

  it('cut off, a frame is our error', () => {
    fc.assert(
      fc.property(runs, fc.double({ min: 0, max: 0.999, noNaN: true }), (bytes, share) => {
        const packed = compress(bytes);
        const cut = packed.subarray(0, Math.floor(packed.length * share));
        fc.pre(bytes.length > 0);
        assert.throws(() => decompress(cut, bytes.length), RecurveError.is);
      }),
    );
  });

  it('with flipped bits, a frame ends in as many bytes or in our error', () => {
    fc.assert(
      fc.property(runs, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (bytes, flips) => {
        const packed = compress(bytes).slice();
        for (const flip of flips)
          packed[(flip >>> 3) % packed.length] = (packed[(flip >>> 3) % packed.length] ?? 0) ^ (1 << (flip & 7));
        try {
          assert.equal(decompress(packed, bytes.length).length, bytes.length);
        } catch (error) {
          if (!RecurveError.is(error)) throw error;
        }
      }),
      { numRuns: 500 },
    );
  });

  it('spans several blocks of 4 MiB', () => {
    const bytes = Uint8Array.from({ length: 9 << 20 }, (_, i) => (i % 1000 < 500 ? i : i * 7919) >>> 3);
    assert.deepEqual(decompress(compress(bytes), bytes.length), bytes);
  });
});
