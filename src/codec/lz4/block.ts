import { RecurveError } from '../../error.ts';

/** Where a block's bytes stand and where they go. */
export interface BlockPlace {
  readonly source: Uint8Array;
  readonly start: number;
  readonly end: number;
  readonly target: Uint8Array;
  /** Byte of `target` that the block's first byte goes to. */
  readonly at: number;
  /** First byte of `target` that a match may reach: `at` in an independent block. */
  readonly history: number;
}

/** Copies of up to this many bytes are made by a loop; a longer one is worth a call. */
const loopBytes = 48;

/**
 * Expands one LZ4 block ("LZ4 Block Format Description"); returns the byte of `target` after its last. Nothing outside of
 * `target` is written. Throws INVALID_DATA for what is no block, or does not fit.
 */
export function readBlock({ source, start, end, target, at: targetStart, history }: BlockPlace): number {
  const from = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const to = new DataView(target.buffer, target.byteOffset, target.byteLength);
  // Up to here a copy may write words past its end, since those bytes are written again or lie behind the last match.
  const wildEnd = target.length - loopBytes - 4;
  const wildSourceEnd = source.length - loopBytes - 4;
  let i = start;
  let at = targetStart;
  while (i < end) {
    const token = source[i++] ?? 0;
    let count = token >>> 4;
    if (count === 15) {
      let more = 255;
      while (more === 255) {
        if (i >= end) fail('a length that is cut off');
        more = source[i++] ?? 0;
        count += more;
      }
    }
    if (count > end - i || count > target.length - at) fail(`${count} literals that do not fit`);
    if (count <= loopBytes && at < wildEnd && i < wildSourceEnd) {
      for (let k = 0; k < count; k += 4) to.setInt32(at + k, from.getInt32(i + k, true), true);
    } else {
      target.set(source.subarray(i, i + count), at);
    }
    i += count;
    at += count;
    if (i === end) return at;

    if (end - i < 2) fail('an offset that is cut off');
    const offset = (source[i] ?? 0) | ((source[i + 1] ?? 0) << 8);
    i += 2;
    count = (token & 15) + 4;
    if (count === 19) {
      let more = 255;
      while (more === 255) {
        if (i >= end) fail('a length that is cut off');
        more = source[i++] ?? 0;
        count += more;
      }
    }
    const match = at - offset;
    if (offset === 0 || match < history) fail(`offset ${offset} at byte ${at - history}`);
    if (count > target.length - at) fail(`a match of ${count} bytes that does not fit`);
    if (offset >= 4 && count <= loopBytes && at < wildEnd) {
      for (let k = 0; k < count; k += 4) to.setInt32(at + k, to.getInt32(match + k, true), true);
    } else if (offset >= count) {
      target.copyWithin(at, match, match + count);
    } else {
      repeat(target, match, at, count);
    }
    at += count;
  }
  return fail('no last literals');
}

/** A match that overlaps itself: its `at - match` bytes again and again. */
function repeat(target: Uint8Array, match: number, at: number, count: number): void {
  if (at - match === 1) {
    target.fill(target[match] ?? 0, at, at + count);
    return;
  }
  if (count <= loopBytes) {
    for (let k = 0; k < count; k++) target[at + k] = target[match + k] ?? 0;
    return;
  }
  // Each copy doubles what can be copied.
  const end = at + count;
  for (let to = at; to < end; ) {
    const piece = Math.min(to - match, end - to);
    target.copyWithin(to, match, match + piece);
    to += piece;
  }
}

function fail(what: string): never {
  throw new RecurveError('INVALID_DATA', `LZ4: a block has ${what}`);
}
