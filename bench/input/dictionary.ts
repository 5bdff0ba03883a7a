/** One batch of a dictionary column, in buffers of its own. */
export interface DictionaryPart {
  readonly indices: Int32Array;
  readonly offsets: Int32Array;
  readonly data: Uint8Array;
}

/** What {@link makeDictionaryParts} makes. */
export interface DictionaryShape {
  readonly batches: number;
  readonly rows: number;
  readonly strings: number;
}

/** The measured batches, and those that show in a second that all works. */
export const wholeDictionary: DictionaryShape = { batches: 1000, rows: 2048, strings: 10_000 };
export const quickDictionary: DictionaryShape = { batches: 20, rows: 2048, strings: 1000 };

const STRING_BYTES = 21;

/**
 * Batches whose dictionaries are made anew for each: of the same strings, or of `growth` more in each batch. Strings have 21
 * bytes, indices 32 bits. Always the same bytes, no two batches with a buffer in common.
 */
export function makeDictionaryParts({ batches, rows, strings }: DictionaryShape, growth: number): DictionaryPart[] {
  const count = strings + growth * (batches - 1);
  const text = Array.from({ length: count }, (_, i) => `string ${i}`.padEnd(STRING_BYTES, '.')).join('');
  const data = new TextEncoder().encode(text);
  const offsets = Int32Array.from({ length: count + 1 }, (_, i) => i * STRING_BYTES);
  return Array.from({ length: batches }, (_, batch) => {
    const length = strings + growth * batch;
    return {
      indices: Int32Array.from({ length: rows }, (_, i) => (i * 7919 + batch) % length),
      offsets: offsets.slice(0, length + 1),
      data: data.slice(0, length * STRING_BYTES),
    };
  });
}
