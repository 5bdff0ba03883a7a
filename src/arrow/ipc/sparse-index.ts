import type { Values } from '../column.ts';
import type { FlatbufferReader } from '../flatbuffer/reader.ts';
import type { TableSlots } from '../flatbuffer/writer.ts';
import type { IntType } from '../type.ts';
import type { TensorBodyReader, TensorBodyWriter } from './tensor-body.ts';
import type { CooIndex, CsfIndex, CsxIndex, SparseTensor } from './tensor-type.ts';
import { intSlots, readInt } from './type.ts';

/** `SparseTensorIndex` (SparseTensor.fbs), by number. */
const indexKind = { coo: 1, csx: 2, csf: 3 } as const;

/** What an index is checked against. */
interface Indexed {
  readonly shape: readonly number[];
  /** Values there are. */
  readonly count: number;
  readonly body: TensorBodyReader;
}

/** Reads an index. Throws INVALID_DATA where it leads outside of the shape or does not account for all values. */
export function readIndex(
  flatbuffer: FlatbufferReader,
  kind: number,
  table: number,
  indexed: Indexed,
): SparseTensor['index'] {
  if (table === 0) flatbuffer.fail('the sparse tensor has no index');
  const reader = new IndexReader(flatbuffer, table, indexed);
  switch (kind) {
    case indexKind.coo:
      return reader.coo();
    case indexKind.csx:
      return reader.csx();
    case indexKind.csf:
      return reader.csf();
    default:
      return flatbuffer.fail(`the sparse tensor has an index of type ${kind}, which is none`);
  }
}

class IndexReader {
  readonly #flatbuffer: FlatbufferReader;
  readonly #table: number;
  readonly #indexed: Indexed;

  constructor(flatbuffer: FlatbufferReader, table: number, indexed: Indexed) {
    this.#flatbuffer = flatbuffer;
    this.#table = table;
    this.#indexed = indexed;
  }

  coo(): CooIndex {
    const { shape, count, body } = this.#indexed;
    const type = this.#int(0);
    const strides = body.strides(this.#table, 1);
    const indices = body.strided(type, this.#buffer(2), [count, shape.length], strides);
    const width = type.bitWidth / 8;
    const [perValue, perDimension] = strides?.map((stride) => stride / width) ?? [shape.length, 1];
    shape.forEach((size, dimension) => {
      for (let i = 0; i < count; i++) {
        this.#inside(indices[i * (perValue ?? 0) + dimension * (perDimension ?? 0)], size);
      }
    });
    const isCanonical = this.#flatbuffer.bool(this.#table, 3);
    return { kind: 'coo', type, ...(strides && { strides }), indices, isCanonical };
  }

  csx(): CsxIndex {
    const { shape, count, body } = this.#indexed;
    const [rows, columns] = shape;
    if (rows === undefined || columns === undefined || shape.length !== 2) {
      return this.#fail(`a compressed matrix has ${shape.length} dimensions, not 2`);
    }
    const axis = this.#flatbuffer.int16(this.#table, 0);
    if (axis !== 0 && axis !== 1) this.#fail(`a matrix is compressed by axis ${axis}, which is none`);
    const pointerType = this.#int(1);
    const pointers = body.view(pointerType, this.#buffer(2), (axis === 0 ? rows : columns) + 1);
    const type = this.#int(3);
    const indices = body.view(type, this.#buffer(4), count);
    this.#pointers(pointers, count);
    for (const index of indices) this.#inside(index, axis === 0 ? columns : rows);
    return { kind: 'csx', compressedAxis: axis === 0 ? 'row' : 'column', pointerType, pointers, type, indices };
  }

  csf(): CsfIndex {
    const flatbuffer = this.#flatbuffer;
    const { shape, count, body } = this.#indexed;
    const pointerType = this.#int(0);
    const pointerBuffers = flatbuffer.vector(this.#table, 1, 16);
    const type = this.#int(2);
    const indexBuffers = flatbuffer.vector(this.#table, 3, 16);
    const order = flatbuffer.vector(this.#table, 4, 4);
    const axisOrder = Array.from({ length: order.length }, (_, i) => flatbuffer.int32At(order.start + 4 * i));
    const levels = shape.length;
    if (
      levels === 0 ||
      pointerBuffers.length !== levels - 1 ||
      indexBuffers.length !== levels ||
      axisOrder.length !== levels ||
      !shape.every((_, dimension) => axisOrder.includes(dimension))
    ) {
      this.#fail(
        `${levels} dimensions have ${pointerBuffers.length} pointer and ${indexBuffers.length} index buffers, in the order [${axisOrder}]`,
      );
    }
    const pointers: Values[] = [];
    const indices: Values[] = [];
    const leaves = flatbuffer.int64At(indexBuffers.start + 16 * (levels - 1) + 8);
    // Arrow C++ says of these buffers how many elements they have, where the format has bytes.
    const unit = leaves === count ? 'elements' : 'bytes';
    // From the leaves on: each level says how many nodes the one below has.
    for (let level = levels - 1, nodes = count; level >= 0; level--) {
      const coordinates = body.view(type, indexBuffers.start + 16 * level, nodes, unit);
      for (const index of coordinates) this.#inside(index, shape[axisOrder[level] ?? 0] ?? 0);
      indices.unshift(coordinates);
      if (level === 0) break;
      const above = body.view(pointerType, pointerBuffers.start + 16 * (level - 1), undefined, unit);
      this.#pointers(above, nodes);
      pointers.unshift(above);
      nodes = above.length - 1;
    }
    return { kind: 'csf', pointerType, pointers, type, indices, axisOrder };
  }

  #int(slot: number): IntType {
    const table = this.#flatbuffer.table(this.#table, slot);
    return table === 0 ? this.#fail('an index has no type') : readInt(this.#flatbuffer, table, '"index"');
  }

  #buffer(slot: number): number {
    return this.#flatbuffer.struct(this.#table, slot, 16);
  }

  /** Each must be no less than the one before, from 0 to the number of what they point at. */
  #pointers(pointers: Values, count: number): void {
    let last = 0;
    for (const pointer of pointers) {
      if (Number(pointer) < last) this.#fail(`pointer ${pointer} follows ${last}`);
      last = Number(pointer);
    }
    if (Number(pointers[0] ?? -1) !== 0 || last !== count) {
      this.#fail(`pointers go from ${pointers[0]} to ${last}, but there are ${count} values`);
    }
  }

  #inside(index: number | bigint | undefined, size: number): void {
    if (index === undefined || index < 0 || index >= size)
      this.#fail(`index ${index} is outside of a dimension of ${size}`);
  }

  #fail(what: string): never {
    return this.#flatbuffer.fail(`the sparse tensor is malformed: ${what}`);
  }
}

/** Two slots: the index's number in the union, and its table. */
export function writeIndex(index: SparseTensor['index'], body: TensorBodyWriter): TableSlots {
  return [
    ['int8', indexKind[index.kind]],
    ['table', indexSlots(index, body)],
  ];
}

function indexSlots(index: SparseTensor['index'], body: TensorBodyWriter): TableSlots {
  const type = ['table', intSlots(index.type)] as const;
  switch (index.kind) {
    case 'coo':
      return [
        type,
        body.strides(index.strides),
        body.add(index.type, index.indices),
        ['int8', index.isCanonical ? 1 : 0],
      ];
    case 'csx':
      return [
        ['int16', index.compressedAxis === 'row' ? 0 : 1],
        ['table', intSlots(index.pointerType)],
        body.add(index.pointerType, index.pointers),
        type,
        body.add(index.type, index.indices),
      ];
    case 'csf':
      return [
        ['table', intSlots(index.pointerType)],
        body.addAll(index.pointerType, index.pointers),
        type,
        body.addAll(index.type, index.indices),
        ['int32s', index.axisOrder],
      ];
  }
}
