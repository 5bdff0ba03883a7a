import { xxhash32 } from '../xxhash32.ts';

/** Largest block of a frame (`BD` 7): 4 MiB, each compressed by itself. */
const blockBytes = 4 << 20;
const hashBits = 14;
const minMatch = 4;
/** A block's last match starts at least 12 bytes before its end and leaves 5 bytes of literals ("End of block conditions"). */
const lastMatchBytes = 12;
const lastLiterals = 5;
const maxOffset = 0xffff;

/** One LZ4 frame: independent blocks of up to 4 MiB, content size, no checksum but the header's; fast rather than small. */
export function writeLz4(bytes: Uint8Array): Uint8Array {
  const blockCount = Math.ceil(bytes.length / blockBytes);
  const target = new Uint8Array(15 + bytes.length + 4 * blockCount + 4);
  const view = new DataView(target.buffer);
  view.setUint32(0, 0x184d2204, true);
  target[4] = 0x68;
  target[5] = 0x70;
  view.setBigUint64(6, BigInt(bytes.length), true);
  target[14] = (xxhash32(target.subarray(4, 14)) >>> 8) & 0xff;
  const table = new Int32Array(1 << hashBits);
  let at = 15;
  for (let start = 0; start < bytes.length; start += blockBytes) {
    const end = Math.min(start + blockBytes, bytes.length);
    const after = writeBlock(bytes, start, end, target, at + 4, table);
    if (after > 0) {
      view.setUint32(at, after - at - 4, true);
      at = after;
    } else {
      view.setUint32(at, (end - start) | 0x80000000, true);
      target.set(bytes.subarray(start, end), at + 4);
      at += 4 + end - start;
    }
  }
  return target.subarray(0, at + 4);
}

/** Compresses bytes `start` to `end`; returns the byte after the block, 0 when that would not be smaller. */
function writeBlock(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  targetStart: number,
  table: Int32Array,
): number {
  const view = new DataView(source.buffer, source.byteOffset, source.byteLength);
  const limit = targetStart + end - start;
  // Positions are kept one too high, so that 0 is none.
  table.fill(0);
  let at = targetStart;
  let anchor = start;
  let i = start;
  let misses = 0;
  while (i < end - lastMatchBytes) {
    const word = view.getInt32(i, true);
    const slot = Math.imul(word, 0x9e3779b1) >>> (32 - hashBits);
    let match = (table[slot] ?? 0) - 1;
    table[slot] = i + 1;
    if (match < start || i - match > maxOffset || view.getInt32(match, true) !== word) {
      // Where nothing matches for long, fewer places are tried.
      i += 1 + (misses++ >>> 6);
      continue;
    }
    misses = 0;
    while (i > anchor && match > start && source[i - 1] === source[match - 1]) {
      i--;
      match--;
    }
    let length = minMatch;
    while (i + length < end - lastLiterals && source[i + length] === source[match + length]) length++;
    const literals = i - anchor;
    if (at + literals + 8 + (literals >>> 7) + (length >>> 7) > limit) return 0;
    at = writeLiterals(source, anchor, i, target, at, Math.min(length - minMatch, 15));
    const offset = i - match;
    target[at++] = offset & 0xff;
    target[at++] = offset >>> 8;
    if (length - minMatch >= 15) at = writeLength(length - minMatch - 15, target, at);
    i += length;
    anchor = i;
  }
  const literals = end - anchor;
  if (at + literals + 4 + (literals >>> 7) > limit) return 0;
  return writeLiterals(source, anchor, end, target, at, 0);
}

/** A token and the literals behind it. */
function writeLiterals(
  source: Uint8Array,
  start: number,
  end: number,
  target: Uint8Array,
  at: number,
  matchCode: number,
): number {
  const count = end - start;
  target[at++] = (Math.min(count, 15) << 4) | matchCode;
  if (count >= 15) at = writeLength(count - 15, target, at);
  if (count > 32) target.set(source.subarray(start, end), at);
  else for (let k = 0; k < count; k++) target[at + k] = source[start + k] ?? 0;
  return at + count;
}

function writeLength(rest: number, target: Uint8Array, at: number): number {
  for (; rest >= 255; rest -= 255) target[at++] = 255;
  target[at++] = rest;
  return at;
}
