import { RecurveError } from '../../error.ts';

/**
 * Refuses what cannot be ZSTD frames of `byteLength` bytes together, before memory is taken (RFC 8878, 3.1.1): no magic, a
 * content size that is larger, or more bytes than so many blocks can hold.
 */
export function checkZstd(bytes: Uint8Array, byteLength: number): void {
  if (bytes.length < 9) fail(`${bytes.length} bytes are too few for a frame`);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const magic = view.getUint32(0, true);
  const isSkippable = magic >>> 4 === 0x184d2a5;
  if (magic !== 0xfd2fb528 && !isSkippable) fail(`0x${magic.toString(16)} is no frame's magic`);
  // A block of 4 bytes, one of them repeated, stands for up to 128 KiB.
  const maxBytes = Math.ceil(bytes.length / 4) * 2 ** 17;
  if (byteLength > maxBytes) fail(`${bytes.length} bytes cannot hold ${byteLength}`);
  if (isSkippable) return;
  const contentSize = readContentSize(bytes, view);
  if (contentSize !== null && contentSize > byteLength) {
    fail(`a frame of ${contentSize} bytes, not of the ${byteLength} that were said`);
  }
}

function readContentSize(bytes: Uint8Array, view: DataView): number | null {
  const descriptor = bytes[4] ?? 0;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const at = 5 + (isSingleSegment ? 0 : 1) + ([0, 1, 2, 4][descriptor & 3] ?? 0);
  const width = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >>> 6] ?? 0;
  if (at + width > bytes.length) return fail('a frame header is cut off');
  switch (width) {
    case 0:
      return null;
    case 1:
      return bytes[at] ?? 0;
    case 2:
      return view.getUint16(at, true) + 256;
    case 4:
      return view.getUint32(at, true);
    default:
      return Number(view.getBigUint64(at, true));
  }
}

function fail(what: string): never {
  throw new RecurveError('INVALID_DATA', `ZSTD: ${what}`);
}
