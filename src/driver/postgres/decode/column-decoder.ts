import type { Column } from '../../../arrow/column.ts';
import type { Field } from '../../../arrow/schema.ts';
import type { Source } from './source.ts';

/**
 * Turns values of one column from PostgreSQL's form into Arrow's, a block of rows at a time. It reads bytes only inside of
 * the fields that it is given, and keeps none of them.
 */
export interface ColumnDecoder {
  /** Bytes of every value; 0 where they differ. Whoever finds the fields checks it. */
  readonly width: number;
  /** Bytes of its Arrow buffers so far. */
  readonly byteLength: number;
  /** Makes ready for a batch of about so many rows. */
  begin(rowCount: number): void;
  /**
   * Adds `count` values: `places[first]` and those behind are where they start, behind their length of four bytes; 0 is NULL,
   * as `nullCount` of them are. What a value of its type cannot be is INVALID_DATA.
   */
  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void;
  /** The column so far; the decoder is empty again. */
  finish(): Column;
}

/** What every decoder is made with. */
export interface DecoderContext {
  readonly field: Field;
  /** The names that lead to the column, joined: for errors. */
  readonly path: string;
}
