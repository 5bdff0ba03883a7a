import type { Column } from '../../../arrow/column.ts';
import { Elements } from './elements.ts';
import { ValueFault } from './fault.ts';
import type { FieldWriter } from './field-writer.ts';
import type { Output } from './output.ts';

/** Lists of float32 into `vector` of pgvector: the number of elements, a zero, and the elements without lengths. */
export class VectorWriter implements FieldWriter {
  readonly #elements = new Elements();
  #values = new Float32Array(0);

  bind(column: Column): void {
    this.#elements.bind(column);
    this.#values = this.#elements.child?.layout.values as Float32Array<ArrayBuffer>;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    const total = this.#elements.expand(rows, count);
    const child = this.#elements.child;
    for (let k = 0; k < total; k++) {
      if (child?.isValid(this.#elements.at[k] ?? 0) !== true)
        throw new ValueFault(this.#elements.listOf(k), 'a vector has no null among its elements');
    }
    for (let i = 0; i < count; i++) {
      const isNull = (this.#elements.rows[i] ?? -1) < 0;
      const length = (this.#elements.ends[i] ?? 0) - this.#elements.start(i);
      if (length > 16_000) throw new ValueFault(i, `${length} elements are more than the 16000 of a vector`);
      sizes[i] = (sizes[i] ?? 0) + (isNull ? 4 : 8 + 4 * length);
    }
  }

  write({ view }: Output, positions: Int32Array, count: number): void {
    for (let i = 0; i < count; i++) {
      let at = positions[i] ?? 0;
      if ((this.#elements.rows[i] ?? -1) < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const start = this.#elements.start(i);
      const end = this.#elements.ends[i] ?? 0;
      view.setInt32(at, 4 + 4 * (end - start));
      view.setInt16(at + 4, end - start);
      view.setInt16(at + 6, 0);
      at += 8;
      for (let k = start; k < end; k++, at += 4) view.setFloat32(at, this.#values[this.#elements.at[k] ?? 0] ?? 0);
      positions[i] = at;
    }
  }
}
