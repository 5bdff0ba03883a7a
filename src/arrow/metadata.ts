import { decodeUtf8 } from '#platform';

/**
 * The `custom_metadata` of a schema, field, message or footer: a list of pairs, not a map. Order and repeated keys are
 * kept; keys and values may be empty, hold NULs or be no UTF-8 (Schema.fbs, `KeyValue`).
 *
 * What was read is the message's own bytes, which stay in memory as long as this does: they become text when they are
 * asked for as text, and are written again as they were.
 */
export class Metadata implements Iterable<readonly [key: string, value: string]> {
  static readonly empty: Metadata = new Metadata([]);
  readonly #entries: ReadonlyArray<MetadataEntry>;
  #texts: ReadonlyArray<readonly [string, string]> | null = null;

  /** Keys and values are text, or bytes, which are not copied. */
  constructor(entries: Iterable<MetadataEntry>) {
    this.#entries = [...entries];
  }

  /** Takes what a user may write: a `Metadata`, an object, a `Map` or a list of pairs. */
  static from(input: MetadataInput | undefined): Metadata {
    if (input === undefined) return Metadata.empty;
    if (input instanceof Metadata) return input;
    return new Metadata(Symbol.iterator in input ? input : Object.entries(input));
  }

  get size(): number {
    return this.#entries.length;
  }

  /** The value of the first pair with this key. Bytes that are not UTF-8 come out as U+FFFD. */
  get(key: string): string | undefined {
    return this.#pairs.find((entry) => entry[0] === key)?.[1];
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  /** Calls `visit` with each pair as UTF-8 bytes, in order. What was read is not copied: the bytes must not be changed. */
  forEachBytes(visit: (key: Uint8Array, value: Uint8Array) => void): void {
    for (const [key, value] of this.#entries) visit(bytesOf(key), bytesOf(value));
  }

  /** These pairs and then those of `other`. */
  concat(other: Metadata): Metadata {
    return new Metadata([...this.#entries, ...other.#entries]);
  }

  [Symbol.iterator](): Iterator<readonly [key: string, value: string]> {
    return this.#pairs[Symbol.iterator]();
  }

  /** Whether the pairs are the same bytes in the same order. */
  equals(other: Metadata): boolean {
    // One of a second copy of this library keeps its entries to itself.
    const entries = Metadata.from(other).#entries;
    return (
      this.size === other.size &&
      this.#entries.every(([key, value], i) => {
        const entry = entries[i];
        return entry !== undefined && equalTexts(key, entry[0]) && equalTexts(value, entry[1]);
      })
    );
  }

  get #pairs(): ReadonlyArray<readonly [string, string]> {
    this.#texts ??= this.#entries.map(([key, value]) => [textOf(key), textOf(value)] as const);
    return this.#texts;
  }
}

/** A pair of {@link Metadata}. */
export type MetadataEntry = readonly [key: string | Uint8Array, value: string | Uint8Array];

/** See {@link Metadata.from}. */
export type MetadataInput = Iterable<MetadataEntry> | Readonly<Record<string, string | Uint8Array>>;

const encoder = new TextEncoder();

function bytesOf(text: string | Uint8Array): Uint8Array {
  return typeof text === 'string' ? encoder.encode(text) : text;
}

function textOf(text: string | Uint8Array): string {
  return typeof text === 'string' ? text : decodeUtf8(text, 0, text.length);
}

function equalTexts(one: string | Uint8Array, other: string | Uint8Array): boolean {
  if (one === other) return true;
  const [bytes, others] = [bytesOf(one), bytesOf(other)];
  return bytes.length === others.length && bytes.every((byte, i) => byte === others[i]);
}
