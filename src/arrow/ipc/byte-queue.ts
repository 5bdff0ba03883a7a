import { allocate } from '#platform';

/** Bytes that have arrived but have not been taken. Memory grows with what arrives, never with what was announced. */
export class ByteQueue {
  readonly #chunks: Uint8Array[] = [];
  /** The chunk that is taken from, and how much of it is gone. */
  #first = 0;
  #offset = 0;
  #available = 0;

  /** Bytes that can be taken now. */
  get available(): number {
    return this.#available;
  }

  /** Appends a chunk, which must not be changed afterwards. */
  push(chunk: Uint8Array): void {
    if (chunk.length > 0) this.#chunks.push(chunk);
    this.#available += chunk.length;
  }

  /** The next `byteCount` bytes, which must be available: a view of their chunk, or one copy when there are several. */
  take(byteCount: number): Uint8Array {
    const first = this.#chunks[this.#first];
    if (first === undefined || byteCount === 0) return new Uint8Array(0);
    if (first.length - this.#offset >= byteCount) {
      const bytes = new Uint8Array(first.buffer, first.byteOffset + this.#offset, byteCount);
      this.#skip(byteCount);
      return bytes;
    }
    return this.#copy(byteCount);
  }

  /** As `take`, but bytes that do not start at a multiple of 8 of their `ArrayBuffer` are copied. */
  takeAligned(byteCount: number): Uint8Array {
    const first = this.#chunks[this.#first];
    const isAligned = first !== undefined && (first.byteOffset + this.#offset) % 8 === 0;
    return isAligned || byteCount === 0 ? this.take(byteCount) : this.#copy(byteCount);
  }

  #copy(byteCount: number): Uint8Array {
    const bytes = allocate(byteCount);
    for (let at = 0; at < byteCount; ) {
      const chunk = this.#chunks[this.#first] as Uint8Array;
      const count = Math.min(byteCount - at, chunk.length - this.#offset);
      bytes.set(chunk.subarray(this.#offset, this.#offset + count), at);
      at += count;
      this.#skip(count);
    }
    return bytes;
  }

  /** Drops bytes of the first chunk. */
  #skip(byteCount: number): void {
    this.#offset += byteCount;
    this.#available -= byteCount;
    if (this.#offset < (this.#chunks[this.#first]?.length ?? 0)) return;
    this.#offset = 0;
    this.#first++;
    if (this.#first * 2 >= this.#chunks.length) {
      this.#chunks.splice(0, this.#first);
      this.#first = 0;
    }
  }
}
