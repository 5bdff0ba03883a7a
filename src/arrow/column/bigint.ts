import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';

/** int64, timestamp, time64, date64, duration: counts of 64 bits, exact. */
export class Int64Column extends Column<bigint> {
  declare readonly values: BigInt64Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as BigInt64Array;
  }
  at(index: number): bigint | null {
    return this.validity === null || getBit(this.validity, this.bitOffset + index)
      ? (this.values[index] ?? null)
      : null;
  }
  override get view(): BigInt64Array | null {
    return this.validity === null ? this.values : null;
  }
}

export class Uint64Column extends Column<bigint> {
  declare readonly values: BigUint64Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as BigUint64Array;
  }
  at(index: number): bigint | null {
    return this.validity === null || getBit(this.validity, this.bitOffset + index)
      ? (this.values[index] ?? null)
      : null;
  }
  override get view(): BigUint64Array | null {
    return this.validity === null ? this.values : null;
  }
}
