/** The table of a finite state entropy encoder (RFC 8878, 4.1), as it follows from the symbols' shares. */
export interface FseTable {
  readonly log: number;
  readonly next: Uint16Array;
  /** By symbol: the bits that its states give away, less the lowest of its states, in 1/65536. */
  readonly bits: Int32Array;
  /** By symbol: where its states begin in `next`. */
  readonly start: Int32Array;
}

/** Makes the table for shares that sum up to `2 ** log`; −1 is a share below one. */
export function makeFseTable(shares: readonly number[], log: number): FseTable {
  const size = 1 << log;
  const symbols = spread(shares, size);
  const sums = new Int32Array(shares.length + 1);
  shares.forEach((share, symbol) => {
    sums[symbol + 1] = (sums[symbol] ?? 0) + Math.abs(share);
  });
  const next = new Uint16Array(size);
  const filled = sums.slice();
  for (let i = 0; i < size; i++) {
    const symbol = symbols[i] ?? 0;
    const at = filled[symbol] ?? 0;
    filled[symbol] = at + 1;
    next[at] = size + i;
  }
  const bits = new Int32Array(shares.length);
  const start = new Int32Array(shares.length);
  shares.forEach((share, symbol) => {
    const count = Math.abs(share);
    if (count === 0) return;
    const most = count === 1 ? log : log - (31 - Math.clz32(count - 1));
    bits[symbol] = (most << 16) - (count << most);
    start[symbol] = (sums[symbol] ?? 0) - count;
  });
  return { log, next, bits, start };
}

function spread(shares: readonly number[], size: number): Uint8Array {
  const symbols = new Uint8Array(size);
  let high = size - 1;
  shares.forEach((share, symbol) => {
    if (share === -1) symbols[high--] = symbol;
  });
  const step = (size >>> 1) + (size >>> 3) + 3;
  let at = 0;
  shares.forEach((share, symbol) => {
    for (let i = 0; i < share; i++) {
      symbols[at] = symbol;
      do at = (at + step) & (size - 1);
      while (at > high);
    }
  });
  return symbols;
}

/** Bits written from the lowest of the first byte on, to be read backwards from the last. */
export class BitWriter {
  at: number;
  readonly #target: Uint8Array;
  #word = 0;
  #count = 0;

  constructor(target: Uint8Array, at: number) {
    this.#target = target;
    this.at = at;
  }

  /** Adds the lowest `count` bits of `value`, up to 24. */
  add(value: number, count: number): void {
    this.#word |= (value & ((1 << count) - 1)) << this.#count;
    this.#count += count;
    while (this.#count >= 8) {
      this.#target[this.at++] = this.#word & 0xff;
      this.#word >>>= 8;
      this.#count -= 8;
    }
  }

  /** Ends with a bit that is set, by which the reader finds where to begin. */
  end(): void {
    this.add(1, 1);
    if (this.#count > 0) this.#target[this.at++] = this.#word & 0xff;
  }
}

/** The state from which a reader gets `symbol` and nothing after it. */
export function firstState(table: FseTable, symbol: number): number {
  const delta = table.bits[symbol] ?? 0;
  const count = (delta + (1 << 15)) >> 16;
  return table.next[(((count << 16) - delta) >> count) + (table.start[symbol] ?? 0)] ?? 0;
}

/** The state from which a reader gets `symbol` and then is in `state`. */
export function nextState(table: FseTable, state: number, symbol: number, bits: BitWriter): number {
  const count = (state + (table.bits[symbol] ?? 0)) >> 16;
  bits.add(state, count);
  return table.next[(state >> count) + (table.start[symbol] ?? 0)] ?? 0;
}
