import { allocate } from '#platform';
import { RecurveError } from '../../error.ts';
import type { RecordBatch } from '../batch.ts';
import { Metadata, type MetadataInput } from '../metadata.ts';
import type { Schema } from '../schema.ts';
import type { Table } from '../table.ts';
import { type DecodeOptions, MessageDecoder } from './decoder.ts';
import { type EncodedMessage, MessageEncoder, writeMessageInto } from './encoder.ts';
import { FileReader } from './file-reader.ts';
import { FileIndex, type FileWriteOptions } from './file-writer.ts';
import { fileHeader, fileHeaderBytes, startsWithMagic } from './footer.ts';
import { emptyStream, endOfStream, MessageCursor } from './message.ts';

/** Bytes in memory: in one piece, or in several that follow each other. */
export type ResidentBytes = Uint8Array | ArrayBuffer | ReadonlyArray<Uint8Array | ArrayBuffer>;

/**
 * The table of an IPC stream or file that is in memory, told apart by the file's magic. In place: columns are views of
 * `input`, which must not be changed afterwards; only buffers that are not aligned are copied. Of several pieces the whole
 * is copied once; use {@link StreamReader} where they are many.
 *
 * Throws INVALID_DATA for malformed or cut-off input and NOT_IMPLEMENTED for what is not supported, both with the number
 * of the message, and INVALID_STATE for a compressed body where `options` have no codec for it. Buffers are checked against the bytes there are; what values say is for `check`. The footer's metadata
 * are for {@link FileReader}. More than one stream is refused: see {@link tablesFromIPC}.
 */
export function tableFromIPC(input: ResidentBytes, options: DecodeOptions = {}): Table {
  const bytes = joinBytes(input);
  if (startsWithMagic(bytes)) return FileReader.open(bytes, options).table();
  const cursor = new MessageCursor(bytes);
  const table = readStreamTable(cursor, options);
  const { position } = cursor;
  if (bytes.subarray(position).some((byte) => byte !== 0)) {
    throw new RecurveError(
      'INVALID_DATA',
      `${bytes.length - position} bytes follow the end of the stream at byte ${position}`,
      { hint: 'read several streams that stand back to back with tablesFromIPC or StreamReader.all' },
    );
  }
  return table;
}

/**
 * The tables of all IPC streams that stand back to back in memory, in place; none of no bytes. A file is one table. Zeroes
 * between the streams are passed over. Throws as {@link tableFromIPC} does, all messages counted from the first stream on.
 */
export function tablesFromIPC(input: ResidentBytes, options: DecodeOptions = {}): Table[] {
  const bytes = joinBytes(input);
  if (startsWithMagic(bytes)) return [FileReader.open(bytes, options).table()];
  const tables: Table[] = [];
  for (const cursor = new MessageCursor(bytes); cursor.skipZeroes(); ) tables.push(readStreamTable(cursor, options));
  return tables;
}

function joinBytes(input: ResidentBytes): Uint8Array {
  if (!(input instanceof Uint8Array || Array.isArray(input))) return new Uint8Array(input as ArrayBuffer);
  // A plain view, since Buffer overrides `slice` to share memory.
  if (input instanceof Uint8Array) return new Uint8Array(input.buffer, input.byteOffset, input.byteLength);
  const pieces = input.map(joinBytes);
  if (pieces.length === 1) return pieces[0] as Uint8Array;
  const bytes = allocateWhole(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

function readStreamTable(cursor: MessageCursor, options: DecodeOptions): Table {
  const first = cursor.next();
  if (first === null) throw emptyStream();
  const decoder = MessageDecoder.fromSchemaMessage(first.message, options);
  const batches: RecordBatch[] = [];
  for (let next = cursor.next(); next !== null; next = cursor.next()) {
    const batch = decoder.decode(next.message, next.body);
    if (batch !== null) batches.push(batch);
  }
  decoder.finish();
  return decoder.table(batches);
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
