/** What one slot of a table holds; `null` leaves it out, so that readers take the schema's default. */
export type Slot =
  | null
  | { readonly kind: 'int8' | 'int16' | 'int32'; readonly value: number }
  | { readonly kind: 'int64'; readonly value: number | bigint }
  | { readonly kind: 'string'; readonly value: string }
  | { readonly kind: 'table'; readonly value: TableSlots }
  | { readonly kind: 'tables'; readonly value: readonly TableSlots[] }
  | { readonly kind: 'int32s'; readonly value: readonly number[] }
  /** Structs of `wordsPerStruct` 64-bit words each, back to back. */
  | { readonly kind: 'structs'; readonly value: readonly number[]; readonly wordsPerStruct: number };

/** A table as data: slot by slot, in the order of its schema. A union takes two, its type and its table. */
export type TableSlots = readonly Slot[];

const encoder = new TextEncoder();

/** Bytes a slot takes inside its table; what has no fixed size stands outside and takes a 32-bit offset. */
function slotBytes(slot: Exclude<Slot, null>): number {
  switch (slot.kind) {
    case 'int8':
      return 1;
    case 'int16':
      return 2;
    case 'int64':
      return 8;
    default:
      return 4;
  }
}

/** Widest first, so that each field is aligned once the first is. */
const fieldSizes: readonly number[] = [8, 4, 2, 1];

/**
 * Writes a table, and all it holds, as a flatbuffer: each thing is followed by what it points at. The length is a
 * multiple of 8 and the padding zero.
 */
export function writeFlatbuffer(root: TableSlots): Uint8Array {
  const writer = new FlatbufferWriter();
  writer.reserve(4);
  writer.patch(0, writer.table(root));
  return writer.finish();
}

class FlatbufferWriter {
  #bytes = new Uint8Array(512);
  #view = new DataView(this.#bytes.buffer);
  #end = 0;

  /** Makes room for `size` zeroed bytes at the end, and returns their position. */
  reserve(size: number): number {
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
  patch(at: number, target: number): void {
    this.#view.setUint32(at, target - at, true);
  }

  table(slots: TableSlots): number {
    let used = slots.length;
    while (used > 0 && slots[used - 1] === null) used--;
    let hasWide = false;
    for (const slot of slots) hasWide ||= slot !== null && slot.kind === 'int64';

    this.#align(2);
    const vtable = this.reserve(4 + 2 * used);
    // The table begins with 4 bytes of its own.
    if (hasWide) this.#align(8, 4);
    else this.#align(4);
    const table = this.reserve(4);
    this.#view.setInt32(table, table - vtable, true);
    for (const size of fieldSizes) {
      for (let i = 0; i < used; i++) {
        const slot = slots[i];
        if (slot == null || slotBytes(slot) !== size) continue;
        const at = this.reserve(size);
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

  finish(): Uint8Array {
    this.#align(8);
    return this.#bytes.subarray(0, this.#end);
  }

  #write(at: number, slot: Exclude<Slot, null>): void {
    switch (slot.kind) {
      case 'int8':
        this.#view.setInt8(at, slot.value);
        break;
      case 'int16':
        this.#view.setInt16(at, slot.value, true);
        break;
      case 'int32':
        this.#view.setInt32(at, slot.value, true);
        break;
      case 'int64':
        this.#int64(at, slot.value);
        break;
      case 'string':
        this.patch(at, this.#string(slot.value));
        break;
      case 'table':
        this.patch(at, this.table(slot.value));
        break;
      case 'tables': {
        const start = this.#vector(at, slot.value.length, 4, 4);
        slot.value.forEach((table, i) => {
          this.patch(start + 4 * i, this.table(table));
        });
        break;
      }
      case 'int32s': {
        const start = this.#vector(at, slot.value.length, 4, 4);
        slot.value.forEach((value, i) => {
          this.#view.setInt32(start + 4 * i, value, true);
        });
        break;
      }
      case 'structs': {
        const { value, wordsPerStruct } = slot;
        const start = this.#vector(at, value.length / wordsPerStruct, 8 * wordsPerStruct, 8);
        for (let i = 0; i < value.length; i++) this.#int64(start + 8 * i, value[i] ?? 0);
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

  #string(text: string): number {
    const bytes = encoder.encode(text);
    this.#align(4);
    const at = this.reserve(4 + bytes.length + 1);
    this.#view.setUint32(at, bytes.length, true);
    this.#bytes.set(bytes, at + 4);
    return at;
  }

  /** Room for a vector whose elements are aligned, pointed at from `at`; the position of its first element. */
  #vector(at: number, length: number, elementBytes: number, alignment: number): number {
    this.#align(alignment, alignment - 4);
    const vector = this.reserve(4 + length * elementBytes);
    this.patch(at, vector);
    this.#view.setUint32(vector, length, true);
    return vector + 4;
  }

  /** Pads until the end is `rest` more than a multiple of `alignment`. */
  #align(alignment: number, rest = 0): void {
    this.reserve((((rest - this.#end) % alignment) + alignment) % alignment);
  }
}
