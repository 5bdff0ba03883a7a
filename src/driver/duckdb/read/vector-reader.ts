import type { Column } from '../../../arrow/column.ts';
import type { Field } from '../../../arrow/schema.ts';
import { RecurveError } from '../../../error.ts';
import type { Binding } from '../binding.ts';
import type { NativeVector } from './native.ts';
import type { Scrap } from './scrap.ts';

/**
 * Turns the vectors of one column, chunk after chunk, into one Arrow column a batch. Rows of a vector are first loaded,
 * then appended in ranges, so that a batch may end inside a chunk.
 */
export interface VectorReader {
  /**
   * Copies what a vector holds for its first `rowCount` rows. Rows whose bit in `parents` is 0 lie under a null and are
   * null here too: DuckDB leaves anything in them, pointers included. The chunk must be kept until its last `append`.
   */
  load(vector: NativeVector, rowCount: number, parents: Uint8Array | null): void;
  /** Bytes of Arrow buffers that rows `start` up to `end` of the loaded vector take. */
  measure(start: number, end: number): number;
  /** Adds rows `start` up to `end` of the loaded vector to the column. Ranges may come in any order and repeat. */
  append(start: number, end: number): void;
  /** The column of what was appended; the reader starts an empty one, expected to become `growth` times as large. */
  finish(growth: number): Column;
}

/** What every reader of a column knows. */
export interface ReaderContext {
  readonly binding: Binding;
  readonly field: Field;
  /** The column as an error names it: the names from the top, joined by dots. */
  readonly path: string;
  /** Takes copies that are read as long as their chunk is. */
  readonly chunkScrap: Scrap;
  /** Takes copies that are read no longer than `append`. */
  readonly runScrap: Scrap;
}

/** A copy of the first `byteLength` bytes of a vector's data, aligned to 4. */
export function readData(context: ReaderContext, vector: NativeVector, byteLength: number): Uint8Array {
  const data = context.binding.vector_get_data(vector, byteLength);
  context.chunkScrap.add(data);
  return (data.byteOffset & 3) === 0 ? data : new Uint8Array(data);
}

/** An error of status INVALID_DATA for a value that its Arrow type cannot hold. */
export function unrepresentable(path: string, value: string, reason: string, cast = 'VARCHAR'): RecurveError {
  return new RecurveError('INVALID_DATA', `column ${JSON.stringify(path)}: ${value} ${reason}`, {
    hint: `cast the column to ${cast}, or filter the value out`,
  });
}
