import type { RecordBatch } from '../batch.ts';
import type { Metadata } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import type { Table } from '../table.ts';
import type { DecodeOptions } from './decoder.ts';
import { FileBatches } from './file-batches.ts';
import { type Block, checkHeader, type Footer, fileTrailerBytes, locateFooter, readFooter } from './footer.ts';
import { type FramedMessage, MessageCursor } from './message.ts';

/** Reads an IPC file that is in memory: any batch, in any order, in place. */
export class FileReader implements Iterable<RecordBatch> {
  readonly #bytes: Uint8Array;
  readonly #index: FileBatches;

  private constructor(bytes: Uint8Array, footer: Footer, options: DecodeOptions) {
    this.#bytes = bytes;
    this.#index = new FileBatches(footer, options);
    footer.dictionaries.forEach((block, i) => {
      this.#index.addDictionary(this.#read(block, `dictionary ${i}`), i);
    });
    this.#index.finishDictionaries();
  }

  /**
   * Reads the footer and the dictionaries' metadata. The bytes must not be changed afterwards: columns are views of them.
   * Throws INVALID_DATA for what is no whole file.
   */
  static open(input: Uint8Array | ArrayBuffer, options: DecodeOptions = {}): FileReader {
    const bytes =
      input instanceof ArrayBuffer
        ? new Uint8Array(input)
        : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
    checkHeader(bytes);
    const start = locateFooter(bytes.subarray(-fileTrailerBytes), bytes.length);
    return new FileReader(bytes, readFooter(bytes.subarray(start, bytes.length - fileTrailerBytes), start), options);
  }

  get schema(): Schema {
    return this.#index.schema;
  }

  /** The footer's `custom_metadata`. */
  get metadata(): Metadata {
    return this.#index.footer.metadata;
  }

  get batchCount(): number {
    return this.#index.footer.batches.length;
  }

  /** Batch `index`, from 0 on. Throws NOT_FOUND for one that is not there. */
  batch(index: number): RecordBatch {
    const block = this.#index.block(index);
    return this.#index.decode(this.#read(block, `record batch ${index}`), index);
  }

  table(): Table {
    return this.#index.decoder.table([...this]);
  }

  *[Symbol.iterator](): Iterator<RecordBatch> {
    for (let i = 0; i < this.batchCount; i++) yield this.batch(i);
  }

  #read({ offset, metadataLength, bodyLength }: Block, place: string): FramedMessage | null {
    return new MessageCursor(this.#bytes.subarray(offset, offset + metadataLength + bodyLength), 0, place).next();
  }
}
