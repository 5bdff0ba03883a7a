import { noRows } from './session.ts';
import type { RowSink } from './wire/channel.ts';

/** Keeps rows as they came, for a decoder that cannot be made yet. */
export class Spool implements RowSink {
  readonly #chunks: Uint8Array[] = [];
  readonly #maxBytes: number;
  byteLength = 0;
  /** Whether it takes rows past its limit. */
  unlimited = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get full(): boolean {
    return !this.unlimited && this.byteLength >= this.#maxBytes;
  }

  take(bytes: Uint8Array, start: number, end: number): number {
    const at = noRows.take(bytes, start, end);
    if (at > start) {
      this.#chunks.push(bytes.slice(start, at));
      this.byteLength += at - start;
    }
    return at;
  }

  /** The rows, in pieces that end where a message ends; each is let go when it has been given. */
  *drain(): Generator<Uint8Array> {
    for (let chunk = this.#chunks.shift(); chunk !== undefined; chunk = this.#chunks.shift()) yield chunk;
  }
}
