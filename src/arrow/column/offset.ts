/**
 * Offsets of 32 or 64 bits, read alike and without a BigInt each: 64-bit ones as two 32-bit words, low word first, as
 * every platform that runs JavaScript today keeps them.
 */
export class Offsets {
  declare readonly words: Int32Array;
  /** Words an offset: 1 or 2. */
  readonly stride: number = 1;

  constructor(offsets: Int32Array | BigInt64Array) {
    const wide = offsets instanceof BigInt64Array;
    this.stride = wide ? 2 : 1;
    this.words = wide ? new Int32Array(offsets.buffer, offsets.byteOffset, offsets.length * 2) : offsets;
  }

  at(index: number): number {
    const { words } = this;
    if (this.stride === 1) return words[index] ?? 0;
    return (words[2 * index + 1] ?? 0) * 0x1_0000_0000 + ((words[2 * index] ?? 0) >>> 0);
  }
}
