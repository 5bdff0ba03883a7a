import { allocate } from '#platform';
import { RecurveError } from '../../error.ts';

/** Where the bytes of a stream come from, in chunks of any size, empty ones included. */
export type ByteSource =
  | AsyncIterable<Uint8Array>
  | Iterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | Uint8Array
  | ArrayBuffer;

/** A source that is pulled, and can be told that no more is wanted. */
interface ChunkPull {
  /** The next chunk; null at the end. */
  pull(): Promise<unknown>;
  cancel(reason: unknown): Promise<void>;
}

/** Bytes that have arrived but have not been taken. Memory grows with what arrives, never with what was announced. */
export class ByteQueue {
  readonly #source: ChunkPull;
  readonly #aborted: Promise<never> | null;
  readonly #signal: AbortSignal | undefined;
  readonly #onAbort = (): void => this.#rejectAborted(this.#signal?.reason);
  #rejectAborted: (reason: unknown) => void = () => {};
  #chunks: Uint8Array[] = [];
  /** The chunk that is taken from, and how much of it is gone. */
  #first = 0;
  #offset = 0;
  #available = 0;
  #ended = false;

  constructor(source: ByteSource, signal?: AbortSignal) {
    this.#source = pullFrom(source);
    this.#signal = signal;
    this.#aborted = null;
    if (signal !== undefined) {
      this.#aborted = new Promise<never>((_, reject) => {
        this.#rejectAborted = reject;
      });
      this.#aborted.catch(() => {});
      if (signal.aborted) this.#onAbort();
      else signal.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  /** Bytes that can be taken now. */
  get available(): number {
    return this.#available;
  }

  /** Waits until `byteCount` bytes can be taken; false when the source ends before. */
  async fill(byteCount: number): Promise<boolean> {
    while (this.#available < byteCount && !this.#ended) {
      const pulled = this.#source.pull();
      const chunk = await (this.#aborted === null ? pulled : Promise.race([this.#aborted, pulled]));
      if (chunk === null) {
        this.#ended = true;
      } else if (chunk instanceof Uint8Array) {
        if (chunk.length > 0) this.#chunks.push(chunk);
        this.#available += chunk.length;
      } else {
        throw new RecurveError(
          'INVALID_ARGUMENT',
          `a stream of Arrow data must give Uint8Array chunks, not ${typeName(chunk)}`,
        );
      }
    }
    return this.#available >= byteCount;
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

  /** Lets the source go; its own failure to do so does not matter any more. */
  async cancel(reason: unknown): Promise<void> {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    this.#chunks = [];
    this.#available = 0;
    if (this.#ended) return;
    this.#ended = true;
    await this.#source.cancel(reason).catch(() => {});
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

function pullFrom(source: ByteSource): ChunkPull {
  if (source instanceof Uint8Array) return pullFromIterator([source][Symbol.iterator]());
  if (source instanceof ArrayBuffer) return pullFromIterator([new Uint8Array(source)][Symbol.iterator]());
  if (typeof source === 'object' && source !== null) {
    // A reader and not an iterator, which not all browsers have for streams, and which cannot be cancelled while it waits.
    if ('getReader' in source && typeof source.getReader === 'function') return pullFromReader(source.getReader());
    if (Symbol.asyncIterator in source) return pullFromIterator(source[Symbol.asyncIterator]());
    if (Symbol.iterator in source) return pullFromIterator(source[Symbol.iterator]());
  }
  throw new RecurveError(
    'INVALID_ARGUMENT',
    `${typeName(source)} is no source of bytes: give a ReadableStream or an iterable of Uint8Array`,
  );
}

function pullFromReader(reader: ReadableStreamDefaultReader<Uint8Array>): ChunkPull {
  return {
    async pull() {
      const { done, value } = await reader.read();
      return done ? null : value;
    },
    cancel: (reason) => reader.cancel(reason),
  };
}

function pullFromIterator(iterator: Iterator<Uint8Array> | AsyncIterator<Uint8Array>): ChunkPull {
  let pending: Promise<unknown> | undefined;
  return {
    async pull() {
      const result = iterator.next();
      pending = Promise.resolve(result);
      const { done, value } = await result;
      pending = undefined;
      return done === true ? null : value;
    },
    async cancel() {
      const returned = Promise.resolve(iterator.return?.());
      // A generator that is waiting answers only when what it waits for has come, which may be never.
      if (pending === undefined) await returned;
      else returned.catch(() => {});
    },
  };
}

function typeName(value: unknown): string {
  return typeof value === 'object' && value !== null ? (value.constructor?.name ?? 'object') : typeof value;
}
