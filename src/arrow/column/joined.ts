import { RecurveError } from '../../error.ts';
import { ChunkedColumn } from '../chunked-column.ts';
import { Column } from '../column.ts';
import type { Field } from '../schema.ts';
import type { DictionaryType } from '../type.ts';

/**
 * Makes one column of the values of several, in order: of the parts of a dictionary, or of none where it has not come.
 * `dictionaryOf` gives the dictionaries inside of a column of no values.
 */
export type JoinColumns = (
  field: Field,
  columns: readonly Column[],
  dictionaryOf: (type: DictionaryType) => Column,
) => Column;

/** The values of several columns of one type, in place: one column without buffers of its own, so that `layout` throws. */
class JoinedColumn extends Column {
  readonly #chunks: ChunkedColumn;

  constructor({ type }: Field, columns: readonly Column[]) {
    const parts = columns.flatMap((column) => (column instanceof JoinedColumn ? column.#chunks.chunks : column));
    const chunks = new ChunkedColumn({ type } as Field, parts);
    super({ type, length: chunks.length, nullCount: chunks.nullCount });
    this.#chunks = chunks;
    Object.defineProperty(this, 'layout', { get: refuseLayout });
  }

  override isValid(index: number): boolean {
    return this.#chunks.isValid(index);
  }

  override get nullCount(): number {
    return this.#chunks.nullCount;
  }

  at(index: number): unknown {
    return this.#chunks.at(index);
  }
}

function refuseLayout(): never {
  throw new RecurveError('NOT_IMPLEMENTED', 'the lean reader joins no buffers of a dictionary that came in parts', {
    hint: "read with 'recurve/arrow'",
  });
}

/** See {@link JoinColumns}; without a copy. */
export function joinInPlace(field: Field, columns: readonly Column[]): Column {
  return columns.length === 1 ? (columns[0] as Column) : new JoinedColumn(field, columns);
}
