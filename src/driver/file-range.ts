import type { FileHandle } from 'node:fs/promises';

/** `length` bytes of a file from `offset`, or fewer where it ends; a read that the system cuts short goes on. */
export async function readRange(handle: FileHandle, offset: number, length: number): Promise<Uint8Array> {
  const bytes = new Uint8Array(length);
  let filled = 0;
  while (filled < length) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
    if (bytesRead === 0) return bytes.subarray(0, filled);
    filled += bytesRead;
  }
  return bytes;
}
