import type { RecordBatch } from '../arrow/batch.ts';
import { StreamWriter } from '../arrow/ipc/stream-writer.ts';
import type { Row } from '../arrow/row.ts';
import type { Schema } from '../arrow/schema.ts';
import { Table } from '../arrow/table.ts';
import type { ValueOptions } from '../arrow/value.ts';
import type { DeliveryReport } from '../delivery/report.ts';
import { RecurveError } from '../error.ts';
import { asRecurveError } from './call.ts';
import type { Transfer } from './transfer.ts';

/**
 * A running result: its schema at once, its batches once, by one reader, in one of these ways: `for await` over it,
 * {@link rows}, {@link table}, {@link toReadable} or {@link toResponse}. Reading it a second time throws INVALID_STATE.
 *
 * It runs ahead of its reader by a window of bytes and then makes the source wait. It never ends as if it were complete
 * when it is not: when the source fails, the batches before the failure are delivered and then the error is thrown, by
 * every later read as well; after an abort, a time-out or another statement on the connection, the next read throws.
 * Leaving it early (`break`, {@link close}) stops the source. A result that is neither read to its end nor closed keeps
 * its source busy until the next call on the connection.
 */
export class Result implements AsyncIterable<RecordBatch>, AsyncDisposable {
  /** Known before the first batch, and when there is none. No fields: the statement gives no result. */
  readonly schema: Schema;
  readonly #transfer: Transfer;
  #claimed = false;
  #closed = false;

  /** For connections and statements. */
  constructor(transfer: Transfer) {
    this.schema = transfer.source.schema;
    this.#transfer = transfer;
  }

  /** Rows that the statement changed, once the source has said it; −1 before that, and for what does not change rows. */
  get rowsAffected(): number {
    return this.#transfer.source.rowsAffected;
  }

  /**
   * Resolves, and never rejects, once the source will not be asked again: it sent everything, failed or was stopped. The
   * connection is then free for another call, which leaves what is still to be read alone.
   */
  get sourceEnded(): Promise<void> {
    return this.#transfer.whenSourceEnded;
  }

  /** How the result travels: as it stands now, whole after the last batch, partial after an early end, which it names. */
  get delivery(): DeliveryReport {
    return this.#transfer.report();
  }

  /** The batches in order. `return()`, which leaving a loop calls, stops the source and resolves when it has stopped. */
  [Symbol.asyncIterator](): AsyncIterableIterator<RecordBatch, undefined> {
    this.#claim();
    let done = false;
    return {
      next: async () => {
        const value = done ? undefined : await this.#transfer.next();
        if (value !== undefined) return { done: false, value };
        done = true;
        return { done: true, value };
      },
      return: async () => {
        done = true;
        await this.close();
        return { done: true, value: undefined };
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** The rows as plain objects, a property a column, made batch by batch. See {@link ValueOptions} for how values come. */
  rows(options?: ValueOptions): AsyncIterableIterator<Row, undefined> {
    const batches = this[Symbol.asyncIterator]();
    const rows = flatten(batches, options);
    return {
      next: () => rows.next(),
      return: async () => {
        // Not the generator's alone: before its first step it would leave the source running, and during one wait for it.
        await batches.return?.();
        return rows.return(undefined);
      },
      [Symbol.asyncIterator]() {
        return this;
      },
    };
  }

  /** Everything in memory. The window does not limit it. */
  async table(): Promise<Table> {
    const batches: RecordBatch[] = [];
    for await (const batch of this) batches.push(batch);
    return new Table(this.schema, batches);
  }

  /**
   * The result as an Arrow IPC stream (`application/vnd.apache.arrow.stream`). Nothing is written before it is asked for;
   * a failure errors the stream, so that its reader never sees an end; `cancel()` stops the source.
   */
  toReadable(): ReadableStream<Uint8Array> {
    const writer = new StreamWriter(this.schema);
    this.#claim();
    let started = false;
    return new ReadableStream<Uint8Array>(
      {
        pull: async (controller) => {
          const batch = started ? await this.#transfer.next() : undefined;
          const chunks = this.#write(() => {
            if (!started) return writer.start();
            return batch === undefined ? writer.finish() : writer.write(batch);
          });
          for (const chunk of chunks) controller.enqueue(chunk);
          if (started && batch === undefined) controller.close();
          started = true;
        },
        cancel: () => this.cancel(),
      },
      { highWaterMark: 0 },
    );
  }

  /** {@link toReadable} as the body of an HTTP response, with its content type unless `init` sets another. */
  toResponse(init: ResponseInit = {}): Response {
    const headers = new Headers(init.headers);
    if (!headers.has('content-type')) headers.set('content-type', 'application/vnd.apache.arrow.stream');
    return new Response(this.toReadable(), { ...init, headers });
  }

  /** Stops the source: the next read throws CANCELLED. Resolves when the source has stopped. Harmless after the end. */
  cancel(): Promise<void> {
    return this.#transfer.stop(new RecurveError('CANCELLED', 'the result was cancelled'));
  }

  /** Stops the source where it still runs and drops what is held. Resolves when it has stopped; twice is harmless. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#transfer.stop(closedError(), 'returned');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #claim(): void {
    if (!this.#claimed && !this.#closed) {
      this.#claimed = true;
      return;
    }
    if (this.#transfer.error !== undefined) throw this.#transfer.error;
    if (this.#closed) throw closedError();
    throw new RecurveError('INVALID_STATE', 'the result is read already: its batches can be had once', {
      hint: 'table() keeps them',
    });
  }

  #write(write: () => Uint8Array[]): Uint8Array[] {
    try {
      return write();
    } catch (error) {
      const failure = asRecurveError(error);
      this.#transfer.stop(failure, 'failed').catch(() => {});
      throw failure;
    }
  }
}

function closedError(): RecurveError {
  return new RecurveError('INVALID_STATE', 'the result is closed');
}

async function* flatten(
  batches: AsyncIterable<RecordBatch>,
  options: ValueOptions | undefined,
): AsyncGenerator<Row, undefined> {
  for await (const batch of batches) yield* batch.rows(options);
  return undefined;
}
