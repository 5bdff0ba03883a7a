import { RecurveError } from '../../../error.ts';

/** `PGCOPY\n\xff\r\n\0` (manual, "COPY", "Binary Format"). */
const signature: readonly number[] = [0x50, 0x47, 0x43, 0x4f, 0x50, 0x59, 0x0a, 0xff, 0x0d, 0x0a, 0x00];
/** Signature, flags and the length of the extension. */
const fixedByteLength = 19;
const oidsFlag = 1 << 16;

/**
 * Reads the header of COPY's binary format from `bytes[start, end)`; gives where it ends, or −1 where it is longer. Throws
 * INVALID_DATA for what is none, NOT_IMPLEMENTED for one whose flags say that rows are of another form.
 */
export function readCopyHeader(bytes: Uint8Array, start: number, end: number): number {
  for (let i = 0; i < signature.length && start + i < end; i++) {
    if (bytes[start + i] === signature[i]) continue;
    throw new RecurveError(
      'INVALID_DATA',
      `byte ${i} is 0x${hex(bytes[start + i])}, COPY's binary format begins otherwise`,
      {
        hint: 'was it written by COPY … (FORMAT binary), and passed on as bytes?',
      },
    );
  }
  if (end - start < fixedByteLength) return -1;
  const view = new DataView(bytes.buffer, bytes.byteOffset + start, fixedByteLength);
  const flags = view.getUint32(11);
  if ((flags & oidsFlag) !== 0) {
    throw new RecurveError(
      'NOT_IMPLEMENTED',
      'the rows of this COPY carry OIDs, as servers before PostgreSQL 12 could send',
      {
        hint: 'export without OIDS',
      },
    );
  }
  if (flags >>> 16 !== 0) throw new RecurveError('NOT_IMPLEMENTED', `unknown flags of COPY: 0x${flags.toString(16)}`);
  const extension = view.getInt32(15);
  if (extension < 0)
    throw new RecurveError('INVALID_DATA', `the header of COPY has an extension of ${extension} bytes`);
  const headerEnd = start + fixedByteLength + extension;
  return headerEnd > end ? -1 : headerEnd;
}

function hex(byte: number | undefined): string {
  return (byte ?? 0).toString(16).padStart(2, '0');
}
