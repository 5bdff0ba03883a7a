import type { Column } from '../../../arrow/column.ts';
import type { FieldWriter } from './field-writer.ts';
import type { Output } from './output.ts';

/** Nulls of any PostgreSQL type. */
export class NullWriter implements FieldWriter {
  bind(_column: Column): void {}

  measure(_rows: Int32Array, count: number, sizes: Float64Array): void {
    for (let i = 0; i < count; i++) sizes[i] = (sizes[i] ?? 0) + 4;
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      view.setInt32(at, -1);
      positions[i] = at + 4;
    }
  }
}
