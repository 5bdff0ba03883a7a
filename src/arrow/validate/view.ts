import { isAscii, isUtf8 } from '#platform';
import type { Column } from '../column.ts';
import { type Place, refuse } from './place.ts';

/** Longest value that stands in its view, not in a buffer. */
const maxInline = 12;

/** What is known of a buffer as a whole: where it is ASCII, or UTF-8, single texts need no decoding. */
type Content = 'ascii' | 'utf8' | 'bytes';

/**
 * Every view that is not null has a length, and either zeroes behind an inline value or the place and the first four bytes
 * of one in a buffer ("Variable-size Binary View Layout"). Texts are UTF-8, each by itself.
 */
export function checkViews(column: Column, isText: boolean, place: Place): void {
  const { values, buffers = [] } = column.layout;
  const views = values as Int32Array;
  const bytes = new Uint8Array(views.buffer, views.byteOffset, column.length * 16);
  const contents: (Content | undefined)[] = new Array(buffers.length);
  for (let i = 0; i < column.length; i++) {
    const at = 4 * i;
    const size = views[at] ?? 0;
    if (size >= 0 && size <= maxInline) {
      if (isZeroBehind(bytes, 16 * i + 4 + size, 16 * i + 16) && (!isText || isInlineText(bytes, views, i, size)))
        continue;
      if (!column.isValid(i)) continue;
      const isPadded = isZeroBehind(bytes, 16 * i + 4 + size, 16 * i + 16);
      refuse(
        place,
        isPadded ? 'the text is not UTF-8' : `no zeroes follow an inline value of ${size} bytes`,
        i,
        views,
        at,
      );
    }
    if (!column.isValid(i)) continue;
    const [index, start] = [views[at + 2] ?? 0, views[at + 3] ?? 0];
    const buffer = buffers[index];
    if (size < 0) refuse(place, `a view has length ${size}`, i, views, at);
    if (buffer === undefined) refuse(place, `buffer ${index} is none of ${buffers.length}`, i, views, at + 2);
    if (start < 0 || start + size > buffer.length) {
      refuse(place, `bytes ${start} to ${start + size} are not in a buffer of ${buffer.length}`, i, views, at + 3);
    }
    for (let k = 0; k < 4; k++) {
      if (bytes[16 * i + 4 + k] !== buffer[start + k]) {
        refuse(place, 'the prefix is not how the value begins', i, views, at + 1);
      }
    }
    if (!isText) continue;
    contents[index] ??= contentOf(buffer);
    if (contents[index] !== 'ascii' && !isTextIn(buffer, start, start + size, contents[index] === 'utf8')) {
      refuse(place, 'the text is not UTF-8', i, buffer, start);
    }
  }
}

function isZeroBehind(bytes: Uint8Array, start: number, end: number): boolean {
  let bits = 0;
  for (let i = start; i < end; i++) bits |= bytes[i] ?? 0;
  return bits === 0;
}

function isInlineText(bytes: Uint8Array, views: Int32Array, row: number, size: number): boolean {
  const at = 4 * row;
  const bits = (views[at + 1] ?? 0) | (views[at + 2] ?? 0) | (views[at + 3] ?? 0);
  return (bits & ~0x7f7f7f7f) === 0 || isUtf8(bytes.subarray(4 * at + 4, 4 * at + 4 + size));
}

function contentOf(buffer: Uint8Array): Content {
  return isAscii(buffer) ? 'ascii' : isUtf8(buffer) ? 'utf8' : 'bytes';
}

/** A piece of what is UTF-8 is too when neither it nor what follows starts with a continuation byte (RFC 3629). */
function isTextIn(buffer: Uint8Array, start: number, end: number, isWithinUtf8: boolean): boolean {
  if (!isWithinUtf8) return isUtf8(buffer.subarray(start, end));
  return ((buffer[start] ?? 0) & 0xc0) !== 0x80 && ((buffer[end] ?? 0) & 0xc0) !== 0x80;
}
