/**
 * A digest of rows that does not depend on their order: each row is hashed to 64 bits over canonical values, and the
 * hashes are added up. Two arms with the same digest gave the same rows, each as often, whatever order or batches they
 * came in.
 *
 * Canonical means: what JavaScript types a library chose does not count, what the value is does. A whole number is the
 * same as number and as bigint, up to 2^53; NaN is one value whatever its bits. Negative zero is not zero, null is not an
 * empty string, a number is not its text, and bytes are not text.
 */
export class Digest {
  #rows = 0;
  #sumA = 0;
  #sumB = 0;
  readonly #hash = new ValueHash();

  /** Adds the rows of a batch, given as columns of at least `length` values. Throws TypeError for a value it cannot tell apart. */
  add(columns: ReadonlyArray<ArrayLike<unknown>>, length: number): void {
    const hash = this.#hash;
    for (let row = 0; row < length; row++) {
      hash.reset();
      for (const column of columns) hash.value(column[row]);
      this.#sumA = (this.#sumA + hash.a) >>> 0;
      this.#sumB = (this.#sumB + hash.b) >>> 0;
    }
    this.#rows += length;
  }

  /** `ROWS:` and 16 hexadecimal digits. */
  toString(): string {
    return `${this.#rows}:${hex(this.#sumA)}${hex(this.#sumB)}`;
  }
}

/** Digest of a single column, the usual result of a cell. */
export function digestValues(values: ArrayLike<unknown>): string {
  const digest = new Digest();
  digest.add([values], values.length);
  return digest.toString();
}

function hex(word: number): string {
  return word.toString(16).padStart(8, '0');
}

const TAG = {
  null: 1,
  false: 2,
  true: 3,
  number: 4,
  bigint: 5,
  text: 6,
  bytes: 7,
  date: 8,
  list: 9,
  map: 10,
  object: 11,
} as const;

/** Two 32-bit hashes with different constants, fed word by word: one JavaScript multiplication each. */
class ValueHash {
  #a = 0;
  #b = 0;
  readonly #float = new Float64Array(1);
  readonly #words = new Uint32Array(this.#float.buffer);

  reset(): void {
    this.#a = 0x9747b28c;
    this.#b = 0x3c6ef372;
  }

  get a(): number {
    return finish(this.#a);
  }

  get b(): number {
    return finish(this.#b);
  }

  #feed(word: number): void {
    const a = Math.imul(this.#a ^ word, 0x85ebca6b);
    this.#a = a ^ (a >>> 13);
    const b = Math.imul((this.#b + word) | 0, 0xc2b2ae35);
    this.#b = b ^ (b >>> 16);
  }

  #feedText(text: string): void {
    this.#feed(text.length);
    for (let i = 0; i < text.length; i++) this.#feed(text.charCodeAt(i));
  }

  #feedNumber(value: number): void {
    this.#float[0] = Number.isNaN(value) ? Number.NaN : value;
    this.#feed(TAG.number);
    this.#feed(this.#words[0] ?? 0);
    this.#feed(this.#words[1] ?? 0);
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'number':
        this.#feedNumber(value);
        return;
      case 'string':
        this.#feed(TAG.text);
        this.#feedText(value);
        return;
      case 'bigint':
        if (value >= -(2n ** 53n) && value <= 2n ** 53n) this.#feedNumber(Number(value));
        else {
          this.#feed(TAG.bigint);
          this.#feedText(value.toString());
        }
        return;
      case 'boolean':
        this.#feed(value ? TAG.true : TAG.false);
        return;
      case 'object':
        this.#object(value);
        return;
      case 'undefined':
        throw new TypeError('cannot digest undefined: a column is shorter than its batch, or a null is not null');
      default:
        throw new TypeError(`cannot digest a ${typeof value}`);
    }
  }

  #object(value: object | null): void {
    if (value === null) this.#feed(TAG.null);
    else if (value instanceof Uint8Array) {
      this.#feed(TAG.bytes);
      this.#feed(value.length);
      for (const byte of value) this.#feed(byte);
    } else if (value instanceof Date) {
      this.#feed(TAG.date);
      this.#feedNumber(value.getTime());
    } else if (Array.isArray(value) || ArrayBuffer.isView(value)) {
      const list = value as ArrayLike<unknown>;
      this.#feed(TAG.list);
      this.#feed(list.length);
      for (let i = 0; i < list.length; i++) this.value(list[i]);
    } else if (value instanceof Map) {
      this.#feed(TAG.map);
      this.#feed(value.size);
      for (const [key, item] of value) {
        this.value(key);
        this.value(item);
      }
    } else {
      const prototype: unknown = Object.getPrototypeOf(value);
      if (prototype !== null && prototype !== Object.prototype) {
        throw new TypeError(`cannot digest a ${value.constructor.name}: make it a plain value first`);
      }
      const keys = Object.keys(value).sort();
      this.#feed(TAG.object);
      this.#feed(keys.length);
      for (const key of keys) {
        this.#feedText(key);
        this.value((value as Record<string, unknown>)[key]);
      }
    }
  }
}

/** The last step of MurmurHash3: every bit of the input moves every bit of the output. */
function finish(word: number): number {
  let h = word ^ (word >>> 16);
  h = Math.imul(h, 0x85ebca6b);
  h ^= h >>> 13;
  h = Math.imul(h, 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
