import { makeColumn } from '../column/make.ts';
import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import type { RunEndEncodedType } from '../type.ts';
import { Builder } from './builder.ts';
import type { MakeChild } from './list.ts';

/**
 * Runs of equal values, from what the values' type takes. Equal numbers, bigints, strings and booleans that follow one
 * another, and nulls, are one run; each other value (bytes, lists, objects) is one of its own.
 */
export class RunEndEncodedBuilder extends Builder {
  readonly #runEnds: Field;
  readonly #values: Builder;
  readonly #maxLength: number;
  #ends: number[] = [];
  #last: unknown;

  constructor(field: Field, type: RunEndEncodedType, makeChild: MakeChild, parent?: Builder) {
    super(field, parent);
    this.#runEnds = type.runEnds;
    this.#values = makeChild(type.values, this);
    this.#maxLength = 2 ** Math.min(53, type.runEnds.type.kind === 'int' ? type.runEnds.type.bitWidth - 1 : 53) - 1;
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    this.#put(value, index);
  }

  protected writeNull(index: number): void {
    if (this.#values.field.nullable) this.#put(null, index);
    else if (this.field.nullable) this.refuse(null, 'where the values of runs are not nullable');
    else {
      this.#values.skip();
      this.#ends.push(index + 1);
      this.#last = undefined;
    }
  }

  #put(value: unknown, index: number): void {
    if (index >= this.#maxLength) this.refuse(value, `is one value more than run ends can count`);
    const repeats =
      this.#ends.length > 0 && Object.is(value, this.#last) && (value === null || typeof value !== 'object');
    if (repeats) {
      this.#ends[this.#ends.length - 1] = index + 1;
      return;
    }
    this.#values.append(value);
    this.#ends.push(index + 1);
    this.#last = value;
  }

  override truncate(length: number): void {
    super.truncate(length);
    while ((this.#ends.at(-2) ?? 0) >= this.length && this.#ends.length > 0) this.#ends.pop();
    if (this.#ends.length > 0) this.#ends[this.#ends.length - 1] = this.length;
    this.#values.truncate(this.#ends.length);
    this.#last = undefined;
  }

  protected take(): Partial<ColumnLayout> {
    const { type } = this.#runEnds;
    const bitWidth = type.kind === 'int' ? type.bitWidth : 32;
    const ends = this.#ends;
    const values =
      bitWidth === 64
        ? BigInt64Array.from(ends, BigInt)
        : bitWidth === 16
          ? Int16Array.from(ends)
          : Int32Array.from(ends);
    this.#ends = [];
    this.#last = undefined;
    const runEnds = makeColumn(this.#runEnds, { type, length: values.length, nullCount: 0, values });
    // Nulls are those of the runs.
    return { validity: null, nullCount: 0, children: [runEnds, this.#values.finish()] };
  }

  protected bytesOf(): number {
    return 8 * this.#ends.length + this.#values.byteLength;
  }
}
