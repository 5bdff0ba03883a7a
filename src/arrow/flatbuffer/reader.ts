import { decodeUtf8 } from '#platform';
import { RecurveError } from '../../error.ts';

/** A vector in a flatbuffer: its elements lie back to back from byte `start` on, all inside of the buffer. */
export interface Vector {
  readonly start: number;
  readonly length: number;
}

const noElements: Vector = { start: 0, length: 0 };

/**
 * How many times over a buffer may be read through tables and strings that are shared. Arrow's writers share none; a
 * hostile one could make a few bytes stand for terabytes.
 */
const maxSharing = 8;

/**
 * Reads one flatbuffer in place. A table is the position of its first byte, a slot the number of one of its fields;
 * 0 is the position of what is absent, since no table can stand there.
 *
 * Nothing outside of `bytes` is ever read: an offset or length that points there throws INVALID_DATA, which begins with
 * `place`.
 */
export class FlatbufferReader {
  /** Where the flatbuffer was met, for errors: `message 3`. */
  declare readonly place: string;
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #budget: number;

  constructor(bytes: Uint8Array, place: string) {
    this.place = place;
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#budget = bytes.byteLength * maxSharing;
  }

  /** The root table. */
  root(): number {
    return this.#follow(0);
  }

  /** An 8-bit signed field, or `absent`, as for all readers of scalars. */
  int8(table: number, slot: number, absent = 0): number {
    const at = this.#field(table, slot, 1);
    return at === 0 ? absent : this.#view.getInt8(at);
  }

  uint8(table: number, slot: number, absent = 0): number {
    const at = this.#field(table, slot, 1);
    return at === 0 ? absent : this.#view.getUint8(at);
  }

  bool(table: number, slot: number): boolean {
    return this.uint8(table, slot) !== 0;
  }

  int16(table: number, slot: number, absent = 0): number {
    const at = this.#field(table, slot, 2);
    return at === 0 ? absent : this.#view.getInt16(at, true);
  }

  int32(table: number, slot: number, absent = 0): number {
    const at = this.#field(table, slot, 4);
    return at === 0 ? absent : this.#view.getInt32(at, true);
  }

  /** A 64-bit field as a number. Throws INVALID_DATA outside of ±2^53, as no size that fits a memory is. */
  int64(table: number, slot: number, absent = 0): number {
    const at = this.#field(table, slot, 8);
    return at === 0 ? absent : this.int64At(at);
  }

  /** A 64-bit field that is no size but a name, so that every value counts. */
  bigint64(table: number, slot: number): bigint {
    const at = this.#field(table, slot, 8);
    return at === 0 ? 0n : this.#view.getBigInt64(at, true);
  }

  /** Text, or null when absent. Bytes that are not UTF-8 come out as U+FFFD. */
  string(table: number, slot: number): string | null {
    const bytes = this.bytes(table, slot);
    return bytes && decodeUtf8(bytes, 0, bytes.length);
  }

  /** The bytes of a text, in place; null when absent. */
  bytes(table: number, slot: number): Uint8Array | null {
    const { start, length } = this.vector(table, slot, 1);
    if (start === 0) return null;
    this.#spend(length);
    return this.#bytes.subarray(start, start + length);
  }

  /** A table that another one holds; 0 when absent. */
  table(table: number, slot: number): number {
    const at = this.#field(table, slot, 4);
    return at === 0 ? 0 : this.#follow(at);
  }

  /** The position of a struct of `byteCount` bytes in the table itself; 0 when absent. */
  struct(table: number, slot: number, byteCount: number): number {
    return this.#field(table, slot, byteCount);
  }

  /** A vector of scalars, structs (`elementBytes` each) or tables (4). Of no elements, and with start 0, when absent. */
  vector(table: number, slot: number, elementBytes: number): Vector {
    const at = this.#field(table, slot, 4);
    if (at === 0) return noElements;
    const start = this.#target(at) + 4;
    this.#check(start - 4, 4);
    const length = this.#view.getUint32(start - 4, true);
    this.#check(start, length * elementBytes);
    return { start, length };
  }

  /** Table `index` of a vector of tables. */
  tableAt(vector: Vector, index: number): number {
    return this.#follow(vector.start + index * 4);
  }

  /** The number at an absolute position inside of a vector. */
  int32At(position: number): number {
    return this.#view.getInt32(position, true);
  }

  /** See {@link int64}; at an absolute position inside of a vector. */
  int64At(position: number): number {
    const high = this.#view.getInt32(position + 4, true);
    if (high < -0x200000 || high >= 0x200000) {
      this.fail(`${this.#view.getBigInt64(position, true)} at byte ${position} of the metadata is beyond 2^53`);
    }
    return high * 0x100000000 + this.#view.getUint32(position, true);
  }

  /** Throws INVALID_DATA at this flatbuffer's place. */
  fail(what: string): never {
    throw new RecurveError('INVALID_DATA', `${this.place}: ${what}`);
  }

  /** The position of a field, `size` bytes of which can be read; 0 when absent. */
  #field(table: number, slot: number, size: number): number {
    const vtable = table - this.#view.getInt32(table, true);
    this.#check(vtable, 4);
    const entry = 4 + slot * 2;
    if (entry + 2 > this.#view.getUint16(vtable, true)) return 0;
    this.#check(vtable + entry, 2);
    const offset = this.#view.getUint16(vtable + entry, true);
    if (offset === 0) return 0;
    this.#check(table + offset, size);
    return table + offset;
  }

  /** The table that the offset at `position` leads to: its first 4 bytes can be read. */
  #follow(position: number): number {
    const table = this.#target(position);
    if (table === 0) this.fail('the metadata holds an offset that leads nowhere');
    this.#check(table, 4);
    this.#spend(8);
    return table;
  }

  #target(position: number): number {
    this.#check(position, 4);
    return position + this.#view.getUint32(position, true);
  }

  #check(position: number, size: number): void {
    if (position < 0 || position + size > this.#bytes.length) {
      this.fail(`the metadata points at bytes ${position} to ${position + size}, but has ${this.#bytes.length}`);
    }
  }

  #spend(byteCount: number): void {
    this.#budget -= byteCount;
    if (this.#budget < 0)
      this.fail(`the metadata uses its ${this.#bytes.length} bytes more than ${maxSharing} times over`);
  }
}
