import { RecurveError } from '../../error.ts';

/** Where the bytes of a stream come from, in chunks of any size, empty ones included. Node's streams are async iterables. */
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

/** The chunks of a source one by one, until its end or an abort. */
export class ChunkReader {
  declare readonly signal: AbortSignal | undefined;
  readonly #source: ChunkPull;
  readonly #aborted: Promise<never> | null;
  readonly #onAbort = (): void => this.#rejectAborted(this.signal?.reason);
  #rejectAborted: (reason: unknown) => void = () => {};
  #ended = false;

  /** Throws INVALID_ARGUMENT for what is no source of bytes. */
  constructor(source: ByteSource, signal?: AbortSignal) {
    this.#source = pullFrom(source);
    this.signal = signal;
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

  /** The next chunk; null at the end, then and after. Throws what the source throws, and the signal's reason at once. */
  async next(): Promise<Uint8Array | null> {
    if (this.#ended) return null;
    const pulled = this.#source.pull();
    const chunk = await (this.#aborted === null ? pulled : Promise.race([this.#aborted, pulled]));
    if (chunk instanceof Uint8Array) return chunk;
    if (chunk !== null) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `a stream of Arrow data must give Uint8Array chunks, not ${typeName(chunk)}`,
      );
    }
    this.#ended = true;
    return null;
  }

  /** Lets the source go; its own failure to do so does not matter any more. */
  async cancel(reason: unknown): Promise<void> {
    this.signal?.removeEventListener('abort', this.#onAbort);
    if (this.#ended) return;
    this.#ended = true;
    await this.#source.cancel(reason).catch(() => {});
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
