import type { RecordBatch } from '../batch.ts';
import type { Schema } from '../schema.ts';
import { abortError, raceAbort } from './abort.ts';
import { type ByteSink, openSink } from './byte-sink.ts';
import { type FileWriteOptions, FileWriter } from './file-writer.ts';
import { StreamWriter } from './stream-writer.ts';

/** Batches with their schema: a `Table`, a `StreamReader`, a `Result`, or batches that come one by one beside their schema. */
export type BatchInput =
  | { readonly schema: Schema; readonly batches: Iterable<RecordBatch> | AsyncIterable<RecordBatch> }
  | (AsyncIterable<RecordBatch> & { readonly schema: Schema });

/** How batches are written as they come. */
export interface EncodeOptions extends FileWriteOptions {
  /** Default `stream`; a `file` needs no seeking either. `metadata` is the file's footer's. */
  readonly format?: 'stream' | 'file' | undefined;
  /** Stops the writing: source and sink are told, and the call throws CANCELLED, or TIMEOUT for a time-out's signal. */
  readonly signal?: AbortSignal | undefined;
}

/** How a sink is written. */
export interface WriteOptions extends EncodeOptions {
  /** Leaves the sink open at the end, for what shall follow. Default false. */
  readonly keepOpen?: boolean | undefined;
}

/**
 * The chunks of an IPC stream or file, made as they are asked for, one batch at a time: the schema at once, then each batch
 * after the source has given it. Large chunks are the columns' own buffers, as {@link StreamWriter} gives them.
 *
 * Throws what the source throws. Leaving early, an error or an abort lets the source go.
 */
export async function* encodeBatches(
  input: BatchInput,
  options: EncodeOptions = {},
): AsyncGenerator<Uint8Array, void, undefined> {
  const { signal } = options;
  const writer = new (options.format === 'file' ? FileWriter : StreamWriter)(input.schema, options);
  const batches = 'batches' in input ? input.batches : input;
  const source = Symbol.asyncIterator in batches ? batches[Symbol.asyncIterator]() : batches[Symbol.iterator]();
  let ended = false;
  let waiting = false;
  try {
    yield* writer.start();
    for (;;) {
      waiting = true;
      const { done, value } = await raceAbort(Promise.resolve(source.next()), signal);
      waiting = false;
      ended = done === true;
      if (done) break;
      yield* writer.write(value);
    }
    yield* writer.finish();
  } finally {
    if (!ended) {
      const returned = (async () => source.return?.())().catch(() => {});
      // A generator that is waiting answers only when what it waits for has come, which may be never.
      if (!waiting) await returned;
    }
  }
}

/**
 * Writes batches to a web or Node stream as an IPC stream or file, and closes it; resolves when all is written. The next
 * batch is taken from the source only when the sink wants more, so memory holds one batch and what the sink buffers.
 *
 * When the source fails the sink is aborted, when the sink fails the source is let go, and on an abort both: the one error
 * is thrown, and a sink that was cut off never ends as if it were complete.
 */
export async function writeBatches(input: BatchInput, sink: ByteSink, options: WriteOptions = {}): Promise<void> {
  const { signal } = options;
  const writer = openSink(sink);
  try {
    for await (const chunk of encodeBatches(input, options)) await raceAbort(writer.write(chunk), signal);
    await raceAbort(writer.finish(options.keepOpen ?? false), signal);
  } catch (error) {
    const failure = abortError(error, signal);
    // A sink that hangs may never answer.
    writer.abort(failure).catch(() => {});
    throw failure;
  }
}

/**
 * A web stream of the bytes of an IPC stream or file, such as a `Response` takes: each chunk is made when it is asked for,
 * nothing is taken from the source before. Cancelling it lets the source go; a source that fails, and an abort, fail it.
 */
export function streamBatches(input: BatchInput, options: EncodeOptions = {}): ReadableStream<Uint8Array> {
  const chunks = encodeBatches(input, options);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        await chunks.return();
      },
    },
    { highWaterMark: 0 },
  );
}

/** A transform from batches of one schema to the bytes of an IPC stream or file, to pipe a web stream of batches through. */
export function encodeTransform(
  schema: Schema,
  options: Omit<EncodeOptions, 'signal'> = {},
): TransformStream<RecordBatch, Uint8Array> {
  const writer = new (options.format === 'file' ? FileWriter : StreamWriter)(schema, options);
  type Controller = TransformStreamDefaultController<Uint8Array>;
  const send = (controller: Controller, chunks: readonly Uint8Array[]): void => {
    for (const chunk of chunks) controller.enqueue(chunk);
  };
  return new TransformStream<RecordBatch, Uint8Array>({
    start: (controller) => send(controller, writer.start()),
    transform: (batch, controller) => send(controller, writer.write(batch)),
    flush: (controller) => send(controller, writer.finish()),
  });
}
