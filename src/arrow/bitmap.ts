/**
 * Validity and boolean bitmaps: bit `i` is bit `i & 7`, least significant first, of byte `i >> 3`
 * (columnar format, "Validity bitmaps").
 */

/** Bytes that hold `bitCount` bits. */
export function bitmapByteLength(bitCount: number): number {
  return (bitCount + 7) >>> 3;
}

export function getBit(bitmap: Uint8Array, index: number): boolean {
  return (((bitmap[index >>> 3] ?? 0) >>> (index & 7)) & 1) === 1;
}

export function setBit(bitmap: Uint8Array, index: number): void {
  const byte = index >>> 3;
  bitmap[byte] = (bitmap[byte] ?? 0) | (1 << (index & 7));
}

/** The number of ones among the `bitCount` bits that start at bit `offset`. */
export function countOnes(bitmap: Uint8Array, offset: number, bitCount: number): number {
  let count = 0;
  let i = offset;
  const end = offset + bitCount;
  while (i < end && (i & 7) !== 0) count += getBit(bitmap, i++) ? 1 : 0;
  for (; i + 32 <= end; i += 32) {
    const byte = i >>> 3;
    count += popcount32(
      (bitmap[byte] ?? 0) |
        ((bitmap[byte + 1] ?? 0) << 8) |
        ((bitmap[byte + 2] ?? 0) << 16) |
        ((bitmap[byte + 3] ?? 0) << 24),
    );
  }
  while (i < end) count += getBit(bitmap, i++) ? 1 : 0;
  return count;
}

function popcount32(word: number): number {
  let v = word - ((word >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return Math.imul((v + (v >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/**
 * Copies `bitCount` bits from bit `sourceOffset` of `source` to bit `targetOffset` of `target`. Bits of `target` outside
 * the range are kept.
 */
export function copyBits(
  target: Uint8Array,
  targetOffset: number,
  source: Uint8Array,
  sourceOffset: number,
  bitCount: number,
): void {
  let done = 0;
  const copyBit = (): void => {
    const at = targetOffset + done;
    const mask = 1 << (at & 7);
    const byte = at >>> 3;
    const old = target[byte] ?? 0;
    target[byte] = getBit(source, sourceOffset + done) ? old | mask : old & ~mask;
    done++;
  };
  while (done < bitCount && ((targetOffset + done) & 7) !== 0) copyBit();
  const wholeBytes = (bitCount - done) >>> 3;
  const from = sourceOffset + done;
  const to = (targetOffset + done) >>> 3;
  const shift = from & 7;
  const start = from >>> 3;
  if (shift === 0) {
    target.set(source.subarray(start, start + wholeBytes), to);
  } else {
    for (let i = 0; i < wholeBytes; i++) {
      target[to + i] = ((source[start + i] ?? 0) >>> shift) | ((source[start + i + 1] ?? 0) << (8 - shift));
    }
  }
  done += wholeBytes * 8;
  while (done < bitCount) copyBit();
}

/** Sets `bitCount` bits from bit `offset` on. */
export function setBits(target: Uint8Array, offset: number, bitCount: number): void {
  let i = offset;
  const end = offset + bitCount;
  while (i < end && (i & 7) !== 0) setBit(target, i++);
  const wholeBytes = (end - i) >>> 3;
  target.fill(0xff, i >>> 3, (i >>> 3) + wholeBytes);
  i += wholeBytes * 8;
  while (i < end) setBit(target, i++);
}
