import type { Column } from '../../../arrow/column.ts';
import type { ColumnDecoder } from './column-decoder.ts';
import type { Source } from './source.ts';

/** That memory is made for before there are any. */
const mostExpectedValues = 1 << 20;

/** The values inside of nested ones: found one by one, then decoded together. */
export class Child {
  readonly decoder: ColumnDecoder;
  readonly #path: string;
  #places: Int32Array = new Int32Array(256);
  #count = 0;
  #nullCount = 0;
  /** Values decoded. */
  length = 0;
  #perRow = 1;

  constructor(decoder: ColumnDecoder, path: string) {
    this.decoder = decoder;
    this.#path = path;
  }

  /** Values, found or decoded. */
  get total(): number {
    return this.length + this.#count;
  }

  addNull(): void {
    this.#nullCount++;
    this.#push(0);
  }

  /**
   * Adds the field whose length stands at `at`; gives where it ends. Throws INVALID_DATA where that is past `end` or its width
   * is not the type's.
   */
  add(source: Source, at: number, end: number): number {
    if (end - at < 4) throw source.fault(this.#path, at, 'a value that ends before its length');
    const length = source.view.getInt32(at);
    const place = at + 4;
    if (length === -1) {
      this.addNull();
      return place;
    }
    if (length < 0 || length > end - place) {
      throw source.fault(this.#path, at, `a value of ${length} bytes, of the field ${end - place} are left`);
    }
    const { width } = this.decoder;
    if (width !== 0 && length !== width) {
      throw source.fault(this.#path, at, `a value of ${length} bytes, its type has ${width}`);
    }
    this.#push(place);
    return place + length;
  }

  /** Adds a value of fixed width that has no length before it. */
  addAt(place: number): void {
    this.#push(place);
  }

  /** Decodes what was found. */
  flush(source: Source): void {
    if (this.#count === 0) return;
    this.decoder.append(source, this.#places, 0, this.#count, this.#nullCount);
    this.length += this.#count;
    this.#count = 0;
    this.#nullCount = 0;
  }

  /** Makes ready for the values of `rowCount` rows, if each holds as many as those of the batch before. */
  begin(rowCount: number): void {
    this.decoder.begin(Math.min(mostExpectedValues, Math.ceil(rowCount * this.#perRow)));
  }

  /** The values of `rowCount` rows. */
  finish(rowCount: number): Column {
    if (rowCount > 0) this.#perRow = this.length / rowCount;
    this.length = 0;
    return this.decoder.finish();
  }

  #push(place: number): void {
    if (this.#count === this.#places.length) {
      const grown = new Int32Array(this.#count * 2);
      grown.set(this.#places);
      this.#places = grown;
    }
    this.#places[this.#count++] = place;
  }
}
