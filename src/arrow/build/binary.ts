import type { ColumnLayout } from '../column.ts';
import { extensionOf } from '../extension.ts';
import type { Field } from '../schema.ts';
import type { BinaryType, FixedSizeBinaryType } from '../type.ts';
import { Builder, grow } from './builder.ts';
import { maxOffset32, OffsetBuilder } from './offset.ts';

/** Bytes, from Uint8Array; they are copied. */
export class BinaryBuilder extends Builder {
  readonly #large: boolean;
  readonly #offsets: OffsetBuilder;
  #data: Uint8Array = new Uint8Array(0);

  constructor(field: Field, type: BinaryType, parent?: Builder) {
    super(field, parent);
    this.#large = type.large;
    this.#offsets = new OffsetBuilder(type.large);
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    if (!(value instanceof Uint8Array)) this.refuse(value);
    const start = this.#offsets.start(index);
    const end = start + value.length;
    if (!this.#large && end > maxOffset32)
      this.refuse(value, 'makes more than 2 GiB of bytes; use largeBinary() or more batches');
    if (end > this.#data.length) this.#data = grow(this.#data, end);
    this.#data.set(value, start);
    this.#offsets.setEnd(index, end);
  }

  protected writeNull(index: number): void {
    this.#offsets.setEnd(index, this.#offsets.start(index));
  }

  protected take(length: number): Partial<ColumnLayout> {
    const data = this.#data.slice(0, this.#offsets.start(length));
    this.#data = new Uint8Array(0);
    return { data, offsets: this.#offsets.take(length) };
  }

  protected bytesOf(length: number): number {
    return (length + 1) * this.#offsets.bytesPerOffset + this.#offsets.start(length);
  }
}

/** Bytes of one width, from Uint8Array; for `arrow.uuid` also from text of 32 hexadecimal digits with or without hyphens. */
export class FixedSizeBinaryBuilder extends Builder {
  readonly #byteWidth: number;
  readonly #isUuid: boolean;
  #values: Uint8Array = new Uint8Array(0);

  constructor(field: Field, type: FixedSizeBinaryType, parent?: Builder) {
    super(field, parent);
    this.#byteWidth = type.byteWidth;
    this.#isUuid = extensionOf(field)?.name === 'arrow.uuid' && type.byteWidth === 16;
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    const bytes = this.#isUuid && typeof value === 'string' ? uuidBytes(value) : value;
    if (!(bytes instanceof Uint8Array) || bytes.length !== this.#byteWidth) this.refuse(value);
    this.#reserve(index);
    this.#values.set(bytes, index * this.#byteWidth);
  }

  protected writeNull(index: number): void {
    this.#reserve(index);
    this.#values.fill(0, index * this.#byteWidth, (index + 1) * this.#byteWidth);
  }

  #reserve(index: number): void {
    const end = (index + 1) * this.#byteWidth;
    if (end > this.#values.length) this.#values = grow(this.#values, end);
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#values.slice(0, length * this.#byteWidth);
    this.#values = new Uint8Array(0);
    return { values };
  }

  protected bytesOf(length: number): number {
    return length * this.#byteWidth;
  }
}

const uuidPattern = /^[0-9a-f]{8}(-?)[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{4}\1[0-9a-f]{12}$/i;

function uuidBytes(text: string): Uint8Array | undefined {
  if (!uuidPattern.test(text)) return undefined;
  const digits = text.replaceAll('-', '');
  return Uint8Array.from({ length: 16 }, (_, i) => Number.parseInt(digits.substring(2 * i, 2 * i + 2), 16));
}
