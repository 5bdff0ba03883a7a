import { Column, type ColumnLayout } from '../column.ts';
import type { FixedSizeBinaryType } from '../type.ts';
import { Offsets } from './offset.ts';

/** Byte strings. `at` gives a view of the buffer, not a copy. */
export class BinaryColumn extends Column<Uint8Array> {
  declare readonly offsets: Int32Array | BigInt64Array;
  declare readonly data: Uint8Array;
  readonly #offsets: Offsets;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.offsets = layout.offsets as Int32Array | BigInt64Array;
    this.#offsets = new Offsets(this.offsets);
    this.data = layout.data as Uint8Array;
  }
  at(index: number): Uint8Array | null {
    if (!this.isValid(index)) return null;
    return this.data.subarray(this.#offsets.at(index), this.#offsets.at(index + 1));
  }
}

/** Byte strings of one width. `at` gives a view of the buffer, not a copy. */
export class FixedSizeBinaryColumn extends Column<Uint8Array> {
  declare readonly values: Uint8Array;
  declare readonly byteWidth: number;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint8Array;
    this.byteWidth = (layout.type as FixedSizeBinaryType).byteWidth;
  }
  at(index: number): Uint8Array | null {
    if (!this.isValid(index)) return null;
    return this.values.subarray(index * this.byteWidth, (index + 1) * this.byteWidth);
  }
}

/** The canonical extension `arrow.uuid` over 16 bytes: `at` gives lower-case text with hyphens (RFC 9562). */
export class UuidColumn extends Column<string> {
  declare readonly values: Uint8Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint8Array;
  }
  at(index: number): string | null {
    if (!this.isValid(index)) return null;
    return uuidText(this.values, index * 16);
  }
}

const hexPairs: readonly string[] = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

/** Two lower-case hexadecimal digits. */
export function hexPair(byte: number | undefined): string {
  return hexPairs[byte ?? 0] ?? '';
}

function uuidText(bytes: Uint8Array, at: number): string {
  let text = '';
  for (let i = 0; i < 16; i++) {
    if (i === 4 || i === 6 || i === 8 || i === 10) text += '-';
    text += hexPair(bytes[at + i]);
  }
  return text;
}
