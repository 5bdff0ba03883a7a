import type { Column } from '../../../arrow/column.ts';
import { type ElementFields, Elements } from './elements.ts';
import type { FieldWriter } from './field-writer.ts';
import type { Output } from './output.ts';

/** Lists of ranges into a multirange: the number of ranges, and each as a field. */
export class MultirangeWriter implements FieldWriter {
  readonly #ranges: ElementFields;
  readonly #elements = new Elements();

  constructor(ranges: ElementFields) {
    this.#ranges = ranges;
  }

  bind(column: Column): void {
    this.#elements.bind(column);
    this.#ranges.bind(this.#elements.child);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#ranges.measure(this.#elements, this.#elements.expand(rows, count));
    for (let i = 0; i < count; i++) {
      const inner = 4 + this.#ranges.byteLength(this.#elements.start(i), this.#elements.ends[i] ?? 0);
      sizes[i] = (sizes[i] ?? 0) + 4 + ((this.#elements.rows[i] ?? -1) < 0 ? 0 : inner);
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      if ((this.#elements.rows[i] ?? -1) < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const start = this.#elements.start(i);
      const end = this.#elements.ends[i] ?? 0;
      const stop = this.#ranges.place(start, end, at + 8);
      view.setInt32(at, stop - at - 4);
      view.setInt32(at + 4, end - start);
      positions[i] = stop;
    }
    this.#ranges.write(out, this.#elements.start(count));
  }
}
