import { RecurveError } from '../../error.ts';
import { bitmapByteLength, countOnes, setBit, setBits } from '../bitmap.ts';
import { makeColumn } from '../column/make.ts';
import type { Column, ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import { typeToString } from '../type.ts';

/**
 * Builds a column value by value. One subclass a physical type; {@link makeBuilder} picks it and says which JavaScript
 * values it takes. A value that is refused (INVALID_DATA with column, row and value) leaves the builder as it was.
 */
export abstract class Builder {
  declare readonly field: Field;
  readonly #parent: Builder | undefined;
  /** Makes of a value of the field's extension what its storage takes. */
  encode: ((value: unknown) => unknown) | null = null;
  #length = 0;
  /** From the first null on. */
  #validity: Uint8Array | null = null;

  constructor(field: Field, parent?: Builder) {
    this.field = field;
    this.#parent = parent;
  }

  /** Values so far. */
  get length(): number {
    return this.#length;
  }

  /** Bytes of Arrow buffers that the values so far take. */
  get byteLength(): number {
    return (this.#validity === null ? 0 : bitmapByteLength(this.#length)) + this.bytesOf(this.#length);
  }

  /** Adds a value; null and undefined are null. */
  append(value: unknown): void {
    if (value === null || value === undefined) {
      this.#appendNull();
    } else {
      this.write(this.encode === null ? value : this.#encoded(value, this.encode), this.#length);
      if (this.#validity !== null) this.#mark(true);
      this.#length++;
    }
  }

  #encoded(value: unknown, encode: (value: unknown) => unknown): NonNullable<unknown> {
    let stored: unknown;
    try {
      stored = encode(value);
    } catch (error) {
      this.refuse(value, error instanceof Error ? error.message : String(error));
    }
    return stored ?? this.refuse(value);
  }

  /** Adds all of them, in order. */
  appendAll(values: ArrayLike<unknown>): void {
    for (let i = 0; i < values.length; i++) this.append(values[i]);
  }

  /** The column of the values so far. The builder starts anew. */
  finish(): Column {
    const length = this.#length;
    const validity = this.#finishValidity();
    const nullCount = validity === null ? 0 : length - countOnes(validity, 0, length);
    const parts = this.take(length);
    this.#length = 0;
    this.#validity = null;
    return makeColumn(this.field, {
      type: this.field.type,
      length,
      ...(validity && { validity }),
      nullCount,
      ...parts,
    });
  }

  /** The buffers of the values so far, but for validity, for another builder's column. The builder starts anew. */
  takeLayout(): Partial<ColumnLayout> {
    const parts = this.take(this.#length);
    this.#length = 0;
    this.#validity = null;
    return parts;
  }

  /** Adds a value that nobody reads, for a place that a null parent or another child of a union takes. */
  skip(): void {
    if (this.field.nullable) {
      this.#appendNull();
    } else {
      this.writeNull(this.#length);
      if (this.#validity !== null) this.#mark(true);
      this.#length++;
    }
  }

  /** Drops the values from `length` on. */
  truncate(length: number): void {
    this.#length = Math.min(length, this.#length);
  }

  /** Writes a value into place `index`, or throws and leaves all as it was. */
  protected abstract write(value: NonNullable<unknown>, index: number): void;
  /** Fills place `index`, whose value is null, with what the layout wants there. */
  protected abstract writeNull(index: number): void;
  /** The buffers of the first `length` values, but for validity; the builder keeps none of them. */
  protected abstract take(length: number): Partial<ColumnLayout>;
  /** Bytes that the first `length` values take, but for validity. */
  protected abstract bytesOf(length: number): number;

  /** Throws INVALID_DATA: `value` is not what the type wants. */
  protected refuse(value: unknown, why = `does not fit ${typeToString(this.field.type)}`): never {
    throw new RecurveError(
      'INVALID_DATA',
      `column ${JSON.stringify(this.#path)}, row ${this.#row}: ${show(value)} ${why}`,
    );
  }

  get #path(): string {
    return this.#parent === undefined ? this.field.name : `${this.#parent.#path}.${this.field.name}`;
  }

  /** That of the outermost builder. */
  get #row(): number {
    return this.#parent === undefined ? this.#length : this.#parent.#row;
  }

  #appendNull(): void {
    if (!this.field.nullable) this.refuse(null, 'in a column that is not nullable');
    this.writeNull(this.#length);
    this.#mark(false);
    this.#length++;
  }

  #mark(valid: boolean): void {
    const index = this.#length;
    if (this.#validity === null) {
      this.#validity = new Uint8Array(bitmapByteLength(Math.max(64, 2 * index)));
      setBits(this.#validity, 0, index);
    }
    if (index >>> 3 >= this.#validity.length) this.#validity = grow(this.#validity, this.#validity.length + 1);
    const byte = index >>> 3;
    if (valid) setBit(this.#validity, index);
    else this.#validity[byte] = (this.#validity[byte] ?? 0) & ~(1 << (index & 7));
  }

  #finishValidity(): Uint8Array | null {
    if (this.#validity === null) return null;
    const bits = this.#validity.slice(0, bitmapByteLength(this.#length));
    // No bit behind the last value.
    const used = this.#length & 7;
    if (used !== 0) bits[bits.length - 1] = (bits[bits.length - 1] ?? 0) & ((1 << used) - 1);
    return bits;
  }
}

type TypedArray =
  | Int8Array
  | Uint8Array
  | Int16Array
  | Uint16Array
  | Int32Array
  | Uint32Array
  | Float32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** The same values in an array at least `needed` long, and at least twice as long as before. */
export function grow<A extends TypedArray>(values: A, needed: number): A {
  const larger = new (values.constructor as new (length: number) => A)(Math.max(needed, 2 * values.length, 32));
  larger.set(values as never);
  return larger;
}

/** A value in a message: short, and on one line. */
export function show(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return JSON.stringify(value.length > 50 ? `${value.substring(0, 50)}…` : value);
    case 'object':
      if (value === null) return 'null';
      if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
      return `[object ${value.constructor?.name ?? 'Object'}]`;
    case 'function':
      return 'a function';
    default:
      return Object.is(value, -0) ? '-0' : String(value);
  }
}
