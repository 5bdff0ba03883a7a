import { bitmapByteLength, setBit } from '../../../arrow/bitmap.ts';
import { makeColumn } from '../../../arrow/column/make.ts';
import type { Column } from '../../../arrow/column.ts';
import type { StructType } from '../../../arrow/type.ts';
import type { Child } from './child.ts';
import type { ColumnDecoder, DecoderContext } from './column-decoder.ts';
import { ColumnMemory } from './column-memory.ts';
import type { Source } from './source.ts';
import { Validity } from './validity.ts';

const empty = 0x01;
const lowerInclusive = 0x02;
const upperInclusive = 0x04;
const lowerInfinite = 0x08;
const upperInfinite = 0x10;
/** Whether each is included, and whether there is nothing. */
const shownFlags = [lowerInclusive, upperInclusive, empty];

/**
 * Ranges as structs of their bounds and flags (utils/adt/rangetypes.c, `range_send`): a byte of flags, then the finite bounds
 * as fields. A bound that is infinite, or of an empty range, is NULL.
 */
export class RangeDecoder implements ColumnDecoder {
  readonly width = 0;
  readonly #context: DecoderContext;
  readonly #lower: Child;
  readonly #upper: Child;
  readonly #validity: Validity = new Validity();
  readonly #flags: readonly ColumnMemory[] = shownFlags.map(() => new ColumnMemory());

  constructor(context: DecoderContext, lower: Child, upper: Child) {
    this.#context = context;
    this.#lower = lower;
    this.#upper = upper;
  }

  get byteLength(): number {
    const bounds = this.#lower.decoder.byteLength + this.#upper.decoder.byteLength;
    // A bitmap of the flag, and one of where the range is NULL.
    return bounds + (1 + 2 * shownFlags.length) * this.#validity.byteLength;
  }

  begin(rowCount: number): void {
    this.#lower.begin(rowCount);
    this.#upper.begin(rowCount);
    for (const bits of this.#flags) bits.expect(bitmapByteLength(rowCount));
  }

  append(source: Source, places: Int32Array, first: number, count: number, nullCount: number): void {
    const from = this.#validity.length;
    for (const bits of this.#flags) {
      const old = bits.length;
      bits.extend(bitmapByteLength(from + count) - old);
      bits.bytes.fill(0, old, bits.length);
    }
    for (let i = 0; i < count; i++) {
      const place = places[first + i] ?? 0;
      if (place === 0) {
        this.#lower.addNull();
        this.#upper.addNull();
      } else {
        this.#find(source, place, from + i);
      }
    }
    this.#validity.append(places, first, count, nullCount);
    this.#lower.flush(source);
    this.#upper.flush(source);
  }

  finish(): Column {
    const { type } = this.#context.field;
    const fields = (type as StructType).children;
    const validity = this.#validity.finish();
    const flags = this.#flags.map((bits, i) => {
      const field = fields[2 + i] ?? this.#context.field;
      const parents = { length: validity.length, validity: validity.validity, nullCount: validity.nullCount };
      return makeColumn(field, { type: field.type, ...parents, values: bits.take() });
    });
    const children = [this.#lower.finish(validity.length), this.#upper.finish(validity.length), ...flags];
    return makeColumn(this.#context.field, { type, ...validity, children });
  }

  #find(source: Source, place: number, index: number): void {
    const { view } = source;
    const { path } = this.#context;
    const end = place + view.getInt32(place - 4);
    if (end === place) throw source.fault(path, place, 'a range of 0 bytes');
    const flags = view.getUint8(place);
    if (flags > 0x1f) throw source.fault(path, place, `a range with the flags 0x${flags.toString(16)}`);
    for (let i = 0; i < shownFlags.length; i++) {
      const bits = this.#flags[i];
      if (bits !== undefined && (flags & (shownFlags[i] ?? 0)) !== 0) setBit(bits.bytes, index);
    }
    let at = place + 1;
    at = this.#addBound(source, this.#lower, at, end, (flags & (empty | lowerInfinite)) === 0);
    at = this.#addBound(source, this.#upper, at, end, (flags & (empty | upperInfinite)) === 0);
    if (at !== end) throw source.fault(path, at, `${end - at} bytes behind a range`);
  }

  #addBound(source: Source, child: Child, at: number, end: number, isThere: boolean): number {
    if (isThere) return child.add(source, at, end);
    child.addNull();
    return at;
  }
}
