import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';

/** Indices into a dictionary. `at` gives the dictionary's value, made once and then kept. */
export class DictionaryColumn extends Column {
  /** Positions in `dictionary`. */
  declare readonly indices: ArrayLike<number | bigint>;
  declare readonly dictionary: Column;
  #decoded: ArrayLike<unknown> | null = null;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.indices = layout.values as ArrayLike<number | bigint>;
    if (layout.dictionary === undefined) throw new TypeError('a dictionary column needs a dictionary');
    this.dictionary = layout.dictionary;
  }
  at(index: number): unknown {
    if (!this.isValid(index)) return null;
    this.#decoded ??= decodeDictionary(this.dictionary);
    const position = Number(this.indices[index]);
    return position < this.dictionary.length ? (this.#decoded[position] ?? null) : null;
  }
  override copyTo(out: unknown[], place = 0, start = 0, end: number = this.length): void {
    const { indices, validity, bitOffset } = this;
    const { length } = this.dictionary;
    this.#decoded ??= decodeDictionary(this.dictionary);
    const decoded = this.#decoded;
    for (let i = start; i < end; i++) {
      const position = Number(indices[i]);
      const valid = position < length && (validity === null || getBit(validity, bitOffset + i));
      out[place++] = valid ? (decoded[position] ?? null) : null;
    }
  }
}

/**
 * The values of dictionaries as JavaScript has them. Those that one grew into share one array, which is filled as far as
 * one of them was read: each value is made once, however often its dictionary grows.
 */
const decodedDictionaries = new WeakMap<Column, ArrayLike<unknown>>();

function decodeDictionary(dictionary: Column): ArrayLike<unknown> {
  let decoded = decodedDictionaries.get(dictionary);
  if (decoded === undefined) {
    decoded = dictionary.toArray();
    decodedDictionaries.set(dictionary, decoded);
  } else if (decoded.length < dictionary.length) {
    dictionary.copyTo(decoded as unknown[], decoded.length, decoded.length);
  }
  return decoded;
}

/** Notes that `column` begins with all the values of `base`, which must not have grown into another column. */
export function noteGrowth(column: Column, base: Column): void {
  const known = decodedDictionaries.get(base);
  const decoded = Array.isArray(known) ? known : Array.from(known ?? []);
  decodedDictionaries.set(base, decoded);
  decodedDictionaries.set(column, decoded);
}

/** Whether `column` grew out of `base`, or is the same. */
export function isGrowth(column: Column, base: Column): boolean {
  if (column === base) return true;
  const decoded = decodedDictionaries.get(base);
  return decoded !== undefined && decoded === decodedDictionaries.get(column) && column.length >= base.length;
}
