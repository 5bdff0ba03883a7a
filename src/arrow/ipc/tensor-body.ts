import { RecurveError } from '../../error.ts';
import type { Values } from '../column.ts';
import type { FlatbufferReader } from '../flatbuffer/reader.ts';
import type { Slot } from '../flatbuffer/writer.ts';
import { typeToString } from '../type.ts';
import { type Body, paddingOf } from './message.ts';
import type { TensorType } from './tensor-type.ts';
import { valuesClass } from './values-class.ts';

/** The buffers of a tensor's message. */
export class TensorBodyReader {
  readonly #flatbuffer: FlatbufferReader;
  readonly #body: Body;

  constructor(flatbuffer: FlatbufferReader, body: Body) {
    this.#flatbuffer = flatbuffer;
    this.#body = body;
  }

  /** The strides in a slot, in bytes; undefined when absent or none. */
  strides(table: number, slot: number): number[] | undefined {
    const { start, length } = this.#flatbuffer.vector(table, slot, 8);
    return length === 0 ? undefined : Array.from({ length }, (_, i) => this.#flatbuffer.int64At(start + 8 * i));
  }

  /**
   * The elements of the buffer whose struct is at `position`: `count` of them, or as many as it has. Its length is in bytes
   * unless `unit` says otherwise.
   */
  view(type: TensorType, position: number, count?: number, unit: 'bytes' | 'elements' = 'bytes'): Values {
    const flatbuffer = this.#flatbuffer;
    if (position === 0) return flatbuffer.fail('the tensor lacks a buffer');
    const elements = valuesClass(type);
    const width = elements.BYTES_PER_ELEMENT;
    const offset = flatbuffer.int64At(position);
    const length = flatbuffer.int64At(position + 8) * (unit === 'bytes' ? 1 : width);
    if (offset < 0 || length < 0 || offset + length > this.#body.length) {
      flatbuffer.fail(`a buffer is in bytes ${offset} to ${offset + length} of a body of ${this.#body.length}`);
    }
    const elementCount = count ?? Math.floor(length / width);
    if (elementCount < 0 || elementCount * width > length) {
      flatbuffer.fail(`${elementCount} values of ${typeToString(type)} are in a buffer of ${length} bytes`);
    }
    const bytes = this.#body.subarray(offset, offset + elementCount * width);
    const aligned = bytes.byteOffset % width === 0 ? bytes : bytes.slice();
    return new elements(aligned.buffer, aligned.byteOffset, elementCount);
  }

  /** As `view`, with all elements that shape and strides lead to. */
  strided(
    type: TensorType,
    position: number,
    shape: readonly number[],
    strides: readonly number[] | undefined,
  ): Values {
    const width = valuesClass(type).BYTES_PER_ELEMENT;
    if (strides === undefined)
      return this.view(
        type,
        position,
        shape.reduce((product, size) => product * size, 1),
      );
    const wrong = strides.find((stride) => stride < 0 || stride % width !== 0);
    if (strides.length !== shape.length || wrong !== undefined) {
      this.#flatbuffer.fail(`strides [${strides}] do not fit ${shape.length} dimensions of ${width} bytes a value`);
    }
    const last = shape.reduce((offset, size, i) => offset + (size - 1) * ((strides[i] ?? 0) / width), 0);
    return this.view(type, position, shape.includes(0) ? 0 : last + 1);
  }
}

/** Collects the buffers of a tensor's message. */
export class TensorBodyWriter {
  length = 0;
  readonly #parts: { readonly bytes: Uint8Array; readonly offset: number }[] = [];

  /** A slot with the place of a buffer of these values. Throws INVALID_ARGUMENT when they are not the type's. */
  add(type: TensorType, values: Values): readonly [kind: 'struct', offset: number, byteLength: number] {
    if (values.constructor !== valuesClass(type)) {
      throw new RecurveError(
        'INVALID_ARGUMENT',
        `${values.constructor.name} has no values of ${typeToString(type)}: give a ${(valuesClass(type) as unknown as { name: string }).name}`,
      );
    }
    const offset = this.length;
    this.#parts.push({ bytes: new Uint8Array(values.buffer, values.byteOffset, values.byteLength), offset });
    this.length += values.byteLength + paddingOf(values.byteLength, 64);
    return ['struct', offset, values.byteLength];
  }

  /** A vector of the places of several buffers, their lengths in elements, as Arrow C++ has them. */
  addAll(type: TensorType, buffers: readonly Values[]): Slot {
    const places = buffers.flatMap((values) => [this.add(type, values)[1], values.length]);
    return ['structs', places, 2];
  }

  strides(strides: readonly number[] | undefined): Slot {
    return strides === undefined ? null : ['structs', strides, 1];
  }

  copyTo(target: Uint8Array, at: number): void {
    for (const { bytes, offset } of this.#parts) target.set(bytes, at + offset);
  }
}
