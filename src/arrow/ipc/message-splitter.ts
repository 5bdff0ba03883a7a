import { ByteQueue } from './byte-queue.ts';
import { fileHeaderBytes, startsWithMagic } from './footer.ts';
import {
  checkMetadataSize,
  continuation,
  type FramedMessage,
  type Message,
  readMessage,
  truncated,
} from './message.ts';

type Part = 'prefix' | 'size' | 'file header' | 'metadata' | 'body';

/**
 * Cuts bytes that come in chunks of any size into messages ("Encapsulated message format"); of a file, those of the stream
 * inside of it.
 */
export class MessageSplitter {
  readonly #queue = new ByteQueue();
  #count = 0;
  /** What comes next, and its bytes. */
  #part: Part = 'prefix';
  #needed = 4;
  #message: Message | undefined;
  #isFile = false;
  #ended = false;

  /** Whether the bytes began with a file's magic. */
  get isFile(): boolean {
    return this.#isFile;
  }

  /** Whether no bytes are waiting to be taken. */
  get isEmpty(): boolean {
    return this.#queue.available === 0;
  }

  /** Whether the end-of-stream marker has come. */
  get ended(): boolean {
    return this.#ended;
  }

  /** Appends a chunk, which must not be changed afterwards. */
  push(chunk: Uint8Array): void {
    this.#queue.push(chunk);
  }

  /**
   * The next message; undefined when more bytes are needed for it, null when the end-of-stream marker has come. The body is
   * a view of its chunk, or one copy where it spans several or is not aligned to 8 bytes.
   */
  next(): FramedMessage | null | undefined {
    while (!this.#ended && this.#queue.available >= this.#needed) {
      const framed = this.#step();
      if (framed !== undefined) return framed;
    }
    return this.#ended ? null : undefined;
  }

  /** To be called when no bytes follow: throws INVALID_DATA inside of a message. */
  finish(): void {
    const { available } = this.#queue;
    if (this.#ended || (this.#part === 'prefix' && available === 0)) return;
    throw truncated(this.#place, this.#part === 'size' ? 'prefix' : this.#part, this.#needed, available);
  }

  /** Begins anew after an end-of-stream marker, with the bytes that have come after it. */
  restart(): void {
    this.#ended = false;
    this.#count = 0;
    this.#expect('prefix', 4);
  }

  /** Bytes after the end-of-stream marker, taken. */
  takeRest(): Uint8Array {
    return this.#queue.take(this.#queue.available);
  }

  get #place(): string {
    return `message ${this.#count}`;
  }

  #expect(part: Part, byteCount: number): void {
    this.#part = part;
    this.#needed = byteCount;
  }

  #step(): FramedMessage | undefined {
    const queue = this.#queue;
    switch (this.#part) {
      case 'prefix': {
        const prefix = queue.take(4);
        const size = int32(prefix);
        if (this.#count === 0 && startsAsMagic(prefix)) {
          this.#isFile = true;
          this.#expect('file header', fileHeaderBytes - 4);
        } else if (size === continuation) this.#expect('size', 4);
        else this.#expectMetadata(size);
        return undefined;
      }
      case 'size':
        this.#expectMetadata(int32(queue.take(4)));
        return undefined;
      case 'file header':
        queue.take(this.#needed);
        this.#expect('prefix', 4);
        return undefined;
      case 'metadata':
        this.#message = readMessage(queue.take(this.#needed), this.#place);
        this.#expect('body', this.#message.bodyLength);
        return undefined;
      case 'body': {
        const body = queue.takeAligned(this.#needed);
        this.#count++;
        this.#expect('prefix', 4);
        return { message: this.#message as Message, body };
      }
    }
  }

  #expectMetadata(size: number): void {
    this.#ended = size === 0;
    checkMetadataSize(size, this.#place);
    this.#expect('metadata', size);
  }
}

/** By its first half: no metadata is as long as those 4 bytes would say. */
function startsAsMagic(prefix: Uint8Array): boolean {
  return startsWithMagic(Uint8Array.of(...prefix, 0x57, 0x31));
}

function int32(bytes: Uint8Array): number {
  return new DataView(bytes.buffer, bytes.byteOffset, 4).getInt32(0, true);
}
