import { Column, type ColumnLayout } from '../column.ts';
import type { UnionType } from '../type.ts';

/** Unions. `at` gives the value of the child that the type id names; `childAt` says which child that is. */
export class UnionColumn extends Column {
  declare readonly type: UnionType;
  declare readonly typeIds: Int8Array;
  /** Positions in the children of a dense union; a sparse one's children are as long as the union. */
  declare readonly offsets: Int32Array | null;
  declare readonly children: readonly Column[];
  readonly #childOf: Int8Array;
  constructor(layout: ColumnLayout) {
    super(layout);
    this.typeIds = layout.values as Int8Array;
    this.offsets = (layout.offsets as Int32Array | undefined) ?? null;
    this.children = layout.children ?? [];
    this.#childOf = new Int8Array(128).fill(-1);
    (layout.type as UnionType).typeIds.forEach((id, child) => {
      this.#childOf[id] = child;
    });
  }
  /** Position of the active child at `index`, or −1 where the type id is none of the type's. */
  childAt(index: number): number {
    return this.#childOf[this.typeIds[index] ?? -1] ?? -1;
  }
  /** Where in the active child the value at `index` stands. */
  position(index: number): number {
    return this.offsets === null ? index : (this.offsets[index] ?? -1);
  }
  at(index: number): unknown {
    if (!this.isValid(index)) return null;
    return this.children[this.childAt(index)]?.at(this.position(index)) ?? null;
  }
}
