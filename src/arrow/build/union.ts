import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import type { UnionType } from '../type.ts';
import { Builder, grow } from './builder.ts';
import { isRecord, type MakeChild } from './list.ts';

/** A value of a union and the child that holds it: the child's name (the first of that name) or position. */
export interface UnionValue {
  readonly child: string | number;
  readonly value: unknown;
}

/**
 * Unions, from {@link UnionValue}: a bare value does not say which child it belongs to. A null, for which a union has no
 * bit, goes to the first child that is nullable.
 */
export class UnionBuilder extends Builder {
  readonly #type: UnionType;
  readonly #children: readonly Builder[];
  #typeIds: Int8Array = new Int8Array(0);
  #offsets: Int32Array = new Int32Array(0);

  constructor(field: Field, type: UnionType, makeChild: MakeChild, parent?: Builder) {
    super(field, parent);
    this.#type = type;
    this.#children = type.children.map((child) => makeChild(child, this));
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    const { children } = this.#type;
    const { child: key, value: inner } = isRecord(value) ? value : {};
    const child = typeof key === 'string' ? children.findIndex(({ name }) => name === key) : key;
    if (typeof child !== 'number' || this.#children[child] === undefined) {
      this.refuse(value, 'is no { child, value } with a child of the union, by name or position');
    }
    this.#put(child, index, (builder) => builder.append(inner));
  }

  #put(child: number, index: number, append: (builder: Builder) => void): void {
    const active = this.#children[child];
    if (active === undefined) return;
    const offset = active.length;
    append(active);
    if (index >= this.#typeIds.length) this.#typeIds = grow(this.#typeIds, index + 1);
    this.#typeIds[index] = this.#type.typeIds[child] ?? 0;
    if (this.#type.mode === 'sparse') {
      for (const other of this.#children) if (other !== active) other.skip();
      return;
    }
    if (index >= this.#offsets.length) this.#offsets = grow(this.#offsets, index + 1);
    this.#offsets[index] = offset;
  }

  protected writeNull(index: number): void {
    const nullable = this.#type.children.findIndex((child) => child.nullable);
    if (nullable >= 0) this.#put(nullable, index, (builder) => builder.append(null));
    else if (this.field.nullable) this.refuse(null, 'has no child of the union that is nullable');
    else this.#put(0, index, (builder) => builder.skip());
  }

  override truncate(length: number): void {
    // A dense child keeps the values that nothing points at any more.
    super.truncate(length);
    if (this.#type.mode === 'sparse') for (const child of this.#children) child.truncate(this.length);
  }

  protected take(length: number): Partial<ColumnLayout> {
    const values = this.#typeIds.slice(0, length);
    const offsets = this.#offsets.slice(0, length);
    this.#typeIds = new Int8Array(0);
    this.#offsets = new Int32Array(0);
    const children = this.#children.map((child) => child.finish());
    // A union has no validity of its own.
    return { validity: null, nullCount: 0, values, children, ...(this.#type.mode === 'dense' && { offsets }) };
  }

  protected bytesOf(length: number): number {
    return this.#children.reduce(
      (sum, child) => sum + child.byteLength,
      length * (this.#type.mode === 'dense' ? 5 : 1),
    );
  }
}
