import { RecurveError } from '../../error.ts';
import type { FlatbufferReader, Vector } from '../flatbuffer/reader.ts';
import type { TableSlots } from '../flatbuffer/writer.ts';

/** A `RecordBatch` table: what a body is made of. Nodes and buffers stay in the flatbuffer, 16 bytes each. */
export interface BatchHeader {
  readonly length: number;
  /** `FieldNode`: int64 length, int64 null count. */
  readonly nodes: Vector;
  /** `Buffer`: int64 offset, int64 length. */
  readonly buffers: Vector;
}

const codecs = ['LZ4_FRAME', 'ZSTD'];

/** Reads a `RecordBatch` table. Throws INVALID_DATA, and NOT_IMPLEMENTED for a compressed body. */
export function readBatchHeader(flatbuffer: FlatbufferReader, table: number): BatchHeader {
  const compression = flatbuffer.table(table, 3);
  if (compression !== 0) {
    const codec = flatbuffer.int8(compression, 0);
    throw new RecurveError(
      'NOT_IMPLEMENTED',
      `${flatbuffer.place}: the body is compressed with ${codecs[codec] ?? `codec ${codec}`}, which is not supported`,
      {
        hint: 'write the data without compression',
      },
    );
  }
  const length = flatbuffer.int64(table, 0);
  if (length < 0) flatbuffer.fail(`the batch has ${length} rows`);
  return { length, nodes: flatbuffer.vector(table, 1, 16), buffers: flatbuffer.vector(table, 2, 16) };
}

/** What a `RecordBatch` table says about a body that is to be written. */
export interface BatchLayout {
  readonly length: number;
  /** Length and null count of each node, in turn. */
  readonly nodes: readonly number[];
  /** Offset and length of each buffer, in turn. */
  readonly buffers: readonly number[];
}

/** A `RecordBatch` table. */
export function batchSlots({ length, nodes, buffers }: BatchLayout): TableSlots {
  return [
    ['int64', length],
    ['structs', nodes, 2],
    ['structs', buffers, 2],
  ];
}
