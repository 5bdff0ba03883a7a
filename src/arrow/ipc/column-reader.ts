import { RecurveError } from '../../error.ts';
import { bitmapByteLength, countOnes } from '../bitmap.ts';
import { makeColumn } from '../column/make.ts';
import { Offsets } from '../column/offset.ts';
import type { Column, ColumnLayout, Values, Writable } from '../column.ts';
import type { FlatbufferReader } from '../flatbuffer/reader.ts';
import type { Field } from '../schema.ts';
import { byteWidth, childFields, type DataType, type DictionaryType, rowsPerRow } from '../type.ts';
import type { ByteSwap } from './big-endian.ts';
import type { BodyCodecs } from './compression.ts';
import { type Body, type Message, metadataVersion } from './message.ts';
import { countParts, variadicBuffers } from './projection.ts';
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
  readonly #flatbuffer: FlatbufferReader;
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
    this.#flatbuffer = message.flatbuffer;
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
   * Of the `fields` that make up the batch those at `positions`, in that order, each as long as the batch. Throws
   * INVALID_DATA when the fields do not make up the whole batch.
   */
  readColumns(fields: readonly Field[], positions: readonly number[] = [0]): Column[] {
    const flatbuffer = this.#flatbuffer;
    const { version } = this.#message;
    const { nodes, buffers, variadicCounts, length } = this.#header;
    const columns = fields.map((field, i) => {
      if (positions.includes(i)) return this.#readColumn(field, length);
      const parts = countParts(field.type, version);
      this.#node += parts.nodes;
      this.#buffer += parts.buffers + variadicBuffers(flatbuffer, this.#header, this.#variadic, parts.views);
      this.#variadic += parts.views;
      return null;
    });
    if (this.#variadic !== variadicCounts.length || this.#node !== nodes.length || this.#buffer !== buffers.length) {
      flatbuffer.fail(
        `the batch has ${nodes.length} nodes and ${buffers.length} buffers, its schema ${this.#node} and ${this.#buffer}; and ${variadicCounts.length} variadic buffer counts for ${this.#variadic} columns of views`,
      );
    }
    return positions.map((position) => columns[position] as Column);
  }

  #pathText(): string {
    return this.#path.map((name) => JSON.stringify(name)).join('.');
  }

  #fail(what: string): never {
    return this.#flatbuffer.fail(`column ${this.#pathText()} ${what}`);
  }

  /** Finds the next this.#buffer in the this.#body. */
  #seek(name: string): void {
    if (this.#buffer >= this.#header.buffers.length)
      this.#fail(`has no ${name} buffer: the batch has only ${this.#header.buffers.length}`);
    const at = this.#header.buffers.start + 16 * this.#buffer++;
    this.#start = this.#flatbuffer.int64At(at);
    this.#byteCount = this.#flatbuffer.int64At(at + 8);
    const end = this.#start + this.#byteCount;
    if (this.#start < 0 || this.#byteCount < 0 || end > this.#body.length)
      this.#fail(`has its ${name} in bytes ${this.#start} to ${end} of a body of ${this.#body.length}`);
  }

  /** The buffer that was found, of elements of a type or of a width in bytes. */
  #take(name: string, element: DataType | number = 1): Uint8Array {
    if (this.#plain !== null) return new Uint8Array(this.#plain, this.#origin + this.#start, this.#byteCount);
    let bytes = this.#body.subarray(this.#start, this.#start + this.#byteCount);
    const { codec } = this.#header;
    if (codec !== null && this.#byteCount > 0) {
      try {
        bytes = this.#codecs.decompress(codec, bytes, this.#allowance);
      } catch (cause) {
        if (!RecurveError.is(cause)) throw cause;
        const message = `${this.#message.place}: column ${this.#pathText()}, ${name} in ${codec}: ${cause.message}`;
        throw new RecurveError(cause.status, message, { hint: cause.hint, cause });
      }
      this.#allowance -= bytes.length;
    }
    const { swap } = this.#dictionaries;
    return swap === null || element === 1 ? bytes : swap(bytes, element);
  }

  #next(name: string): Uint8Array {
    this.#seek(name);
    return this.#take(name);
  }

  #checkSize(bytes: Uint8Array, needed: number, name: string): void {
    if (bytes.length < needed) this.#fail(`has ${bytes.length} bytes of ${name}, but its length needs ${needed}`);
  }

  /** The next buffer as `count` values, at least as long as those; zeroes where it may lack and does. */
  #nextView(Class: ValuesClass, count: number, name: string, element?: DataType | number, mayLack = false): Values {
    this.#seek(name);
    const width = Class.BYTES_PER_ELEMENT;
    const needed = count * width;
    const at = this.#origin + this.#start;
    if (this.#plain !== null && at % width === 0 && needed <= this.#byteCount) return new Class(this.#plain, at, count);
    let bytes = this.#take(name, element);
    if (mayLack && bytes.length === 0) bytes = new Uint8Array(needed);
    this.#checkSize(bytes, needed, name);
    if (bytes.byteOffset % width !== 0) bytes = new Uint8Array(bytes.subarray(0, needed));
    return new Class(bytes.buffer, bytes.byteOffset, count);
  }

  #nextValues(type: DataType, length: number): Values {
    const Class = valuesClass(type);
    return this.#nextView(Class, (length * (byteWidth(type) ?? 1)) / Class.BYTES_PER_ELEMENT, 'values', type);
  }

  /** `count` whole numbers of 32 or 64 bits. */
  #nextInts(name: string, large: boolean, count: number, mayLack?: boolean): Int32Array | BigInt64Array {
    const Class = large ? BigInt64Array : Int32Array;
    return this.#nextView(Class, count, name, Class.BYTES_PER_ELEMENT, mayLack) as Int32Array | BigInt64Array;
  }

  #nextValidity(length: number, nullCount: number): Uint8Array | null {
    this.#seek('validity');
    const isMoot = nullCount === 0 || length === 0;
    if (isMoot && this.#plain !== null) return null;
    const bytes = this.#take('validity');
    if (isMoot) return null;
    if (bytes.length === 0) {
      if (nullCount > 0) this.#fail(`has ${nullCount} nulls but no validity buffer`);
      return null;
    }
    this.#checkSize(bytes, bitmapByteLength(length), 'validity');
    return bytes;
  }

  #nextVariadic(): Uint8Array[] {
    if (this.#variadic === this.#header.variadicCounts.length)
      this.#fail('has views, but the batch does not count their buffers');
    const count = this.#flatbuffer.int64At(this.#header.variadicCounts.start + 8 * this.#variadic++);
    const left = this.#header.buffers.length - this.#buffer;
    if (count < 0 || count > left) this.#fail(`has ${count} data buffers, but the batch has ${left} left`);
    return Array.from({ length: count }, () => this.#next('data'));
  }

  #dictionaryOf(type: DictionaryType, { length, validity, nullCount = 0 }: ColumnLayout): Column {
    const dictionary = this.#dictionaries.resolve(type);
    if (dictionary !== null) return dictionary;
    const nulls = validity && nullCount < 0 ? length - countOnes(validity, 0, length) : nullCount;
    if (nulls !== length) this.#fail(`needs dictionary ${type.id}, which has not come`);
    return this.#dictionaries.empty(type);
  }

  /** First and last offset only: those between are for validation. */
  #checkEnds(offsets: Int32Array | BigInt64Array, length: number, limit: number, what: string): void {
    const first = offsets[0] ?? 0;
    const last = offsets[length] ?? 0;
    if (first < 0 || last < first || last > limit)
      this.#fail(`has offsets from ${first} to ${last}, but ${limit} ${what}`);
  }

  #readLayout(type: DataType, length: number, declaredNulls: number): ColumnLayout {
    const { kind } = type;
    if (kind === 'null') return { type, length, nullCount: length };
    const large = 'large' in type && type.large;
    // Before V5 a union had a validity bitmap of its own.
    const mayHaveNulls = kind !== 'run-end-encoded' && (kind !== 'union' || this.#message.version < metadataVersion.v5);
    const validity = mayHaveNulls ? this.#nextValidity(length, declaredNulls) : null;
    const layout: Writable<ColumnLayout> = { type, length, validity, nullCount: validity === null ? 0 : declaredNulls };
    switch (kind) {
      case 'bool':
        layout.values = this.#nextView(Uint8Array, bitmapByteLength(length), 'values');
        break;
      case 'utf8':
      case 'binary':
      case 'list':
      case 'map':
        // Some writers leave out the one offset of an empty column, as the format allows.
        layout.offsets = this.#nextInts('offsets', large, length + 1, length === 0);
        if (kind !== 'utf8' && kind !== 'binary') break;
        layout.data = this.#next('data');
        this.#checkEnds(layout.offsets, length, layout.data.length, 'bytes of data');
        break;
      case 'list-view':
        layout.offsets = this.#nextInts('offsets', large, length);
        layout.sizes = this.#nextInts('sizes', large, length);
        break;
      case 'struct':
      case 'fixed-size-list':
      case 'run-end-encoded':
        break;
      default:
        layout.values = this.#nextValues(type, length);
        if (kind === 'utf8-view' || kind === 'binary-view') layout.buffers = this.#nextVariadic();
        else if (kind === 'dictionary') layout.dictionary = this.#dictionaryOf(type, layout);
        else if (kind === 'union' && type.mode === 'dense') layout.offsets = this.#nextInts('offsets', false, length);
    }
    const inner = childFields(type);
    if (inner.length > 0 || kind === 'struct' || kind === 'union') {
      layout.children = this.#checkChildren(
        layout,
        inner.map((child) => this.#readColumn(child)),
      );
    }
    return layout;
  }

  #checkChildren({ type, length, offsets, sizes }: ColumnLayout, children: Column[]): Column[] {
    const [first, second] = children;
    const limit = first?.length ?? 0;
    if (type.kind === 'run-end-encoded') {
      // The last run end must reach the length, those before it are for validation.
      const last = Number((first?.layout.values as ArrayLike<number | bigint> | undefined)?.[limit - 1] ?? 0);
      if (first?.nullCount) this.#fail(`has ${first.nullCount} nulls among its run ends`);
      if ((second?.length ?? 0) < limit) this.#fail(`has ${limit} runs of ${second?.length} values`);
      if (last < length) this.#fail(`has ${length} values, but its runs end at ${last}`);
    } else if (offsets !== undefined && type.kind !== 'union') {
      // Lists are followed by loops, so theirs are the only offsets that are looked at one by one; those of nulls too, of
      // which the format wants the same.
      if (sizes === undefined) this.#checkEnds(offsets, length, limit, 'values in its child');
      const at = findFault(new Offsets(offsets), sizes && new Offsets(sizes), length, limit);
      if (at >= 0 && sizes === undefined)
        this.#fail(`has offset ${offsets[at + 1]} after ${offsets[at]}, for value ${at}`);
      if (at >= 0)
        this.#fail(`has offset ${offsets[at]} and size ${sizes?.[at]} for value ${at}, but a child of ${limit} values`);
    }
    const perRow = rowsPerRow(type);
    if (perRow === undefined) return children;
    // Children as long as their parent: the format lets them be longer, but nobody may read or copy what is past it.
    return children.map((child) => {
      if (child.length < length * perRow) this.#fail(`needs ${length * perRow} values of a child of ${child.length}`);
      return child.slice(0, length * perRow);
    });
  }

  #readColumn(field: Field, rowCount?: number): Column {
    this.#path.push(field.name);
    if (this.#node >= this.#header.nodes.length)
      this.#fail(`is missing: the batch has only ${this.#header.nodes.length} nodes`);
    const at = this.#header.nodes.start + 16 * this.#node++;
    const length = this.#flatbuffer.int64At(at);
    const nullCount = this.#flatbuffer.int64At(at + 8);
    if (length < 0 || length > maxLength) this.#fail(`has ${length} values`);
    // −1 stands for a count that the writer did not know.
    if (nullCount < -1 || nullCount > length) this.#fail(`has ${nullCount} nulls among ${length} values`);
    if (rowCount !== undefined && length !== rowCount)
      this.#fail(`has ${length} values in a batch of ${rowCount} rows`);
    const column = makeColumn(field, this.#readLayout(field.type, length, nullCount));
    this.#path.pop();
    return column;
  }
}

/**
 * The first value whose offset is greater than the next, or whose view by offset and size is not within a child of `limit`
 * values; −1 when there is none.
 */
function findFault(offsets: Offsets, sizes: Offsets | undefined, length: number, limit: number): number {
  for (let i = 0; i < length; i++) {
    const start = offsets.at(i);
    if (sizes === undefined) {
      if (start > offsets.at(i + 1)) return i;
    } else {
      const size = sizes.at(i);
      if (start < 0 || size < 0 || start + size > limit) return i;
    }
  }
  return -1;
}
