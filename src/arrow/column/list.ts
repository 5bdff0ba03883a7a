import { Column, type ColumnLayout } from '../column.ts';
import type { FixedSizeListType } from '../type.ts';
import { Offsets } from './offset.ts';

/** Lists of any length. `at` gives the child's values as `toArray` does. */
export class ListColumn extends Column<ArrayLike<unknown>> {
  declare readonly offsets: Int32Array | BigInt64Array;
  declare readonly child: Column;
  readonly #offsets: Offsets;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.offsets = layout.offsets as Int32Array | BigInt64Array;
    this.#offsets = new Offsets(this.offsets);
    this.child = onlyChild(layout);
  }
  at(index: number): ArrayLike<unknown> | null {
    return this.isValid(index) ? this.child.toArray(this.start(index), this.end(index)) : null;
  }
  /** Where in `child` the list at `index` starts. */
  start(index: number): number {
    return this.#offsets.at(index);
  }
  /** Where in `child` the list at `index` ends. */
  end(index: number): number {
    return this.#offsets.at(index + 1);
  }
}

/** Lists by offset and size each. */
export class ListViewColumn extends Column<ArrayLike<unknown>> {
  declare readonly offsets: Int32Array | BigInt64Array;
  declare readonly sizes: Int32Array | BigInt64Array;
  declare readonly child: Column;
  readonly #offsets: Offsets;
  readonly #sizes: Offsets;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.offsets = layout.offsets as Int32Array | BigInt64Array;
    this.sizes = layout.sizes as Int32Array | BigInt64Array;
    this.#offsets = new Offsets(this.offsets);
    this.#sizes = new Offsets(this.sizes);
    this.child = onlyChild(layout);
  }
  at(index: number): ArrayLike<unknown> | null {
    return this.isValid(index) ? this.child.toArray(this.start(index), this.end(index)) : null;
  }
  /** See {@link ListColumn.start}. */
  start(index: number): number {
    return this.#offsets.at(index);
  }
  /** See {@link ListColumn.end}. */
  end(index: number): number {
    return this.#offsets.at(index) + this.#sizes.at(index);
  }
}

/** Lists of one length. */
export class FixedSizeListColumn extends Column<ArrayLike<unknown>> {
  declare readonly child: Column;
  declare readonly listSize: number;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.child = onlyChild(layout);
    this.listSize = (layout.type as FixedSizeListType).listSize;
  }
  at(index: number): ArrayLike<unknown> | null {
    return this.isValid(index) ? this.child.toArray(this.start(index), this.end(index)) : null;
  }
  /** See {@link ListColumn.start}. */
  start(index: number): number {
    return index * this.listSize;
  }
  /** Where in `child` the list at `index` ends. */
  end(index: number): number {
    return (index + 1) * this.listSize;
  }
}

/** Maps, as lists of `[key, value]` in their stored order: repeated keys, which the format allows, are kept. */
export class MapColumn extends Column<ReadonlyArray<readonly [key: unknown, value: unknown]>> {
  declare readonly offsets: Int32Array | BigInt64Array;
  /** The entries: a struct of keys and values. */
  declare readonly child: Column;
  readonly #offsets: Offsets;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.offsets = layout.offsets as Int32Array | BigInt64Array;
    this.#offsets = new Offsets(this.offsets);
    this.child = onlyChild(layout);
  }
  at(index: number): ReadonlyArray<readonly [key: unknown, value: unknown]> | null {
    if (!this.isValid(index)) return null;
    const [keys, values] = this.child.layout.children ?? [];
    const entries: [unknown, unknown][] = [];
    // Offsets may be malformed where nobody has validated them: not a step outside of the entries.
    const end = Math.min(this.end(index), this.child.length);
    for (let i = Math.max(0, this.start(index)); i < end; i++) entries.push([keys?.at(i), values?.at(i)]);
    return entries;
  }
  /** See {@link ListColumn.start}. */
  start(index: number): number {
    return this.#offsets.at(index);
  }
  /** Where in `child` the list at `index` ends. */
  end(index: number): number {
    return this.#offsets.at(index + 1);
  }
}

function onlyChild(layout: ColumnLayout): Column {
  const child = layout.children?.[0];
  if (child === undefined) throw new TypeError(`a ${layout.type.kind} column needs a child`);
  return child;
}
