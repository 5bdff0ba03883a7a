import { Column, type ColumnLayout } from '../column.ts';

/** IEEE 754 half precision, kept as its 16 bits. */
export class Float16Column extends Column<number> {
  declare readonly values: Uint16Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.values = layout.values as Uint16Array;
  }
  at(index: number): number | null {
    return this.isValid(index) ? fromFloat16(this.values[index] ?? 0) : null;
  }
}

/** The number that 16 bits stand for. */
export function fromFloat16(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >>> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1024 + fraction) * 2 ** (exponent - 25);
}

const singles = new Float32Array(1);
const singleBits = new Uint32Array(singles.buffer);

/** The 16 bits nearest to a number, ties to even; infinity from 65520 on, where rounding leaves the range. */
export function toFloat16(value: number): number {
  const magnitude = Math.abs(value);
  const sign = value < 0 || Object.is(value, -0) ? 0x8000 : 0;
  if (Number.isNaN(value)) return 0x7e00;
  if (magnitude >= 65520) return sign | 0x7c00;
  // Below 2 to the -14 steps are even; above, a step is 2 to the -10 of the power of two below the number.
  singles[0] = magnitude;
  const exponent = magnitude < 2 ** -14 ? -14 : exponentOf(magnitude);
  const steps = roundToEven(magnitude * 2 ** (10 - exponent));
  // A carry into the next power of two comes out right by itself, as fraction and exponent lie side by side.
  return sign | (((exponent + 14) << 10) + steps);
}

/** The power of two at or below a positive number of float32's normal range. */
function exponentOf(magnitude: number): number {
  const exponent = ((singleBits[0] ?? 0) >>> 23) - 127;
  // Rounding to float32 may have reached the next power.
  return 2 ** exponent > magnitude ? exponent - 1 : exponent;
}

function roundToEven(value: number): number {
  const floor = Math.floor(value);
  const rest = value - floor;
  return rest > 0.5 || (rest === 0.5 && floor % 2 === 1) ? floor + 1 : floor;
}
