import { allocate } from '#platform';
import { RecurveError } from '../../../error.ts';

const minByteLength = 256;
/** Memory up to here that is mostly spare is used again. */
const maxKeptByteLength = 128 * 1024;
/** Of what 32-bit offsets reach. */
const maxByteLength = 2 ** 31 - 1;

// Of all that hold nothing: a small result has many columns for its rows.
const noBytes = new Uint8Array(0);
const noWords = new Int32Array(noBytes.buffer);
const noView = new DataView(noBytes.buffer);

/**
 * A growing buffer of one column. It gives its memory away with {@link ColumnMemory.take}, so that nothing is copied when it
 * was made as large as it became; what was reserved must be written.
 */
export class ColumnMemory {
  bytes: Uint8Array<ArrayBuffer> = noBytes;
  /** The same memory as whole 32-bit words. */
  words: Int32Array<ArrayBuffer> = noWords;
  view: DataView<ArrayBuffer> = noView;
  /** Bytes in use. */
  length = 0;
  #firstByteLength = minByteLength;

  /** What to begin with at the next write, in bytes. */
  expect(byteLength: number): void {
    this.#firstByteLength = Math.min(Math.max(minByteLength, byteLength), 1 << 28);
    if (this.length === 0 && this.bytes.length > 0 && this.bytes.length < this.#firstByteLength) this.#empty();
  }

  /** Makes room for `extra` more bytes. Throws INVALID_DATA past 2 GiB. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed > this.bytes.length) this.#grow(needed);
  }

  /** Adds `byteLength` bytes, to be written, and gives where they start. */
  extend(byteLength: number): number {
    const at = this.length;
    if (at + byteLength > this.bytes.length) this.#grow(at + byteLength);
    this.length = at + byteLength;
    return at;
  }

  /** What is in use, in memory of which at most an eighth or 512 bytes are spare; the buffer is empty again. */
  take(): Uint8Array<ArrayBuffer> {
    const { bytes, length } = this;
    this.length = 0;
    const spare = bytes.length - length;
    if (spare > Math.max(bytes.length >>> 3, 2 * minByteLength)) {
      if (bytes.length > maxKeptByteLength) this.#empty();
      return bytes.slice(0, length);
    }
    if (bytes.length > 0) this.#empty();
    // What was in the memory before is nobody's to see.
    bytes.fill(0, length);
    return bytes.subarray(0, length);
  }

  #empty(): void {
    this.bytes = new Uint8Array(0);
    this.words = new Int32Array(0);
    this.view = new DataView(this.bytes.buffer);
  }

  #grow(needed: number): void {
    if (needed > maxByteLength) {
      throw new RecurveError('INVALID_DATA', `${needed} bytes of one column in a batch: its offsets reach 2^31 - 1`, {
        hint: 'ask for batches of fewer bytes, or for less of the value',
      });
    }
    const wanted = this.bytes.length === 0 ? this.#firstByteLength : Math.min(this.bytes.length * 2, maxByteLength);
    const bytes = allocate(Math.ceil(Math.max(needed, wanted) / 64) * 64);
    if (this.length > 0) bytes.set(this.bytes.subarray(0, this.length));
    this.bytes = bytes;
    this.words = new Int32Array(bytes.buffer);
    this.view = new DataView(bytes.buffer);
  }
}
