import { type Sequences, SequenceWriter } from './sequence.ts';

/** `Block_Maximum_Size`. */
const blockBytes = 1 << 17;
/** `Window_Size`: how far back a match may lie. */
const windowLog = 22;
const hashBits = 16;
const minMatch = 5;
const headerBytes = 14;

/**
 * One ZSTD frame with its content size (RFC 8878): matches with the default distributions, literals as they are. Quick and
 * small rather than thorough: text and repeated values shrink as with LZ4, noise stays as it is.
 */
export function writeZstd(bytes: Uint8Array): Uint8Array {
  const blockCount = Math.max(1, Math.ceil(bytes.length / blockBytes));
  const target = new Uint8Array(headerBytes + bytes.length + 3 * blockCount);
  const view = new DataView(target.buffer);
  view.setUint32(0, 0xfd2fb528, true);
  // A content size of 8 bytes, and a window.
  target[4] = 0xc0;
  target[5] = (windowLog - 10) << 3;
  view.setBigUint64(6, BigInt(bytes.length), true);
  const writer = new BlockWriter(bytes);
  let at = headerBytes;
  for (let block = 0; block < blockCount; block++) {
    const start = block * blockBytes;
    const end = Math.min(start + blockBytes, bytes.length);
    const last = block === blockCount - 1 ? 1 : 0;
    const packed = writer.pack(start, end);
    const content = packed ?? bytes.subarray(start, end);
    const header = last | (packed === null ? 0 : 2 << 1) | (content.length << 3);
    target[at] = header & 0xff;
    view.setUint16(at + 1, header >>> 8, true);
    target.set(content, at + 3);
    at += 3 + content.length;
  }
  return target.subarray(0, at);
}

class BlockWriter {
  readonly #source: Uint8Array;
  readonly #view: DataView;
  /** Where four bytes were met last, one too high, so that 0 is nowhere. */
  readonly #table = new Int32Array(1 << hashBits);
  readonly #literals = new Uint8Array(blockBytes);
  // A sequence takes at most 3 bytes of codes and 5 of extra bits, and stands for at least `minMatch`.
  readonly #packed = new Uint8Array(blockBytes * 3);
  readonly #sequenceWriter = new SequenceWriter();
  readonly #sequences: Sequences = {
    count: 0,
    literalCounts: new Int32Array(Math.ceil(blockBytes / minMatch)),
    matchLengths: new Int32Array(Math.ceil(blockBytes / minMatch)),
    offsets: new Int32Array(Math.ceil(blockBytes / minMatch)),
  };

  constructor(source: Uint8Array) {
    this.#source = source;
    this.#view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  }

  /** The compressed block, valid until the next call; null when it would not be smaller. */
  pack(start: number, end: number): Uint8Array | null {
    const literalCount = this.#findMatches(start, end);
    const packed = this.#packed;
    // `Raw_Literals_Block` with a size of 20 bits.
    const header = (3 << 2) | (literalCount << 4);
    packed[0] = header & 0xff;
    packed[1] = (header >>> 8) & 0xff;
    packed[2] = header >>> 16;
    packed.set(this.#literals.subarray(0, literalCount), 3);
    const length = this.#sequenceWriter.write(this.#sequences, packed, 3 + literalCount);
    return length < end - start ? packed.subarray(0, length) : null;
  }

  /** Fills literals and sequences; returns how many literals there are. */
  #findMatches(start: number, end: number): number {
    const source = this.#source;
    const view = this.#view;
    const table = this.#table;
    const sequences = this.#sequences;
    const maxOffset = 1 << windowLog;
    let literalCount = 0;
    let count = 0;
    let anchor = start;
    let i = start;
    let misses = 0;
    while (i < end - 8) {
      const word = view.getInt32(i, true);
      const slot = Math.imul(word, 0x9e3779b1) >>> (32 - hashBits);
      let match = (table[slot] ?? 0) - 1;
      table[slot] = i + 1;
      if (
        match < 0 ||
        i - match > maxOffset ||
        view.getInt32(match, true) !== word ||
        source[match + 4] !== source[i + 4]
      ) {
        i += 1 + (misses++ >>> 6);
        continue;
      }
      misses = 0;
      while (i > anchor && match > 0 && source[i - 1] === source[match - 1]) {
        i--;
        match--;
      }
      let length = minMatch;
      while (i + length < end && source[i + length] === source[match + length]) length++;
      this.#literals.set(source.subarray(anchor, i), literalCount);
      literalCount += i - anchor;
      sequences.literalCounts[count] = i - anchor;
      sequences.matchLengths[count] = length;
      sequences.offsets[count] = i - match;
      count++;
      i += length;
      anchor = i;
    }
    this.#literals.set(source.subarray(anchor, end), literalCount);
    sequences.count = count;
    return literalCount + end - anchor;
  }
}
