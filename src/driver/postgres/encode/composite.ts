import type { Column } from '../../../arrow/column.ts';
import { translateFault } from './fault.ts';
import { type FieldWriter, grownLength, RowMask } from './field-writer.ts';
import type { Output } from './output.ts';

/** A member of a composite type. */
export interface CompositeMember {
  readonly oid: number;
  /** Position of the child that it comes from; undefined where it stays null. */
  readonly child: number | undefined;
  readonly writer: FieldWriter;
}

/** Structs into a composite type: the number of its members, and for each its OID and a field. */
export class CompositeWriter implements FieldWriter {
  readonly #members: readonly CompositeMember[];
  readonly #mask = new RowMask();
  /** Of the structs that are not null, one behind the other: their rows, where they stand in the block, their members' bytes. */
  #rows = new Int32Array(0);
  #places = new Int32Array(0);
  #sizes = new Float64Array(0);
  #positions = new Int32Array(0);
  #count = 0;

  constructor(members: readonly CompositeMember[]) {
    this.#members = members;
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    for (const { child, writer } of this.#members) {
      const values = child === undefined ? undefined : column.layout.children?.[child];
      if (values !== undefined) writer.bind(values);
    }
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    const masked = this.#mask.apply(rows, count);
    if (this.#rows.length < count) {
      this.#rows = new Int32Array(grownLength(count));
      this.#places = new Int32Array(this.#rows.length);
      this.#positions = new Int32Array(this.#rows.length);
      this.#sizes = new Float64Array(this.#rows.length);
    }
    let present = 0;
    for (let i = 0; i < count; i++) {
      const row = masked[i] ?? -1;
      sizes[i] = (sizes[i] ?? 0) + 4;
      if (row < 0) continue;
      this.#rows[present] = row;
      this.#places[present++] = i;
    }
    this.#count = present;
    const inner = this.#sizes.fill(4 + 4 * this.#members.length, 0, present);
    translateFault(
      () => {
        for (const { writer } of this.#members) writer.measure(this.#rows, present, inner);
      },
      (index) => this.#places[index] ?? 0,
    );
    for (let k = 0; k < present; k++) {
      const i = this.#places[k] ?? 0;
      sizes[i] = (sizes[i] ?? 0) + (inner[k] ?? 0);
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    const inner = this.#positions;
    let present = 0;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      if (present === this.#count || this.#places[present] !== i) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const size = this.#sizes[present] ?? 0;
      view.setInt32(at, size);
      view.setInt32(at + 4, this.#members.length);
      inner[present++] = at + 8;
      positions[i] = at + 4 + size;
    }
    for (const { oid, writer } of this.#members) {
      for (let k = 0; k < present; k++) {
        const at = inner[k] ?? 0;
        view.setUint32(at, oid);
        inner[k] = at + 4;
      }
      writer.write(out, inner, present);
    }
  }
}
