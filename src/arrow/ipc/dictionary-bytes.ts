import { equalBytes } from '#platform';
import { bitmapByteLength } from '../bitmap.ts';
import type { Column } from '../column.ts';
import { isOwned } from '../ownership.ts';
import type { BodyPlan } from './column-writer.ts';
import { type Piece, writePiece } from './piece.ts';

/**
 * A dictionary as the buffers that a body of it has, in which offsets begin at 0 and bitmaps at a whole byte: the same bytes
 * are the same values. Bytes under a null count too, so that values may be the same and the bytes not.
 */
export interface DictionaryBytes {
  readonly column: Column;
  readonly length: number;
  readonly isFlat: boolean;
  readonly buffers: readonly Uint8Array[];
  /** Bits of the buffers that are bitmaps, 0 for the others. */
  readonly bitCounts: readonly number[];
}

/** The buffers of a column's plan: views of the column's, but for those that have to be made. */
export function dictionaryBytes(column: Column, plan: BodyPlan): DictionaryBytes {
  const buffers: Uint8Array[] = [];
  const bitCounts: number[] = [];
  let next = 0;
  for (let i = 1; i < plan.buffers.length; i += 2) {
    const piece = plan.buffers[i] === 0 ? undefined : plan.pieces[next++];
    buffers.push(piece === undefined ? noBytes : pieceBytes(piece));
    bitCounts.push(piece?.source.kind === 'bits' ? piece.source.bitCount : 0);
  }
  return { column, length: column.length, isFlat: plan.nodes.length === 2, buffers, bitCounts };
}

function pieceBytes(piece: Piece): Uint8Array {
  if (piece.source.kind === 'bytes') return piece.source.bytes;
  const bytes = new Uint8Array(piece.byteLength);
  writePiece(piece, bytes, 0);
  return bytes;
}

const noBytes = new Uint8Array(0);

/** Which of two dictionaries begins with the values of the other. */
export type Relation = 'same' | 'longer' | 'shorter' | 'other';

/** What `next` is to `last`: `longer` when it begins with all the values of `last`. */
export function relate(last: DictionaryBytes, next: DictionaryBytes): Relation {
  const count = Math.min(last.buffers.length, next.buffers.length);
  // More values may need more buffers, at the end of which no other column's follow.
  if (last.buffers.length !== next.buffers.length && !next.isFlat) return 'other';
  const isSame = last.length === next.length;
  if (isSame && last.buffers.some((buffer, i) => buffer.length !== next.buffers[i]?.length)) return 'other';
  for (let i = 0; i < count; i++) if (!startAlike(last, next, i)) return 'other';
  return isSame ? 'same' : next.length > last.length ? 'longer' : 'shorter';
}

/** Whether one of both buffers `i` begins with the other. */
function startAlike(last: DictionaryBytes, next: DictionaryBytes, i: number): boolean {
  const [one = noBytes, other = noBytes] = [last.buffers[i], next.buffers[i]];
  const [oneBits = 0, otherBits = 0] = [last.bitCounts[i], next.bitCounts[i]];
  if (oneBits === 0 && otherBits === 0) {
    const byteLength = Math.min(one.length, other.length);
    return equalBytes(one.subarray(0, byteLength), other.subarray(0, byteLength));
  }
  if (oneBits > 0 && otherBits > 0) return equalBits(one, other, Math.min(oneBits, otherBits));
  // A validity bitmap that is left out is all ones; inside of a nested type its length is not known.
  if (i > 0) return last.length === 0 || next.length === 0;
  const bits = oneBits > 0 ? one : other;
  const bitCount = Math.min(last.length, next.length);
  return equalBits(bits, new Uint8Array(bitmapByteLength(bitCount)).fill(0xff), bitCount);
}

function equalBits(one: Uint8Array, other: Uint8Array, bitCount: number): boolean {
  const whole = bitCount >>> 3;
  const rest = (1 << (bitCount & 7)) - 1;
  if ((((one[whole] ?? 0) ^ (other[whole] ?? 0)) & rest) !== 0) return false;
  return equalBytes(one.subarray(0, whole), other.subarray(0, whole));
}

/** A dictionary as a reader of the output has it, in buffers that nobody else can write to. */
export class SentDictionary {
  #bytes: DictionaryBytes;
  /** With room behind what `#bytes` has of them; empty when those are the column's own. */
  #stores: Uint8Array[] = [];

  constructor(bytes: DictionaryBytes) {
    this.#bytes = bytes;
    this.set(bytes, false);
  }

  get bytes(): DictionaryBytes {
    return this.#bytes;
  }

  /** Takes `next` as what is known from now on; when it `isGrowth`, it begins with the values that are known already. */
  set(next: DictionaryBytes, isGrowth: boolean): void {
    if (isOwned(next.column)) {
      this.#bytes = next;
      this.#stores = [];
      return;
    }
    const last = this.#bytes;
    this.#stores = next.buffers.map((buffer, i) => {
      let store = this.#stores[i];
      let from = 0;
      if (isGrowth && store !== undefined) {
        const bits = last.bitCounts[i] ?? 0;
        from = bits > 0 ? bits >>> 3 : (last.buffers[i]?.length ?? 0);
      }
      if (store === undefined || store.length < buffer.length) {
        const larger = new Uint8Array(store === undefined ? buffer.length : buffer.length * 1.5);
        if (store !== undefined) larger.set(store.subarray(0, from));
        store = larger;
      }
      store.set(buffer.subarray(from), from);
      return store;
    });
    const buffers = this.#stores.map((store, i) => store.subarray(0, next.buffers[i]?.length ?? 0));
    this.#bytes = { ...next, buffers };
  }
}
