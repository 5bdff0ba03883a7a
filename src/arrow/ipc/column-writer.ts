import { RecurveError } from '../../error.ts';
import { bitmapByteLength } from '../bitmap.ts';
import type { Column, Values } from '../column.ts';
import type { Field } from '../schema.ts';
import {
  byteWidth,
  type DataType,
  type ListViewType,
  type RunEndEncodedType,
  typeEquals,
  typeToString,
  type UnionType,
} from '../type.ts';
import { paddingOf } from './message.ts';
import type { Piece, PieceSource } from './piece.ts';
import type { BatchLayout } from './record-batch.ts';
import { pushNulls, trimListViews, trimRuns, trimViews } from './view-plan.ts';

/** A body before a byte of it is written. */
export interface BodyPlan extends BatchLayout {
  /** The buffers that have bytes, in order. */
  readonly pieces: readonly Piece[];
  /** With padding after the last buffer. */
  readonly bodyLength: number;
}

/**
 * Lays out the body of these columns, depth first: what was sliced is written as if it had never been longer, so offsets
 * begin at 0, bitmaps at a whole byte, and no bytes outside of the slice are written.
 *
 * Throws INVALID_ARGUMENT for a column whose type is not its field's, or whose buffers are shorter than it says.
 */
export function planBody(
  fields: readonly Field[],
  columns: readonly Column[],
  length: number,
  alignment: number,
): BodyPlan {
  kept ??= new ColumnWriter();
  kept.begin(alignment);
  for (const [i, field] of fields.entries()) kept.add(field, columns[i] as Column);
  return kept.finish(length);
}

/** One for all: with the last object of a class a collection takes the code that was compiled for it. */
let kept: ColumnWriter | undefined;

const noBytes = new Uint8Array(0);

class ColumnWriter {
  #nodes: number[] = [];
  #buffers: number[] = [];
  #pieces: Piece[] = [];
  #variadicCounts: number[] = [];
  #end = 0;
  #alignment = 8;
  #path: string[] = [];

  begin(alignment: number): void {
    this.#nodes = [];
    this.#buffers = [];
    this.#pieces = [];
    this.#variadicCounts = [];
    this.#end = 0;
    this.#alignment = alignment;
    this.#path = [];
  }

  /** The plan of what was added since `begin`, of which nothing is held on to. */
  finish(length: number): BodyPlan {
    const plan = {
      length,
      nodes: this.#nodes,
      buffers: this.#buffers,
      pieces: this.#pieces,
      variadicCounts: this.#variadicCounts,
      bodyLength: this.#end,
    };
    this.begin(8);
    return plan;
  }

  add(field: Field, column: Column): void {
    const { type } = field;
    this.#path.push(field.name);
    if (column.type !== type && !typeEquals(column.type, type)) {
      this.#fail(`is of type ${typeToString(column.type)}, its field of ${typeToString(type)}`);
    }
    this.#nodes.push(column.length, type.kind === 'union' || type.kind === 'run-end-encoded' ? 0 : column.nullCount);
    if (type.kind === 'union') {
      this.#addUnion(type, column);
    } else if (type.kind === 'run-end-encoded') {
      this.#addRuns(type, column);
    } else if (type.kind !== 'null') {
      this.#addValidity(column);
      this.#addBuffers(type, column);
    }
    this.#path.pop();
  }

  #addBuffers(type: DataType, column: Column): void {
    const { layout, length } = column;
    switch (type.kind) {
      case 'bool':
        this.#addBits(layout.values, column.bitOffset, length, 'values');
        break;
      case 'utf8':
      case 'binary': {
        const [start, end] = this.#addOffsets(column, type.large);
        const bytes = cut(this.#atLeast(layout.data, end, 'data'), start, end);
        this.#push({ kind: 'bytes', bytes }, bytes.length);
        break;
      }
      case 'utf8-view':
      case 'binary-view':
        this.#addViews(column);
        break;
      case 'list-view':
        this.#addListViews(type, column);
        break;
      case 'list':
      case 'map': {
        const [start, end] = this.#addOffsets(column, type.kind === 'list' && type.large);
        this.#addChild(type.child, layout.children?.[0], start, end);
        break;
      }
      case 'fixed-size-list':
        this.#addChild(type.child, layout.children?.[0], 0, length * type.listSize);
        break;
      case 'struct':
        type.children.forEach((child, i) => {
          this.#addChild(child, layout.children?.[i], 0, length);
        });
        break;
      default:
        this.#addValues(layout.values, length * (byteWidth(type) ?? 0));
    }
  }

  #addViews(column: Column): void {
    this.#atLeast(column.layout.values, 16 * column.length, 'views');
    const { views, buffers } = trimViews(column);
    this.#addValues(views, 16 * column.length);
    this.#variadicCounts.push(buffers.length);
    for (const bytes of buffers) this.#push({ kind: 'bytes', bytes }, bytes.length);
  }

  #addListViews(type: ListViewType, column: Column): void {
    const { layout, length } = column;
    if ((layout.offsets?.length ?? 0) < length || (layout.sizes?.length ?? 0) < length)
      this.#fail(`has too few offsets or sizes for ${length} values`);
    const { offsets, start, end } = trimListViews(type, column);
    const byteLength = length * (type.large ? 8 : 4);
    this.#addValues(offsets, byteLength);
    this.#addValues(layout.sizes, byteLength);
    this.#addChild(type.child, layout.children?.[0], start, end);
  }

  #addRuns(type: RunEndEncodedType, column: Column): void {
    const [runEnds, values] = column.layout.children ?? [];
    if (runEnds === undefined || values === undefined) this.#fail('has no run ends or no values');
    const [ends, runs] = trimRuns(type, column);
    const last = (ends.layout.values as ArrayLike<number | bigint>)[ends.length - 1];
    if (Number(last ?? 0) < column.length) this.#fail(`has ${column.length} values, but its runs end before`);
    this.#addChild(type.runEnds, ends, 0, ends.length);
    this.#addChild(type.values, runs, 0, ends.length);
  }

  /** Leaves the bitmap out when there are no nulls. */
  #addValidity({ validity, nullCount, bitOffset, length }: Column): void {
    if (validity === null || nullCount === 0) this.#push({ kind: 'bytes', bytes: noBytes }, 0);
    else this.#addBits(validity, bitOffset, length, 'validity');
  }

  #addBits(bits: Values | undefined, bitOffset: number, bitCount: number, name: string): void {
    const bitmap = this.#atLeast(bits, bitmapByteLength(bitOffset + bitCount), name);
    this.#push({ kind: 'bits', bitmap, bitOffset, bitCount }, bitmapByteLength(bitCount));
  }

  #addValues(values: Values | undefined, byteLength: number): void {
    const bytes = this.#atLeast(values, byteLength, 'values');
    this.#push({ kind: 'bytes', bytes: cut(bytes, 0, byteLength) }, byteLength);
  }

  /** Returns the part of the data or child that the offsets span. */
  #addOffsets({ layout, length }: Column, wide: boolean): [start: number, end: number] {
    const { offsets } = layout;
    // Always at least one offset, since not all readers take none.
    if (length === 0 || offsets === undefined) {
      if (length > 0) this.#fail('has no offsets');
      this.#push({ kind: 'bytes', bytes: new Uint8Array(wide ? 8 : 4) }, wide ? 8 : 4);
      return [0, 0];
    }
    const count = length + 1;
    if (offsets.length < count) this.#fail(`has ${offsets.length} offsets for ${length} values`);
    const start = Number(offsets[0]);
    const end = Number(offsets[length]);
    if (start < 0 || end < start) this.#fail(`has offsets from ${start} to ${end}`);
    if (!wide && end - start > 0x7fffffff)
      this.#fail(`spans ${end - start} bytes or values, which 32-bit offsets cannot count`);
    const byteLength = count * (wide ? 8 : 4);
    if (start === 0 && wide === offsets instanceof BigInt64Array) {
      this.#push({ kind: 'bytes', bytes: cut(bytesOf(offsets), 0, byteLength) }, byteLength);
    } else {
      this.#push({ kind: 'offsets', offsets, count, wide }, byteLength);
    }
    return [start, end];
  }

  #addChild(field: Field, child: Column | undefined, start: number, end: number): void {
    if (child !== undefined && child.length >= end) this.add(field, child.slice(start, end));
    else this.#fail(`needs ${end} values of its child ${JSON.stringify(field.name)}, which has ${child?.length ?? 0}`);
  }

  #addUnion(type: UnionType, column: Column): void {
    const { layout, length } = column;
    // Only metadata version V4 has nulls of unions; V5 has them in the children.
    const children = column.nullCount > 0 ? pushNulls(type, column) : layout.children;
    if (children === null)
      this.#fail(`is a union with ${column.nullCount} nulls of its own that its children cannot take, as V5 wants`);
    this.#addValues(layout.values, length);
    if (type.mode === 'sparse') {
      type.children.forEach((child, i) => {
        this.#addChild(child, children?.[i], 0, length);
      });
      return;
    }
    const typeIds = layout.values as Int8Array;
    const offsets = layout.offsets as Int32Array;
    if (!(offsets instanceof Int32Array) || offsets.length < length)
      this.#fail(`has too few offsets for ${length} values`);
    const { starts, ends } = spanOfChildren(typeIds, offsets, length);
    if (starts.every((start) => start === 0)) this.#addValues(offsets, length * 4);
    else this.#push({ kind: 'union-offsets', offsets, typeIds, shifts: starts, count: length }, length * 4);
    type.children.forEach((child, i) => {
      const id = type.typeIds[i] ?? 0;
      this.#addChild(child, children?.[i], starts[id] ?? 0, ends[id] ?? 0);
    });
  }

  /** Buffer.length is without the padding, as the format recommends. */
  #push(source: PieceSource, byteLength: number): void {
    this.#buffers.push(this.#end, byteLength);
    if (byteLength === 0) return;
    this.#pieces.push({ source, offset: this.#end, byteLength });
    this.#end += byteLength + paddingOf(byteLength, this.#alignment);
  }

  /** The bytes of a buffer, at least `needed`. */
  #atLeast(buffer: Values | undefined, needed: number, name: string): Uint8Array {
    const bytes = buffer === undefined ? noBytes : bytesOf(buffer);
    return bytes.length < needed
      ? this.#fail(`has ${bytes.length} bytes of ${name}, but its length needs ${needed}`)
      : bytes;
  }

  #fail(what: string): never {
    throw new RecurveError(
      'INVALID_ARGUMENT',
      `column ${this.#path.map((name) => JSON.stringify(name)).join('.')} ${what}`,
    );
  }
}

/** As `subarray`, but what need not be cut stays the same object: making views is most of the work of planning. */
function cut(bytes: Uint8Array, start: number, end: number): Uint8Array {
  return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
}

function bytesOf(view: Values): Uint8Array {
  return new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
}

/** For each type id the part of its child that the offsets use: those of a slice use but a part. */
function spanOfChildren(
  typeIds: Int8Array,
  offsets: Int32Array,
  length: number,
): { starts: Int32Array; ends: Int32Array } {
  const starts = new Int32Array(128).fill(0x7fffffff);
  const ends = new Int32Array(128);
  for (let i = 0; i < length; i++) {
    const id = typeIds[i] ?? 0;
    const offset = offsets[i] ?? 0;
    if (offset < (starts[id] ?? 0)) starts[id] = offset;
    if (offset >= (ends[id] ?? 0)) ends[id] = offset + 1;
  }
  for (let id = 0; id < 128; id++) if (ends[id] === 0) starts[id] = 0;
  return { starts, ends };
}
