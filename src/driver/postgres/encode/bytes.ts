import { Offsets } from '../../../arrow/column/offset.ts';
import { Views } from '../../../arrow/column/view.ts';
import type { Column } from '../../../arrow/column.ts';
import { ValueFault } from './fault.ts';
import { type FieldWriter, RowMask } from './field-writer.ts';
import type { Output } from './output.ts';

/** Bytes from which a copy by the engine is faster than one in a loop. */
const longBytes = 96;

/**
 * Text and binary of any layout as they are: whether text is UTF-8 without NUL is checked by the server, which says in which
 * row it is not. Offsets that fall or lie outside of the data are a fault.
 */
export class BytesWriter implements FieldWriter {
  /** Byte before each value: the version of `jsonb`. −1 for none. */
  readonly #prefix: number;
  readonly #mask = new RowMask();
  #data = new Uint8Array(0);
  #view = new DataView(this.#data.buffer);
  #offsets: Offsets | null = null;
  /** Bytes of a fixed-size value; offsets count then. */
  #byteWidth = 0;
  #rows = new Int32Array(0);

  constructor(prefix = -1) {
    this.#prefix = prefix;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    const { layout, type } = column;
    const fixed = type.kind === 'fixed-size-binary';
    this.#data = ((fixed ? layout.values : layout.data) ?? new Uint8Array(0)) as Uint8Array<ArrayBuffer>;
    this.#view = new DataView(this.#data.buffer, this.#data.byteOffset, this.#data.byteLength);
    this.#offsets = layout.offsets === undefined ? null : new Offsets(layout.offsets);
    this.#byteWidth = fixed ? type.byteWidth : 0;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    const masked = this.#mask.apply(rows, count);
    this.#rows = masked as Int32Array<ArrayBuffer>;
    const overhead = this.#prefix < 0 ? 4 : 5;
    const offsets = this.#offsets;
    const limit = this.#data.length;
    for (let i = 0; i < count; i++) {
      const row = masked[i] ?? -1;
      if (row < 0) {
        sizes[i] = (sizes[i] ?? 0) + 4;
        continue;
      }
      const start = offsets === null ? row * this.#byteWidth : offsets.at(row);
      const end = offsets === null ? start + this.#byteWidth : offsets.at(row + 1);
      if (start < 0 || end < start || end > limit) {
        throw new ValueFault(i, `the value is in bytes ${start} to ${end} of ${limit}`);
      }
      sizes[i] = (sizes[i] ?? 0) + overhead + end - start;
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view, bytes } = out;
    const rows = this.#rows;
    const data = this.#data;
    const source = this.#view;
    const prefix = this.#prefix;
    const offsets = this.#offsets;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      let at = positions[i] ?? 0;
      if (row < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      let from = offsets === null ? row * this.#byteWidth : offsets.at(row);
      const end = offsets === null ? from + this.#byteWidth : offsets.at(row + 1);
      view.setInt32(at, end - from + (prefix < 0 ? 0 : 1));
      at += 4;
      if (prefix >= 0) bytes[at++] = prefix;
      if (end - from > longBytes) {
        bytes.set(data.subarray(from, end), at);
        at += end - from;
      } else {
        for (; from + 4 <= end; from += 4, at += 4) view.setInt32(at, source.getInt32(from));
        for (; from < end; from++, at++) bytes[at] = data[from] ?? 0;
      }
      positions[i] = at;
    }
  }

  firstBytes(): Uint8Array | undefined {
    const row = this.#rows[0] ?? -1;
    if (row < 0 || this.#prefix >= 0) return undefined;
    const offsets = this.#offsets;
    const start = offsets === null ? row * this.#byteWidth : offsets.at(row);
    return this.#data.subarray(start, offsets === null ? start + this.#byteWidth : offsets.at(row + 1));
  }
}

/** As {@link BytesWriter}, for the views of `utf8-view` and `binary-view`. */
export class ViewBytesWriter implements FieldWriter {
  readonly #prefix: number;
  readonly #mask = new RowMask();
  #views: Views | null = null;
  #rows = new Int32Array(0);

  constructor(prefix = -1) {
    this.#prefix = prefix;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#views = new Views(column.layout);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    const masked = this.#mask.apply(rows, count);
    this.#rows = masked as Int32Array<ArrayBuffer>;
    const overhead = this.#prefix < 0 ? 4 : 5;
    for (let i = 0; i < count; i++) {
      const row = masked[i] ?? -1;
      const size = row < 0 ? 0 : (this.#views?.size(row) ?? 0);
      sizes[i] = (sizes[i] ?? 0) + (row < 0 ? 4 : overhead + Math.max(0, size));
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view, bytes } = out;
    const prefix = this.#prefix;
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      let at = positions[i] ?? 0;
      const value = row < 0 ? undefined : this.#views?.at(row);
      view.setInt32(at, value === undefined ? -1 : value.length + (prefix < 0 ? 0 : 1));
      at += 4;
      if (value !== undefined) {
        if (prefix >= 0) bytes[at++] = prefix;
        bytes.set(value, at);
        at += value.length;
      }
      positions[i] = at;
    }
  }

  firstBytes(): Uint8Array | undefined {
    const row = this.#rows[0] ?? -1;
    return row < 0 || this.#prefix >= 0 ? undefined : this.#views?.at(row);
  }
}

/** Values whose bytes are made one by one, such as JSON of nested values. What the reader throws as a RangeError is a fault. */
export class MadeBytesWriter implements FieldWriter {
  readonly #prefix: number;
  readonly #makeReader: (column: Column) => (row: number) => Uint8Array;
  readonly #mask = new RowMask();
  #read: (row: number) => Uint8Array = () => new Uint8Array(0);
  #values: (Uint8Array | null)[] = [];

  constructor(makeReader: (column: Column) => (row: number) => Uint8Array, prefix = -1) {
    this.#makeReader = makeReader;
    this.#prefix = prefix;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#read = this.#makeReader(column);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    const masked = this.#mask.apply(rows, count);
    this.#values = [];
    for (let i = 0; i < count; i++) {
      const row = masked[i] ?? -1;
      const value = row < 0 ? null : this.#readAt(row, i);
      this.#values.push(value);
      sizes[i] = (sizes[i] ?? 0) + 4 + (value === null ? 0 : value.length + (this.#prefix < 0 ? 0 : 1));
    }
  }

  write({ view, bytes }: Output, positions: Int32Array, count: number): void {
    const prefix = this.#prefix;
    for (let i = 0; i < count; i++) {
      const value = this.#values[i] ?? null;
      let at = positions[i] ?? 0;
      view.setInt32(at, value === null ? -1 : value.length + (prefix < 0 ? 0 : 1));
      at += 4;
      if (value !== null) {
        if (prefix >= 0) bytes[at++] = prefix;
        bytes.set(value, at);
        at += value.length;
      }
      positions[i] = at;
    }
  }

  #readAt(row: number, index: number): Uint8Array {
    try {
      return this.#read(row);
    } catch (error) {
      throw error instanceof RangeError ? new ValueFault(index, error.message) : error;
    }
  }
}

/** Texts of UUIDs into `uuid`: 32 hexadecimal digits, with a hyphen behind any four or in none, maybe in braces. */
export class UuidTextWriter implements FieldWriter {
  readonly #mask = new RowMask();
  #column: Column | null = null;
  #rows = new Int32Array(0);
  /** 16 bytes a value. */
  #uuids = new Uint8Array(0);

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#column = column;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    if (this.#uuids.length < 16 * count) this.#uuids = new Uint8Array(20 * count);
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      sizes[i] = (sizes[i] ?? 0) + (row < 0 ? 4 : 20);
      if (row < 0) continue;
      const text = String(this.#column?.at(row));
      const digits = uuidPattern.exec(text)?.slice(1).join('');
      if (digits === undefined) throw new ValueFault(i, `${JSON.stringify(text.slice(0, 60))} is no uuid`);
      for (let k = 0; k < 16; k++) this.#uuids[16 * i + k] = Number.parseInt(digits.slice(2 * k, 2 * k + 2), 16);
    }
  }

  write({ view, bytes }: Output, positions: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      const isNull = (this.#rows[i] ?? -1) < 0;
      view.setInt32(at, isNull ? -1 : 16);
      if (!isNull) for (let k = 0; k < 16; k++) bytes[at + 4 + k] = this.#uuids[16 * i + k] ?? 0;
      positions[i] = at + (isNull ? 4 : 20);
    }
  }
}

const uuidPattern = new RegExp(
  `^(?:\\{(?=.*\\}$))?${Array.from({ length: 8 }, () => '([0-9a-f]{4})').join('-?')}\\}?$`,
  'i',
);
