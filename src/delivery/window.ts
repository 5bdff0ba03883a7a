import type { RecordBatch } from '../arrow/batch.ts';
import type { Column } from '../arrow/column.ts';
import { batchByteLength } from './batch-size.ts';

/** The window when nothing else is asked for, in bytes: 32 MiB. */
export const defaultWindowBytes: number = 32 * 1024 * 1024;

/** What a held batch counts at least, so that batches without buffers cannot pile up without end. */
const minHeldBytes = 1024;

/** Told what happens in a window. The calls are synchronous and must not throw. */
export interface WindowObserver {
  /** A batch came from the source. */
  arrived?(batch: RecordBatch, byteLength: number): void;
  /** A batch went to the reader. */
  taken?(batch: RecordBatch, byteLength: number): void;
  /** Called once: the source will not be asked again. `end` says why, see {@link WindowEnd}. */
  ended?(end: WindowEnd): void;
}

/** How a window ended: the source sent everything, it failed, or {@link BatchWindow.stop} was called. */
export interface WindowEnd {
  readonly by: 'source' | 'failure' | 'stop';
  /** What further reads throw; undefined only when the source sent everything. */
  readonly error: unknown;
}

export interface BatchWindowOptions {
  /** Bytes to hold for the reader; with 0 the source is asked only when the reader waits. Default {@link defaultWindowBytes}. */
  readonly windowBytes?: number;
  readonly observer?: WindowObserver;
}

interface Waiter {
  resolve(batch: RecordBatch | undefined): void;
  reject(error: unknown): void;
}

/**
 * A bounded stretch of batches between a source and its one reader. It asks the source for the next batch as long as it
 * holds fewer than `windowBytes`, so it holds one batch more than that at most; then it waits for the reader, and the
 * source with it.
 *
 * What the source throws is thrown after the batches that came before, and again by every later read; its end likewise.
 * {@link stop} does not wait for the reader: what is held is dropped.
 */
export class BatchWindow {
  readonly #source: AsyncIterator<RecordBatch, undefined>;
  readonly #windowBytes: number;
  readonly #observer: WindowObserver;
  readonly #dictionaries = new WeakSet<Column>();
  readonly #held: { readonly batch: RecordBatch; readonly byteLength: number }[] = [];
  readonly #waiting: Waiter[] = [];
  #heldBytes = 0;
  #end: WindowEnd | undefined;
  #resume: (() => void) | undefined;
  #stopped: Promise<void> = Promise.resolve();

  /** The window begins to fill at once. */
  constructor(source: AsyncIterator<RecordBatch, undefined>, options: BatchWindowOptions = {}) {
    this.#source = source;
    this.#windowBytes = options.windowBytes ?? defaultWindowBytes;
    this.#observer = options.observer ?? {};
    this.#fill().catch(() => {});
  }

  /** Bytes of the batches held; small ones count as 1 KiB. */
  get heldBytes(): number {
    return this.#heldBytes;
  }

  /** Whether the source will not be asked again; batches may still be held. */
  get ended(): boolean {
    return this.#end !== undefined;
  }

  /** What every further read throws, batches still held aside; undefined while it runs and after a good end. */
  get error(): unknown {
    return this.#end?.error;
  }

  /** Whether the source sent everything and the reader took it. */
  get drained(): boolean {
    return this.#end?.by === 'source' && this.#held.length === 0;
  }

  /** As the promise of {@link stop}; resolved at once where the source ended by itself. */
  get stopped(): Promise<void> {
    return this.#stopped;
  }

  /** The next batch, or undefined at the end. Throws what the source threw, or what {@link stop} was given. */
  async next(): Promise<RecordBatch | undefined> {
    const entry = this.#held.shift();
    if (entry !== undefined) {
      this.#heldBytes -= Math.max(entry.byteLength, minHeldBytes);
      this.#wake();
      this.#observer.taken?.(entry.batch, entry.byteLength);
      return entry.batch;
    }
    if (this.#end === undefined) {
      return new Promise((resolve, reject) => {
        this.#waiting.push({ resolve, reject });
        this.#wake();
      });
    }
    if (this.#end.by === 'source') return undefined;
    throw this.#end.error;
  }

  /**
   * Drops what is held, makes every read throw `error` and stops the source; resolves when the source has stopped, and
   * rejects when stopping it failed. Of a window that was read to its end, or that failed, nothing changes.
   */
  stop(error: unknown): Promise<void> {
    const running = this.#end === undefined;
    if (running || this.#held.length > 0) {
      this.#held.length = 0;
      this.#heldBytes = 0;
      this.#finish({ by: 'stop', error });
    }
    if (running) {
      this.#stopped = this.#stopSource();
      // Whoever waits for it sees a failure; nobody has to.
      this.#stopped.catch(() => {});
    }
    return this.#stopped;
  }

  async #stopSource(): Promise<void> {
    await this.#source.return?.();
  }

  async #fill(): Promise<void> {
    for (;;) {
      while (this.#end === undefined && !this.#wantsMore()) {
        await new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
      }
      if (this.#end !== undefined) return;
      const step = await this.#pull();
      if (this.#end !== undefined || step === undefined) return;
      if (step.done) return this.#finish({ by: 'source', error: undefined });
      try {
        this.#push(step.value);
      } catch (error) {
        // A batch that cannot be measured is the driver's fault; its source must not run on.
        return this.stop(error);
      }
    }
  }

  async #pull(): Promise<IteratorResult<RecordBatch, undefined> | undefined> {
    try {
      return await this.#source.next();
    } catch (error) {
      if (this.#end === undefined) this.#finish({ by: 'failure', error });
      return undefined;
    }
  }

  #wantsMore(): boolean {
    return this.#waiting.length > 0 || this.#heldBytes < this.#windowBytes;
  }

  #wake(): void {
    if (this.#resume === undefined || !this.#wantsMore()) return;
    const resume = this.#resume;
    this.#resume = undefined;
    resume();
  }

  #push(batch: RecordBatch): void {
    const byteLength = batchByteLength(batch, this.#dictionaries);
    this.#observer.arrived?.(batch, byteLength);
    const waiter = this.#waiting.shift();
    if (waiter === undefined) {
      this.#held.push({ batch, byteLength });
      this.#heldBytes += Math.max(byteLength, minHeldBytes);
    } else {
      this.#observer.taken?.(batch, byteLength);
      waiter.resolve(batch);
    }
  }

  #finish(end: WindowEnd): void {
    const first = this.#end === undefined;
    this.#end = end;
    for (const waiter of this.#waiting.splice(0)) {
      if (end.by === 'source') waiter.resolve(undefined);
      else waiter.reject(end.error);
    }
    const resume = this.#resume;
    this.#resume = undefined;
    resume?.();
    if (first) this.#observer.ended?.(end);
  }
}
