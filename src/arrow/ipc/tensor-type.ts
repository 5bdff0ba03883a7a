import type { Values } from '../column.ts';
import type { FloatType, IntType } from '../type.ts';

/** A type that tensors have. */
export type TensorType = IntType | FloatType;

/** What both kinds of tensors have. */
export interface TensorShape {
  readonly type: TensorType;
  /** The extent of each dimension. */
  readonly shape: readonly number[];
  /** The name of each dimension; null where it has none. Default: none has. */
  readonly names?: ReadonlyArray<string | null> | undefined;
}

/** A tensor all of whose values are there (Tensor.fbs, `Tensor`). */
export interface Tensor extends TensorShape {
  readonly kind: 'dense';
  /** Bytes from a value to the next in each dimension. Default: row-major, the last dimension closest. */
  readonly strides?: readonly number[] | undefined;
  /** The values by their strides; of float16, its bits. */
  readonly values: Values;
}

/** The coordinates of each value (SparseTensor.fbs, `SparseTensorIndexCOO`). */
export interface CooIndex {
  readonly kind: 'coo';
  readonly type: IntType;
  /** Bytes from a value's coordinates to the next's, and from a coordinate to the next. Default: value by value. */
  readonly strides?: readonly number[] | undefined;
  readonly indices: Values;
  /** Whether coordinates are in order and none is repeated. */
  readonly isCanonical: boolean;
}

/** A compressed matrix (`SparseMatrixIndexCSX`): CSR by rows, CSC by columns. */
export interface CsxIndex {
  readonly kind: 'csx';
  readonly compressedAxis: 'row' | 'column';
  readonly pointerType: IntType;
  /** For each row (column) the first of its values; one more for the end. */
  readonly pointers: Values;
  readonly type: IntType;
  /** For each value its column (row). */
  readonly indices: Values;
}

/** A tree of prefixes (`SparseTensorIndexCSF`), a level a dimension. */
export interface CsfIndex {
  readonly kind: 'csf';
  readonly pointerType: IntType;
  /** For each level but the last, where the children of each node begin; one more for the end. */
  readonly pointers: readonly Values[];
  readonly type: IntType;
  /** For each level the coordinate of each node. */
  readonly indices: readonly Values[];
  /** The dimension of each level. */
  readonly axisOrder: readonly number[];
}

/** A tensor of which only the values other than zero are there (SparseTensor.fbs). */
export interface SparseTensor extends TensorShape {
  readonly kind: 'sparse';
  readonly index: CooIndex | CsxIndex | CsfIndex;
  readonly values: Values;
}
