import { isAscii, isUtf8 } from 'node:buffer';

/** Whether bytes are ASCII, whether they are UTF-8 as a whole; both in about the time that it takes to read them. */
export { isAscii, isUtf8 };

/** The members of Node's `Buffer.prototype` that read any `Uint8Array`, without an object per call; not in Node's types. */
const { utf8Slice } = Buffer.prototype as unknown as {
  utf8Slice(this: Uint8Array, start: number, end: number): string;
};

/**
 * Decodes the UTF-8 bytes `start` to `end` (exclusive, in bytes, `0 <= start <= end <= bytes.length`).
 *
 * Not fatal: each maximal invalid sequence becomes U+FFFD, as the WHATWG encoding standard says. A byte order mark is kept.
 * Throws when the text is longer than the engine's longest string (about 512 Mi UTF-16 units).
 */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  return utf8Slice.call(bytes, start, end);
}

/**
 * Returns `byteLength` bytes in an `ArrayBuffer` of exactly that size, at offset 0, that may be transferred to a worker.
 *
 * The bytes are **not** zeroed where the platform can leave that out: they may hold what was freed before, so the caller
 * must write every one of them. Throws a `RangeError` when the platform cannot give that much.
 */
export function allocate(byteLength: number): Uint8Array<ArrayBuffer> {
  // A plain view, since Buffer overrides `slice` to share memory.
  return new Uint8Array(Buffer.allocUnsafeSlow(byteLength).buffer);
}

/** Whether both hold the same bytes. */
export function equalBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && Buffer.compare(one, other) === 0;
}

/** ZSTD as `node:zlib` has it from Node 22.15 and 23.8 on; not in the types of Node 20. */
interface ZstdOfZlib {
  zstdCompressSync?(bytes: Uint8Array): Uint8Array;
  zstdDecompressSync?(bytes: Uint8Array, options: { maxOutputLength: number; chunkSize: number }): Uint8Array;
}

/** The platform's own ZSTD; null where it has none. */
export function nativeZstd(): {
  compress(b: Uint8Array): Uint8Array;
  decompress(b: Uint8Array, n: number): Uint8Array;
} | null {
  const zlib = process.getBuiltinModule('node:zlib') as ZstdOfZlib;
  const { zstdCompressSync, zstdDecompressSync } = zlib;
  if (zstdCompressSync === undefined || zstdDecompressSync === undefined) return null;
  return {
    compress: (bytes) => plainView(zstdCompressSync(bytes)),
    // One chunk takes all of it; the byte more lets the end be seen without a second one.
    decompress: (bytes, byteLength) =>
      plainView(
        zstdDecompressSync(bytes, { maxOutputLength: byteLength + 1, chunkSize: Math.max(64, byteLength + 1) }),
      ),
  };
}

/** Buffer overrides `slice` to share memory. */
function plainView({ buffer, byteOffset, byteLength }: Uint8Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength);
}
