import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';

/** Truth values, a bit each, least significant first. */
export class BoolColumn extends Column<boolean> {
  /** Bits from `bitOffset` on. */
  declare readonly values: Uint8Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint8Array;
  }
  at(index: number): boolean | null {
    if (!this.isValid(index)) return null;
    return getBit(this.values, this.bitOffset + index);
  }
}

/** Nothing but nulls; no buffers. */
export class NullColumn extends Column<null> {
  at(_index: number): null {
    return null;
  }
  override isValid(_index: number): boolean {
    return false;
  }
}
