import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';

// One class an element type, each with an `at` of its own: a shared one would see ten kinds of typed array and its
// element access would no longer be inlined (a read of 1 ns becomes one of 10).

/** A null by way of a call: while a column has none, the engine need not keep a number boxed for its sake. */
function nothing(): null {
  return null;
}

export class Int8Column extends Column<number> {
  declare readonly values: Int8Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Int8Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Int8Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Uint8Column extends Column<number> {
  declare readonly values: Uint8Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint8Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Uint8Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Int16Column extends Column<number> {
  declare readonly values: Int16Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Int16Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Int16Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Uint16Column extends Column<number> {
  declare readonly values: Uint16Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint16Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Uint16Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Int32Column extends Column<number> {
  declare readonly values: Int32Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Int32Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Int32Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Uint32Column extends Column<number> {
  declare readonly values: Uint32Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint32Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Uint32Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Float32Column extends Column<number> {
  declare readonly values: Float32Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Float32Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Float32Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Float64Column extends Column<number> {
  declare readonly values: Float64Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Float64Array;
  }
  at(index: number): number | null {
    if (this.validity !== null && !getBit(this.validity, this.bitOffset + index)) return nothing();
    return this.values[index] ?? null;
  }
  override get view(): Float64Array | null {
    return this.validity === null ? this.values : null;
  }
}
