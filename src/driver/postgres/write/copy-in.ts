import type { RecordBatch } from '../../../arrow/batch.ts';
import { RecurveError } from '../../../error.ts';
import { Output } from '../encode/output.ts';
import { copyHeader, copyTrailer, type TupleEncoder } from '../encode/tuple-encoder.ts';
import { readError } from '../error.ts';
import type { PostgresSession } from '../session.ts';
import { type Message, MessageType } from '../wire/message-reader.ts';

/** Bytes of a CopyData message: two are in work, one filled while the system takes the other. */
const pieceBytes = 512 * 1024;
/** A piece that has so much is sent; what is left of it is room for a block of rows. */
const fullBytes = 384 * 1024;
/** Type and length before its data. */
const headBytes = 5;

/** What {@link copyIn} is given. */
export interface CopyInOptions {
  /**
   * Statements of the simple protocol, exactly one of them COPY … FROM STDIN in binary form. One before it may be a query: when
   * that does not give true, no data is sent.
   */
  readonly sql: string;
  readonly encoder: TupleEncoder;
  readonly batches: AsyncIterable<RecordBatch>;
  readonly signal: AbortSignal;
}

/**
 * Runs statements with batches for the COPY among them, and gives the number of rows. The socket's pace is the source's: a batch is
 * pulled when the one before is with the system. When the source, a value or the signal fails, the server is told so by CopyFail
 * and the connection is ready again before that is thrown; when the server fails first, the source is closed.
 */
export async function copyIn(session: PostgresSession, options: CopyInOptions): Promise<number> {
  const { sql, signal } = options;
  await session.begin(signal);
  return session.stoppable(signal, async () => {
    session.writer.query(sql);
    session.send();
    let holds = true;
    for (;;) {
      const message = await session.read();
      if (message.type === MessageType.CopyInResponse) break;
      // One value of one character: behind the number of values and the length.
      if (message.type === MessageType.DataRow) holds = message.body[6] === trueText;
      if (message.type === MessageType.ErrorResponse) {
        await session.finish({ failure: readError(message.body, { sql }) });
      } else if (message.type === MessageType.ReadyForQuery) {
        throw new RecurveError('INTERNAL', 'the server is ready and has asked for no data');
      }
    }
    if (!holds) await refuse(session);
    return new CopyIn(session, options).run();
  });
}

async function refuse(session: PostgresSession): Promise<never> {
  session.channel.send(session.writer.copyFail('the columns of the table have changed').take());
  await session.finish().catch(() => {});
  throw (
    session.channel.failure ??
    new RecurveError('INVALID_STATE', 'the columns of the table have changed meanwhile', {
      hint: 'somebody altered it between two statements of this ingest: run it again',
    })
  );
}

class CopyIn {
  readonly #session: PostgresSession;
  readonly #options: CopyInOptions;
  /** The server's word on the COPY; it comes before the end only when that failed. */
  readonly #answer: Promise<Message>;
  /** Rejects when nothing more is to be sent. */
  readonly #stopped: Promise<never>;
  #isStopped = false;
  #unlisten: () => void = () => {};
  readonly #outputs: readonly [Output, Output] = [new Output(pieceBytes), new Output(pieceBytes)];
  /** Of each output: settles when its bytes are with the system. */
  readonly #writes: [Promise<void>, Promise<void>] = [Promise.resolve(), Promise.resolve()];
  #current: 0 | 1 = 0;
  #end = headBytes;

  constructor(session: PostgresSession, options: CopyInOptions) {
    this.#session = session;
    this.#options = options;
    this.#answer = session.read();
    const { signal } = options;
    this.#stopped = new Promise<never>((_, reject) => {
      const rejectWith = (reason: unknown): void => {
        this.#isStopped = true;
        reject(reason);
      };
      const stop = (): void => rejectWith(signal.reason);
      this.#answer.then(() => rejectWith(serverStopped), rejectWith);
      signal.addEventListener('abort', stop, { once: true });
      this.#unlisten = () => signal.removeEventListener('abort', stop);
      if (signal.aborted) stop();
    });
    // Told by those who wait for it.
    this.#stopped.catch(() => {});
  }

  async run(): Promise<number> {
    const session = this.#session;
    try {
      this.#put(copyHeader);
      await this.#sendBatches();
      await this.#append(copyTrailer);
      await this.#flush();
      session.channel.send(session.writer.copyDone().take());
    } catch (error) {
      await this.#fail(error);
    } finally {
      this.#unlisten();
    }
    await this.#finish();
    return this.#options.encoder.rowCount;
  }

  async #sendBatches(): Promise<void> {
    const iterator = this.#options.batches[Symbol.asyncIterator]();
    let isOver = false;
    try {
      for (;;) {
        const pulled = iterator.next();
        pulled.catch(() => {});
        const next = await Promise.race([pulled, this.#stopped]);
        if (next.done === true) break;
        await this.#sendBatch(next.value);
      }
      isOver = true;
    } finally {
      // Not waited for: a source that is stuck must not hold the connection.
      if (!isOver) iterator.return?.()?.catch(() => {});
    }
  }

  async #sendBatch(batch: RecordBatch): Promise<void> {
    const { encoder } = this.#options;
    encoder.start(batch);
    while (!encoder.isDone) {
      const end = encoder.fill(this.#outputs[this.#current], this.#end);
      const fits = end > this.#end;
      this.#end = end;
      if (end >= fullBytes || (!fits && end > headBytes)) await this.#flush();
      else if (!fits) for (const part of encoder.takeLong()) await this.#append(part);
    }
  }

  /** Puts bytes of any length, a piece after the other: a message may end anywhere. */
  async #append(bytes: Uint8Array): Promise<void> {
    for (let start = 0; start < bytes.length; ) {
      if (this.#end === pieceBytes) await this.#flush();
      const part = bytes.subarray(start, start + pieceBytes - this.#end);
      this.#put(part);
      start += part.length;
    }
  }

  #put(bytes: Uint8Array): void {
    this.#outputs[this.#current].bytes.set(bytes, this.#end);
    this.#end += bytes.length;
  }

  /** Sends the piece that is in work, and goes on with the other as soon as the system has that. */
  async #flush(): Promise<void> {
    const { bytes, view } = this.#outputs[this.#current];
    if (this.#end > headBytes) {
      view.setUint8(0, copyDataType);
      view.setInt32(1, this.#end - 1);
      const write = this.#session.channel.write(bytes.subarray(0, this.#end));
      write.catch(() => {});
      this.#writes[this.#current] = write;
    }
    this.#current = this.#current === 0 ? 1 : 0;
    this.#end = headBytes;
    await Promise.race([this.#writes[this.#current], this.#stopped]);
    // A write that the system takes at once does not let the event loop turn: neither the server's word nor a timer would come.
    await new Promise(setImmediate);
    if (this.#isStopped) await this.#stopped;
  }

  /** Tells the server that the data ends early, and waits until it is ready. */
  async #fail(error: unknown): Promise<never> {
    const session = this.#session;
    if (session.channel.failure === undefined && error !== serverStopped) {
      session.channel.send(session.writer.copyFail('the client has given up').take());
      await this.#finish().catch(() => {});
    } else if (error === serverStopped) {
      await this.#finish();
    }
    throw session.channel.failure ?? error;
  }

  /** Reads the server's word to the end. Throws its error, with the row where it tells one. */
  async #finish(): Promise<void> {
    const message = await this.#answer;
    const failure = message.type === MessageType.ErrorResponse ? toRowError(readError(message.body)) : undefined;
    await this.#session.finish({ failure });
  }
}

/** `d`. */
const copyDataType = 0x64;
/** `t`. */
const trueText = 0x74;
const serverStopped = new Error('the server has answered before the end of the data');

/** The server counts rows as lines, also of the binary form, and says where in the context: `COPY t, line 3, column c`. */
function toRowError(error: RecurveError): RecurveError {
  const context = error.details.find(([key]) => key === 'PG_DIAG_CONTEXT')?.[1];
  const where = context === undefined ? '' : new TextDecoder().decode(context);
  const [, row, column] = /^COPY .*?, line (\d+)(?:, column ([^\n:]+))?/m.exec(where) ?? [];
  if (row === undefined) return error;
  const place = column === undefined ? `row ${row}` : `column ${JSON.stringify(column)}, row ${row}`;
  const { status, hint, sqlState, details } = error;
  return new RecurveError(status, `${place}: ${error.message}`, { hint, sqlState, details, cause: error });
}
