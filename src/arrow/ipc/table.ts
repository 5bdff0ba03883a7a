import { allocate } from '#platform';
import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import { Metadata, type MetadataInput } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import { Table } from '../table.ts';
import type { DecompressOptions } from './compression.ts';
import { MessageDecoder } from './decoder.ts';
import { type EncodedMessage, MessageEncoder, writeMessageInto } from './encoder.ts';
import { FileReader } from './file-reader.ts';
import { FileIndex, type FileWriteOptions } from './file-writer.ts';
import { fileHeader, fileHeaderBytes, startsWithMagic } from './footer.ts';
import { endOfStream, MessageCursor } from './message.ts';

/**
 * The table of an IPC stream or file that is in memory, told apart by the file's magic. In place: columns are views of
 * `input`, which must not be changed afterwards; only buffers that are not aligned are copied.
 *
 * Throws INVALID_DATA for malformed or cut-off input and NOT_IMPLEMENTED for what is not supported, both with the number
 * of the message, and INVALID_STATE for a compressed body where `options` have no codec for it. Buffers are checked against the bytes there are; what values say is not looked at. The footer's metadata
 * are for {@link FileReader}.
 */
export function tableFromIPC(input: Uint8Array | ArrayBuffer, options: DecompressOptions = {}): Table {
  const bytes =
    input instanceof ArrayBuffer
      ? new Uint8Array(input)
      : new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  return startsWithMagic(bytes) ? FileReader.open(bytes, options).table() : readStreamTable(bytes, options);
}

function readStreamTable(bytes: Uint8Array, options: DecompressOptions): Table {
  const cursor = new MessageCursor(bytes);
  const first = cursor.next();
  if (first === null) throw new RecurveError('INVALID_DATA', 'the stream is empty: it has not even a schema');
  const decoder = MessageDecoder.fromSchemaMessage(first.message, options);
  const batches: RecordBatch[] = [];
  for (let next = cursor.next(); next !== null; next = cursor.next()) {
    const batch = decoder.decode(next.message, next.body);
    if (batch !== null) batches.push(batch);
  }
  decoder.finish();
  const rest = bytes.subarray(cursor.position).findIndex((byte) => byte !== 0);
  if (rest >= 0) {
    throw new RecurveError(
      'INVALID_DATA',
      `${bytes.length - cursor.position} bytes follow the end of the stream at byte ${cursor.position}`,
      {
        hint: 'read several streams that stand back to back one by one',
      },
    );
  }
  return new Table(decoder.schema, batches);
}

/** How {@link tableToIPC} writes. */
export interface TableWriteOptions extends FileWriteOptions {
  /** Default `stream`, which every reader takes; a `file` adds an index of its batches. */
  readonly format?: 'stream' | 'file' | undefined;
  /** The `custom_metadata` of a file's footer, or of a stream's schema message, beside the schema's own. Default: none. */
  readonly metadata?: MetadataInput | undefined;
}

/** A table, or what makes one. */
export interface BatchesOfSchema {
  readonly schema: Schema;
  readonly batches: readonly RecordBatch[];
}

/**
 * An IPC stream or file in one piece of exactly its size. All is laid out first, then each byte is written once. Throws
 * INVALID_ARGUMENT where {@link StreamWriter} and {@link FileWriter} do, or when the whole does not fit into one buffer.
 */
export function tableToIPC(table: BatchesOfSchema, options: TableWriteOptions = {}): Uint8Array<ArrayBuffer> {
  const isFile = options.format === 'file';
  const encoder = new MessageEncoder(table.schema, isFile ? fileHeaderBytes : 0, options);
  const metadata = Metadata.from(options.metadata);
  const messages: EncodedMessage[] = [encoder.schema(isFile ? Metadata.empty : metadata)];
  for (const batch of table.batches) messages.push(...encoder.batch(batch));
  const tail = [endOfStream()];
  if (isFile) {
    const index = new FileIndex(table.schema, metadata);
    for (const message of messages) index.add(message);
    tail.push(index.footer());
  }
  const byteLength = tail.reduce((sum, part) => sum + part.length, encoder.position);
  const bytes = allocateWhole(byteLength);
  if (isFile) bytes.set(fileHeader());
  let at = isFile ? fileHeaderBytes : 0;
  for (const message of messages) at = writeMessageInto(message, bytes, at);
  for (const part of tail) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

function allocateWhole(byteLength: number): Uint8Array<ArrayBuffer> {
  try {
    return allocate(byteLength);
  } catch (cause) {
    throw new RecurveError('INVALID_ARGUMENT', `${byteLength} bytes do not fit into one buffer`, {
      cause,
      hint: 'write batch by batch with StreamWriter or FileWriter',
    });
  }
}
