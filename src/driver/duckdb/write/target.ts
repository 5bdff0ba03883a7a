import type { Column } from '../../../arrow/column.ts';
import type { Field } from '../../../arrow/schema.ts';
import type { Binding } from '../binding.ts';
import type { NativeVector } from '../read/native.ts';

/** Writes a column into a vector from its first row on; a row without a bit in `mask` is null. */
export type WriteColumn = (
  target: WriteTarget,
  vector: NativeVector,
  field: Field,
  column: Column,
  mask: Uint8Array | null,
) => void;

/** Where a column is written: the bindings, and what it is called in errors. */
export interface WriteTarget {
  readonly binding: Binding;
  readonly path: string;
  /** Writes the children. */
  readonly write: WriteColumn;
}
