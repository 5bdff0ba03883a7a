import { bitmapByteLength, copyBits, getBit } from '../bitmap.ts';
import { makeColumn } from '../column/make.ts';
import { inlineBytes, Views } from '../column/view.ts';
import type { Column, Values } from '../column.ts';
import type { ListViewType, RunEndEncodedType, UnionType } from '../type.ts';

// What a slice is written as, so that it looks as if it had never been longer.

/** Views and their buffers: as they are when they use all bytes of them, else over one buffer of the bytes they use. */
export function trimViews(column: Column): { views: Int32Array; buffers: readonly Uint8Array[] } {
  const { layout, length } = column;
  const views = new Views(layout);
  const total = views.buffers.reduce((sum, buffer) => sum + buffer.length, 0);
  let used = 0;
  for (let i = 0; i < length; i++) {
    const size = views.size(i);
    if (size > inlineBytes && column.isValid(i)) used += size;
  }
  // Views may share bytes, so that a buffer of their own would be larger; more than one buffer holds cannot be joined.
  if (used >= total || used > 0x7fffffff) return { views: views.words.subarray(0, 4 * length), buffers: views.buffers };
  const words = views.words.slice(0, 4 * length);
  const data = new Uint8Array(used);
  let at = 0;
  for (let i = 0; i < length; i++) {
    if (!column.isValid(i)) {
      words.fill(0, 4 * i, 4 * i + 4);
    } else if (views.size(i) > inlineBytes) {
      const bytes = views.at(i);
      data.set(bytes, at);
      words[4 * i + 2] = 0;
      words[4 * i + 3] = at;
      at += bytes.length;
    }
  }
  return { views: words, buffers: used === 0 ? [] : [data] };
}

/** Offsets of list views from the first child value that they use, and the part of the child that they span. */
export function trimListViews(
  type: ListViewType,
  { layout, length }: Column,
): { offsets: Int32Array | BigInt64Array; start: number; end: number } {
  const source = layout.offsets ?? [];
  let start = Number.POSITIVE_INFINITY;
  let end = 0;
  for (let i = 0; i < length; i++) {
    const size = Number(layout.sizes?.[i]);
    if (size === 0) continue;
    const offset = Number(source[i]);
    start = Math.min(start, offset);
    end = Math.max(end, offset + size);
  }
  if (end === 0) start = 0;
  const offsets = type.large ? new BigInt64Array(length) : new Int32Array(length);
  for (let i = 0; i < length; i++) {
    // An empty list may have stood anywhere.
    const offset = Number(layout.sizes?.[i]) === 0 ? 0 : Number(source[i]) - start;
    offsets[i] = type.large ? BigInt(offset) : offset;
  }
  return { offsets, start, end };
}

/** Run ends and values of the runs that a column spans, the last one ending with the column. */
export function trimRuns({ runEnds }: RunEndEncodedType, { layout, length }: Column): [Column, Column] {
  const [ends, values] = layout.children as [Column, Column];
  const shift = layout.runOffset ?? 0;
  const source = ends.layout.values as ArrayLike<number | bigint>;
  let first = 0;
  while (length > 0 && first < ends.length && Number(source[first]) <= shift) first++;
  let last = first;
  while (length > 0 && last < ends.length && Number(source[last]) < shift + length) last++;
  const stop = length === 0 ? first : last + 1;
  const trimmed = (ends.layout.values as Values).slice(first, stop);
  for (let i = 0; i < trimmed.length; i++) {
    const end = Math.min(Number(trimmed[i]) - shift, length);
    trimmed[i] = trimmed instanceof BigInt64Array ? BigInt(end) : end;
  }
  const column = makeColumn(runEnds, { type: runEnds.type, length: trimmed.length, nullCount: 0, values: trimmed });
  return [column, values.slice(first, stop)];
}

/**
 * The children of a union that has nulls of its own, as metadata V4 allows, with those nulls in them; null where a child
 * cannot hold them: it has no validity, or a dense one shares a value with a slot that is not null.
 */
export function pushNulls(type: UnionType, column: Column): Column[] | null {
  const { layout, length } = column;
  const typeIds = layout.values as Int8Array;
  const dense = type.mode === 'dense';
  const children: Column[] = [];
  for (const [c, field] of type.children.entries()) {
    const child = layout.children?.[c] as Column;
    const id = type.typeIds[c];
    const bits = new Uint8Array(bitmapByteLength(child.length)).fill(0xff);
    if (child.validity !== null) copyBits(bits, 0, child.validity, child.bitOffset, child.length);
    const used = new Uint8Array(dense ? child.length : 0);
    let nulls = 0;
    for (const valid of [true, false]) {
      for (let i = 0; i < length; i++) {
        if (typeIds[i] !== id || column.isValid(i) !== valid) continue;
        const at = dense ? Number(layout.offsets?.[i]) : i;
        if (valid) {
          if (dense) used[at] = 1;
        } else if (getBit(bits, at)) {
          if (used[at] === 1) return null;
          bits[at >>> 3] = (bits[at >>> 3] ?? 0) & ~(1 << (at & 7));
          nulls++;
        }
      }
    }
    const { kind } = child.type;
    if (nulls > 0 && kind === 'run-end-encoded') return null;
    const keep = nulls === 0 || kind === 'null';
    // Bits of `bool` values share the offset of the validity.
    const values = kind === 'bool' && child.bitOffset > 0 ? shifted(child) : child.layout.values;
    children.push(
      keep
        ? child
        : makeColumn(field, {
            ...child.layout,
            ...(values && { values }),
            validity: bits,
            bitOffset: 0,
            nullCount: -1,
          }),
    );
  }
  return children;
}

function shifted(column: Column): Uint8Array {
  const bits = new Uint8Array(bitmapByteLength(column.length));
  copyBits(bits, 0, column.layout.values as Uint8Array, column.bitOffset, column.length);
  return bits;
}
