import type { BatchLimit } from '../../adbc/spi.ts';
import { RecordBatch } from '../../arrow/batch.ts';
import type { Schema } from '../../arrow/schema.ts';
import type { Cost } from '../../delivery/cost.ts';
import { RecurveError } from '../../error.ts';
import type { Binding } from './binding.ts';
import type { FailureLimit } from './failure.ts';
import { makeReader } from './read/make.ts';
import type { NativeChunk, NativeConnection, NativeResult } from './read/native.ts';
import { Scrap } from './read/scrap.ts';
import type { ReaderContext, VectorReader } from './read/vector-reader.ts';
import { runInSlot } from './slot.ts';
import { readSchema } from './type.ts';

/** How long a fetch inside of a transaction may still take when its stream is closed: an interrupt ends the transaction. */
const graceMs = 25;
/** Between interrupts of a fetch: one that comes before the fetch has begun its work may be lost. */
const interruptMs = 5;
/** How long an abort may wait for a source that cannot be interrupted: some operations on a single vector take seconds. */
const patienceMs = 60;
/** A larger chunk is let go before the next one is fetched: 2,048 strings of 1 MB are 2 GB. */
const maxAheadByteLength = 64 * 2 ** 20;
/** Of Arrow buffers with 32-bit offsets; a batch never gets there but for a single row. */
const maxBatchByteLength = 2 ** 31 - 1;

/** A result to read, streaming or materialised, and what its end means. */
export interface StreamSource {
  readonly binding: Binding;
  /** The connection that runs the result: nothing else may run on it until the stream has ended or `return()` resolved. */
  readonly connection: NativeConnection;
  readonly result: NativeResult;
  readonly limit: BatchLimit;
  /** Counted here: `requests` (fetches), `engineMs` (waiting), `decodeMs`, `firstByteMs`. */
  readonly cost: Cost;
  /** Ends the stream with its reason and stops the source. */
  readonly signal: AbortSignal;
  /** The session's `TimeZone`; default UTC. */
  readonly timezone?: string | undefined;
  /** `performance.now()` of the call, for `firstByteMs`; default now. */
  readonly startedMs?: number | undefined;
  /** Whether a transaction is open that an interrupt would end; default false. */
  readonly inTransaction?: boolean | undefined;
  /** Finds the message of a stream that failed: see `findFailure`. Default: there is none. */
  readonly explain?: ((limit: FailureLimit) => Promise<string | undefined>) | undefined;
  /** Makes an error of the source's message; default UNKNOWN. */
  readonly toError?: ((message: string) => RecurveError) | undefined;
  /** Whether the connection still runs this result: false once another statement cut it off. */
  readonly isCurrent?: (() => boolean) | undefined;
  /** Called when the stream was cut off inside of a transaction: its native result holds the connection until it is collected. */
  readonly onCut?: (() => void) | undefined;
  /** Called once, when the connection is free again. */
  readonly onEnd?: (() => void) | undefined;
}

/** The schema of a result and its batches. The stream ends only when DuckDB says that all rows were sent. */
export interface BatchStream {
  readonly schema: Schema;
  readonly batches: AsyncIterator<RecordBatch, undefined> & {
    return(): Promise<IteratorResult<RecordBatch, undefined>>;
  };
}

/**
 * Reads a native result as Arrow batches. The next chunk is fetched while one is decoded, so that what is held is about a
 * batch and two chunks. Throws NOT_IMPLEMENTED for a type without an Arrow type, INVALID_DATA on a value that its Arrow
 * type cannot hold, and the source's error when the source failed.
 */
export function createBatchStream(source: StreamSource): BatchStream {
  const { binding, result } = source;
  const schema = readSchema(binding, result, source.timezone ?? 'UTC');
  const scrap: ScrapOfChunk = { chunkScrap: new Scrap(), runScrap: new Scrap() };
  const readers = schema.fields.map((field, i) =>
    makeReader({ binding, field, path: field.name, ...scrap }, binding.column_logical_type(result, i)),
  );
  return { schema, batches: new BatchReader(source, schema, readers, scrap) };
}

/** See the fields of `ReaderContext`, whose readers fill it. */
type ScrapOfChunk = Pick<ReaderContext, 'chunkScrap' | 'runScrap'>;

/** A chunk that is being appended to batches. */
interface LoadedChunk {
  /** Keeps the memory that the readers' pointers point at. */
  readonly chunk: NativeChunk;
  readonly rowCount: number;
  /** Rows appended so far. */
  position: number;
}

class BatchReader implements AsyncIterator<RecordBatch, undefined> {
  readonly #source: StreamSource;
  readonly #schema: Schema;
  readonly #readers: readonly VectorReader[];
  readonly #scrap: ScrapOfChunk;
  readonly #startedMs: number;
  readonly #streaming: boolean;
  readonly #onAbort: () => void;
  #result: NativeResult | null;
  /** The chunk after the one that is being decoded. */
  #ahead: Promise<NativeChunk | null> | null = null;
  #loaded: LoadedChunk | null = null;
  /** Arrow bytes of the chunk that was loaded last; not known before the first. */
  #chunkByteLength = Number.POSITIVE_INFINITY;
  #batchCount = 0;
  /** The source has no more chunks, whatever the reason. */
  #exhausted = false;
  #closing: Promise<void> | null = null;
  #explaining: Promise<string | undefined> | null = null;
  /** Aborted when the stream is closed: ends what waits or searches. */
  readonly #stopped: AbortController = new AbortController();
  /** Every row was delivered: an abort comes too late. */
  #ended = false;
  /** Rejects the last `next()`; without effect once that has settled. */
  #giveUp: ((reason: unknown) => void) | null = null;

  constructor(source: StreamSource, schema: Schema, readers: readonly VectorReader[], scrap: ScrapOfChunk) {
    this.#source = source;
    this.#schema = schema;
    this.#readers = readers;
    this.#scrap = scrap;
    this.#startedMs = source.startedMs ?? performance.now();
    this.#result = source.result;
    this.#streaming = source.binding.result_is_streaming(source.result);
    this.#onAbort = () => this.#abort();
    source.signal.addEventListener('abort', this.#onAbort, { once: true });
  }

  next(): Promise<IteratorResult<RecordBatch, undefined>> {
    return new Promise((resolve, reject) => {
      this.#giveUp = reject;
      this.#advance().then(resolve, reject);
    });
  }

  async #advance(): Promise<IteratorResult<RecordBatch, undefined>> {
    const { signal } = this.#source;
    try {
      const batch = this.#closing === null && !signal.aborted ? await this.#readBatch() : null;
      if (batch !== null) return { done: false, value: batch };
      await this.#close();
    } catch (error) {
      await this.#close();
      throw signal.aborted ? signal.reason : error;
    }
    if (signal.aborted && !this.#ended) throw signal.reason;
    return { done: true, value: undefined };
  }

  /** Stops the source; resolves when the connection can be used again. */
  async return(): Promise<IteratorResult<RecordBatch, undefined>> {
    await this.#close();
    return { done: true, value: undefined };
  }

  /** The next batch, or null at the end and when the stream was closed meanwhile. */
  async #readBatch(): Promise<RecordBatch | null> {
    const { maxRows, maxBytes, firstRows } = this.#source.limit;
    const rowLimit = Math.max(1, this.#batchCount === 0 ? Math.min(firstRows, maxRows) : maxRows);
    const byteLimit = Math.min(maxBytes, maxBatchByteLength);
    let rowCount = 0;
    let byteLength = 0;
    for (;;) {
      const loaded = this.#loaded ?? (await this.#fetchChunk());
      if (this.#closing !== null) return null;
      if (loaded === null) break;
      const startMs = performance.now();
      const start = loaded.position;
      const end = this.#fit(
        start,
        Math.min(loaded.rowCount, start + rowLimit - rowCount),
        byteLimit - byteLength,
        rowCount === 0,
      );
      if (end > start) {
        byteLength += this.#measure(start, end);
        for (const reader of this.#readers) reader.append(start, end);
        this.#scrap.runScrap.free();
        rowCount += end - start;
        loaded.position = end;
      }
      const whole = end === loaded.rowCount;
      if (whole) this.#release(loaded);
      this.#source.cost.decodeMs += performance.now() - startMs;
      if (!whole || rowCount >= rowLimit || byteLength >= byteLimit) break;
    }
    if (rowCount > 0) return this.#finishBatch(rowCount, byteLength);
    await this.#checkEnd();
    this.#ended = true;
    return null;
  }

  #finishBatch(rowCount: number, byteLength: number): RecordBatch {
    const startMs = performance.now();
    // The next batch as these rows let it be expected: memory is then taken once instead of grown into.
    const { maxRows, maxBytes } = this.#source.limit;
    const growth = Math.max(0, Math.min(maxRows / rowCount, maxBytes / Math.max(1, byteLength)));
    const columns = this.#readers.map((reader) => reader.finish(growth));
    this.#batchCount++;
    this.#source.cost.decodeMs += performance.now() - startMs;
    return new RecordBatch(this.#schema, columns, rowCount);
  }

  /** The end of the rows that fit into `byteLimit` bytes; at least one when the batch is empty. */
  #fit(start: number, end: number, byteLimit: number, empty: boolean): number {
    if (this.#measure(start, end) <= byteLimit) return end;
    let fits = empty ? start + 1 : start;
    let tooMany = end;
    while (tooMany - fits > 1) {
      const middle = (fits + tooMany) >>> 1;
      if (this.#measure(start, middle) <= byteLimit) fits = middle;
      else tooMany = middle;
    }
    return fits;
  }

  #measure(start: number, end: number): number {
    let byteLength = 0;
    for (const reader of this.#readers) byteLength += reader.measure(start, end);
    return byteLength;
  }

  /** The next chunk, loaded, while the one after it is on its way. Null at the end. */
  async #fetchChunk(): Promise<LoadedChunk | null> {
    if (this.#exhausted) return null;
    const { binding, cost } = this.#source;
    const startMs = performance.now();
    this.#ahead ??= this.#fetch();
    const chunk = await this.#ahead.catch((error: unknown) => {
      // A fetch that still waited for its turn when the stream was closed.
      if (this.#closing !== null) return null;
      throw this.#toError(error instanceof Error ? error.message : String(error));
    });
    this.#ahead = null;
    const waitedMs = performance.now();
    cost.engineMs += waitedMs - startMs;
    const rowCount = chunk === null ? 0 : binding.data_chunk_get_size(chunk);
    if (chunk === null || rowCount === 0) {
      this.#exhausted = true;
      return null;
    }
    if (this.#closing !== null) return null;
    if (cost.firstByteMs === 0) cost.firstByteMs = waitedMs - this.#startedMs;
    // Chunks are mostly of one size: as large as the last one was is this one before it is measured.
    if (this.#chunkByteLength <= maxAheadByteLength) this.#ahead = this.#fetch();
    this.#readers.forEach((reader, i) => {
      reader.load(binding.data_chunk_get_vector(chunk, i), rowCount, null);
    });
    this.#chunkByteLength = this.#measure(0, rowCount);
    if (this.#chunkByteLength <= maxAheadByteLength) this.#ahead ??= this.#fetch();
    cost.decodeMs += performance.now() - waitedMs;
    this.#loaded = { chunk, rowCount, position: 0 };
    return this.#loaded;
  }

  #fetch(): Promise<NativeChunk | null> {
    const { binding, cost } = this.#source;
    const result = this.#result;
    if (result === null) return Promise.resolve(null);
    cost.requests++;
    const fetched = runInSlot(() => binding.fetch_chunk(result), this.#stopped.signal);
    // Nobody may be waiting when it fails; who waits later sees the failure all the same.
    fetched.catch(() => undefined);
    return fetched;
  }

  /** Lets go of a chunk whose last pointer was read: its memory is freed now, not when its handle is collected. */
  #release(loaded: LoadedChunk): void {
    this.#loaded = null;
    this.#source.binding.data_chunk_reset(loaded.chunk);
    this.#scrap.chunkScrap.free();
  }

  /** Throws when the rows ended because the source failed. */
  async #checkEnd(): Promise<void> {
    const { binding, signal, isCurrent } = this.#source;
    // A result that failed has no type any more; that is all that the bindings let see of it.
    if (this.#result === null || binding.result_return_type(this.#result) !== binding.ResultType.INVALID) return;
    if (signal.aborted) throw signal.reason;
    if (isCurrent !== undefined && !isCurrent()) {
      throw new RecurveError('INVALID_STATE', 'another statement on the same connection ended this result', {
        hint: 'read the result to its end, or close it, before the next statement; or use a second connection',
      });
    }
    const message = await this.#explain();
    if (message !== undefined) throw this.#toError(message);
    throw new RecurveError('UNKNOWN', 'DuckDB ended the result before its last row and kept the reason to itself', {
      hint: 'run the statement with EXPLAIN ANALYZE before it to see the reason',
    });
  }

  /** Looks for the source's message, at most about as long as the statement took to fail; `#stop` ends the search. */
  #explain(): Promise<string | undefined> {
    const { explain, signal } = this.#source;
    if (explain === undefined) return Promise.resolve(undefined);
    this.#source.cost.fallbacks.push('the statement ran a second time to find out why it failed');
    const timeoutMs = 1000 + 2 * (performance.now() - this.#startedMs);
    this.#explaining = explain({ timeoutMs, signal: AbortSignal.any([signal, this.#stopped.signal]) });
    return this.#explaining;
  }

  #toError(message: string): RecurveError {
    return this.#source.toError?.(message) ?? new RecurveError('UNKNOWN', firstLine(message));
  }

  /** Stops the source; who waits for a batch waits no longer than `patienceMs` for that. */
  #abort(): void {
    const patience = setTimeout(() => this.#giveUp?.(this.#source.signal.reason), patienceMs);
    void this.#close().then(() => clearTimeout(patience));
  }

  /** Stops the source, once. */
  #close(): Promise<void> {
    this.#closing ??= this.#stop();
    return this.#closing;
  }

  async #stop(): Promise<void> {
    const { signal, inTransaction, onEnd } = this.#source;
    signal.removeEventListener('abort', this.#onAbort);
    this.#stopped.abort();
    await this.#explaining?.catch(() => undefined);
    if (inTransaction) await this.#cut();
    else await this.#interrupt();
    this.#ahead = null;
    this.#loaded = null;
    this.#result = null;
    onEnd?.();
  }

  /** Outside of a transaction: an interrupt, and fetches until one ends the result, which lets go of the connection. */
  async #interrupt(): Promise<void> {
    const { binding, connection } = this.#source;
    if (this.#ahead === null && (this.#exhausted || !this.#streaming)) return;
    const interrupt = (): void => binding.interrupt(connection);
    const timer = setInterval(interrupt, interruptMs);
    try {
      interrupt();
      await this.#settleAhead();
      while (this.#streaming && !this.#exhausted && this.#result !== null) {
        interrupt();
        this.#noteEnd(await binding.fetch_chunk(this.#result));
      }
    } catch {
      // A fetch that rejects has ended the result as well.
    } finally {
      clearInterval(timer);
    }
  }

  /**
   * Inside of a transaction, which an interrupted fetch would abort: preparing any statement closes the live stream, which
   * the bindings have no call for, and leaves the transaction as it is. A fetch that hangs is interrupted all the same.
   */
  async #cut(): Promise<void> {
    const { binding, connection, onCut } = this.#source;
    let timer: NodeJS.Timeout | undefined;
    const patience = setTimeout(() => {
      timer = setInterval(() => binding.interrupt(connection), interruptMs);
    }, graceMs);
    await this.#settleAhead();
    clearTimeout(patience);
    clearInterval(timer);
    if (this.#exhausted || !this.#streaming) return;
    onCut?.();
    try {
      binding.destroy_prepare_sync(await binding.prepare(connection, 'SELECT 1'));
    } catch {
      // An aborted transaction refuses to prepare: then there is no live stream either.
    }
  }

  async #settleAhead(): Promise<void> {
    if (this.#ahead === null) return;
    try {
      this.#noteEnd(await this.#ahead);
    } catch {
      // It never left its queue, or it failed: the result is closed all the same.
    }
  }

  #noteEnd(chunk: NativeChunk | null): void {
    if (chunk === null || this.#source.binding.data_chunk_get_size(chunk) === 0) this.#exhausted = true;
  }
}

function firstLine(message: string): string {
  const end = message.indexOf('\n');
  return end < 0 ? message : message.slice(0, end);
}
