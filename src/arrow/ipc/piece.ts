import { copyBits } from '../bitmap.ts';

/** One buffer of a body as it will be written: bytes as they are, or bytes that must first be made. */
export interface Piece {
  readonly source: PieceSource;
  /** Byte of the body at which it starts. */
  readonly offset: number;
  readonly byteLength: number;
}

/** Where the bytes of a piece come from. */
export type PieceSource =
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array }
  | { readonly kind: 'bits'; readonly bitmap: Uint8Array; readonly bitOffset: number; readonly bitCount: number }
  /** `count` offsets, made to begin at 0, as 64-bit ones if `wide`. */
  | {
      readonly kind: 'offsets';
      readonly offsets: Int32Array | BigInt64Array;
      readonly count: number;
      readonly wide: boolean;
    }
  /** `count` offsets of a dense union; from each the entry of `shifts` at its type id is taken. */
  | {
      readonly kind: 'union-offsets';
      readonly offsets: Int32Array;
      readonly typeIds: Int8Array;
      readonly shifts: Int32Array;
      readonly count: number;
    };

/** Writes a piece to byte `at` of `target`, which must be a multiple of 8 from the start of its `ArrayBuffer`. */
export function writePiece({ source, byteLength }: Piece, target: Uint8Array, at: number): void {
  switch (source.kind) {
    case 'bytes':
      target.set(source.bytes, at);
      break;
    case 'bits':
      // The bits after the last value are to be zero, whatever was there.
      target[at + byteLength - 1] = 0;
      copyBits(target.subarray(at, at + byteLength), 0, source.bitmap, source.bitOffset, source.bitCount);
      break;
    case 'offsets':
      writeOffsets(source, target, at);
      break;
    case 'union-offsets': {
      const { offsets, typeIds, shifts, count } = source;
      const out = new Int32Array(target.buffer, target.byteOffset + at, count);
      for (let i = 0; i < count; i++) out[i] = (offsets[i] ?? 0) - (shifts[typeIds[i] ?? 0] ?? 0);
      break;
    }
  }
}

function writeOffsets(source: PieceSource & { kind: 'offsets' }, target: Uint8Array, at: number): void {
  const { offsets, count, wide } = source;
  const first = Number(offsets[0]);
  const start = target.byteOffset + at;
  const words = wide ? 2 : 1;
  const out = new Int32Array(target.buffer, start, count * words);
  if (offsets instanceof Int32Array) {
    for (let i = 0; i < count; i++) out[i * words] = (offsets[i] ?? 0) - first;
    if (wide) for (let i = 0; i < count; i++) out[i * 2 + 1] = 0;
    return;
  }
  // By halves: a BigInt for each offset would cost ten times as much.
  const halves = new Int32Array(offsets.buffer, offsets.byteOffset, count * 2);
  for (let i = 0; i < count; i++) {
    const offset = (halves[i * 2 + 1] ?? 0) * 0x100000000 + ((halves[i * 2] ?? 0) >>> 0) - first;
    out[i * words] = offset;
    if (wide) out[i * 2 + 1] = Math.floor(offset / 0x100000000);
  }
}

/** Writes pieces that lie in order, with zeroes between and after them, to `byteLength` bytes of `target` from `at` on. */
export function writeBody(pieces: readonly Piece[], byteLength: number, target: Uint8Array, at: number): void {
  let end = 0;
  for (const piece of pieces) {
    if (end < piece.offset) target.fill(0, at + end, at + piece.offset);
    writePiece(piece, target, at + piece.offset);
    end = piece.offset + piece.byteLength;
  }
  target.fill(0, at + end, at + byteLength);
}
