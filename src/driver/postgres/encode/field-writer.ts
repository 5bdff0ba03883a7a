import { getBit } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Output } from './output.ts';

/**
 * Writes the values of one column as fields: an int32 of the length, −1 for null, and the value in the binary form of its
 * PostgreSQL type. Column by column for a run of rows, so that each loop is of one type: first the lengths of all columns,
 * which say where each row starts, then the bytes.
 *
 * Rows are positions in the column, in any order, −1 for null: so dictionaries, runs and lists lead to the writer of
 * their values without a copy of these.
 */
export interface FieldWriter {
  /** Takes a column of the type that the writer was made for. */
  bind(column: Column): void;
  /**
   * Adds the bytes of the fields of the first `count` of `rows` to `sizes`. Keeps `rows`, which must stay as they are until
   * `write`. Throws a {@link ValueFault}.
   */
  measure(rows: Int32Array, count: number, sizes: Float64Array): void;
  /** Writes the first `count` fields of those that were measured last, each at its position, which then lies behind it. */
  write(out: Output, positions: Int32Array, count: number): void;
  /** The first value of those that were measured last, where its bytes are those of the column; it is not null. */
  firstBytes?(): Uint8Array | undefined;
}

/** `rows` with −1 for those that are null in a column: itself where there are none, else in `scratch`, grown. */
export class RowMask {
  #validity: Uint8Array | null = null;
  #bitOffset = 0;
  #rows = new Int32Array(0);

  bind(column: Column): void {
    this.#validity = column.validity;
    this.#bitOffset = column.bitOffset;
  }

  apply(rows: Int32Array, count: number): Int32Array {
    const validity = this.#validity;
    if (validity === null) return rows;
    if (this.#rows.length < count) this.#rows = new Int32Array(grownLength(count));
    const masked = this.#rows;
    const bitOffset = this.#bitOffset;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      masked[i] = row >= 0 && getBit(validity, bitOffset + row) ? row : -1;
    }
    return masked;
  }
}

/** Length of an array that is to hold `count` and a little more. */
export function grownLength(count: number): number {
  return count + (count >>> 2) + 16;
}

/** Adds to `sizes` fields of one width, null being the length alone. */
export function measureFixed(rows: Int32Array, count: number, sizes: Float64Array, width: number): void {
  const size = 4 + width;
  for (let i = 0; i < count; i++) sizes[i] = (sizes[i] ?? 0) + ((rows[i] ?? -1) < 0 ? 4 : size);
}

/** The 32-bit words of a column's values, low word first. */
export function wordsOf(column: Column): Int32Array {
  const { values } = column.layout;
  if (values === undefined) return new Int32Array(0);
  if ((values.byteOffset & 3) === 0) {
    return new Int32Array(values.buffer, values.byteOffset, values.byteLength >>> 2);
  }
  // Intervals come as bytes, which may stand anywhere.
  return new Int32Array(new Uint8Array(values.buffer, values.byteOffset, values.byteLength).slice().buffer);
}
