import type { FlatbufferReader } from '../flatbuffer/reader.ts';
import type { Field, Schema } from '../schema.ts';
import { byteWidth, childFields, type DataType } from '../type.ts';
import type { ByteRange } from './byte-range.ts';
import { type Message, metadataVersion } from './message.ts';
import type { BatchHeader } from './record-batch.ts';

/** Columns by name or position. */
export type ColumnKeys = readonly (string | number)[];

/** Which columns of a stream are read. */
export interface Projection {
  /** Of the stream. */
  readonly fields: readonly Field[];
  /** The columns that are read, in the order of `schema`. */
  readonly positions: readonly number[];
  /** Of what is read. */
  readonly schema: Schema;
}

/** All columns without `keys`. Throws NOT_FOUND for a column that is not there. */
export function selectColumns(schema: Schema, keys: ColumnKeys | undefined): Projection {
  const { fields } = schema;
  if (keys === undefined) return { fields, positions: fields.map((_, i) => i), schema };
  return { fields, positions: keys.map((key) => schema.position(key)), schema: schema.select(keys) };
}

/** The nodes, columns of views and buffers, but for the data of views, of a column and all its children in a record batch ("Recordbatch message"). */
export function countParts(type: DataType, version: number): { nodes: number; buffers: number; views: number } {
  const isView = type.kind === 'utf8-view' || type.kind === 'binary-view';
  const total = { nodes: 1, buffers: ownBuffers(type, version), views: isView ? 1 : 0 };
  for (const child of childFields(type)) {
    const { nodes, buffers, views } = countParts(child.type, version);
    total.nodes += nodes;
    total.buffers += buffers;
    total.views += views;
  }
  return total;
}

function ownBuffers(type: DataType, version: number): number {
  switch (type.kind) {
    case 'null':
    case 'run-end-encoded':
      return 0;
    case 'struct':
    case 'fixed-size-list':
      return 1;
    case 'utf8':
    case 'binary':
    case 'list-view':
      return 3;
    case 'union':
      // Before V5 a union had a validity bitmap of its own.
      return (type.mode === 'dense' ? 2 : 1) + (version < metadataVersion.v5 ? 1 : 0);
    default:
      return 2;
  }
}

/** The data buffers of `count` columns of views, from the one at `first` on; never more than the batch has. */
export function variadicBuffers(
  flatbuffer: FlatbufferReader,
  { buffers, variadicCounts }: BatchHeader,
  first: number,
  count: number,
): number {
  let sum = 0;
  for (let i = first; i < first + count; i++) {
    const own = i < variadicCounts.length ? flatbuffer.int64At(variadicCounts.start + 8 * i) : 0;
    if (own < 0 || own > buffers.length) flatbuffer.fail(`a column of views has ${own} data buffers`);
    sum += own;
  }
  return sum;
}

/** The parts of a batch's body in which the selected columns lie, a range a buffer. What lies outside of the body is left out. */
export function selectRanges(
  { fields, positions }: Projection,
  { flatbuffer, version, bodyLength }: Message,
  header: BatchHeader,
): ByteRange[] {
  const { buffers } = header;
  const ranges: ByteRange[] = [];
  let at = 0;
  let variadic = 0;
  fields.forEach(({ type }, position) => {
    const parts = countParts(type, version);
    const end = at + parts.buffers + variadicBuffers(flatbuffer, header, variadic, parts.views);
    variadic += parts.views;
    for (; at < end; at++) {
      if (at >= buffers.length || !positions.includes(position)) continue;
      const offset = flatbuffer.int64At(buffers.start + 16 * at);
      const length = flatbuffer.int64At(buffers.start + 16 * at + 8);
      if (offset >= 0 && length > 0 && offset + length <= bodyLength) ranges.push({ offset, length });
    }
  });
  return ranges;
}

/** Bytes that may be read in vain to save a request: about what comes in the time that one takes. */
const maxWasteBytes = 1024 * 1024;

/**
 * Parts of a body that hold the selected columns, before the batch's metadata are known: where all columns are of a fixed
 * width, the length of the body tells the number of rows but for what may be padding and validity. None where that cannot
 * be told, or only with much that is not needed. What is compressed or laid out in another way lies elsewhere.
 */
export function guessRanges({ fields, positions }: Projection, bodyLength: number): ByteRange[] {
  const rowBits = fields.map(({ type }) => (type.kind === 'bool' ? 1 : 8 * (byteWidth(type) ?? Number.NaN)));
  const totalBits = rowBits.reduce((sum, bits) => sum + bits, 0);
  // Each column has two buffers, padded to 64 bytes at most, and one bit more a row if there is a validity.
  const minRows = Math.max(0, (8 * (bodyLength - 128 * fields.length)) / (totalBits + fields.length));
  const maxRows = (8 * bodyLength) / totalBits;
  const ranges: ByteRange[] = [];
  let waste = 0;
  let bits = 0;
  rowBits.forEach((columnBits, position) => {
    const start = Math.floor((minRows * bits) / 512) * 64;
    bits += columnBits;
    if (!positions.includes(position)) return;
    const end = Math.min(bodyLength, Math.ceil((maxRows * (bits + position + 1)) / 8) + 128 * (position + 1));
    waste += end - start - (minRows * columnBits) / 8;
    ranges.push({ offset: start, length: end - start });
  });
  return waste <= maxWasteBytes ? ranges : [];
}
