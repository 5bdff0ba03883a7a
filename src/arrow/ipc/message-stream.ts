import { type ByteSource, ChunkReader } from './byte-source.ts';
import type { FramedMessage } from './message.ts';
import { MessageSplitter } from './message-splitter.ts';

/** The messages of a source of bytes, as they come; streams may follow each other. */
export class MessageStream {
  readonly #chunks: ChunkReader;
  readonly #splitter = new MessageSplitter();

  constructor(source: ByteSource, signal: AbortSignal | undefined) {
    this.#chunks = new ChunkReader(source, signal);
  }

  get signal(): AbortSignal | undefined {
    return this.#chunks.signal;
  }

  /** The next message; null at the end of the stream. Throws INVALID_DATA when it is cut off. */
  async next(): Promise<FramedMessage | null> {
    for (;;) {
      this.signal?.throwIfAborted();
      const next = this.#splitter.next();
      if (next !== undefined) return next;
      if (!(await this.#fill())) {
        this.#splitter.finish();
        return null;
      }
    }
  }

  /** Whether there is a byte at all. */
  async begins(): Promise<boolean> {
    while (this.#splitter.isEmpty) if (!(await this.#fill())) return false;
    return true;
  }

  /** Goes on to the stream that follows the one that has ended; false when none does. Zeroes between them are passed over. */
  async restart(): Promise<boolean> {
    const splitter = this.#splitter;
    // The footer of a file leads back, so what follows it cannot be told.
    if (!splitter.ended || splitter.isFile) return false;
    for (;;) {
      this.signal?.throwIfAborted();
      const rest = splitter.takeRest();
      const start = rest.findIndex((byte) => byte !== 0);
      const zeroes = start < 0 ? rest.length : start;
      // By words of 4 bytes, since the first word of a stream may begin with a zero.
      splitter.push(rest.subarray(zeroes - (zeroes % 4)));
      if (start >= 0) {
        splitter.restart();
        return true;
      }
      if (!(await this.#fill())) return false;
    }
  }

  cancel(reason: unknown): Promise<void> {
    return this.#chunks.cancel(reason);
  }

  async #fill(): Promise<boolean> {
    const chunk = await this.#chunks.next();
    if (chunk !== null) this.#splitter.push(chunk);
    return chunk !== null;
  }
}
