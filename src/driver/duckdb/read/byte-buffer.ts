import { allocate } from '#platform';

const minByteLength = 256;

/**
 * A growing buffer of one Arrow column. It starts as large as the last one ended and gives away its memory: views over
 * it stay valid after {@link ByteBuffer.take}.
 */
export class ByteBuffer {
  bytes: Uint8Array<ArrayBuffer> = new Uint8Array(0);
  /** The same memory as 32-bit words. */
  words: Int32Array<ArrayBuffer> = new Int32Array(0);
  view: DataView<ArrayBuffer> = new DataView(this.bytes.buffer);
  /** Bytes in use. */
  length = 0;
  #startByteLength = minByteLength;
  readonly #zeroed: boolean;

  /** Fresh bytes are zero, unless `zeroed` is false: then every byte up to `length` must be written before it is read. */
  constructor(options: { zeroed?: boolean } = {}) {
    this.#zeroed = options.zeroed ?? true;
  }

  /** Makes room for `extra` more bytes. */
  reserve(extra: number): void {
    const needed = this.length + extra;
    if (needed <= this.bytes.length) return;
    const grown = this.bytes.length === 0 ? this.#startByteLength : this.bytes.length * 2;
    this.#replace(Math.ceil(Math.max(needed, grown) / 64) * 64);
  }

  /**
   * What is in use, in its own memory of which at most an eighth is spare; the buffer is empty again. It will start
   * `growth` times as large as it ended.
   */
  take(growth: number): Uint8Array<ArrayBuffer> {
    const { bytes, length } = this;
    // Whatever was in the memory before is nobody's to see.
    if (!this.#zeroed) bytes.fill(0, length);
    this.bytes = new Uint8Array(0);
    this.words = new Int32Array(0);
    this.view = new DataView(this.bytes.buffer);
    this.length = 0;
    this.#startByteLength = Math.max(minByteLength, Math.ceil(length * growth * 1.0625));
    return bytes.length - length > Math.max(bytes.length >>> 3, 64)
      ? bytes.slice(0, length)
      : bytes.subarray(0, length);
  }

  #replace(byteLength: number): void {
    const bytes = this.#zeroed ? new Uint8Array(byteLength) : allocate(byteLength);
    if (this.length > 0) bytes.set(this.bytes.subarray(0, this.length));
    this.bytes = bytes;
    this.words = new Int32Array(bytes.buffer);
    this.view = new DataView(bytes.buffer);
  }
}
