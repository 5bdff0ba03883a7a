const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** See `decodeUtf8` in `./node.ts`. */
export function decodeUtf8(bytes: Uint8Array, start: number, end: number): string {
  // Browsers decode no shared memory; a slice of it is a copy that is not shared.
  return decoder.decode(bytes.buffer instanceof ArrayBuffer ? bytes.subarray(start, end) : bytes.slice(start, end));
}

/** See `allocate` in `./node.ts`; here the bytes are zeroed, as nothing else can be had. */
export function allocate(byteLength: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(byteLength);
}
