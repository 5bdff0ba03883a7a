import { isUtf8 } from '#platform';
import type { Source } from './source.ts';

/** Throws INVALID_DATA where the bytes from `start` up to `end` are not UTF-8. */
export function checkUtf8(source: Source, path: string, start: number, end: number): void {
  const value = source.bytes.subarray(start, end);
  if (isUtf8(value)) return;
  throw source.fault(
    path,
    start,
    `text that is not UTF-8: ${excerpt(value)}`,
    'is the encoding of the database SQL_ASCII, or of the file another? Cast the column to bytea',
  );
}

/** The first bytes, in hexadecimal. */
function excerpt(value: Uint8Array): string {
  const shown = Array.from(value.subarray(0, 16), (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `\\x${shown}${value.length > 16 ? '…' : ''}`;
}
