import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { interval, utf8View } from 'recurve/arrow';
import { swapBytes } from '../../../src/arrow/ipc/big-endian.ts';

// What the official big-endian files do not have; those are read in gold.test.ts. Bytes by hand, from Schema.fbs.

function bytes(hex: string): Uint8Array {
  return new Uint8Array(Buffer.from(hex.replaceAll(' ', ''), 'hex'));
}

describe('big-endian buffers', () => {
  it('a short view keeps its text, a long one its prefix', () => {
    const short = bytes('00000002 61620000 00000000 00000000');
    assert.deepEqual(swapBytes(short, utf8View()), bytes('02000000 61620000 00000000 00000000'));
    const long = bytes('00000010 61626364 00000001 00000203');
    assert.deepEqual(swapBytes(long, utf8View()), bytes('10000000 61626364 01000000 03020000'));
  });

  it('months, days and nanoseconds are three numbers', () => {
    const value = bytes('00000001 00000002 0000000000000003');
    assert.deepEqual(swapBytes(value, interval('month-day-nano')), bytes('01000000 02000000 0300000000000000'));
  });

  it('a decimal of 256 bits is one number', () => {
    const value = Uint8Array.from({ length: 64 }, (_, i) => i);
    const swapped = swapBytes(value, { kind: 'decimal', precision: 76, scale: 0, bitWidth: 256 });
    assert.deepEqual(
      [...swapped.subarray(0, 32)],
      Array.from({ length: 32 }, (_, i) => 31 - i),
    );
    assert.deepEqual(
      [...swapped.subarray(32)],
      Array.from({ length: 32 }, (_, i) => 63 - i),
    );
  });
});
