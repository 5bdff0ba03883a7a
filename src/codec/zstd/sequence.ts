import { BitWriter, type FseTable, firstState, makeFseTable, nextState } from './fse.ts';

/** The matches of a block: literals before each, its length, and how far back it lies. */
export interface Sequences {
  count: number;
  readonly literalCounts: Int32Array;
  readonly matchLengths: Int32Array;
  readonly offsets: Int32Array;
}

/** The default distributions (RFC 8878, 3.1.1.3.2.2). */
const ones = (count: number): number[] => new Array<number>(count).fill(1);
const twos = (count: number): number[] => new Array<number>(count).fill(2);
const lessThanOnes = (count: number): number[] => new Array<number>(count).fill(-1);

/** Codes of lengths (RFC 8878, 3.1.1.3.2.1.1): the first value of each from code 16 or 32 on, and its extra bits. */
const literalBases = [
  16, 18, 20, 22, 24, 28, 32, 40, 48, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768, 65536,
];
const literalBits = [1, 1, 1, 1, 2, 2, 3, 3, 4, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const matchBases = [
  35, 37, 39, 41, 43, 47, 51, 59, 67, 83, 99, 131, 259, 515, 1027, 2051, 4099, 8195, 16387, 32771, 65539,
];
const matchBits = [1, 1, 1, 1, 2, 2, 3, 3, 4, 4, 5, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];
const minMatch = 3;

/** What is made once and used for every block. */
export class SequenceWriter {
  readonly #literals: FseTable = makeFseTable(
    [4, 3, ...twos(11), ...ones(3), ...twos(9), 3, 2, ...ones(5), ...lessThanOnes(4)],
    6,
  );
  readonly #matches: FseTable = makeFseTable([1, 4, 3, ...twos(6), ...ones(37), ...lessThanOnes(7)], 6);
  readonly #offsets: FseTable = makeFseTable([...ones(6), ...twos(3), ...ones(15), ...lessThanOnes(5)], 5);

  /** Writes the sequences section of a block; returns the byte after it. */
  write({ count, literalCounts, matchLengths, offsets }: Sequences, target: Uint8Array, at: number): number {
    at = writeCount(count, target, at);
    if (count === 0) return at;
    target[at++] = 0;
    const bits = new BitWriter(target, at);
    let literal = 0;
    let match = 0;
    let offset = 0;
    for (let i = count - 1; i >= 0; i--) {
      const literalCount = literalCounts[i] ?? 0;
      const matchLength = matchLengths[i] ?? 0;
      // 1 to 3 stand for the last offsets, which are not used.
      const offsetValue = (offsets[i] ?? 0) + 3;
      const literalCode = literalCount < 16 ? literalCount : codeOf(literalBases, literalCount, 16);
      const matchCode = matchLength < 35 ? matchLength - minMatch : codeOf(matchBases, matchLength, 32);
      const offsetCode = 31 - Math.clz32(offsetValue);
      if (i === count - 1) {
        match = firstState(this.#matches, matchCode);
        offset = firstState(this.#offsets, offsetCode);
        literal = firstState(this.#literals, literalCode);
      } else {
        offset = nextState(this.#offsets, offset, offsetCode, bits);
        match = nextState(this.#matches, match, matchCode, bits);
        literal = nextState(this.#literals, literal, literalCode, bits);
      }
      if (literalCode >= 16)
        bits.add(literalCount - (literalBases[literalCode - 16] ?? 0), literalBits[literalCode - 16] ?? 0);
      if (matchCode >= 32) bits.add(matchLength - (matchBases[matchCode - 32] ?? 0), matchBits[matchCode - 32] ?? 0);
      bits.add(offsetValue, offsetCode);
    }
    bits.add(match, this.#matches.log);
    bits.add(offset, this.#offsets.log);
    bits.add(literal, this.#literals.log);
    bits.end();
    return bits.at;
  }
}

function codeOf(bases: readonly number[], value: number, first: number): number {
  let i = bases.length - 1;
  while ((bases[i] ?? 0) > value) i--;
  return first + i;
}

function writeCount(count: number, target: Uint8Array, at: number): number {
  if (count < 128) {
    target[at++] = count;
  } else if (count < 0x7f00) {
    target[at++] = (count >>> 8) + 128;
    target[at++] = count & 0xff;
  } else {
    target[at++] = 255;
    target[at++] = (count - 0x7f00) & 0xff;
    target[at++] = (count - 0x7f00) >>> 8;
  }
  return at;
}
