import { RecurveError } from '../../error.ts';

/** `length` bytes from `offset` on. */
export interface ByteRange {
  readonly offset: number;
  readonly length: number;
}

/** A range and the bytes in it. */
export interface FetchedRange {
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/**
 * The fewest ranges that cover these, in order, with no more than `maxGapBytes` bytes in a row that nobody asked for and,
 * but for a range that is longer by itself, none of more than `maxBytes`.
 */
export function mergeRanges(ranges: readonly ByteRange[], maxGapBytes: number, maxBytes: number): ByteRange[] {
  const merged: { offset: number; length: number }[] = [];
  for (const { offset, length } of [...ranges].sort((a, b) => a.offset - b.offset)) {
    const last = merged.at(-1);
    const end = offset + length;
    if (last !== undefined && offset <= last.offset + last.length) {
      last.length = Math.max(last.length, end - last.offset);
    } else if (
      last !== undefined &&
      offset - last.offset - last.length <= maxGapBytes &&
      end - last.offset <= maxBytes
    ) {
      last.length = end - last.offset;
    } else {
      merged.push({ offset, length });
    }
  }
  return merged;
}

/** Bytes of a source by their place in it; undefined where they were not fetched. */
export function findRange(
  fetched: readonly FetchedRange[],
  offset: number,
  length: number,
): Uint8Array<ArrayBufferLike> | undefined {
  if (length === 0) return new Uint8Array(0);
  const part = fetched.find((range) => range.offset <= offset && offset + length <= range.offset + range.bytes.length);
  return part?.bytes.subarray(offset - part.offset, offset - part.offset + length);
}

/** A body of `length` bytes that starts at byte `offset` of its source and of which only some ranges were fetched. */
export class SparseBody {
  declare readonly length: number;
  readonly #offset: number;
  readonly #fetched: readonly FetchedRange[];

  constructor(offset: number, length: number, fetched: readonly FetchedRange[]) {
    this.#offset = offset;
    this.length = length;
    this.#fetched = fetched;
  }

  /** Throws INTERNAL for bytes that were not fetched. */
  subarray(start: number, end: number): Uint8Array {
    const bytes = findRange(this.#fetched, this.#offset + start, end - start);
    if (bytes !== undefined) return bytes;
    throw new RecurveError('INTERNAL', `bytes ${start} to ${end} of the body were not fetched`);
  }
}
