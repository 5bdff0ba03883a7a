import type { RecordBatch } from '../../src/arrow/batch.ts';
import { getBit } from '../../src/arrow/bitmap.ts';
import type { Column, Values } from '../../src/arrow/column.ts';
import { type TableSlots, writeFlatbuffer } from '../../src/arrow/flatbuffer/writer.ts';
import { batchSlots } from '../../src/arrow/ipc/record-batch.ts';
import { schemaSlots } from '../../src/arrow/ipc/schema.ts';
import { Field, type Schema } from '../../src/arrow/schema.ts';
import { byteWidth, childFields, type DataType } from '../../src/arrow/type.ts';
import type { Written } from './definition.ts';

// A plain writer of what ours does not write: big-endian bodies, metadata V4, the framing of before 0.15, offsets that
// begin above 0. Buffers go out as the columns have them.

type Way = NonNullable<Written['byHand']>;

/** Widths of the numbers that an element is made of, in turn; `views` for views of text and bytes. */
type Element = readonly number[] | 'views';

/** The bytes of a stream or file of these batches. A dictionary may grow, which is written as a delta. */
export function writeByHand(
  schema: Schema,
  batches: readonly RecordBatch[],
  format: 'stream' | 'file',
  way: Way,
): Uint8Array {
  const chunks: Uint8Array[] = format === 'file' ? [Buffer.from('ARROW1\0\0')] : [];
  const version = (way.version ?? 5) - 1;
  const header: TableSlots = way.bigEndian ? [['int16', 1], ...schemaSlots(schema).slice(1)] : schemaSlots(schema);
  const blocks = { dictionary: [] as number[], batch: [] as number[] };
  const put = (type: number, slots: TableSlots, body: Uint8Array): number[] => {
    const offset = byteLength(chunks);
    const message = writeFlatbuffer([
      ['int16', version],
      ['int8', type],
      ['table', slots],
      ['int64', body.length],
    ]);
    const head = frame(message, way.legacy ?? false);
    chunks.push(head, body);
    return [offset, head.length, body.length];
  };
  put(1, header, new Uint8Array(0));
  const sent = new Map<bigint, number>();
  for (const batch of batches) {
    for (const [id, dictionary] of dictionariesOf(batch.columns)) {
      const known = sent.get(id) ?? 0;
      if (known === dictionary.length) continue;
      const body = new Body(way);
      const values = known === 0 ? dictionary : dictionary.slice(known);
      body.add(new Field('', values.type), values);
      const slots: TableSlots = [['int64', id], ['table', body.slots(values.length)], known > 0 ? ['int8', 1] : null];
      blocks.dictionary.push(...put(2, slots, body.bytes()));
      sent.set(id, dictionary.length);
    }
    const body = new Body(way);
    batch.columns.forEach((column, i) => {
      body.add(schema.field(i), column);
    });
    blocks.batch.push(...put(3, body.slots(batch.numRows), body.bytes()));
  }
  chunks.push(Buffer.from(way.legacy ? '00000000' : 'ffffffff00000000', 'hex'));
  if (format === 'file') {
    const footer = writeFlatbuffer([
      ['int16', version],
      ['table', header],
      ['structs', blocks.dictionary, 3],
      ['structs', blocks.batch, 3],
    ]).slice();
    chunks.push(footer, Uint8Array.from(new Uint8Array(Int32Array.of(footer.length).buffer)), Buffer.from('ARROW1'));
  }
  return new Uint8Array(Buffer.concat(chunks));
}

function byteLength(chunks: readonly Uint8Array[]): number {
  return chunks.reduce((sum, { length }) => sum + length, 0);
}

/** Prefix, metadata and padding to a multiple of 8. */
function frame(message: Uint8Array, legacy: boolean): Uint8Array {
  const prefix = legacy ? 4 : 8;
  const size = Math.ceil((prefix + message.length) / 8) * 8 - prefix;
  const bytes = new Uint8Array(prefix + size);
  const view = new DataView(bytes.buffer);
  if (!legacy) view.setInt32(0, -1, true);
  view.setInt32(prefix - 4, size, true);
  bytes.set(message, prefix);
  return bytes;
}

/** Dictionaries by id, inner ones first. */
function dictionariesOf(columns: readonly Column[], found = new Map<bigint, Column>()): Map<bigint, Column> {
  for (const { type, layout } of columns) {
    dictionariesOf(layout.children ?? [], found);
    if (type.kind !== 'dictionary' || layout.dictionary === undefined) continue;
    dictionariesOf([layout.dictionary], found);
    found.set(type.id, layout.dictionary);
  }
  return found;
}

class Body {
  readonly #way: Way;
  readonly #nodes: number[] = [];
  readonly #buffers: number[] = [];
  readonly #variadicCounts: number[] = [];
  readonly #chunks: Uint8Array[] = [];

  constructor(way: Way) {
    this.#way = way;
  }

  slots(length: number): TableSlots {
    return batchSlots({
      length,
      nodes: this.#nodes,
      buffers: this.#buffers,
      variadicCounts: this.#variadicCounts,
    });
  }

  bytes(): Uint8Array {
    return new Uint8Array(Buffer.concat(this.#chunks));
  }

  /** Buffers in pre-order ("Recordbatch message", "Buffer listing for each layout"). */
  add({ type }: Field, column: Column): void {
    const { kind } = type;
    const { layout } = column;
    const isBare = kind === 'null' || kind === 'run-end-encoded' || (kind === 'union' && this.#way.version !== 4);
    this.#nodes.push(column.length, isBare && kind !== 'null' ? 0 : column.nullCount);
    if (!isBare) this.#put(column.validity === null ? undefined : bitsOf(column.validity, column), [1]);
    if (layout.offsets !== undefined && kind !== 'union') {
      this.#put(layout.offsets, [layout.offsets.BYTES_PER_ELEMENT]);
      if (layout.sizes !== undefined) this.#put(layout.sizes, [layout.sizes.BYTES_PER_ELEMENT]);
    }
    if (kind === 'bool') this.#put(bitsOf(layout.values as Uint8Array, column), [1]);
    else if (layout.values !== undefined) this.#put(layout.values, elementOf(type));
    if (kind === 'union' && layout.offsets !== undefined) this.#put(layout.offsets, [4]);
    if (layout.data !== undefined) this.#put(layout.data, [1]);
    if (kind === 'utf8-view' || kind === 'binary-view') {
      const { buffers = [] } = layout;
      this.#variadicCounts.push(buffers.length);
      for (const bytes of buffers) this.#put(bytes, [1]);
    }
    if (kind === 'dictionary') return;
    childFields(type).forEach((child, i) => {
      this.add(child, layout.children?.[i] as Column);
    });
  }

  #put(values: Values | undefined, element: Element): void {
    const { buffer, byteOffset, byteLength: length } = values ?? new Uint8Array(0);
    const bytes = new Uint8Array(buffer, byteOffset, length).slice();
    this.#buffers.push(byteLength(this.#chunks), length);
    this.#chunks.push(this.#way.bigEndian ? turned(bytes, element) : bytes, new Uint8Array((8 - (length % 8)) % 8));
  }
}

/** The column's part of a bitmap, from a whole byte on. */
function bitsOf(bitmap: Uint8Array, { bitOffset, length }: Column): Uint8Array {
  const bits = new Uint8Array(Math.ceil(length / 8));
  for (let i = 0; i < length; i++) {
    if (getBit(bitmap, bitOffset + i)) bits[i >> 3] = (bits[i >> 3] ?? 0) | (1 << (i & 7));
  }
  return bits;
}

function elementOf(type: DataType): Element {
  switch (type.kind) {
    case 'utf8-view':
    case 'binary-view':
      return 'views';
    case 'union':
    case 'fixed-size-binary':
      return [1];
    case 'dictionary':
      return [type.index.bitWidth / 8];
    case 'interval':
      return type.unit === 'month-day-nano' ? [4, 4, 8] : [4];
    default:
      return [byteWidth(type) ?? 1];
  }
}

/** Each number with its last byte first. */
function turned(bytes: Uint8Array, element: Element): Uint8Array {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    if (element !== 'views') {
      const width = element[i % element.length] ?? 1;
      bytes.subarray(at, at + width).reverse();
      at += width;
      continue;
    }
    const isLong = view.getInt32(at, true) > 12;
    bytes.subarray(at, at + 4).reverse();
    if (isLong) for (const part of [8, 12]) bytes.subarray(at + part, at + part + 4).reverse();
    at += 16;
  }
  return bytes;
}
