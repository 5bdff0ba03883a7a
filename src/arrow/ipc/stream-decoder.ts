import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import type { Schema } from '../schema.ts';
import { type DecodeOptions, MessageDecoder } from './decoder.ts';
import { emptyStream } from './message.ts';
import { MessageSplitter } from './message-splitter.ts';

/**
 * Reads an IPC stream, or the stream inside of a file, that is pushed to it chunk by chunk; how it is cut into chunks makes
 * no difference. For sources that are pulled there is {@link StreamReader}.
 *
 * A batch's columns are views of the chunk that its body came in, or of the one buffer that several chunks were joined into:
 * chunks must not be changed after they were pushed.
 */
export class StreamDecoder {
  readonly #splitter = new MessageSplitter();
  readonly #options: DecodeOptions;
  #decoder: MessageDecoder | undefined;
  #failure: unknown;
  #finished = false;

  constructor(options: DecodeOptions = {}) {
    this.#options = options;
  }

  /** Undefined until its message has come. */
  get schema(): Schema | undefined {
    return this.#decoder?.schema;
  }

  /**
   * Takes in a chunk, and gives the batches that are whole with it.
   *
   * Throws INVALID_DATA for what is no stream, and for bytes other than zeroes after the end of one; after that every call
   * throws the same. What is wrong after a batch of the same chunk is thrown by the next call, so that no batch is lost.
   * INVALID_STATE after `finish`.
   */
  push(chunk: Uint8Array | ArrayBuffer): RecordBatch[] {
    if (this.#failure !== undefined) throw this.#failure;
    if (this.#finished) throw new RecurveError('INVALID_STATE', 'the stream is finished: no chunk can follow');
    const batches: RecordBatch[] = [];
    try {
      this.#splitter.push(chunk instanceof ArrayBuffer ? new Uint8Array(chunk) : chunk);
      for (let next = this.#splitter.next(); next != null; next = this.#splitter.next()) {
        if (this.#decoder === undefined) {
          this.#decoder = MessageDecoder.fromSchemaMessage(next.message, this.#options);
        } else {
          const batch = this.#decoder.decode(next.message, next.body);
          if (batch !== null) batches.push(batch);
        }
      }
      if (this.#splitter.ended) this.#checkRest();
    } catch (error) {
      this.#failure = error;
      if (batches.length === 0) throw error;
    }
    return batches;
  }

  /** To be called after the last chunk: throws INVALID_DATA when the stream is cut off. The end-of-stream marker may be missing. */
  finish(): void {
    if (this.#failure !== undefined) throw this.#failure;
    try {
      this.#splitter.finish();
      if (this.#decoder === undefined) throw emptyStream();
      this.#decoder.finish();
      this.#finished = true;
    } catch (error) {
      this.#failure = error;
      throw error;
    }
  }

  /** After the stream in a file comes its footer, after any other padding at most. */
  #checkRest(): void {
    const rest = this.#splitter.takeRest();
    if (!this.#splitter.isFile && rest.some((byte) => byte !== 0)) {
      throw new RecurveError('INVALID_DATA', `${rest.length} bytes follow the end of the stream`, {
        hint: 'read several streams that stand back to back with StreamReader.all',
      });
    }
  }
}
