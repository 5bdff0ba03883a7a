const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** See `decodeUtf8` in `./node.ts`. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  // Browsers decode no shared memory; a slice of it is a copy that is not shared.
  return decoder.decode(bytes.buffer instanceof ArrayBuffer ? bytes.subarray(start, end) : bytes.slice(start, end));
}

const strict = new TextDecoder('utf-8', { fatal: true });

/** See `isAscii` in `./node.ts`. */
export function isAscii(bytes: Uint8Array): boolean {
  const { buffer, byteOffset, length } = bytes;
  // Short ones may have no whole word to start at.
  const first = length < 8 ? length : -byteOffset & 3;
  let bits = 0;
  for (let i = 0; i < first; i++) bits |= bytes[i] ?? 0;
  let end = first;
  if (first < length) {
    const words = new Int32Array(buffer, byteOffset + first, (length - first) >>> 2);
    for (let i = 0; i < words.length; i++) bits |= words[i] ?? 0;
    end += 4 * words.length;
  }
  for (let i = end; i < length; i++) bits |= bytes[i] ?? 0;
  return (bits & ~0x7f7f7f7f) === 0;
}

/** See `isUtf8` in `./node.ts`. */
export function isUtf8(bytes: Uint8Array): boolean {
  try {
    // As in `decodeUtf8`: no shared memory.
    strict.decode(bytes.buffer instanceof ArrayBuffer ? bytes : bytes.slice());
    return true;
  } catch {
    return false;
  }
}

/** See `allocate` in `./node.ts`; here the bytes are zeroed, as nothing else can be had. */
export function allocate(byteLength: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(byteLength);
}

/** See `equalBytes` in `./node.ts`. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  const { length } = one;
  if (length !== other.length) return false;
  let i = 0;
  if (((one.byteOffset | other.byteOffset) & 3) === 0) {
    const words = new Int32Array(one.buffer, one.byteOffset, length >>> 2);
    const otherWords = new Int32Array(other.buffer, other.byteOffset, length >>> 2);
    for (; i < words.length; i++) if (words[i] !== otherWords[i]) return false;
    i *= 4;
  }
  for (; i < length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** See `nativeZstd` in `./node.ts`; browsers have none. */
export function nativeZstd(): {
  compress(b: Uint8Array): Uint8Array;
  decompress(b: Uint8Array, n: number): Uint8Array;
} | null {
  return null;
}
