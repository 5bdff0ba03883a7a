const encoder = new TextEncoder();

/** Bytes that grow: where rows are written before they go out in large pieces. */
export class ByteBuffer {
  bytes: Uint8Array<ArrayBuffer>;
  /** Bytes written so far. */
  length = 0;

  constructor(capacity: number) {
    this.bytes = new Uint8Array(capacity);
  }

  /** Makes sure that `byteCount` more bytes fit. */
  reserve(byteCount: number): void {
    if (this.length + byteCount > this.bytes.length) this.#grow(byteCount);
  }

  #grow(byteCount: number): void {
    const grown = new Uint8Array(Math.max(this.bytes.length * 2, this.length + byteCount));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  writeByte(byte: number): void {
    this.reserve(1);
    this.bytes[this.length++] = byte;
  }

  /** Bytes `start` up to `end` of `source`. */
  writeBytes(source: Uint8Array, start = 0, end: number = source.length): void {
    const count = end - start;
    this.reserve(count);
    const { bytes, length } = this;
    // Below about this size a call costs more than the loop.
    if (count <= 32) for (let i = 0; i < count; i++) bytes[length + i] = source[start + i] ?? 0;
    else bytes.set(source.subarray(start, end), length);
    this.length = length + count;
  }

  writeText(text: string): void {
    this.reserve(text.length * 3);
    this.length += encoder.encodeInto(text, this.bytes.subarray(this.length)).written;
  }

  /** Text of ASCII alone. */
  writeAscii(text: string): void {
    this.reserve(text.length);
    const { bytes, length } = this;
    for (let i = 0; i < text.length; i++) bytes[length + i] = text.charCodeAt(i);
    this.length = length + text.length;
  }

  /** A whole number of at most 2^53 in size, in decimal digits. */
  writeInteger(value: number): void {
    this.reserve(17);
    let rest = value;
    if (rest < 0) {
      this.bytes[this.length++] = 0x2d;
      rest = -rest;
    }
    let end = this.length + countDigits(rest);
    this.length = end;
    while (rest > 0x7fffffff) {
      const tenth = Math.floor(rest / 10);
      this.bytes[--end] = 0x30 + (rest - tenth * 10);
      rest = tenth;
    }
    let small = rest | 0;
    do {
      const tenth = (small / 10) | 0;
      this.bytes[--end] = 0x30 + (small - tenth * 10);
      small = tenth;
    } while (small !== 0);
  }

  /** What was written, as a view that holds until the next write, and an empty buffer again. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = this.bytes.subarray(0, this.length);
    this.length = 0;
    return taken;
  }
}

function countDigits(value: number): number {
  let digits = 1;
  for (let limit = 10; value >= limit; limit *= 10) digits++;
  return digits;
}

/** A table of 256 bytes: at each character of `keys` the character of `values` at the same place, else 0. */
export function byteTable(keys: string, values: string): Uint8Array {
  const table = new Uint8Array(256);
  for (let i = 0; i < keys.length; i++) table[keys.charCodeAt(i)] = values.charCodeAt(i);
  return table;
}
