/**
 * The `custom_metadata` of a schema, field, message or footer: a list of pairs, not a map. Order and repeated keys are
 * kept; keys and values may be empty or hold NULs (Schema.fbs, `KeyValue`).
 */
export class Metadata implements Iterable<readonly [key: string, value: string]> {
  static readonly empty: Metadata = new Metadata([]);
  readonly #entries: ReadonlyArray<readonly [string, string]>;

  constructor(entries: Iterable<readonly [key: string, value: string]>) {
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

  /** The value of the first pair with this key. */
  get(key: string): string | undefined {
    return this.#entries.find((entry) => entry[0] === key)?.[1];
  }

  has(key: string): boolean {
    return this.#entries.some((entry) => entry[0] === key);
  }

  [Symbol.iterator](): Iterator<readonly [key: string, value: string]> {
    return this.#entries[Symbol.iterator]();
  }

  equals(other: Metadata): boolean {
    return (
      this.size === other.size &&
      this.#entries.every(([key, value], i) => {
        const [otherKey, otherValue] = other.#entries[i] ?? [];
        return key === otherKey && value === otherValue;
      })
    );
  }
}

/** See {@link Metadata.from}. */
export type MetadataInput = Iterable<readonly [key: string, value: string]> | Readonly<Record<string, string>>;
