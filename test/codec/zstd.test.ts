import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { type Codec, RecurveError } from 'recurve/arrow';
import { loadCodecs } from 'recurve/codec';
import { loadPortableZstd } from '../../src/codec/zstd/codec.ts';

const isOurs = (error: unknown): boolean => RecurveError.is(error) && error.status === 'INVALID_DATA';

/** What `loadCodecs` gives is the platform's own from Node 22.15 on. */
const kinds: ReadonlyArray<readonly [string, Codec | undefined]> = [
  ['as loaded', (await loadCodecs()).find(({ name }) => name === 'zstd')],
  ['in WebAssembly and plain code', await loadPortableZstd()],
];

const runs = fc
  .array(fc.tuple(fc.uint8Array({ maxLength: 40 }), fc.integer({ min: 1, max: 60 })), { maxLength: 12 })
  .map((parts) =>
    Uint8Array.from(parts.flatMap(([bytes, times]) => Array.from({ length: times }, () => [...bytes]).flat())),
  );

for (const [kind, codec] of kinds) {
  assert.ok(codec?.compress !== undefined);
  const { decompress, compress } = codec;

  describe(`ZSTD ${kind}`, () => {
    it('expands what Arrow C++ wrote', () => {
      // pyarrow 26: pa.Codec('zstd').compress(…)
      const bytes = Buffer.from('28b52ffd203ebd0000786162632c20616e6420736f206f6e2e02002db4377443', 'hex');
      const plain = new TextDecoder().decode(decompress(bytes, 62));
      assert.equal(plain, 'abcabcabcabcabcabcabcabcabcabc, and so on and so on and so on.');
      for (const said of [0, 1, 61, 63, 1000]) assert.throws(() => decompress(bytes, said), isOurs, `${said}`);
    });

    it('expands what it compressed, whatever the bytes', () => {
      fc.assert(
        fc.property(runs, (bytes) =>
          assert.deepEqual(Uint8Array.from(decompress(compress(bytes), bytes.length)), bytes),
        ),
      );
    });

    it('expands what it compressed over many blocks, with matches of every length and far back', () => {
      const random = Uint8Array.from({ length: 300_000 }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 24);
      const parts: Uint8Array[] = [];
      for (let length = 1; length < 140_000; length = Math.ceil(length * 1.13)) {
        parts.push(random.subarray(length, length + 7), random.subarray(0, length));
      }
      const bytes = new Uint8Array(Buffer.concat(parts));
      assert.ok(bytes.length > 1_000_000);
      const packed = compress(bytes);
      assert.ok(packed.length < bytes.length / 2);
      assert.deepEqual(Uint8Array.from(decompress(packed, bytes.length)), bytes);
    });

    it('refuses a frame that is cut off', () => {
      fc.assert(
        fc.property(runs, fc.double({ min: 0, max: 0.999, noNaN: true }), (bytes, share) => {
          fc.pre(bytes.length > 0);
          const packed = compress(bytes);
          assert.throws(() => decompress(packed.subarray(0, Math.floor(packed.length * share)), bytes.length), isOurs);
        }),
      );
    });

    it('with flipped bits ends in as many bytes or in our error, and works on', () => {
      fc.assert(
        fc.property(runs, fc.array(fc.nat(), { minLength: 1, maxLength: 4 }), (bytes, flips) => {
          const packed = compress(bytes);
          const broken = packed.slice();
          for (const flip of flips) {
            const at = (flip >>> 3) % broken.length;
            broken[at] = (broken[at] ?? 0) ^ (1 << (flip & 7));
          }
          try {
            assert.equal(decompress(broken, bytes.length).length, bytes.length);
          } catch (error) {
            if (!isOurs(error)) throw error;
          }
          assert.deepEqual(Uint8Array.from(decompress(packed, bytes.length)), bytes);
        }),
        { numRuns: 500 },
      );
    });

    it('refuses a length that so few bytes cannot hold before memory is taken', () => {
      const packed = compress(Uint8Array.of(1, 2, 3));
      assert.throws(() => decompress(packed, 2 ** 40), /cannot hold 1099511627776/);
    });
  });
}
