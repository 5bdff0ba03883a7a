import type { ColumnLayout } from '../column.ts';
import { markOwned } from '../ownership.ts';
import { Field } from '../schema.ts';
import type { DictionaryType } from '../type.ts';
import { Builder } from './builder.ts';
import type { MakeChild } from './list.ts';

/**
 * Values of a dictionary, from what the value type takes. Equal numbers, bigints, strings and booleans share an index;
 * other values (bytes, lists, objects) get one each.
 */
export class DictionaryBuilder extends Builder {
  readonly #indices: Builder;
  readonly #values: Builder;
  readonly #positions = new Map<unknown, number>();
  readonly #maxLength: number;

  constructor(field: Field, type: DictionaryType, makeChild: MakeChild, parent?: Builder) {
    super(field, parent);
    this.#indices = makeChild(new Field(field.name, type.index), this);
    this.#values = makeChild(new Field('values', type.value, { nullable: false, metadata: field.metadata }), this);
    this.#maxLength = 2 ** Math.min(53, type.index.bitWidth - (type.index.signed ? 1 : 0));
  }

  protected write(value: NonNullable<unknown>): void {
    // A Map finds 0 under −0.
    const key = Object.is(value, -0) ? '-0' : value;
    let position = typeof value === 'object' ? undefined : this.#positions.get(key);
    if (position === undefined) {
      position = this.#values.length;
      if (position >= this.#maxLength)
        this.refuse(value, 'is one value more than the index type of the dictionary can count');
      this.#values.append(value);
      if (typeof value !== 'object') this.#positions.set(key, position);
    }
    this.#indices.append(position);
  }

  protected writeNull(): void {
    this.#indices.append(0);
  }

  override skip(): void {
    // Index 0 must point at something.
    if (!this.field.nullable && this.#values.length === 0) this.#values.skip();
    super.skip();
  }

  override truncate(length: number): void {
    super.truncate(length);
    this.#indices.truncate(this.length);
  }

  protected take(): Partial<ColumnLayout> {
    const { values } = this.#indices.finish().layout;
    this.#positions.clear();
    const dictionary = this.#values.finish();
    markOwned(dictionary);
    return { ...(values && { values }), dictionary };
  }

  protected bytesOf(): number {
    return this.#indices.byteLength + this.#values.byteLength;
  }
}
