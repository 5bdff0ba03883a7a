import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { Field } from '../../../arrow/schema.ts';
import type { ListType } from '../../../arrow/type.ts';
import type { Child } from './child.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { OffsetMemory } from './offset-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** What an array must be. */
export interface ArrayShape {
  readonly dimensions: number;
  /** OID of the elements. */
  readonly element: number;
  /** The lower bound that all arrays of the type have. */
  readonly lowerBound: 0 | 1;
  /** Whether another lower bound is dropped, not an error. */
  readonly dropBounds: boolean;
}

/** MAXDIM of PostgreSQL. */
const maxDimensions = 6;

/**
 * Arrays as lists, one in the other by dimensions (utils/adt/arrayfuncs.c, `array_send`): int32 dimensions, int32 whether
 * there are NULLs, OID of the elements, an int32 length and an int32 lower bound a dimension, then fields.
 */
export class ArrayDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #shape: ArrayShape;
  readonly #child: Child;
  readonly #validity: Validity = new Validity();
  /** One a dimension, the outermost first. */
  readonly #offsets: readonly OffsetMemory[];
  /** Lists so far of each dimension but the first. */
  readonly #counts: number[];

  constructor(context: DecoderContext, child: Child, shape: ArrayShape) {
    this.#context = context;
    this.#child = child;
    this.#shape = shape;
    this.#offsets = Array.from({ length: shape.dimensions }, () => new OffsetMemory());
    this.#counts = new Array<number>(shape.dimensions).fill(0);
  }

  get byteLength(): number {
    let byteLength = this.#validity.byteLength + this.#child.decoder.byteLength;
    for (const offsets of this.#offsets) byteLength += offsets.byteLength;
    return byteLength;
  }

  begin(rowCount: number): void {
    this.#offsets[0]?.expect(rowCount);
    this.#child.begin(rowCount);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place === 0) this.#endList(0);
      else this.#find(source, place);
    }
    this.#validity.append(places, first, count, nullCount);
    this.#child.flush(source);
  }

  finish(): Column {
    const { field } = this.#context;
    const children = [this.#finishLevel(1, field)];
    const offsets = this.#takeOffsets(0);
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), offsets, children });
  }

  /** The column inside of the lists of `level - 1`. */
  #finishLevel(level: number, parent: Field): Column {
    if (level === this.#shape.dimensions) return this.#child.finish(this.#validity.length);
    const field = (parent.type as ListType).child;
    const children = [this.#finishLevel(level + 1, field)];
    const offsets = this.#takeOffsets(level);
    return makeColumn(field, { type: field.type, length: offsets.length - 1, nullCount: 0, offsets, children });
  }

  #takeOffsets(level: number): Int32Array {
    this.#counts[level] = 0;
    return this.#offsets[level]?.take() ?? new Int32Array(1);
  }

  #find(source: Source, place: number): void {
    const { view } = source;
    const { path } = this.#context;
    const end = place + view.getInt32(place - 4);
    if (end - place < 12) throw source.fault(path, place, `an array of ${end - place} bytes`);
    const dimensions = view.getInt32(place);
    if (dimensions < 0 || dimensions > maxDimensions || end - place < 12 + 8 * dimensions) {
      throw source.fault(path, place, `an array of ${dimensions} dimensions in ${end - place} bytes`);
    }
    const element = view.getUint32(place + 8);
    if (element !== this.#shape.element) {
      throw source.fault(path, place, `an array of type ${element}, not ${this.#shape.element}`);
    }
    let at = place + 12 + 8 * dimensions;
    if (dimensions > 0) {
      this.#checkShape(source, place, dimensions, end - at);
      at = this.#findItems(source, place + 12, 0, at, end);
    }
    this.#endList(0);
    if (at !== end) throw source.fault(path, at, `${end - at} bytes behind an array`);
  }

  #checkShape(source: Source, place: number, dimensions: number, byteLength: number): void {
    const { view } = source;
    const { path } = this.#context;
    const shape = this.#shape;
    if (dimensions !== shape.dimensions) {
      throw source.fault(
        path,
        place,
        `an array of ${dimensions} dimensions in a column of ${shape.dimensions}`,
        `set the option arrayDimensions to ${dimensions}, or arrays to text`,
      );
    }
    let items = 1;
    for (let i = 0; i < dimensions; i++) {
      const length = view.getInt32(place + 12 + 8 * i);
      items *= length;
      if (length < 0 || items > byteLength / 4) {
        throw source.fault(
          path,
          place,
          `an array whose dimension ${i + 1} has ${length} elements, in ${byteLength} bytes`,
        );
      }
      const lowerBound = view.getInt32(place + 16 + 8 * i);
      if (lowerBound !== shape.lowerBound && !shape.dropBounds) {
        const hint = 'set the option arrayBounds to drop, or arrays to text';
        throw source.fault(path, place, `an array whose first index is ${lowerBound}: Arrow's lists have none`, hint);
      }
    }
  }

  /** Finds what the lists of `level` hold, the lengths at `lengths` on; gives where the elements end. */
  #findItems(source: Source, lengths: number, level: number, start: number, end: number): number {
    const length = source.view.getInt32(lengths + 8 * level);
    let at = start;
    if (level === this.#shape.dimensions - 1) {
      for (let i = 0; i < length; i++) at = this.#child.add(source, at, end);
      return at;
    }
    for (let i = 0; i < length; i++) {
      at = this.#findItems(source, lengths, level + 1, at, end);
      this.#endList(level + 1);
    }
    return at;
  }

  /** Ends a list of `level` where what is inside of it ends. */
  #endList(level: number): void {
    const offsets = this.#offsets[level];
    if (offsets === undefined) return;
    const at = offsets.extend(1);
    offsets.words[at] = level === this.#shape.dimensions - 1 ? this.#child.total : (this.#counts[level + 1] ?? 0);
    this.#counts[level] = (this.#counts[level] ?? 0) + 1;
  }
}
