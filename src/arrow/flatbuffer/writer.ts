/**
 * What one slot of a table holds; `null` leaves it out, so that readers take the schema's default. Tuples, since the engine
 * never forgets the shape of an array: that of an object goes with the last object at a collection, and with it the code
 * compiled for it.
 */
export type Slot =
  | null
  | readonly [kind: 'int8' | 'int16' | 'int32', value: number]
  | readonly [kind: 'int64', value: number | bigint]
  /** Text, or its bytes as they are. */
  | readonly [kind: 'string', value: string | Uint8Array]
  | readonly [kind: 'table', slots: TableSlots]
  | readonly [kind: 'tables', tables: readonly TableSlots[]]
  /** A struct of two 64-bit words, in the table itself. */
  | readonly [kind: 'struct', first: number, second: number]
  | readonly [kind: 'int32s', values: readonly number[]]
  /** Structs of so many 64-bit words each, back to back. */
  | readonly [kind: 'structs', words: readonly number[], wordsPerStruct: number];

/** A table as data: slot by slot, in the order of its schema. A union takes two, its type and its table. */
export type TableSlots = readonly Slot[];

const encoder = new TextEncoder();

/** Bytes a slot takes inside its table; what has no fixed size stands outside and takes a 32-bit offset. */
function slotBytes(slot: Exclude<Slot, null>): number {
  switch (slot[0]) {
    case 'int8':
      return 1;
    case 'int16':
      return 2;
    case 'int64':
      return 8;
    case 'struct':
      return 16;
    default:
      return 4;
  }
}

/** Widest first, so that each field is aligned once the first is. */
const fieldSizes: readonly number[] = [16, 8, 4, 2, 1];

/**
 * Writes a table, and all it holds, as a flatbuffer: each thing is followed by what it points at. The length is a
 * multiple of 8 and the padding zero. The bytes are to be copied: the next call writes over them.
 */
export function writeFlatbuffer(root: TableSlots): Uint8Array {
  scratch ??= new FlatbufferWriter();
  return scratch.write(root);
}

/** Kept, so that a message costs no buffer that has to grow. */
let scratch: FlatbufferWriter | undefined;

class FlatbufferWriter {
  #bytes = new Uint8Array(512);
  #view = new DataView(this.#bytes.buffer);
  #end = 0;

  write(root: TableSlots): Uint8Array {
    this.#bytes.fill(0, 0, this.#end);
    this.#end = 0;
    this.#reserve(4);
    this.#patch(0, this.#table(root));
    this.#align(8);
    return this.#bytes.subarray(0, this.#end);
  }

  /** Makes room for `size` zeroed bytes at the end, and returns their position. */
  #reserve(size: number): number {
    const at = this.#end;
    this.#end += size;
    if (this.#end > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(this.#end, this.#bytes.length * 2));
      grown.set(this.#bytes);
      this.#bytes = grown;
      this.#view = new DataView(grown.buffer);
    }
    return at;
  }

  /** Lets the offset at `at` lead to `target`, which must come later. */
  #patch(at: number, target: number): void {
    this.#view.setUint32(at, target - at, true);
  }

  #table(slots: TableSlots): number {
    let used = slots.length;
    while (used > 0 && slots[used - 1] === null) used--;
    let hasWide = false;
    for (const slot of slots) hasWide ||= slot !== null && slotBytes(slot) >= 8;

    this.#align(2);
    const vtable = this.#reserve(4 + 2 * used);
    // The table begins with 4 bytes of its own.
    if (hasWide) this.#align(8, 4);
    else this.#align(4);
    const table = this.#reserve(4);
    this.#view.setInt32(table, table - vtable, true);
    for (const size of fieldSizes) {
      for (let i = 0; i < used; i++) {
        const slot = slots[i];
        if (slot == null || slotBytes(slot) !== size) continue;
        const at = this.#reserve(size);
        this.#view.setUint16(vtable + 4 + 2 * i, at - table, true);
      }
    }
    this.#view.setUint16(vtable, 4 + 2 * used, true);
    this.#view.setUint16(vtable + 2, this.#end - table, true);

    for (let i = 0; i < used; i++) {
      const slot = slots[i];
      if (slot != null) this.#write(table + this.#view.getUint16(vtable + 4 + 2 * i, true), slot);
    }
    return table;
  }

  #write(at: number, slot: Exclude<Slot, null>): void {
    switch (slot[0]) {
      case 'int8':
        this.#view.setInt8(at, slot[1]);
        break;
      case 'int16':
        this.#view.setInt16(at, slot[1], true);
        break;
      case 'int32':
        this.#view.setInt32(at, slot[1], true);
        break;
      case 'int64':
        this.#int64(at, slot[1]);
        break;
      case 'struct':
        this.#int64(at, slot[1]);
        this.#int64(at + 8, slot[2]);
        break;
      case 'string':
        this.#patch(at, this.#string(slot[1]));
        break;
      case 'table':
        this.#patch(at, this.#table(slot[1]));
        break;
      case 'tables': {
        const start = this.#vector(at, slot[1].length, 4, 4);
        for (const [i, table] of slot[1].entries()) this.#patch(start + 4 * i, this.#table(table));
        break;
      }
      case 'int32s': {
        const start = this.#vector(at, slot[1].length, 4, 4);
        for (const [i, value] of slot[1].entries()) this.#view.setInt32(start + 4 * i, value, true);
        break;
      }
      case 'structs': {
        const [, words, wordsPerStruct] = slot;
        const start = this.#vector(at, words.length / wordsPerStruct, 8 * wordsPerStruct, 8);
        for (let i = 0; i < words.length; i++) this.#int64(start + 8 * i, words[i] ?? 0);
        break;
      }
    }
  }

  #int64(at: number, value: number | bigint): void {
    if (typeof value === 'bigint') {
      this.#view.setBigInt64(at, value, true);
    } else {
      this.#view.setUint32(at, value, true);
      this.#view.setInt32(at + 4, Math.floor(value / 0x100000000), true);
    }
  }

  #string(text: string | Uint8Array): number {
    const bytes = typeof text === 'string' ? encoder.encode(text) : text;
    this.#align(4);
    const at = this.#reserve(4 + bytes.length + 1);
    this.#view.setUint32(at, bytes.length, true);
    this.#bytes.set(bytes, at + 4);
    return at;
  }

  /** Room for a vector whose elements are aligned, pointed at from `at`; the position of its first element. */
  #vector(at: number, length: number, elementBytes: number, alignment: number): number {
    this.#align(alignment, alignment - 4);
    const vector = this.#reserve(4 + length * elementBytes);
    this.#patch(at, vector);
    this.#view.setUint32(vector, length, true);
    return vector + 4;
  }

  /** Pads until the end is `rest` more than a multiple of `alignment`. */
  #align(alignment: number, rest = 0): void {
    this.#reserve((((rest - this.#end) % alignment) + alignment) % alignment);
  }
}
