import { makeColumn } from '../column/make.ts';
import type { ColumnLayout } from '../column.ts';
import type { Field } from '../schema.ts';
import type { FixedSizeListType, ListType, ListViewType, MapType } from '../type.ts';
import { childFields } from '../type.ts';
import { Builder } from './builder.ts';
import { maxOffset32, OffsetBuilder } from './offset.ts';

/** Makes the builder of a child. */
export type MakeChild = (field: Field, parent: Builder) => Builder;

/** Lists and list views, from arrays and typed arrays. */
export class ListBuilder extends Builder {
  readonly #large: boolean;
  readonly #isView: boolean;
  readonly #offsets: OffsetBuilder;
  readonly #child: Builder;

  constructor(field: Field, type: ListType | ListViewType, makeChild: MakeChild, parent?: Builder) {
    super(field, parent);
    this.#large = type.large;
    this.#isView = type.kind === 'list-view';
    this.#offsets = new OffsetBuilder(type.large);
    this.#child = makeChild(type.child, this);
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    if (!isListed(value)) this.refuse(value);
    appendOrDrop([this.#child], () => this.#child.appendAll(value));
    const end = this.#child.length;
    if (!this.#large && end > maxOffset32)
      this.refuse(value, 'makes more than 2^31 − 1 items; use largeList() or more batches');
    this.#offsets.setEnd(index, end);
  }

  protected writeNull(index: number): void {
    this.#offsets.setEnd(index, this.#child.length);
  }

  override truncate(length: number): void {
    super.truncate(length);
    this.#child.truncate(this.#offsets.start(this.length));
  }

  protected take(length: number): Partial<ColumnLayout> {
    const offsets = this.#offsets.take(length);
    const children = [this.#child.finish()];
    if (!this.#isView) return { offsets, children };
    const sizes = this.#large ? new BigInt64Array(length) : new Int32Array(length);
    for (let i = 0; i < length; i++) {
      const size = Number(offsets[i + 1]) - Number(offsets[i]);
      sizes[i] = this.#large ? BigInt(size) : size;
    }
    return { offsets: offsets.subarray(0, length), sizes, children };
  }

  protected bytesOf(length: number): number {
    return (length + 1) * this.#offsets.bytesPerOffset + this.#child.byteLength;
  }
}

/** Lists of one length, from arrays and typed arrays of that length. */
export class FixedSizeListBuilder extends Builder {
  readonly #listSize: number;
  readonly #child: Builder;

  constructor(field: Field, type: FixedSizeListType, makeChild: MakeChild, parent?: Builder) {
    super(field, parent);
    this.#listSize = type.listSize;
    this.#child = makeChild(type.child, this);
  }

  protected write(value: NonNullable<unknown>): void {
    if (!isListed(value)) this.refuse(value);
    if (value.length !== this.#listSize)
      this.refuse(value, `has ${value.length} items where ${this.#listSize} are wanted`);
    appendOrDrop([this.#child], () => this.#child.appendAll(value));
  }

  protected writeNull(): void {
    for (let i = 0; i < this.#listSize; i++) this.#child.skip();
  }

  override truncate(length: number): void {
    super.truncate(length);
    this.#child.truncate(this.length * this.#listSize);
  }

  protected take(): Partial<ColumnLayout> {
    return { children: [this.#child.finish()] };
  }

  protected bytesOf(): number {
    return this.#child.byteLength;
  }
}

/** Maps, from Map, arrays of `[key, value]` or, where keys are text, plain objects. Keys may repeat, but not be null. */
export class MapBuilder extends Builder {
  readonly #entries: Field;
  readonly #keysAreText: boolean;
  readonly #offsets: OffsetBuilder = new OffsetBuilder(false);
  readonly #children: readonly Builder[];

  constructor(field: Field, type: MapType, makeChild: MakeChild, parent?: Builder) {
    super(field, parent);
    const fields = childFields(type.child.type);
    this.#entries = type.child;
    this.#keysAreText = (fields[0]?.type.kind ?? '').startsWith('utf8');
    this.#children = fields.map((child) => makeChild(child, this));
  }

  protected write(value: NonNullable<unknown>, index: number): void {
    const entries = this.#entriesOf(value);
    if (entries === undefined) this.refuse(value);
    const [keys, values] = this.#children;
    appendOrDrop(this.#children, () => {
      for (const entry of entries) {
        if (!Array.isArray(entry) || entry.length !== 2)
          this.refuse(entry, 'is no entry of a map, a pair of key and value');
        keys?.append(entry[0]);
        values?.append(entry[1]);
      }
    });
    const end = keys?.length ?? 0;
    if (end > maxOffset32) this.refuse(value, 'makes more than 2^31 − 1 entries; use more batches');
    this.#offsets.setEnd(index, end);
  }

  #entriesOf(value: object): Iterable<unknown> | undefined {
    if (value instanceof Map || Array.isArray(value)) return value;
    return this.#keysAreText && isRecord(value) ? Object.entries(value) : undefined;
  }

  protected writeNull(index: number): void {
    this.#offsets.setEnd(index, this.#offsets.start(index));
  }

  override truncate(length: number): void {
    super.truncate(length);
    for (const child of this.#children) child.truncate(this.#offsets.start(this.length));
  }

  protected take(length: number): Partial<ColumnLayout> {
    const children = this.#children.map((child) => child.finish());
    const layout: ColumnLayout = { type: this.#entries.type, length: children[0]?.length ?? 0, nullCount: 0, children };
    return { offsets: this.#offsets.take(length), children: [makeColumn(this.#entries, layout)] };
  }

  protected bytesOf(length: number): number {
    return this.#children.reduce((sum, child) => sum + child.byteLength, (length + 1) * 4);
  }
}

/** Runs `append`; when it throws, the children lose what it added to them. */
export function appendOrDrop(children: readonly Builder[], append: () => void): void {
  const lengths = children.map((child) => child.length);
  try {
    append();
  } catch (error) {
    children.forEach((child, i) => {
      child.truncate(lengths[i] ?? 0);
    });
    throw error;
  }
}

/** A plain object, or one of a class that stands for none of Arrow's values. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !ArrayBuffer.isView(value) &&
    !(value instanceof Date) &&
    !(value instanceof Map)
  );
}

function isListed(value: unknown): value is ArrayLike<unknown> {
  return Array.isArray(value) || (ArrayBuffer.isView(value) && !(value instanceof DataView));
}
