import type { SparseTensor, Tensor } from 'recurve/arrow';

type TensorType = Tensor['type'];
type Values = Tensor['values'];

/** The truth of a tensor case: the parts as in Tensor.fbs and SparseTensor.fbs, numbers as text, and what they mean. */
export interface TensorTruth {
  readonly kind: 'dense' | 'coo' | 'csx' | 'csf';
  readonly type: TensorType;
  readonly shape: readonly number[];
  readonly names?: ReadonlyArray<string | null>;
  /** Bytes from a value to the next in each dimension; of `coo` those of its indices. */
  readonly strides?: readonly number[];
  /** As stored; of float16 the bits. */
  readonly values: readonly string[];
  readonly index?: {
    readonly type: TensorType;
    readonly indices: ReadonlyArray<readonly string[]>;
    readonly isCanonical?: boolean;
    readonly compressedAxis?: 'row' | 'column';
    readonly pointerType?: TensorType;
    readonly pointers?: ReadonlyArray<readonly string[]>;
    readonly axisOrder?: readonly number[];
  };
  /** Dense: all values in row-major order. Sparse: those that are not zero, by their coordinates. */
  readonly cells: readonly string[] | Readonly<Record<string, string>>;
  /** The message's `custom_metadata`. */
  readonly metadata?: ReadonlyArray<{ readonly key: string; readonly value: string }>;
}

const int = (bitWidth: 8 | 16 | 32 | 64, signed = true): TensorType =>
  ({ kind: 'int', bitWidth, signed }) as TensorType;
const float = (bitWidth: 16 | 32 | 64): TensorType => ({ kind: 'float', bitWidth });

/** 0 1 0 2 / 0 0 0 0 / 3 0 4 5 */
const matrix = { '0,1': '1', '0,3': '2', '2,0': '3', '2,2': '4', '2,3': '5' };

export const tensorCases: Readonly<Record<string, TensorTruth>> = {
  tensor_rows: {
    kind: 'dense',
    type: float(64),
    shape: [2, 3],
    values: ['1', '2', '3', '4', '5', '6.5'],
    cells: ['1', '2', '3', '4', '5', '6.5'],
  },
  tensor_columns: {
    kind: 'dense',
    type: int(16),
    shape: [2, 3],
    strides: [2, 4],
    names: ['row', 'column'],
    values: ['1', '2', '3', '4', '5', '6'],
    cells: ['1', '3', '5', '2', '4', '6'],
  },
  tensor_float16: {
    kind: 'dense',
    type: float(16),
    shape: [2, 2],
    values: ['15360', '32768', '31744', '1'],
    cells: ['15360', '32768', '31744', '1'],
    metadata: [{ key: 'unit', value: 'a\0b' }],
  },
  tensor_uint64_cube: {
    kind: 'dense',
    type: int(64, false),
    shape: [2, 1, 2],
    names: ['x', 'y', 'z'],
    values: ['0', '1', '18446744073709551615', '9007199254740993'],
    cells: ['0', '1', '18446744073709551615', '9007199254740993'],
  },
  tensor_empty: { kind: 'dense', type: int(32), shape: [0, 3], values: [], cells: [] },
  sparse_coo: {
    kind: 'coo',
    type: int(16),
    shape: [3, 4],
    names: ['row', 'column'],
    values: ['1', '2', '3', '4', '5'],
    index: { type: int(64), indices: [['0', '1', '0', '3', '2', '0', '2', '2', '2', '3']], isCanonical: true },
    cells: matrix,
  },
  sparse_coo_columns: {
    kind: 'coo',
    type: float(32),
    shape: [3, 4],
    strides: [4, 20],
    values: ['5', '4', '3', '2', '1'],
    index: { type: int(32), indices: [['2', '2', '2', '0', '0', '3', '2', '0', '3', '1']], isCanonical: false },
    cells: matrix,
  },
  sparse_csr: {
    kind: 'csx',
    type: float(64),
    shape: [3, 4],
    values: ['1', '2', '3', '4', '5'],
    index: {
      type: int(32),
      compressedAxis: 'row',
      pointerType: int(64),
      pointers: [['0', '2', '2', '5']],
      indices: [['1', '3', '0', '2', '3']],
    },
    cells: matrix,
  },
  sparse_csc: {
    kind: 'csx',
    type: int(8),
    shape: [3, 4],
    values: ['3', '1', '4', '2', '5'],
    index: {
      type: int(16),
      compressedAxis: 'column',
      pointerType: int(16),
      pointers: [['0', '1', '2', '3', '5']],
      indices: [['2', '0', '2', '0', '2']],
    },
    cells: matrix,
  },
  sparse_csf: {
    kind: 'csf',
    type: int(32),
    shape: [2, 3, 2],
    names: ['a', 'b', 'c'],
    values: ['1', '2', '3', '4', '5'],
    index: {
      type: int(32),
      pointerType: int(32),
      axisOrder: [0, 1, 2],
      indices: [
        ['0', '1'],
        ['0', '1', '1', '2'],
        ['0', '1', '0', '1', '1'],
      ],
      pointers: [
        ['0', '2', '4'],
        ['0', '1', '2', '4', '5'],
      ],
    },
    cells: { '0,0,0': '1', '0,1,1': '2', '1,1,0': '3', '1,1,1': '4', '1,2,1': '5' },
  },
};

/** The tensor that the parts make. */
export function tensorOf({ kind, type, shape, names, strides, values, index }: TensorTruth): Tensor | SparseTensor {
  const shaped = { type, shape, ...(names && { names }), values: arrayOf(type, values) };
  if (index === undefined) return { kind: 'dense', ...shaped, ...(strides && { strides }) };
  const indexType = index.type as TensorType & { kind: 'int' };
  const pointerType = (index.pointerType ?? indexType) as typeof indexType;
  const indices = index.indices.map((part) => arrayOf(indexType, part));
  const pointers = (index.pointers ?? []).map((part) => arrayOf(pointerType, part));
  const [firstIndices, firstPointers] = [indices[0] as Values, pointers[0] as Values];
  const made = {
    coo: { kind: 'coo', type: indexType, indices: firstIndices, isCanonical: index.isCanonical ?? false },
    csx: {
      kind: 'csx',
      type: indexType,
      indices: firstIndices,
      compressedAxis: index.compressedAxis ?? 'row',
      pointerType,
      pointers: firstPointers,
    },
    csf: { kind: 'csf', type: indexType, indices, pointerType, pointers, axisOrder: index.axisOrder ?? [] },
  } as const;
  const chosen = made[kind as 'coo'] as SparseTensor['index'];
  return {
    kind: 'sparse',
    ...shaped,
    index: strides === undefined ? chosen : ({ ...chosen, strides } as typeof chosen),
  };
}

function arrayOf({ kind, bitWidth, ...rest }: TensorType, values: readonly string[]): Values {
  if (kind === 'float' && bitWidth !== 16) {
    return bitWidth === 32 ? Float32Array.from(values, Number) : Float64Array.from(values, Number);
  }
  const signed = 'signed' in rest && rest.signed;
  if (bitWidth === 64) return signed ? BigInt64Array.from(values, BigInt) : BigUint64Array.from(values, BigInt);
  if (bitWidth === 32) return signed ? Int32Array.from(values, Number) : Uint32Array.from(values, Number);
  if (bitWidth === 16) return signed ? Int16Array.from(values, Number) : Uint16Array.from(values, Number);
  return signed ? Int8Array.from(values, Number) : Uint8Array.from(values, Number);
}
