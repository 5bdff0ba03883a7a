import { getBit } from '../bitmap.ts';
import { Column, type ColumnLayout } from '../column.ts';
import { blockReader, fillRows, rowMaker } from '../row-maker.ts';
import type { StructType } from '../type.ts';

/** Structs. `at` gives a plain object; a child counts as null where its parent is. */
export class StructColumn extends Column<Record<string, unknown>> {
  declare readonly type: StructType;
  declare readonly children: readonly Column[];
  constructor(layout: ColumnLayout) {
    super(layout);
    this.children = layout.children ?? [];
  }
  at(index: number): Record<string, unknown> | null {
    if (!this.isValid(index)) return null;
    const out: Record<string, unknown>[] = [];
    const values = this.children.map((child) => [child.at(index)]);
    rowMaker(this.type.children)(out, 0, 1, values);
    return out[0] ?? null;
  }
  override copyTo(out: unknown[], place = 0, start = 0, end: number = this.length): void {
    const { validity, bitOffset } = this;
    fillRows(out, place, this.type.children, this.children.map(blockReader), start, end);
    if (validity === null) return;
    for (let i = start; i < end; i++) if (!getBit(validity, bitOffset + i)) out[place + i - start] = null;
  }
}
