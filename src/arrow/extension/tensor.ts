import { extensionField } from '../extension.ts';
import { Field, type FieldOptions } from '../schema.ts';
import type { DataType } from '../type.ts';
import { fixedSizeList, int32, list, struct } from '../type-factory.ts';
import { defineExtension, type ExtensionType } from './define.ts';
import { isSizes, parseAxes, parseObject, type TensorAxes, writeAxes } from './parameter.ts';

/** A tensor that is a value of a column: its elements, and how the logical dimensions lie in them. */
export interface TensorValue {
  /** The elements in the order in which they are stored: a typed array, in place, where they are numbers without nulls. */
  readonly data: ArrayLike<unknown>;
  /** Sizes of the logical dimensions. */
  readonly shape: readonly number[];
  /** Steps in `data`, in elements, for each logical dimension. */
  readonly strides: readonly number[];
  /** Names of the logical dimensions, where there are. */
  readonly dimNames?: readonly string[] | undefined;
}

/** What all tensors of an `arrow.fixed_shape_tensor` have in common. */
export interface FixedShapeTensorParameters extends TensorAxes {
  /** Sizes of the stored, row-major dimensions. */
  readonly shape: readonly number[];
}

/** `arrow.fixed_shape_tensor` over a fixed-size list. Values are {@link TensorValue}; a builder takes their elements. */
export const fixedShapeTensorExtension: ExtensionType<TensorValue, FixedShapeTensorParameters> =
  /* @__PURE__ */ defineExtension<TensorValue, FixedShapeTensorParameters>({
    name: 'arrow.fixed_shape_tensor',
    storage: (type) => type.kind === 'fixed-size-list',
    serialize: ({ shape, ...axes }) => JSON.stringify({ shape, ...writeAxes(axes) }),
    deserialize(metadata, storage) {
      const found = parseObject(metadata);
      const { shape } = found;
      if (!isSizes(shape)) throw new TypeError('shape is no list of sizes');
      const size = storage.kind === 'fixed-size-list' ? storage.listSize : 0;
      if (product(shape) !== size) throw new RangeError(`shape [${shape}] does not fit lists of ${size}`);
      return { shape, ...parseAxes(found, shape.length) };
    },
    decode: (value, { shape, ...axes }) => makeTensor(value as ArrayLike<unknown>, shape, axes),
    encode: (value) => elementsOf(value),
  });

/** A field of `arrow.fixed_shape_tensor` over elements of type `value`. Throws INVALID_ARGUMENT for axes that do not fit. */
export function fixedShapeTensorField(
  name: string,
  value: DataType,
  parameters: FixedShapeTensorParameters,
  options?: FieldOptions,
): Field {
  const storage = fixedSizeList(value, product(parameters.shape));
  return extensionField(name, storage, fixedShapeTensorExtension.describe(storage, parameters), options);
}

/** What all tensors of an `arrow.variable_shape_tensor` have in common. */
export interface VariableShapeTensorParameters extends TensorAxes {
  /** Sizes of the stored dimensions; null for those that differ. */
  readonly uniformShape?: ReadonlyArray<number | null> | undefined;
}

/**
 * `arrow.variable_shape_tensor` over a struct of elements and sizes. Values are {@link TensorValue}; a builder takes
 * `{ data, shape }`, the shape of the stored dimensions.
 */
export const variableShapeTensorExtension: ExtensionType<TensorValue, VariableShapeTensorParameters> =
  /* @__PURE__ */ defineExtension<TensorValue, VariableShapeTensorParameters>({
    name: 'arrow.variable_shape_tensor',
    storage: (type) => dimensionsOf(type) !== undefined,
    serialize({ uniformShape, ...axes }) {
      const found = { ...writeAxes(axes), ...(uniformShape && { uniform_shape: uniformShape }) };
      return Object.keys(found).length === 0 ? '' : JSON.stringify(found);
    },
    deserialize(metadata, storage) {
      const found = metadata === '' ? {} : parseObject(metadata);
      const ndim = dimensionsOf(storage) ?? 0;
      const { uniform_shape: uniform } = found;
      const isUniform = Array.isArray(uniform) && isSizes(uniform.map((size) => size ?? 0)) && uniform.length === ndim;
      if (uniform !== undefined && !isUniform) throw new TypeError(`uniform_shape is not ${ndim} sizes`);
      return { ...parseAxes(found, ndim), ...(isUniform && { uniformShape: uniform as (number | null)[] }) };
    },
    decode(value, { uniformShape, ...axes }) {
      const { data, shape } = value as { data: ArrayLike<unknown> | null; shape: ArrayLike<number> | null };
      const sizes = Array.from(shape ?? []);
      if (data === null || !isSizes(sizes) || product(sizes) !== data.length) {
        throw new RangeError(`shape [${sizes}] does not fit ${data?.length ?? 0} elements`);
      }
      if (uniformShape?.some((size, i) => size !== null && size !== sizes[i])) {
        throw new RangeError(
          `shape [${sizes}] is not of the uniform shape [${uniformShape.map((size) => size ?? '?')}]`,
        );
      }
      return makeTensor(data, sizes, axes);
    },
    encode: ({ data, shape }) => ({ data, shape }),
  });

/** A field of `arrow.variable_shape_tensor` of `ndim` dimensions over elements of type `value`. */
export function variableShapeTensorField(
  name: string,
  value: DataType,
  ndim: number,
  parameters: VariableShapeTensorParameters = {},
  options?: FieldOptions,
): Field {
  const storage = struct([
    new Field('data', list(value), { nullable: false }),
    new Field('shape', fixedSizeList(int32(), ndim), { nullable: false }),
  ]);
  return extensionField(name, storage, variableShapeTensorExtension.describe(storage, parameters), options);
}

function dimensionsOf(type: DataType): number | undefined {
  if (type.kind !== 'struct' || type.children.length !== 2) return undefined;
  const data = type.children.find((child) => child.name === 'data')?.type;
  const shape = type.children.find((child) => child.name === 'shape')?.type;
  if (data?.kind !== 'list' || shape?.kind !== 'fixed-size-list') return undefined;
  const size = shape.child.type;
  return size.kind === 'int' && size.bitWidth === 32 && size.signed ? shape.listSize : undefined;
}

function product(sizes: readonly number[]): number {
  return sizes.reduce((all, size) => all * size, 1);
}

function elementsOf(value: TensorValue | ArrayLike<unknown>): ArrayLike<unknown> {
  return 'data' in value ? value.data : value;
}

function makeTensor(data: ArrayLike<unknown>, sizes: readonly number[], axes: TensorAxes): TensorValue {
  const steps: number[] = [];
  let step = 1;
  for (let i = sizes.length - 1; i >= 0; i--) {
    steps[i] = step;
    step *= sizes[i] ?? 0;
  }
  const { dimNames } = axes;
  const permutation = axes.permutation ?? sizes.map((_, i) => i);
  return {
    data,
    shape: permutation.map((i) => sizes[i] ?? 0),
    strides: permutation.map((i) => steps[i] ?? 0),
    ...(dimNames && { dimNames: permutation.map((i) => dimNames[i] ?? '') }),
  };
}
