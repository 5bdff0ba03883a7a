import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import { viewValues } from './fixed.ts';
import { checkNumeric, numericText, powersOfTen } from './numeric.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

/** Numerics as the nearest doubles; NaN and infinities are themselves. */
export class NumericDoubleDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #validity: Validity = new Validity();
  readonly #memory: ColumnMemory = new ColumnMemory();

  constructor(context: DecoderContext) {
    this.#context = context;
  }

  get byteLength(): number {
    return this.#memory.length + this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#memory.expect(rowCount * 8);
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const at = this.#memory.extend(count * 8);
    const target = this.#memory.view;
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      target.setFloat64(at + 8 * i, place === 0 ? 0 : this.#read(source, place), true);
    }
    this.#validity.append(places, first, count, nullCount);
  }

  finish(): Column {
    const { field } = this.#context;
    const values = viewValues(field.type, this.#memory.take());
    return makeColumn(field, { type: field.type, ...this.#validity.finish(), values });
  }

  #read(source: Source, place: number): number {
    const { view } = source;
    const digitCount = checkNumeric(source, this.#context.path, place);
    const sign = view.getUint16(place + 4);
    if ((sign & 0xbfff) === 0 && digitCount <= 3) {
      let value = 0;
      for (let i = 0; i < digitCount; i++) value = value * 10_000 + view.getUint16(place + 8 + 2 * i);
      const exponent = 4 * (view.getInt16(place + 2) - digitCount + 1);
      // Both exact, so that the one operation rounds once.
      const power = powersOfTen[Math.abs(exponent)];
      if (value === 0) return 0;
      if (power !== undefined) {
        const magnitude = exponent < 0 ? value / power : value * power;
        return sign === 0 ? magnitude : -magnitude;
      }
    }
    return Number(numericText(source, place));
  }
}
