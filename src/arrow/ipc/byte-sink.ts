import { RecurveError } from '../../error.ts';

/** Node's `Writable`, as far as it is used. */
export interface NodeWritable {
  write(chunk: Uint8Array, callback: (error?: Error | null) => void): boolean;
  end(callback: (error?: Error | null) => void): unknown;
  destroy(error?: Error): unknown;
  on(event: 'error' | 'close', listener: (error?: Error) => void): unknown;
}

/** Where bytes are written: a web or a Node stream. */
export type ByteSink = WritableStream<Uint8Array> | NodeWritable;

/** A sink that tells when it can take more. */
export interface ChunkWriter {
  /** Hands over a chunk; resolves when the sink wants another. Throws what the sink failed with, maybe on an earlier chunk. */
  write(chunk: Uint8Array): Promise<void>;
  /** Waits until all is written, and closes the sink unless it shall stay open. */
  finish(keepOpen: boolean): Promise<void>;
  /** Tells the sink that no more comes, because of this. */
  abort(reason: unknown): Promise<void>;
}

/** The writer of a sink. A web stream stays locked until it has finished or failed. */
export function openSink(sink: ByteSink): ChunkWriter {
  return 'getWriter' in sink ? webWriter(sink.getWriter()) : nodeWriter(sink);
}

function webWriter(writer: WritableStreamDefaultWriter<Uint8Array>): ChunkWriter {
  // Each failure is met through `ready` or `close`; the other promises must not count as unhandled.
  const ignore = (): void => {};
  writer.closed.catch(ignore);
  let last: Promise<void> = Promise.resolve();
  return {
    async write(chunk) {
      await writer.ready;
      last = writer.write(chunk);
      last.catch(ignore);
    },
    async finish(keepOpen) {
      await (keepOpen ? last : writer.close());
      writer.releaseLock();
    },
    async abort(reason) {
      await writer.abort(reason).catch(ignore);
      writer.releaseLock();
    },
  };
}

function nodeWriter(writable: NodeWritable): ChunkWriter {
  let failure: unknown;
  let last: Promise<void> = Promise.resolve();
  let fail: (reason: unknown) => void = () => {};
  const onFailure = (error: unknown): void => {
    failure ??= error;
    fail(failure);
  };
  // Also keeps a failed stream from ending the process; it stays for what fails after all is done.
  writable.on('error', onFailure);
  // Some streams, those of HTTP among them, never call back for what was not written when they were closed.
  writable.on('close', () => onFailure(new RecurveError('IO', 'the sink was closed before all was written')));
  const call = (work: (callback: (error?: Error | null) => void) => void): Promise<void> => {
    const called = new Promise<void>((resolve, reject) => {
      fail = reject;
      work((error) => (error ? reject(failure ?? error) : resolve()));
    });
    called.catch(() => {});
    return called;
  };
  return {
    async write(chunk) {
      if (failure !== undefined) throw failure;
      let wantsMore = false;
      last = call((callback) => {
        wantsMore = writable.write(chunk, callback);
      });
      // The callback of a chunk comes when all before it is written.
      if (!wantsMore) await last;
    },
    async finish(keepOpen) {
      await last;
      if (!keepOpen) await call((callback) => writable.end(callback));
    },
    async abort(reason) {
      writable.destroy(reason instanceof Error ? reason : new Error(String(reason)));
    },
  };
}
