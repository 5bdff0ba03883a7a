import type { Column } from '../../../arrow/column.ts';
import { type ElementFields, Elements } from './elements.ts';
import { translateFault, ValueFault } from './fault.ts';
import type { FieldWriter } from './field-writer.ts';
import type { Output } from './output.ts';

/** PostgreSQL's most dimensions of an array. */
export const maxDimensions = 6;

/**
 * Lists into an array: nested ones are its dimensions, and must be rectangular then, as PostgreSQL has no other. Lower bounds
 * are 1. An empty list is an array without dimensions; one of empty lists is a fault, as PostgreSQL cannot tell it from that.
 */
export class ArrayWriter implements FieldWriter {
  readonly #elementOid: number;
  /** A level a dimension, outermost first. */
  readonly #levels: readonly Elements[];
  readonly #fields: ElementFields;
  #count = 0;
  #nulls = new Uint8Array(0);

  /** `elements` writes what the innermost lists hold. */
  constructor(elementOid: number, dimensions: number, fields: ElementFields) {
    this.#elementOid = elementOid;
    this.#levels = Array.from({ length: dimensions }, () => new Elements());
    this.#fields = fields;
  }

  bind(column: Column): void {
    let child: Column | undefined = column;
    for (const level of this.#levels) {
      if (child === undefined) return;
      level.bind(child);
      child = level.child;
    }
    this.#fields.bind(child);
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#count = count;
    let lists = rows;
    let total = count;
    for (const [depth, level] of this.#levels.entries()) {
      const given = total;
      translateFault(
        () => {
          total = level.expand(lists, given);
        },
        (index) => this.#rowOf(depth, index),
      );
      lists = level.at;
      if (depth > 0) this.#checkRectangle(depth, count);
    }
    const innermost = this.#levels.at(-1);
    if (innermost === undefined) return;
    translateFault(
      () => this.#fields.measure(innermost, total),
      (index) => this.#rowOf(this.#levels.length - 1, index),
    );
    if (this.#nulls.length < count) this.#nulls = new Uint8Array(count + 64);
    const [outer] = this.#levels;
    for (let i = 0; i < count; i++) {
      if ((outer?.rows[i] ?? -1) < 0) {
        sizes[i] = (sizes[i] ?? 0) + 4;
        continue;
      }
      const start = this.#leafAt(i);
      const end = this.#leafAt(i + 1);
      const empty = start === end;
      if (empty && this.#length(0, i) > 0) {
        throw new ValueFault(i, 'a list of empty lists is no array: PostgreSQL keeps no dimensions without elements');
      }
      sizes[i] = (sizes[i] ?? 0) + 16 + (empty ? 0 : 8 * this.#levels.length) + this.#fields.byteLength(start, end);
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    const [outer] = this.#levels;
    const innermost = this.#levels.at(-1);
    let total = 0;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      if ((outer?.rows[i] ?? -1) < 0) {
        view.setInt32(at, -1);
        positions[i] = at + 4;
        continue;
      }
      const start = this.#leafAt(i);
      const end = this.#leafAt(i + 1);
      const dimensions = start === end ? 0 : this.#levels.length;
      let next = at + 16;
      let first = i;
      for (let depth = 0; depth < dimensions; depth++, next += 8) {
        view.setInt32(next, this.#length(depth, first));
        view.setInt32(next + 4, 1);
        first = this.#start(depth, first);
      }
      view.setInt32(at + 4, dimensions);
      // PostgreSQL finds out by itself whether there are nulls.
      view.setInt32(at + 8, 0);
      view.setUint32(at + 12, this.#elementOid);
      const stop = this.#fields.place(start, end, next);
      view.setInt32(at, stop - at - 4);
      positions[i] = stop;
      total = end;
    }
    if (innermost !== undefined) this.#fields.write(out, total);
  }

  #start(depth: number, list: number): number {
    return list === 0 ? 0 : (this.#levels[depth]?.ends[list - 1] ?? 0);
  }

  #length(depth: number, list: number): number {
    return (this.#levels[depth]?.ends[list] ?? 0) - this.#start(depth, list);
  }

  /** Where the innermost elements of row `index` start, which is where those of the row before end. */
  #leafAt(index: number): number {
    let start = index;
    for (let depth = 0; depth < this.#levels.length; depth++) start = this.#start(depth, start);
    return start;
  }

  /** The row that a list of level `depth` is in. */
  #rowOf(depth: number, list: number): number {
    let row = list;
    for (let level = depth - 1; level >= 0; level--) row = this.#levels[level]?.listOf(row) ?? row;
    return Math.min(row, this.#count - 1);
  }

  /** All lists of level `depth` within a row are as long as its first, and none is null. */
  #checkRectangle(depth: number, count: number): void {
    const level = this.#levels[depth];
    for (let row = 0, list = 0; row < count; row++) {
      let end = row + 1;
      for (let outer = 0; outer < depth; outer++) end = this.#start(outer, end);
      const expected = this.#length(depth, list);
      for (; list < end; list++) {
        const length = this.#length(depth, list);
        if ((level?.rows[list] ?? -1) < 0) throw new ValueFault(row, 'a null among nested lists is no array');
        if (length !== expected) {
          throw new ValueFault(
            row,
            `nested lists of ${expected} and of ${length} values are not rectangular, as arrays are`,
          );
        }
      }
    }
  }
}
