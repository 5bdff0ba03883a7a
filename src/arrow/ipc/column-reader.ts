import { RecurveError } from '../../error.ts';
import { bitmapByteLength, countOnes } from '../bitmap.ts';
import { makeColumn } from '../column/make.ts';
import { Offsets } from '../column/offset.ts';
import type { Column, ColumnLayout, Values } from '../column.ts';
import type { Field } from '../schema.ts';
import {
  byteWidth,
  type DataType,
  type DictionaryType,
  type ListType,
  type ListViewType,
  type MapType,
  type RunEndEncodedType,
  type UnionType,
} from '../type.ts';
import type { ByteSwap } from './big-endian.ts';
import type { BodyCodecs, CodecName } from './compression.ts';
import { type Body, type Message, metadataVersion } from './message.ts';
import { countParts, type Projection, variadicBuffers } from './projection.ts';
import type { BatchHeader } from './record-batch.ts';
import { type ValuesClass, valuesClass } from './values-class.ts';

/** Gives the values behind a dictionary's id; `null` when none have arrived. */
export interface DictionarySource {
  resolve(type: DictionaryType): Column | null;
  /** A dictionary of no values, for a column of nothing but nulls. */
  empty(type: DictionaryType): Column;
  /** For bodies that are big-endian. */
  readonly swap: ByteSwap | null;
}

/**
 * Longest column that is read: bits of a bitmap are counted with 32-bit numbers, and a slice may start at the eighth.
 */
const maxLength = 2 ** 32 - 8;

/**
 * Makes the columns of one body, depth first, over its bytes: a view a buffer, or a copy of the buffer where it is not
 * aligned. Every buffer must lie inside of the body and be as long as its column needs; what single values say (offsets
 * inside of a column, indices, UTF-8) is not looked at.
 */
export class ColumnReader {
  readonly #message: Message;
  readonly #header: BatchHeader;
  readonly #body: Body;
  /** The buffer of a body whose bytes are in memory as they are to be read; null when they are elsewhere, compressed or big-endian. */
  readonly #plain: ArrayBufferLike | null;
  /** Byte of `#plain` at which the body starts. */
  readonly #origin: number = 0;
  readonly #dictionaries: DictionarySource;
  readonly #codecs: BodyCodecs;
  /** Bytes that compressed buffers may still take. */
  #allowance: number;
  readonly #path: string[] = [];
  #node = 0;
  #buffer = 0;
  #variadic = 0;
  // The buffer that was met last: its place in the body.
  #start = 0;
  #byteCount = 0;

  constructor(message: Message, header: BatchHeader, body: Body, dictionaries: DictionarySource, codecs: BodyCodecs) {
    this.#message = message;
    this.#header = header;
    this.#body = body;
    const isPlain = body instanceof Uint8Array && header.codec === null && dictionaries.swap === null;
    this.#plain = isPlain ? body.buffer : null;
    this.#origin = isPlain ? body.byteOffset : 0;
    this.#dictionaries = dictionaries;
    this.#codecs = codecs;
    this.#allowance = codecs.maxBytes;
  }

  /**
   * The columns that are selected, each as long as the batch. Throws INVALID_DATA when the fields they were selected from do
   * not make up the whole batch.
   */
  readColumns({ fields, positions }: Projection): Column[] {
    const columns = fields.map((field, i) => (positions.includes(i) ? this.#readTop(field) : this.#skip(field)));
    this.#finish();
    return positions.map((position) => columns[position] as Column);
  }

  /** The column of the one field there is, as `readColumns`. */
  readColumn(field: Field): Column {
    const column = this.#readTop(field);
    this.#finish();
    return column;
  }

  #readTop(field: Field): Column {
    const { length } = this.#header;
    const column = this.#readColumn(field);
    if (column.length !== length) this.#fail(`has ${column.length} values in a batch of ${length} rows`, field);
    return column;
  }

  #skip({ type }: Field): null {
    const { nodes, buffers, views } = countParts(type, this.#message.version);
    this.#node += nodes;
    this.#buffer += buffers + variadicBuffers(this.#message.flatbuffer, this.#header, this.#variadic, views);
    this.#variadic += views;
    return null;
  }

  #finish(): void {
    const { nodes, buffers, variadicCounts } = this.#header;
    if (this.#variadic !== variadicCounts.length) {
      this.#message.flatbuffer.fail(
        `the batch has ${variadicCounts.length} variadic buffer counts, its schema ${this.#variadic} columns of views`,
      );
    }
    if (this.#node !== nodes.length || this.#buffer !== buffers.length) {
      this.#message.flatbuffer.fail(
        `the batch has ${nodes.length} nodes and ${buffers.length} buffers, its schema ${this.#node} and ${this.#buffer}`,
      );
    }
  }

  #readColumn(field: Field): Column {
    const { type } = field;
    this.#path.push(field.name);
    const { flatbuffer } = this.#message;
    const { nodes } = this.#header;
    if (this.#node >= nodes.length) this.#fail(`is missing: the batch has only ${nodes.length} nodes`);
    const node = nodes.start + 16 * this.#node++;
    const length = flatbuffer.int64At(node);
    const nullCount = flatbuffer.int64At(node + 8);
    if (length < 0 || length > maxLength) this.#fail(`has ${length} values`);
    // −1 stands for a count that the writer did not know.
    if (nullCount < -1 || nullCount > length) this.#fail(`has ${nullCount} nulls among ${length} values`);
    const column = makeColumn(field, this.#readLayout(type, length, nullCount));
    this.#path.pop();
    return column;
  }

  #readLayout(type: DataType, length: number, nullCount: number): ColumnLayout {
    if (type.kind === 'null') return { type, length, nullCount: length };
    if (type.kind === 'union') return this.#readUnion(type, length, nullCount);
    if (type.kind === 'run-end-encoded') return this.#readRuns(type, length);
    const validity = this.#readValidity(length, nullCount);
    if (validity === null) nullCount = 0;
    // Literals, since a spread object would be copied for every column.
    switch (type.kind) {
      case 'utf8':
      case 'binary': {
        const offsets = this.#readOffsets(length, type.large);
        const data = this.#next('data');
        this.#checkOffsets(offsets, length, data.length, 'bytes of data');
        return { type, length, validity, nullCount, offsets, data };
      }
      case 'int':
      case 'float':
        return { type, length, validity, nullCount, values: this.#readValues(type, length) };
      default:
        return { type, length, validity, nullCount, ...this.#readParts(type, length, validity, nullCount) };
    }
  }

  #readParts(
    type: DataType,
    length: number,
    validity: Uint8Array | null,
    nullCount: number,
  ): Omit<ColumnLayout, 'type' | 'length'> {
    switch (type.kind) {
      case 'bool':
        return { values: this.#nextView(Uint8Array, bitmapByteLength(length), 'values') };
      case 'list':
      case 'map':
        return this.#readList(type, length);
      case 'utf8-view':
      case 'binary-view':
        return { values: this.#readValues(type, length), buffers: this.#readVariadic() };
      case 'list-view':
        return this.#readListView(type, length);
      case 'fixed-size-list': {
        const child = this.#readColumn(type.child);
        if (child.length < length * type.listSize)
          this.#fail(`has ${length} lists of ${type.listSize} but a child of ${child.length} values`);
        return { children: [child.slice(0, length * type.listSize)] };
      }
      case 'struct': {
        const children = type.children.map((child) => this.#readColumn(child));
        return { children: this.#cutChildren(children, length) };
      }
      case 'dictionary': {
        const values = this.#readValues(type, length);
        return { values, dictionary: this.#readDictionary(type, length, validity, nullCount) };
      }
      default:
        return { values: this.#readValues(type, length) };
    }
  }

  #readValidity(length: number, nullCount: number): Uint8Array | null {
    this.#seek('validity');
    const isMoot = nullCount === 0 || length === 0;
    if (isMoot && this.#plain !== null) return null;
    const bytes = this.#take('validity');
    if (isMoot) return null;
    if (bytes.length === 0) {
      if (nullCount > 0) this.#fail(`has ${nullCount} nulls but no validity buffer`);
      return null;
    }
    return this.#atLeast(bytes, bitmapByteLength(length), 'validity');
  }

  #readValues(type: DataType, length: number): Values {
    const width = byteWidth(type) ?? 1;
    const values = valuesClass(type);
    return this.#nextView(values, (length * width) / values.BYTES_PER_ELEMENT, 'values', type);
  }

  #readOffsets(length: number, large: boolean): Int32Array | BigInt64Array {
    // Some writers leave out the one offset of an empty column, as the format allows.
    return this.#readInts('offsets', large, length + 1, length === 0);
  }

  /** `count` whole numbers of 32 or 64 bits; zeroes where there may be none and are none. */
  #readInts(name: string, large: boolean, count: number, mayLack = false): Int32Array | BigInt64Array {
    const Class = large ? BigInt64Array : Int32Array;
    return this.#nextView(Class, count, name, Class.BYTES_PER_ELEMENT, mayLack) as Int32Array | BigInt64Array;
  }

  /** Lists are followed by loops, so theirs are the only offsets that are looked at one by one. */
  #readList(type: ListType | MapType, length: number): Pick<ColumnLayout, 'offsets' | 'children'> {
    const offsets = this.#readOffsets(length, type.kind === 'list' && type.large);
    const child = this.#readColumn(type.child);
    this.#checkOffsets(offsets, length, child.length, 'values in its child');
    const at = findDescent(offsets);
    if (at >= 0) this.#fail(`has offset ${offsets[at + 1]} after ${offsets[at]}, for value ${at}`);
    return { offsets, children: [child] };
  }

  #readVariadic(): Uint8Array[] {
    const { flatbuffer } = this.#message;
    const { variadicCounts, buffers } = this.#header;
    if (this.#variadic === variadicCounts.length) this.#fail('has views, but the batch does not count their buffers');
    const count = flatbuffer.int64At(variadicCounts.start + 8 * this.#variadic++);
    if (count < 0 || count > buffers.length - this.#buffer)
      this.#fail(`has ${count} data buffers, but the batch has ${buffers.length - this.#buffer} left`);
    return Array.from({ length: count }, () => this.#next('data'));
  }

  /** As with lists, every one is looked at, those of nulls too, of which the format wants the same. */
  #readListView(type: ListViewType, length: number): Pick<ColumnLayout, 'offsets' | 'sizes' | 'children'> {
    const offsets = this.#readInts('offsets', type.large, length);
    const sizes = this.#readInts('sizes', type.large, length);
    const child = this.#readColumn(type.child);
    const at = findOutside(new Offsets(offsets), new Offsets(sizes), length, child.length);
    if (at >= 0) {
      this.#fail(
        `has offset ${offsets[at]} and size ${sizes[at]} for value ${at}, but a child of ${child.length} values`,
      );
    }
    return { offsets, sizes, children: [child] };
  }

  /** No buffers; the last run end must reach the length, those before it are for validation. */
  #readRuns(type: RunEndEncodedType, length: number): ColumnLayout {
    const runEnds = this.#readColumn(type.runEnds);
    const values = this.#readColumn(type.values);
    const last = Number((runEnds.layout.values as ArrayLike<number | bigint>)[runEnds.length - 1] ?? 0);
    if (runEnds.nullCount > 0) this.#fail(`has ${runEnds.nullCount} nulls among its run ends`);
    if (values.length < runEnds.length) this.#fail(`has ${runEnds.length} runs of ${values.length} values`);
    if (last < length) this.#fail(`has ${length} values, but its runs end at ${last}`);
    return { type, length, nullCount: 0, children: [runEnds, values] };
  }

  #readUnion(type: UnionType, length: number, nullCount: number): ColumnLayout {
    // Before V5 a union had a validity bitmap of its own.
    const validity = this.#message.version < metadataVersion.v5 ? this.#readValidity(length, nullCount) : null;
    const values = this.#readValues(type, length);
    const offsets = type.mode === 'dense' ? this.#readInts('offsets', false, length) : undefined;
    const children = type.children.map((child) => this.#readColumn(child));
    return {
      type,
      length,
      values,
      children: type.mode === 'sparse' ? this.#cutChildren(children, length) : children,
      ...(offsets && { offsets }),
      ...(validity === null ? { nullCount: 0 } : { validity, nullCount }),
    };
  }

  #readDictionary(type: DictionaryType, length: number, validity: Uint8Array | null, nullCount: number): Column {
    const dictionary = this.#dictionaries.resolve(type);
    if (dictionary !== null) return dictionary;
    const nulls = validity === null ? 0 : nullCount >= 0 ? nullCount : length - countOnes(validity, 0, length);
    if (nulls !== length) this.#fail(`needs dictionary ${type.id}, which has not come`);
    return this.#dictionaries.empty(type);
  }

  /** The next buffer as `count` values, at least as long as those; zeroes where it may lack and does. */
  #nextView(values: ValuesClass, count: number, name: string, element: DataType | number = 1, mayLack = false): Values {
    this.#seek(name);
    const width = values.BYTES_PER_ELEMENT;
    const at = this.#origin + this.#start;
    if (this.#plain !== null && at % width === 0 && count * width <= this.#byteCount)
      return new values(this.#plain, at, count);
    const bytes = this.#take(name, element);
    if (mayLack && bytes.length === 0) return this.#view(values, new Uint8Array(count * width), count);
    return this.#view(values, this.#atLeast(bytes, count * width, name), count);
  }

  /** The whole of the next buffer. */
  #next(name: string): Uint8Array {
    this.#seek(name);
    return this.#take(name);
  }

  /** Finds the next buffer in the body. */
  #seek(name: string): void {
    const { flatbuffer } = this.#message;
    const { buffers } = this.#header;
    if (this.#buffer >= buffers.length) this.#fail(`has no ${name} buffer: the batch has only ${buffers.length}`);
    const buffer = buffers.start + 16 * this.#buffer++;
    const start = flatbuffer.int64At(buffer);
    const byteCount = flatbuffer.int64At(buffer + 8);
    if (start < 0 || byteCount < 0 || start + byteCount > this.#body.length) {
      this.#fail(`has its ${name} in bytes ${start} to ${start + byteCount} of a body of ${this.#body.length}`);
    }
    this.#start = start;
    this.#byteCount = byteCount;
  }

  /** The buffer that was found, of elements of a type or of a width in bytes. */
  #take(name: string, element: DataType | number = 1): Uint8Array {
    const { swap } = this.#dictionaries;
    if (this.#plain !== null) return new Uint8Array(this.#plain, this.#origin + this.#start, this.#byteCount);
    const bytes = this.#body.subarray(this.#start, this.#start + this.#byteCount);
    const plain = this.#header.codec === null || this.#byteCount === 0 ? bytes : this.#decompress(bytes, name);
    return swap === null || element === 1 ? plain : swap(plain, element);
  }

  #decompress(bytes: Uint8Array, name: string): Uint8Array {
    const { codec } = this.#header;
    try {
      const plain = this.#codecs.decompress(codec as CodecName, bytes, this.#allowance);
      this.#allowance -= plain.length;
      return plain;
    } catch (error) {
      if (!RecurveError.is(error)) throw error;
      const message = `${this.#message.place}: column ${pathText(this.#path)}, ${name} in ${codec}: ${error.message}`;
      throw new RecurveError(error.status, message, { hint: error.hint, cause: error });
    }
  }

  #atLeast(bytes: Uint8Array, needed: number, name: string): Uint8Array {
    return bytes.length < needed
      ? this.#fail(`has ${bytes.length} bytes of ${name}, but its length needs ${needed}`)
      : bytes;
  }

  #view(values: ValuesClass, bytes: Uint8Array, count: number): Values {
    const width = values.BYTES_PER_ELEMENT;
    if (bytes.byteOffset % width === 0) return new values(bytes.buffer, bytes.byteOffset, count);
    const aligned = new Uint8Array(count * width);
    aligned.set(bytes.subarray(0, count * width));
    return new values(aligned.buffer, 0, count);
  }

  /** First and last offset only: those between are for validation. */
  #checkOffsets(offsets: Int32Array | BigInt64Array, length: number, limit: number, what: string): void {
    const first = offsets[0] ?? 0;
    const last = offsets[length] ?? 0;
    if (first < 0 || last < first || last > limit) {
      this.#fail(`has offsets from ${first} to ${last}, but ${limit} ${what}`);
    }
  }

  /** Children as long as their parent: the format lets them be longer, but nobody may read or copy what is past it. */
  #cutChildren(children: readonly Column[], length: number): Column[] {
    const short = children.find((child) => child.length < length);
    if (short !== undefined) this.#fail(`has ${length} values, but a child of ${short.length}`);
    return children.map((child) => child.slice(0, length));
  }

  #fail(what: string, field?: Field): never {
    const path = field === undefined ? this.#path : [field.name];
    return this.#message.flatbuffer.fail(`column ${pathText(path)} ${what}`);
  }
}

/** The first list view that is not within a child of `limit` values; −1 when all are. */
function pathText(path: readonly string[]): string {
  return path.map((name) => JSON.stringify(name)).join('.');
}

function findOutside(offsets: Offsets, sizes: Offsets, length: number, limit: number): number {
  for (let i = 0; i < length; i++) {
    const start = offsets.at(i);
    const size = sizes.at(i);
    if (start < 0 || size < 0 || start + size > limit) return i;
  }
  return -1;
}

/** The first offset that is greater than the next; −1 when they never fall. */
function findDescent(offsets: Int32Array | BigInt64Array): number {
  if (offsets instanceof Int32Array) {
    for (let i = 1; i < offsets.length; i++) if ((offsets[i - 1] ?? 0) > (offsets[i] ?? 0)) return i - 1;
    return -1;
  }
  for (let i = 1; i < offsets.length; i++) if ((offsets[i - 1] ?? 0n) > (offsets[i] ?? 0n)) return i - 1;
  return -1;
}
