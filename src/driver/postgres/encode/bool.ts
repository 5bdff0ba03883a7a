import { getBit } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import { type FieldWriter, measureFixed, RowMask } from './field-writer.ts';
import type { Output } from './output.ts';

/** `bool`: a byte of 0 or 1. */
export class BoolWriter implements FieldWriter {
  readonly #mask = new RowMask();
  #bits = new Uint8Array(0);
  #bitOffset = 0;
  #rows = new Int32Array(0);

  bind(column: Column): void {
    this.#mask.bind(column);
    this.#bits = column.layout.values as Uint8Array<ArrayBuffer>;
    this.#bitOffset = column.bitOffset;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    measureFixed(this.#rows, count, sizes, 1);
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    const rows = this.#rows;
    const bits = this.#bits;
    const bitOffset = this.#bitOffset;
    for (let i = 0; i < count; i++) {
      const row = rows[i] ?? -1;
      const at = positions[i] ?? 0;
      if (row < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
      } else {
        view.setInt32(at, 1);
        view.setUint8(at + 4, getBit(bits, bitOffset + row) ? 1 : 0);
        positions[i] = at + 5;
      }
    }
  }
}
