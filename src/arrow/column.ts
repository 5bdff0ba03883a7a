import { bitmapByteLength, countOnes, getBit } from './bitmap.ts';
import { byteWidth, type DataType, rowsPerRow } from './type.ts';

/** A typed array over a buffer that may be resident input: views, never copies. */
export type Values =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/**
 * What one column of a batch is made of: the buffers of the columnar format ("Physical memory layout"), as views.
 * Every view starts at the column's first value, whatever it was sliced from; only bitmaps keep a `bitOffset`.
 */
export interface ColumnLayout {
  readonly type: DataType;
  readonly length: number;
  /** Nulls by the validity bitmap; −1 when nobody has counted yet. */
  readonly nullCount?: number;
  /** Bit set: valid. Null when every value is. Absent for null and union types. */
  readonly validity?: Uint8Array | null;
  /** First bit of `validity`, and of `values` when the type is `bool`. */
  readonly bitOffset?: number;
  /**
   * Fixed-width values, indices of a dictionary, bits of `bool`, type ids of a union: exactly `length` of them. Decimals
   * of 128 and 256 bits are 2 and 4 little-endian 64-bit words a value, views 4 words of 32 bits, fixed-size binary and
   * the wider intervals bytes.
   */
  readonly values?: Values;
  /** `length + 1` offsets into `data` or the child; for list views and dense unions, `length` offsets into the children. */
  readonly offsets?: Int32Array | BigInt64Array;
  /** Bytes of utf8 and binary values; `offsets` count from its first byte. */
  readonly data?: Uint8Array;
  /** Values of each list view. */
  readonly sizes?: Int32Array | BigInt64Array;
  /** Bytes that views of more than 12 bytes point into. */
  readonly buffers?: readonly Uint8Array[];
  /** Of a run-end-encoded column: values of the first runs that stand before the column, as a slice has them. Default 0. */
  readonly runOffset?: number;
  readonly children?: readonly Column[];
  /** The values that dictionary indices point at. */
  readonly dictionary?: Column;
}

/** An object that is still being put together. */
export type Writable<T> = { -readonly [K in keyof T]: T[K] };

/** A typed array whose elements are a column's values. */
export type ValueView<V> = Values & ArrayLike<V> & Iterable<V>;

/** An array to be filled from its start. Longer ones grow instead: `new Array` of that size would be a hash table. */
export function arrayOf<T>(length: number): T[] {
  return length <= 0x2_00_00_00 ? new Array(length) : [];
}

type ColumnClass = new (layout: ColumnLayout) => Column;

/**
 * The values of one field in one batch: contiguous, immutable, in place over its buffers, which it keeps alive.
 * One subclass a physical type, so that `at` stays monomorphic.
 */
export abstract class Column<V = unknown> implements Iterable<V | null> {
  declare readonly layout: ColumnLayout;
  declare readonly type: DataType;
  // Numbers from the start: a field that is undefined at first is slower to read ever after.
  readonly length: number = 0;
  /** See {@link ColumnLayout.validity}. */
  declare readonly validity: Uint8Array | null;
  /** See {@link ColumnLayout.bitOffset}. */
  readonly bitOffset: number = 0;
  #nullCount = 0;

  constructor(layout: ColumnLayout) {
    this.layout = layout;
    this.type = layout.type;
    // The same number, but in the engine's form for small integers: from a 64-bit count it may come as a double, which
    // every position that is reckoned from it would be too, and slower.
    this.length = layout.length <= 0x7fff_ffff ? layout.length | 0 : layout.length;
    this.validity = layout.nullCount === 0 ? null : (layout.validity ?? null);
    this.bitOffset = layout.bitOffset ?? 0;
    this.#nullCount =
      this.validity === null ? (layout.type.kind === 'null' ? layout.length : 0) : (layout.nullCount ?? -1);
  }

  /** Counted on first use when the source did not say. A union's is 0: its nulls are its children's. */
  get nullCount(): number {
    if (this.#nullCount < 0 && this.validity !== null) {
      this.#nullCount = this.length - countOnes(this.validity, this.bitOffset, this.length);
    }
    return this.#nullCount;
  }

  /** Whether there is a value at `index` that is not null, by this column's own bitmap. */
  isValid(index: number): boolean {
    if (!(index >= 0 && index < this.length)) return false;
    return this.validity === null || getBit(this.validity, this.bitOffset + index);
  }

  /** The value at `index`, as `docs/arrow.md` maps types to JavaScript; null for a null and outside of the column. */
  abstract at(index: number): V | null;

  /** The values as a view of the buffer, where they are plain numbers or bigints and none is null; else null. */
  get view(): ValueView<V> | null {
    return null;
  }

  /** Writes the values from `start` up to `end`, null for nulls, into `out` from place `place` on. */
  copyTo(out: unknown[], place = 0, start = 0, end: number = this.length): void {
    for (let i = start; i < end; i++) out[place++] = this.at(i);
  }

  /**
   * All values, or those from `start` up to `end`: for plain numbers and bigints without nulls a view of the buffer, else
   * a new array with null for nulls.
   */
  toArray(start = 0, end: number = this.length): ArrayLike<V | null> & Iterable<V | null> {
    if (this.view !== null) return this.view.subarray(start, end) as Values as ValueView<V>;
    const out = arrayOf<V | null>(end - start);
    this.copyTo(out, 0, start, end);
    return out;
  }

  *[Symbol.iterator](): Iterator<V | null> {
    for (let i = 0; i < this.length; i++) yield this.at(i);
  }

  /** The values from `start` up to but not including `end`, over the same buffers. Limits as `Array.prototype.slice`. */
  slice(start = 0, end: number = this.length): this {
    const from = clamp(start, this.length);
    const to = Math.max(from, clamp(end, this.length));
    if (from === 0 && to === this.length) return this;
    return new (this.constructor as ColumnClass)(sliceLayout(this, from, to)) as this;
  }
}

/** A limit as `Array.prototype.slice` takes it, from 0 to `length`. */
export function clamp(index: number, length: number): number {
  return index < 0 ? Math.max(0, length + index) : Math.min(index, length);
}

function sliceLayout(column: Column, start: number, end: number): ColumnLayout {
  const { layout, type, validity } = column;
  const { values, offsets } = layout;
  const length = end - start;
  const firstBit = column.bitOffset + start;
  const bits = (bitmap: Uint8Array): Uint8Array => {
    const firstByte = firstBit >>> 3;
    return bitmap.subarray(firstByte, firstByte + bitmapByteLength((firstBit & 7) + length));
  };
  const sliced: Writable<ColumnLayout> = { ...layout, length, bitOffset: firstBit & 7, validity: null, nullCount: 0 };
  if (validity !== null) {
    sliced.validity = bits(validity);
    sliced.nullCount = -1;
  }
  if (type.kind === 'bool') {
    sliced.values = bits(values as Uint8Array);
  } else if (values) {
    const perValue = wordsPerValue(type, values);
    sliced.values = values.subarray(start * perValue, end * perValue);
  }
  if (offsets) {
    sliced.offsets = offsets.subarray(start, type.kind === 'list-view' || type.kind === 'union' ? end : end + 1);
  }
  if (layout.sizes) sliced.sizes = layout.sizes.subarray(start, end);
  if (type.kind === 'run-end-encoded') sliced.runOffset = (layout.runOffset ?? 0) + start;
  const perRow = rowsPerRow(type);
  if (perRow !== undefined && layout.children) {
    sliced.children = layout.children.map((child) => child.slice(start * perRow, end * perRow));
  }
  return sliced;
}

/** Elements of `values` a value. */
export function wordsPerValue(type: DataType, { BYTES_PER_ELEMENT }: Values): number {
  return (byteWidth(type) ?? 1) / BYTES_PER_ELEMENT;
}
