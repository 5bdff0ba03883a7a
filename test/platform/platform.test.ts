import assert from 'node:assert/strict';
import test, { describe } from 'node:test';
import fc from 'fast-check';
import * as standard from '../../src/platform/default.ts';
import * as node from '../../src/platform/node.ts';

describe('platform', () => {
  test('both files export the same names', () => {
    assert.deepEqual(Object.keys(node).sort(), Object.keys(standard).sort());
  });

  test('#platform is the node file in Node', async () => {
    const resolved = await import('#platform');
    assert.equal(resolved.decodeUtf8, node.decodeUtf8);
  });

  test('compare bytes alike, at any place', () => {
    const bits = fc.uint8Array({ max: 1, maxLength: 20 });
    fc.assert(
      fc.property(bits, bits, fc.nat(7), fc.nat(7), fc.boolean(), (some, others, before, otherBefore, isCopy) => {
        const place = (bytes: Uint8Array, at: number): Uint8Array => {
          const view = new Uint8Array(40).subarray(at, at + bytes.length);
          view.set(bytes);
          return view;
        };
        const one = place(some, before);
        const other = place(isCopy ? some : others, otherBefore);
        const same = Buffer.from(one).toString('hex') === Buffer.from(other).toString('hex');
        assert.equal(node.equalBytes(one, other), same);
        assert.equal(standard.equalBytes(one, other), same);
        const last = other.length - 1;
        if (!same || last < 0) return;
        other[last] = 2;
        assert.deepEqual([node.equalBytes(one, other), standard.equalBytes(one, other)], [false, false]);
      }),
    );
  });

  test('tell ASCII and UTF-8 alike, at any place', () => {
    const bytes = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 20 }).map((text) => new TextEncoder().encode(text)),
      fc.uint8Array({ max: 127, maxLength: 20 }),
      fc.uint8Array({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(bytes, fc.nat(9), (body, start) => {
        const all = new Uint8Array(start + body.length + 9).fill(0xff);
        all.set(body, start);
        const view = all.subarray(start, start + body.length);
        assert.equal(standard.isAscii(view), node.isAscii(view));
        assert.equal(
          node.isAscii(view),
          body.every((byte) => byte < 128),
        );
        assert.equal(standard.isUtf8(view), node.isUtf8(view));
        assert.equal(node.isUtf8(view), Buffer.from(Buffer.from(body).toString()).equals(body));
      }),
    );
  });

  test('decode text alike, at any place', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(20), fc.nat(20), (text, before, after) => {
        const body = new TextEncoder().encode(text);
        const bytes = new Uint8Array(before + body.length + after).fill(0xff);
        bytes.set(body, before);
        const view = bytes.subarray(Math.min(before, 3));
        const start = before - Math.min(before, 3);
        const end = start + body.length;
        assert.equal(node.decodeUtf8(view, start, end), standard.decodeUtf8(view, start, end));
        assert.equal(node.decodeUtf8(view, start, end), text);
      }),
    );
  });

  test('decode invalid bytes alike, one U+FFFD for each maximal sequence', () => {
    // Bytes on both sides of every limit of a UTF-8 sequence, so that most inputs are nearly valid.
    const edge = fc.constantFrom(
      0x00,
      0x41,
      0x7f,
      0x80,
      0x8f,
      0x90,
      0x9f,
      0xa0,
      0xbb,
      0xbf,
      0xc0,
      0xc1,
      0xc2,
      0xdf,
      0xe0,
      0xe1,
      0xed,
      0xef,
      0xf0,
      0xf1,
      0xf4,
      0xf5,
      0xff,
    );
    fc.assert(
      fc.property(fc.array(edge, { maxLength: 40 }), (values) => {
        const bytes = Uint8Array.from(values);
        assert.equal(node.decodeUtf8(bytes, 0, bytes.length), standard.decodeUtf8(bytes, 0, bytes.length));
      }),
      { numRuns: 2000 },
    );
  });

  test('keep a byte order mark', () => {
    const bytes = Uint8Array.of(0xef, 0xbb, 0xbf, 0x41);
    for (const { decodeUtf8 } of [node, standard]) assert.equal(decodeUtf8(bytes, 0, 4), '\ufeffA');
  });

  test('allocate a plain, transferable Uint8Array that fills its own buffer', () => {
    for (const { allocate } of [node, standard]) {
      for (const size of [0, 1, 7, 8, 4096, 100_003]) {
        const bytes = allocate(size);
        assert.equal(Object.getPrototypeOf(bytes), Uint8Array.prototype);
        assert.equal(bytes.byteOffset, 0);
        assert.equal(bytes.byteLength, size);
        assert.equal(bytes.buffer.byteLength, size);
        assert.equal(structuredClone(bytes, { transfer: [bytes.buffer] }).byteLength, size);
        assert.equal(bytes.byteLength, 0);
      }
      assert.throws(() => allocate(-1), RangeError);
    }
  });
});
