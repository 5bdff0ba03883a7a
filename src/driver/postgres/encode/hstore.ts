import type { Column } from '../../../arrow/column.ts';
import { type ElementFields, Elements } from './elements.ts';
import { ValueFault } from './fault.ts';
import type { FieldWriter } from './field-writer.ts';
import type { Output } from './output.ts';

/**
 * Maps of text to text into `hstore`: the number of entries, and for each two fields. A key that comes twice is a fault, as the
 * server would keep one of them.
 */
export class HstoreWriter implements FieldWriter {
  readonly #keys: ElementFields;
  readonly #values: ElementFields;
  readonly #elements = new Elements();
  #keyColumn: Column | null = null;

  constructor(keys: ElementFields, values: ElementFields) {
    this.#keys = keys;
    this.#values = values;
  }

  bind(column: Column): void {
    this.#elements.bind(column);
    const [keys, values] = this.#elements.child?.layout.children ?? [];
    this.#keyColumn = keys ?? null;
    this.#keys.bind(keys);
    this.#values.bind(values);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    const total = this.#elements.expand(rows, count);
    this.#keys.measure(this.#elements, total);
    this.#values.measure(this.#elements, total);
    for (let i = 0; i < count; i++) {
      sizes[i] = (sizes[i] ?? 0) + 4;
      if ((this.#elements.rows[i] ?? -1) < 0) continue;
      const start = this.#elements.start(i);
      const end = this.#elements.ends[i] ?? 0;
      this.#checkKeys(i, start, end);
      sizes[i] = (sizes[i] ?? 0) + 4 + this.#keys.byteLength(start, end) + this.#values.byteLength(start, end);
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      if ((this.#elements.rows[i] ?? -1) < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const start = this.#elements.start(i);
      const end = this.#elements.ends[i] ?? 0;
      view.setInt32(at + 4, end - start);
      let next = at + 8;
      for (let k = start; k < end; k++) next = this.#values.place(k, k + 1, this.#keys.place(k, k + 1, next));
      view.setInt32(at, next - at - 4);
      positions[i] = next;
      total = end;
    }
    this.#keys.write(out, total);
    this.#values.write(out, total);
  }

  #checkKeys(index: number, start: number, end: number): void {
    const seen = new Set<unknown>();
    for (let k = start; k < end; k++) {
      const key = this.#keyColumn?.at(this.#elements.at[k] ?? 0);
      if (key === null || seen.has(key)) {
        const shown = JSON.stringify(key);
        throw new ValueFault(
          index,
          `the key ${shown} ${key === null ? 'is no key of' : 'comes twice, but once in'} an hstore`,
        );
      }
      seen.add(key);
    }
  }
}
