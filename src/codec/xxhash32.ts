const prime1 = 0x9e3779b1;
const prime2 = 0x85ebca77;
const prime3 = 0xc2b2ae3d;
const prime4 = 0x27d4eb2f;
const prime5 = 0x165667b1;

/**
 * XXH32 of the bytes with seed 0, unsigned: the checksum of LZ4 frames (xxHash specification, "XXH32 algorithm
 * description").
 */
export function xxhash32(bytes: Uint8Array): number {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { length } = bytes;
  let at = 0;
  let hash: number;
  if (length >= 16) {
    let a = (prime1 + prime2) | 0;
    let b = prime2 | 0;
    let c = 0;
    let d = -prime1 | 0;
    for (; at + 16 <= length; at += 16) {
      a = round(a, view.getInt32(at, true));
      b = round(b, view.getInt32(at + 4, true));
      c = round(c, view.getInt32(at + 8, true));
      d = round(d, view.getInt32(at + 12, true));
    }
    hash = (rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18)) | 0;
  } else {
    hash = prime5;
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= length; at += 4) {
    hash = Math.imul(rotate((hash + Math.imul(view.getInt32(at, true), prime3)) | 0, 17), prime4);
  }
  for (; at < length; at++) hash = Math.imul(rotate((hash + Math.imul(bytes[at] ?? 0, prime5)) | 0, 11), prime1);
  hash = Math.imul(hash ^ (hash >>> 15), prime2);
  hash = Math.imul(hash ^ (hash >>> 13), prime3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(lane: number, word: number): number {
  return Math.imul(rotate((lane + Math.imul(word, prime2)) | 0, 13), prime1);
}

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}
