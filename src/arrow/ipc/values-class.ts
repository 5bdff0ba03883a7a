import type { Values } from '../column.ts';
import { byteWidth, type DataType } from '../type.ts';

/** The constructor of a typed array over a part of a buffer. */
export type ValuesClass = {
  new (buffer: ArrayBufferLike, byteOffset: number, length: number): Values;
  readonly BYTES_PER_ELEMENT: number;
};

/** The typed array of a type's values, as {@link ColumnLayout} has them. */
export function valuesClass(type: DataType): ValuesClass {
  const width = byteWidth(type) ?? 1;
  const int = type.kind === 'dictionary' ? type.index : type;
  switch (type.kind) {
    case 'float':
      return width === 2 ? Uint16Array : width === 4 ? Float32Array : Float64Array;
    case 'decimal':
      return width === 4 ? Int32Array : BigInt64Array;
    case 'utf8-view':
    case 'binary-view':
      return Int32Array;
    case 'union':
      return Int8Array;
    case 'interval':
      return width === 4 ? Int32Array : Uint8Array;
    case 'int':
    case 'dictionary':
    case 'date':
    case 'time':
    case 'timestamp':
    case 'duration': {
      const isUnsigned = int.kind === 'int' && !int.signed;
      if (width === 1) return isUnsigned ? Uint8Array : Int8Array;
      if (width === 2) return isUnsigned ? Uint16Array : Int16Array;
      if (width === 4) return isUnsigned ? Uint32Array : Int32Array;
      return isUnsigned ? BigUint64Array : BigInt64Array;
    }
    default:
      return Uint8Array;
  }
}
