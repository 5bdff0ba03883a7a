import { getBit } from '../../../arrow/bitmap.ts';
import type { Column } from '../../../arrow/column.ts';
import { translateFault, ValueFault } from './fault.ts';
import { type FieldWriter, grownLength, RowMask } from './field-writer.ts';
import type { Output } from './output.ts';

/** Names of a range's parts, as results have them: `docs/postgres-types.md`. */
export const rangeParts = ['lower', 'upper', 'lower_inc', 'upper_inc', 'empty'] as const;

const emptyFlag = 0x01;
const inclusiveFlags = [0x02, 0x04] as const;
const infiniteFlags = [0x08, 0x10] as const;

/**
 * Structs of two bounds and three truth values into a range: a byte of flags, then the bounds that are not null, as fields. A null
 * bound is infinite, a null truth value false; an empty range has no bounds.
 */
export class RangeWriter implements FieldWriter {
  readonly #mask = new RowMask();
  readonly #bounds: readonly [Bound, Bound];
  /** Positions of the parts among the struct's children. */
  readonly #parts: readonly number[];
  #truths: readonly (Column | undefined)[] = [];
  #rows = new Int32Array(0);
  #flags = new Uint8Array(0);
  #sizes = new Float64Array(0);

  /** `parts` are the positions of {@link rangeParts} among the children. */
  constructor(parts: readonly number[], lower: FieldWriter, upper: FieldWriter) {
    this.#parts = parts;
    this.#bounds = [new Bound(lower), new Bound(upper)];
  }

  bind(column: Column): void {
    this.#mask.bind(column);
    const [lower, upper, ...truths] = this.#parts.map((part) => column.layout.children?.[part]);
    this.#bounds[0].bind(lower);
    this.#bounds[1].bind(upper);
    this.#truths = truths;
  }

  measure(rows: Int32Array, count: number, sizes: Float64Array): void {
    this.#rows = this.#mask.apply(rows, count) as Int32Array<ArrayBuffer>;
    if (this.#flags.length < count) {
      this.#flags = new Uint8Array(grownLength(count));
      this.#sizes = new Float64Array(this.#flags.length);
    }
    this.#sizes.fill(1, 0, count);
    const [lower, upper] = this.#bounds;
    lower.clear(count);
    upper.clear(count);
    for (let i = 0; i < count; i++) {
      const row = this.#rows[i] ?? -1;
      if (row >= 0) this.#flags[i] = this.#isTrue(2, row) ? emptyFlag : this.#flagsOf(i, row);
    }
    lower.measure(this.#sizes);
    upper.measure(this.#sizes);
    for (let i = 0; i < count; i++) {
      sizes[i] = (sizes[i] ?? 0) + 4 + ((this.#rows[i] ?? -1) < 0 ? 0 : (this.#sizes[i] ?? 0));
    }
  }

  write(out: Output, positions: Int32Array, count: number): void {
    const { view } = out;
    for (let i = 0; i < count; i++) {
      const at = positions[i] ?? 0;
      const isNull = (this.#rows[i] ?? -1) < 0;
      view.setInt32(at, isNull ? -1 : (this.#sizes[i] ?? 0));
      if (!isNull) view.setUint8(at + 4, this.#flags[i] ?? 0);
      positions[i] = at + (isNull ? 4 : 5);
    }
    for (const bound of this.#bounds) bound.write(out, positions, count);
  }

  #flagsOf(index: number, row: number): number {
    let flags = 0;
    for (const side of [0, 1] as const) {
      if (this.#bounds[side].add(index, row)) flags |= this.#isTrue(side, row) ? inclusiveFlags[side] : 0;
      else flags |= infiniteFlags[side];
    }
    return flags;
  }

  #isTrue(truth: number, row: number): boolean {
    const column = this.#truths[truth];
    if (column?.isValid(row) !== true) return false;
    return getBit(column.layout.values as Uint8Array, column.bitOffset + row);
  }
}

/** The bounds of one side that are there: their rows, and which ranges of the block they are of. */
class Bound {
  readonly #writer: FieldWriter;
  #column: Column | undefined;
  #rows = new Int32Array(0);
  #places = new Int32Array(0);
  #sizes = new Float64Array(0);
  #positions = new Int32Array(0);
  #count = 0;

  constructor(writer: FieldWriter) {
    this.#writer = writer;
  }

  bind(column: Column | undefined): void {
    this.#column = column;
    if (column !== undefined) this.#writer.bind(column);
  }

  /** Makes room for up to `count` bounds. */
  clear(count: number): void {
    this.#count = 0;
    if (this.#rows.length >= count) return;
    this.#rows = new Int32Array(grownLength(count));
    this.#places = new Int32Array(this.#rows.length);
    this.#positions = new Int32Array(this.#rows.length);
    this.#sizes = new Float64Array(this.#rows.length);
  }

  /** Adds the bound of range `place`, if it has one. */
  add(place: number, row: number): boolean {
    if (this.#column?.isValid(row) !== true) return false;
    this.#rows[this.#count] = row;
    this.#places[this.#count++] = place;
    return true;
  }

  measure(sizes: Float64Array): void {
    this.#sizes.fill(0, 0, this.#count);
    translateFault(
      () => this.#writer.measure(this.#rows, this.#count, this.#sizes),
      (index) => this.#places[index] ?? 0,
    );
    for (let k = 0; k < this.#count; k++) {
      const place = this.#places[k] ?? 0;
      if (this.#sizes[k] === 4) throw new ValueFault(place, 'a bound of a range is null inside');
      sizes[place] = (sizes[place] ?? 0) + (this.#sizes[k] ?? 0);
    }
  }

  /** Writes those of the first `count` ranges where these go on. */
  write(out: Output, positions: Int32Array, count: number): void {
    let written = 0;
    for (; written < this.#count && (this.#places[written] ?? 0) < count; written++) {
      this.#positions[written] = positions[this.#places[written] ?? 0] ?? 0;
    }
    this.#writer.write(out, this.#positions, written);
    for (let k = 0; k < written; k++) positions[this.#places[k] ?? 0] = this.#positions[k] ?? 0;
  }
}
