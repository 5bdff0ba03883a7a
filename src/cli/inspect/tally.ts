import { valuesField } from '../../arrow/ipc/dictionary.ts';
import { headerType, type Message, metadataVersion } from '../../arrow/ipc/message.ts';
import { type BatchHeader, readBatchHeader } from '../../arrow/ipc/record-batch.ts';
import type { Field, Schema } from '../../arrow/schema.ts';
import { childFields, type DataType, type DictionaryType } from '../../arrow/type.ts';
import type { PlacedMessage } from './message.ts';

/** What all batches hold of one column, or of a child of one. */
export interface ColumnTally {
  /** The names from the top, e.g. `["list", "item"]`. */
  readonly path: readonly string[];
  readonly type: DataType;
  /** Values in all batches. */
  values: number;
  /** Undefined when a writer did not count them. */
  nulls: number | undefined;
  /** Bytes by the name of the buffer, without padding. */
  readonly buffers: Map<string, number>;
}

/** What all messages of one dictionary hold. */
export interface DictionaryTally {
  readonly id: bigint;
  readonly type: DictionaryType;
  /** Messages; each after the first replaces the dictionary, but for the deltas. */
  messages: number;
  deltas: number;
  /** Values in all messages. */
  values: number;
  /** Bytes of buffers, without padding. */
  byteLength: number;
}

/** One line of the list of messages. */
export interface MessageEntry {
  readonly offset: number;
  readonly kind: 'schema' | 'dictionary' | 'batch';
  readonly metadataLength: number;
  readonly bodyLength: number;
  /** Rows of a batch, values of a dictionary. */
  readonly rows: number | undefined;
}

/** Adds up what the metadata of messages say. */
export class Tally {
  readonly columns: ColumnTally[] = [];
  readonly dictionaries: Map<bigint, DictionaryTally> = new Map<bigint, DictionaryTally>();
  batches = 0;
  rows = 0;
  /** Bytes of all messages, by part. */
  metadataBytes = 0;
  bodyBytes = 0;
  /** The greatest power of two, up to 64, at whose multiples all buffers start; counted from the first byte. */
  alignment = 64;
  /** The oldest metadata version of a message. */
  version: number = metadataVersion.v5;
  readonly #roots: readonly Node[];
  /** The values of each dictionary. */
  readonly #values = new Map<bigint, Node>();

  constructor(schema: Schema) {
    this.#roots = schema.fields.map((field) => this.#node(field, [], this.columns));
  }

  /** Counts a message. Throws INVALID_DATA when a batch has fewer parts than its schema. */
  add({ message, offset, metadataLength }: PlacedMessage): MessageEntry {
    const { flatbuffer, header, bodyLength } = message;
    this.metadataBytes += metadataLength;
    this.bodyBytes += bodyLength;
    this.version = Math.min(this.version, message.version);
    const entry = { offset, metadataLength, bodyLength };
    if (message.headerType === headerType.schema) return { ...entry, kind: 'schema', rows: undefined };
    const isBatch = message.headerType === headerType.recordBatch;
    const id = isBatch ? undefined : flatbuffer.bigint64(header, 0);
    const data = isBatch ? header : flatbuffer.table(header, 1);
    if (data === 0) flatbuffer.fail(`dictionary ${id} has no data`);
    const batch = readBatchHeader(flatbuffer, data);
    const parts = new Parts(message, batch, offset + metadataLength);
    if (id === undefined) {
      for (const root of this.#roots) countNode(parts, root);
      this.batches++;
      this.rows += batch.length;
    } else {
      const dictionary = this.dictionaries.get(id);
      const values = this.#values.get(id);
      if (dictionary === undefined || values === undefined) {
        return flatbuffer.fail(`dictionary ${id} belongs to no field of the schema`);
      }
      countNode(parts, values);
      dictionary.messages++;
      if (flatbuffer.bool(header, 2)) dictionary.deltas++;
      dictionary.values += batch.length;
      dictionary.byteLength += parts.byteLength;
    }
    this.alignment = Math.min(this.alignment, parts.alignment);
    return { ...entry, kind: isBatch ? 'batch' : 'dictionary', rows: batch.length };
  }

  /** Adds the field and its children to `columns`, and the dictionaries in them to those there are. */
  #node(field: Field, parent: readonly string[], columns: ColumnTally[]): Node {
    const path = [...parent, field.name];
    const { type } = field;
    const tally: ColumnTally = { path, type, values: 0, nulls: 0, buffers: new Map() };
    columns.push(tally);
    if (type.kind === 'dictionary' && !this.dictionaries.has(type.id)) {
      this.dictionaries.set(type.id, { id: type.id, type, messages: 0, deltas: 0, values: 0, byteLength: 0 });
      this.#values.set(type.id, this.#node(valuesField(type), [], []));
    }
    return { tally, children: childFields(type).map((child) => this.#node(child, path, columns)) };
  }
}

function countNode(parts: Parts, { tally, children }: Node): void {
  const { length, nullCount } = parts.node();
  tally.values += length;
  tally.nulls = nullCount < 0 || tally.nulls === undefined ? undefined : tally.nulls + nullCount;
  for (const name of bufferNames(tally.type, parts.version)) {
    tally.buffers.set(name, (tally.buffers.get(name) ?? 0) + parts.buffer());
  }
  if (tally.type.kind === 'utf8-view' || tally.type.kind === 'binary-view') {
    for (let left = parts.variadicCount(); left > 0; left--) {
      tally.buffers.set('data', (tally.buffers.get('data') ?? 0) + parts.buffer());
    }
  }
  for (const child of children) countNode(parts, child);
}

interface Node {
  readonly tally: ColumnTally;
  readonly children: readonly Node[];
}

/** The buffers of a type, in the order of the format ("Buffer Listing for Each Layout"). */
function bufferNames(type: DataType, version: number): readonly string[] {
  switch (type.kind) {
    case 'null':
    case 'run-end-encoded':
      return [];
    case 'utf8':
    case 'binary':
      return ['validity', 'offsets', 'data'];
    case 'utf8-view':
    case 'binary-view':
      return ['validity', 'views'];
    case 'list-view':
      return ['validity', 'offsets', 'sizes'];
    case 'list':
    case 'map':
      return ['validity', 'offsets'];
    case 'struct':
    case 'fixed-size-list':
      return ['validity'];
    case 'union': {
      const names = type.mode === 'dense' ? ['type ids', 'offsets'] : ['type ids'];
      // Before V5 a union had a validity bitmap of its own.
      return version < metadataVersion.v5 ? ['validity', ...names] : names;
    }
    case 'dictionary':
      return ['validity', 'indices'];
    default:
      return ['validity', 'values'];
  }
}

/** Nodes and buffers of one batch, in their order. */
class Parts {
  readonly version: number;
  alignment = 64;
  byteLength = 0;
  readonly #message: Message;
  readonly #header: BatchHeader;
  readonly #bodyStart: number;
  #node = 0;
  #buffer = 0;
  #variadic = 0;

  constructor(message: Message, header: BatchHeader, bodyStart: number) {
    this.version = message.version;
    this.#message = message;
    this.#header = header;
    this.#bodyStart = bodyStart;
  }

  /** Data buffers of the next column of views. */
  variadicCount(): number {
    const { variadicCounts } = this.#header;
    if (this.#variadic === variadicCounts.length)
      this.#message.flatbuffer.fail(
        `the batch counts the data buffers of ${variadicCounts.length} columns, fewer than its schema`,
      );
    return this.#message.flatbuffer.int64At(variadicCounts.start + 8 * this.#variadic++);
  }

  node(): { readonly length: number; readonly nullCount: number } {
    const { flatbuffer } = this.#message;
    const { nodes } = this.#header;
    if (this.#node === nodes.length) flatbuffer.fail(`the batch has ${nodes.length} nodes, fewer than its schema`);
    const at = nodes.start + 16 * this.#node++;
    return { length: flatbuffer.int64At(at), nullCount: flatbuffer.int64At(at + 8) };
  }

  /** Bytes of the next buffer. */
  buffer(): number {
    const { flatbuffer } = this.#message;
    const { buffers } = this.#header;
    if (this.#buffer === buffers.length)
      flatbuffer.fail(`the batch has ${buffers.length} buffers, fewer than its schema`);
    const at = buffers.start + 16 * this.#buffer++;
    const offset = flatbuffer.int64At(at);
    const byteLength = flatbuffer.int64At(at + 8);
    if (offset < 0 || byteLength < 0 || offset + byteLength > this.#message.bodyLength) {
      flatbuffer.fail(
        `buffer ${this.#buffer - 1} lies in bytes ${offset} to ${offset + byteLength} of a body of ${this.#message.bodyLength}`,
      );
    }
    if (byteLength > 0) while ((this.#bodyStart + offset) % this.alignment !== 0) this.alignment /= 2;
    this.byteLength += byteLength;
    return byteLength;
  }
}
