/**
 * Numbers that look random and are the same for the same seed (Mulberry32). For shuffles, resampling and test data, not
 * for secrets.
 */
export class Random {
  #state: number;

  /** `seed` is a 32-bit integer; higher bits are ignored. */
  constructor(seed: number) {
    this.#state = seed | 0;
  }

  /** The next 32 bits, as an unsigned integer. */
  uint32(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return (t ^ (t >>> 14)) >>> 0;
  }

  /** A whole number from 0 up to but not including `limit`. */
  below(limit: number): number {
    return Math.floor((this.uint32() / 2 ** 32) * limit);
  }

  /** The same values in another order, each order as likely as any other. */
  shuffle<T>(values: readonly T[]): T[] {
    const rest = [...values];
    const out: T[] = [];
    while (rest.length > 0) out.push(...rest.splice(this.below(rest.length), 1));
    return out;
  }
}

/** A 32-bit seed from a seed and a name (FNV-1a), so that each name has a sequence of its own. */
export function deriveSeed(seed: number, name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  return (hash ^ new Random(seed).uint32()) >>> 0;
}
