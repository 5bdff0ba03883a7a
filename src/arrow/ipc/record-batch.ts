import { RecurveError } from '../../error.ts';
import type { FlatbufferReader, Vector } from '../flatbuffer/reader.ts';
import type { TableSlots } from '../flatbuffer/writer.ts';
import type { CodecName } from './compression.ts';

/** A `RecordBatch` table: what a body is made of. Nodes and buffers stay in the flatbuffer, 16 bytes each. */
export interface BatchHeader {
  readonly length: number;
  /** `FieldNode`: int64 length, int64 null count. */
  readonly nodes: Vector;
  /** `Buffer`: int64 offset, int64 length. */
  readonly buffers: Vector;
  /** What each buffer is compressed with; null for none. */
  readonly codec: CodecName | null;
  /** int64 each: data buffers of each column of views, in turn. */
  readonly variadicCounts: Vector;
}

/** `CompressionType` (Message.fbs), by number. */
const codecs: readonly CodecName[] = ['lz4', 'zstd'];

/** Reads a `RecordBatch` table. Throws INVALID_DATA, and NOT_IMPLEMENTED for a codec or a method that is not known. */
export function readBatchHeader(flatbuffer: FlatbufferReader, table: number): BatchHeader {
  const length = flatbuffer.int64(table, 0);
  if (length < 0) flatbuffer.fail(`the batch has ${length} rows`);
  const codec = readCodec(flatbuffer, table);
  return {
    length,
    nodes: flatbuffer.vector(table, 1, 16),
    buffers: flatbuffer.vector(table, 2, 16),
    variadicCounts: flatbuffer.vector(table, 4, 8),
    codec,
  };
}

/** The `BodyCompression` of a `RecordBatch` table. */
export function readCodec(flatbuffer: FlatbufferReader, table: number): CodecName | null {
  const compression = flatbuffer.table(table, 3);
  if (compression === 0) return null;
  const number = flatbuffer.int8(compression, 0);
  const method = flatbuffer.int8(compression, 1);
  const codec = codecs[number];
  if (codec !== undefined && method === 0) return codec;
  const what =
    codec === undefined
      ? `codec ${number}, known are LZ4_FRAME (0) and ZSTD (1)`
      : `method ${method}, known is BUFFER (0)`;
  throw new RecurveError('NOT_IMPLEMENTED', `${flatbuffer.place}: the body is compressed by ${what}`);
}

/** What a `RecordBatch` table says about a body that is to be written. */
export interface BatchLayout {
  readonly length: number;
  /** Length and null count of each node, in turn. */
  readonly nodes: readonly number[];
  /** Offset and length of each buffer, in turn. */
  readonly buffers: readonly number[];
  /** What the buffers are compressed with. Default: nothing. */
  readonly codec?: CodecName | undefined;
  /** Data buffers of each column of views, in turn. */
  readonly variadicCounts: readonly number[];
}

/** A `RecordBatch` table. */
export function batchSlots({ length, nodes, buffers, variadicCounts, codec }: BatchLayout): TableSlots {
  return [
    ['int64', length],
    ['structs', nodes, 2],
    ['structs', buffers, 2],
    codec === undefined ? null : ['table', [['int8', codecs.indexOf(codec)]]],
    // Left out altogether where there are none, which is shorter.
    ...(variadicCounts.length === 0 ? [] : ([['structs', variadicCounts, 1]] as const)),
  ];
}
