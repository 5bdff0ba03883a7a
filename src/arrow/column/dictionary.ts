import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';

/** Indices into a dictionary. `at` gives the dictionary's value, made once and then kept. */
export class DictionaryColumn extends Column {
  /** Positions in `dictionary`. */
  readonly indices: ArrayLike<number | bigint>;
  readonly dictionary: Column;
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
    return this.#decoded[Number(this.indices[index])] ?? null;
  }
  override copyTo(out: unknown[], place = 0, start = 0, end: number = this.length): void {
    const { indices, validity, bitOffset } = this;
    this.#decoded ??= decodeDictionary(this.dictionary);
    const decoded = this.#decoded;
    for (let i = start; i < end; i++) {
      const valid = validity === null || getBit(validity, bitOffset + i);
      out[place++] = valid ? (decoded[Number(indices[i])] ?? null) : null;
    }
  }
}

const decodedDictionaries = new WeakMap<Column, ArrayLike<unknown>>();

function decodeDictionary(dictionary: Column): ArrayLike<unknown> {
  const known = decodedDictionaries.get(dictionary);
  if (known !== undefined) return known;
  const decoded = dictionary.toArray();
  decodedDictionaries.set(dictionary, decoded);
  return decoded;
}
