import type { DataType } from '../type.ts';

/** Gives a copy of a buffer with the bytes of its elements turned round; elements are of a width in bytes or of a type. */
export type ByteSwap = (bytes: Uint8Array, element: number | DataType) => Uint8Array;

/**
 * Turns a buffer of big-endian data, as Schema.fbs's `Endianness` allows in bodies, into a little-endian one, and back. The
 * bytes of text, of binary values and of bitmaps have no order and must not come here, except those inside of views.
 */
export function swapBytes(bytes: Uint8Array, element: number | DataType): Uint8Array {
  if (typeof element === 'number') return swapWidths(bytes, [element]);
  switch (element.kind) {
    case 'utf8-view':
    case 'binary-view':
      return swapViews(bytes);
    case 'interval':
      return swapWidths(bytes, element.unit === 'month-day-nano' ? [4, 4, 8] : [4]);
    case 'int':
    case 'float':
    case 'decimal':
      return swapWidths(bytes, [element.bitWidth / 8]);
    case 'dictionary':
      return swapWidths(bytes, [element.index.bitWidth / 8]);
    case 'date':
      return swapWidths(bytes, [element.unit === 'day' ? 4 : 8]);
    case 'time':
      return swapWidths(bytes, [element.unit === 's' || element.unit === 'ms' ? 4 : 8]);
    case 'timestamp':
    case 'duration':
      return swapWidths(bytes, [8]);
    default:
      return bytes;
  }
}

/** Elements of these widths in turn; bytes of an element that is cut off, as padding may be, are left out. */
function swapWidths(bytes: Uint8Array, widths: readonly number[]): Uint8Array {
  if (widths[0] === 1) return bytes;
  const out = new Uint8Array(bytes.length);
  let at = 0;
  for (let i = 0; ; i = (i + 1) % widths.length) {
    const width = widths[i] ?? 1;
    if (at + width > bytes.length) return out;
    for (let k = 0; k < width; k++) out[at + k] = bytes[at + width - 1 - k] ?? 0;
    at += width;
  }
}

/** The length is a number; what follows is bytes up to 12, else a prefix of 4 bytes and two more numbers. */
function swapViews(bytes: Uint8Array): Uint8Array {
  const out = bytes.slice();
  const view = new DataView(out.buffer);
  for (let at = 0; at + 16 <= out.length; at += 16) {
    const length = view.getInt32(at);
    view.setInt32(at, length, true);
    if (length >= 0 && length <= 12) continue;
    view.setInt32(at + 8, view.getInt32(at + 8), true);
    view.setInt32(at + 12, view.getInt32(at + 12), true);
  }
  return out;
}
