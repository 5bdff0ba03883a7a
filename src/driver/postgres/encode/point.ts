import type { Column } from '../../../arrow/column.ts';
import { ValueFault } from './fault.ts';
import { type FieldWriter, measureFixed, RowMask } from './field-writer.ts';
import type { Output } from './output.ts';

/** Structs of `x` and `y` into `point`: two float8 without lengths. Neither may be null. */
export class PointWriter implements FieldWriter {
  readonly #mask = new RowMask();
  readonly #parts: readonly [x: number, y: number];
  #columns: readonly (Column | undefined)[] = [];
  #rows = new Int32Array(0);

  /** Positions of both among the struct's children. */
  constructor(parts: readonly [x: number, y: number]) {
    this.#parts = parts;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#columns = this.#parts.map((part) => column.layout.children?.[part]);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    measureFixed(this.#rows, count, sizes, 16);
    for (const column of this.#columns) {
      if (column === undefined || column.nullCount === 0) continue;
      for (let i = 0; i < count; i++) {
        const row = this.#rows[i] ?? -1;
        if (row >= 0 && !column.isValid(row)) throw new ValueFault(i, 'a point without one of its coordinates is none');
      }
    }
  }

  write({ view }: Output, positions: Int32Array, count: number): void {
    const [x, y] = this.#columns.map((column) => column?.layout.values as Float64Array | undefined);
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      const at = positions[i] ?? 0;
      view.setInt32(at, row < 0 ? -1 : 16);
      positions[i] = at + (row < 0 ? 4 : 20);
      if (row < 0) continue;
      view.setFloat64(at + 4, x?.[row] ?? 0);
      view.setFloat64(at + 12, y?.[row] ?? 0);
    }
  }
}
