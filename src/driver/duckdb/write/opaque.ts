import { getBit } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import { extensionOf } from '../../../arrow/extension.ts';
import type { Field } from '../../../arrow/schema.ts';
import { valueError } from './failure.ts';

/** DuckDB's own types that come as `arrow.opaque` and go back as what they were. */
export type OpaqueKind = 'bit' | 'bignum' | 'time_tz';

/** The type of DuckDB's that a field of the extension `arrow.opaque` stands for, where its storage is that type's. */
export function readOpaqueKind(field: Field): OpaqueKind | undefined {
  const extension = extensionOf(field);
  if (extension?.name !== 'arrow.opaque') return undefined;
  const name = readTypeName(extension.metadata);
  const { type } = field;
  if (name === 'time_tz') return type.kind === 'fixed-size-binary' && type.byteWidth === 8 ? name : undefined;
  return (name === 'bit' || name === 'bignum') && type.kind === 'binary' ? name : undefined;
}

function readTypeName(metadata: string): unknown {
  try {
    const parsed: unknown = JSON.parse(metadata);
    if (typeof parsed !== 'object' || parsed === null) return undefined;
    const { type_name: name, vendor_name: vendor } = parsed as Readonly<Record<string, unknown>>;
    return vendor === 'DuckDB' ? name : undefined;
  } catch {
    return undefined;
  }
}

/** Throws INVALID_DATA for bytes that are no value of the type: DuckDB takes them without a look, and may crash on them. */
export function checkOpaque(kind: OpaqueKind, column: Column, validity: Uint8Array | null, path: string): void {
  const isValue = { bit: isBit, bignum: isBignum, time_tz: isTimeTz }[kind];
  for (let i = 0; i < column.length; i++) {
    if (validity !== null && !getBit(validity, i)) continue;
    if (!isValue(column.at(i) as Uint8Array)) throw valueError(path, 'the bytes', `are no ${kind} of DuckDB`);
  }
}

/** The number of unused bits, then the bits, the unused ones in front and set. */
function isBit(bytes: Uint8Array): boolean {
  const unused = bytes[0] ?? 8;
  const mask = (0xff00 >>> unused) & 0xff;
  return bytes.length >= 2 && unused < 8 && ((bytes[1] ?? 0) & mask) === mask;
}

/** Three bytes of sign and length, then the digits to base 256, big-endian; all inverted when negative. */
function isBignum(bytes: Uint8Array): boolean {
  const header = ((bytes[0] ?? 0) << 16) | ((bytes[1] ?? 0) << 8) | (bytes[2] ?? 0);
  const positive = (header & 0x800000) !== 0 ? header : ~header;
  return bytes.length >= 4 && (positive & 0x7fffff) === bytes.length - 3;
}

/** 40 bits of microseconds above 24 bits of 57,599 minus the offset in seconds, little-endian. */
function isTimeTz(bytes: Uint8Array): boolean {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const offset = view.getUint32(0, true) & 0xffffff;
  const micros = view.getUint32(4, true) * 256 + view.getUint8(3);
  return offset <= 115_198 && micros <= 86_400_000_000;
}
